/** Rows of zerver_message from stored bytes: equal to the rows of decoded messages, whatever the messages hold. */
import fc from 'fast-check';
import t from 'tap';
import {
  type MessageBody,
  makeMessageDigestIfPossible,
  PackedMessageView,
  type StoredMessage,
  toMessageRecord,
  toStoredMessage,
} from '#domain/messages';
import { decodeMessageRecord, encodeMessageRecord, PackedMessageCursor } from '#ports/store';
import { MessageRowEncoder, ROW_SEPARATOR } from '../../../src/app/exchange/tables/message-rows.js';
import { makeMessageRow } from '../../../src/app/exchange/tables/messages.js';
import { PackedMessageSlab } from '../../../src/ports/store/packed-message.js';
import { ANY_CODE_POINT } from '../../support/any-text.js';

const text = fc.oneof(
  fc.string({ unit: ANY_CODE_POINT }),
  fc.constantFrom('', 'plain', '"quoted" \\ and\nlines', '<p>ä€😀</p>', '\u0000\u001f\u007f\u2028'),
);
const time = fc.oneof(
  fc.nat(),
  fc.integer({ min: 2 ** 31, max: 2 ** 40 }),
  fc.double({ min: 0, noNaN: true, max: 1e9 }),
);
const edit = fc.record(
  {
    user: fc.nat(),
    at: fc.nat(),
    content: fc.record({ raw: text, html: text }),
    topic: fc.record({ from: text, to: text }),
    stream: fc.record({ from: fc.nat(), to: fc.nat() }),
  },
  { requiredKeys: ['user', 'at'] },
);
const reaction = fc.record({ user: fc.nat(), name: text, code: fc.constant('1f389'), type: fc.constant('unicode') });
const body = fc.record(
  {
    content: text,
    html: text,
    topic: text,
    sent: time,
    client: text,
    recipient: fc.nat(),
    stream: fc.nat({ max: 3 }),
    rev: fc.constant(1),
    flags: fc.dictionary(fc.nat().map(String), fc.subarray(['read', 'mentioned', 'has_alert_word'])),
    wildcard: fc.boolean(),
    topicLinks: fc.array(fc.record({ text, url: text }), { maxLength: 2 }),
    has: fc.record({ link: fc.boolean(), image: fc.boolean() }),
    reactions: fc.array(reaction, { maxLength: 2 }),
    edits: fc.array(edit, { maxLength: 2 }),
    submessages: fc.array(fc.record({ id: fc.nat(), sender: fc.nat(), type: text, content: text }), { maxLength: 1 }),
    files: fc.array(text, { maxLength: 20 }),
  },
  {
    requiredKeys: [
      'content',
      'html',
      'topic',
      'sent',
      'client',
      'recipient',
      'stream',
      'rev',
      'flags',
      'wildcard',
      'topicLinks',
      'has',
    ],
  },
);
const message = fc.record({
  id: fc.integer({ min: 1, max: 2 ** 40 }),
  sender: fc.nat(),
  participants: fc.array(fc.nat(), { maxLength: 4 }),
  originStream: fc.nat({ max: 3 }),
  body,
});

t.test('a row from stored bytes equals that of the decoded message', async (t) => {
  let encoded = 0;
  fc.assert(
    fc.property(fc.array(message, { minLength: 1, maxLength: 4 }), fc.nat({ max: 50 }), (given, before) => {
      const clients = new Map<string, number>();
      const clientIdOf = (name: string): number => {
        if (!clients.has(name)) clients.set(name, clients.size + 1);
        return clients.get(name)!;
      };
      const rows = new MessageRowEncoder(clientIdOf);
      let expected = '';
      for (const one of given as unknown as StoredMessage[]) {
        const record = toMessageRecord(one, 'd', []);
        const bytes = encodeMessageRecord(1, record, makeMessageDigestIfPossible(record));
        const memory = Buffer.concat([Buffer.alloc(before, 7), bytes, Buffer.alloc(3, 9)]);
        const packed = new PackedMessageCursor().moveToPackedBytes(
          one.id,
          new PackedMessageSlab(memory),
          before,
          bytes.length,
        );
        const view = new PackedMessageView();
        // A message without a digest is decoded by everyone.
        if (view.showOrDecode(packed) !== view) continue;
        const decoded = toStoredMessage(decodeMessageRecord(one.id, bytes).record);
        clientIdOf(decoded.body.client);
        const lists = rows.addRowIfPossible(view)!;
        const { reactions = [], submessages = [] } = decoded.body as MessageBody;
        t.strictSame([lists.reactions, lists.submessages], [reactions, submessages]);
        expected += `${ROW_SEPARATOR}    ${JSON.stringify(makeMessageRow(decoded, clients))}`;
        encoded++;
      }
      t.equal(Buffer.from(rows.takeBytes()).toString(), expected);
    }),
    { numRuns: 200 },
  );
  t.ok(encoded > 100, 'most messages have digests');
});

t.test('rows are kept whatever their sizes', async (t) => {
  const rows = new MessageRowEncoder(() => 1);
  const one: StoredMessage = {
    id: 5,
    sender: 8,
    participants: [],
    originStream: 2,
    body: {
      content: 'x'.repeat(400_000),
      html: '"'.repeat(400_000),
      topic: '\u0001'.repeat(60),
      sent: 7,
      client: 'website',
      recipient: 3,
      stream: 2,
      rev: 1,
      flags: {},
      wildcard: false,
      topicLinks: [],
      has: { link: true, image: false },
    },
  };
  const record = toMessageRecord(one, '', []);
  const bytes = encodeMessageRecord(1, record, makeMessageDigestIfPossible(record));
  const packed = new PackedMessageCursor().moveToPackedBytes(5, new PackedMessageSlab(bytes), 0, bytes.length);
  const view = new PackedMessageView();
  view.showOrDecode(packed);
  rows.addRowIfPossible(view);
  rows.addRowIfPossible(view);
  const row = JSON.stringify(makeMessageRow(one, new Map()));
  t.ok(Buffer.from(rows.takeBytes()).toString() === `${ROW_SEPARATOR}    ${row}${ROW_SEPARATOR}    ${row}`);
});
