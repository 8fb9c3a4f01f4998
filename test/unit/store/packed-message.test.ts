/** The layout of messages in the embedded Store: records are equal with a digest and without. */
import fc from 'fast-check';
import t from 'tap';
import type { JsonObject } from '#base';
import type { MessageRecord } from '#model/records';
import { decodeMessageRecord, deepCopyJson, encodeMessageRecord, PackedMessageCursor, unpackJson } from '#ports/store';
import { PackedMessageSlab } from '../../../src/ports/store/packed-message.js';
import { ANY_CODE_POINT } from '../../support/any-text.js';

const text = fc.oneof(
  fc.string(),
  fc.string({ unit: ANY_CODE_POINT }),
  fc.constantFrom('', 'plain', '"quoted" \\ and\nlines', '<p>ä€😀</p>', '\u0000\u001f\u2028'),
);
const message = fc.record({
  id: fc.integer({ min: 1, max: 2 ** 40 }),
  conversation: text,
  topicKey: text,
  sender: fc.nat(),
  participants: fc.array(fc.nat(), { maxLength: 4 }),
  movedFrom: text,
  tags: fc.uniqueArray(text, { maxLength: 4 }),
  body: fc.dictionary(
    fc.string().filter((key) => key !== '__proto__'),
    fc.oneof(text, fc.integer(), fc.boolean()),
  ),
  html: text,
});
const digest = fc.record({
  version: fc.integer({ min: 0, max: 255 }),
  facts: fc.array(fc.integer({ min: 0, max: 2 ** 32 - 1 }), { maxLength: 12 }),
  head: text,
});
const json = (of: string): string => JSON.stringify(of).slice(1, -1);
const isWhole = (of: string): boolean => !/\p{Surrogate}/u.test(of);

t.test('a packed message is read back, whatever lies beside it', async (t) => {
  fc.assert(
    fc.property(
      message,
      digest,
      fc.integer({ min: 1, max: 2 ** 33 }),
      fc.nat({ max: 50 }),
      (given, more, rev, before) => {
        const { html, ...rest } = given;
        const body: JsonObject = { ...rest.body, html };
        const record: MessageRecord = { ...rest, body };
        const texts = [html, rest.topicKey, 'not in it: "'];
        const whole = encodeMessageRecord(rev, record, { ...more, texts });
        const plain = encodeMessageRecord(rev, record);
        t.same(decodeMessageRecord(record.id, whole), decodeMessageRecord(record.id, plain));
        t.same(decodeMessageRecord(record.id, plain), {
          rev,
          record: { ...deepCopyJson(rest as JsonObject), id: record.id, body: deepCopyJson(body) },
        });
        t.same((unpackJson(whole) as unknown[]).slice(0, 8), unpackJson(plain), 'for those who know no digest');

        // Somewhere in larger memory.
        const bytes = Buffer.concat([Buffer.alloc(before, 7), whole, Buffer.alloc(3, 9)]);
        const packed = new PackedMessageCursor().moveToPackedBytes(
          record.id,
          new PackedMessageSlab(bytes),
          before,
          whole.length,
        );
        t.same(packed.decodedRecord, decodeMessageRecord(record.id, plain).record);
        if (!texts.every(isWhole) || /\\ud[89a-f]/.test(more.head)) {
          if (!texts.every(isWhole))
            t.equal(packed.digestVersion, undefined, 'what would be shown would not be what is decoded');
          return;
        }
        t.equal(packed.digestVersion, more.version);
        t.same(
          Array.from({ length: packed.factCount }, (_, i) => packed.readDigestFact(i)),
          more.facts,
        );
        t.equal(Buffer.from(packed.digestHeadJson).toString(), Buffer.from(more.head).toString());
        texts.forEach((one, i) => {
          t.equal(Buffer.from(packed.readDigestTextJson(i)).toString(), json(one));
          t.equal(packed.isDigestTextEqualTo(i, Buffer.from(json(one))), true);
          t.equal(packed.isDigestTextEqualTo(i, Buffer.from(`${json(one)}x`)), false);
        });
      },
    ),
  );
});

t.test('one object is moved from message to message', async (t) => {
  const record = (id: number): MessageRecord => ({
    id,
    conversation: 's1',
    topicKey: 'a',
    sender: 1,
    participants: [],
    movedFrom: '',
    tags: [],
    body: { content: `message ${id}` },
  });
  const slab = new PackedMessageSlab(Buffer.alloc(1_000));
  const first = encodeMessageRecord(1, record(1), { version: 3, facts: [5], head: '{"id":1', texts: [] });
  const second = encodeMessageRecord(1, record(2));
  const places = [first, second].map((bytes) => slab.appendBytes(bytes)!);
  const packed = new PackedMessageCursor().moveToPackedBytes(1, slab, places[0]!, first.length);
  const { decodedRecord: kept } = packed;
  t.match(packed, { id: 1, digestVersion: 3, factCount: 1 });
  packed.moveToPackedBytes(2, slab, places[1]!, second.length);
  t.match(packed, { id: 2, digestVersion: undefined, factCount: 0 });
  t.same(packed.decodedRecord, record(2));
  t.same(kept, record(1), 'what was decoded stays');
  t.equal(slab.appendBytes(Buffer.alloc(1_000)), undefined, 'no room');
});
