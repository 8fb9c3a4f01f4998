/**
 * Bytes written by another version of msgpackr: in data directories, in MongoDB, in the log, and between processes
 * during an upgrade of a cluster. The fixture names the version; `node dist/test/unit/store/msgpack-versions.test.js
 * --write` made it with that version installed.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { gunzipSync, gzipSync } from 'node:zlib';
import { Packr } from 'msgpackr';
import t from 'tap';
import type { Json } from '#base';
import type { MessageRecord } from '#model/records';
import { decodeMessageRecord, encodeMessageRecord, packJsonToBuffer, unpackJson } from '#ports/store';
import { decodeFrameHead, type FrameHead, FrameWriter } from '#ports/wire';
import { BUS_FRAME_KIND_REPLIES } from '../../../src/ports/bus/bus-nats-frame.js';

const FIXTURE = 'test/fixtures/msgpack/written.json';

const range = <T>(n: number, of: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => of(i));
const BOUNDARIES = [0, 1, 31, 32, 127, 128, 255, 256, 32_767, 32_768, 65_535, 65_536, 2 ** 31, 2 ** 32, 2 ** 53 - 1];

const VALUES: Readonly<Record<string, Json>> = {
  'nothing, truth': [null, true, false],
  'whole numbers': [
    ...BOUNDARIES,
    ...BOUNDARIES.slice(1).map((n) => -n),
    ...BOUNDARIES.slice(1, -1).map((n) => -n - 1),
  ],
  'other numbers': [0.1, 0.5, -1.5, 1e-300, 1.7976931348623157e308, 3.1415927410125732, 1_700_000_000.25],
  texts: [
    '',
    'a',
    'ä',
    '日本語',
    '👩‍👩‍👧',
    '\u0000\u001f\u007f',
    'x'.repeat(31),
    'x'.repeat(32),
    'ö'.repeat(300),
    'z'.repeat(70_000),
  ],
  lists: [[], range(15, (i) => i), range(16, (i) => i), range(70_000, (i) => i % 7)],
  objects: [
    {},
    { a: { b: { c: [{ d: null }] } } },
    { '': 1, '0': 2, 'a.b': 3, $set: 4, constructor: 5 },
    Object.fromEntries(range(15, (i) => [`k${i}`, i])),
    Object.fromEntries(range(16, (i) => [`k${i}`, `v${i}`])),
    Object.fromEntries(range(300, (i) => [`key ${i}`, [i]])),
  ],
  bytes: [new Uint8Array(0), Uint8Array.from([1, 2, 255]), new Uint8Array(300).fill(7), new Uint8Array(70_000).fill(9)],
  'an account': {
    id: 11,
    email: 'iago@example.com',
    full_name: 'Iago',
    role: 200,
    joined: 1_700_000_000_123,
    avatar: null,
  },
};

const MESSAGE: MessageRecord = {
  id: 1_000_001,
  conversation: 's5',
  topicKey: 'castle',
  sender: 11,
  participants: [],
  movedFrom: '',
  tags: ['topic castle', 'word hi'],
  body: { type: 'stream', stream: 5, subject: 'Castle', content: '<p>Hi 👋</p>', at: 1_700_000_000 },
};
const DIGEST = { version: 3, facts: [1, 2 ** 32 - 1], head: '{"id":1', texts: ['<p>Hi 👋</p>'] };

const HEAD: FrameHead = [
  'reply',
  7,
  { ok: [new Uint8Array(200).fill(1), new Uint8Array(3).fill(2)], list: range(20, (i) => i) },
];

/** Packs entries like the log. */
const log = new Packr({ useRecords: false });
const ENTRY = {
  t: 'plain',
  at: 5,
  events: [{ type: 'realm_user', op: 'update', person: { user_id: 11 } }],
  to: range(40, (i) => i * 300),
};

function frame(): Uint8Array {
  const writer = new FrameWriter();
  return writer.encodeFrame(
    BUS_FRAME_KIND_REPLIES,
    HEAD.map((value) => writer.addValueAndExtractBlobs(value as Json)),
  );
}

const written = (): Record<string, Uint8Array> => ({
  ...Object.fromEntries(Object.entries(VALUES).map(([name, value]) => [name, packJsonToBuffer(value)])),
  message: encodeMessageRecord(4, MESSAGE),
  'message with digest': encodeMessageRecord(4, MESSAGE, DIGEST),
  frame: frame(),
  entry: log.pack(ENTRY),
});

interface Fixture {
  readonly msgpackr: string;
  /** Gzip, base64. */
  readonly bytes: Readonly<Record<string, string>>;
}

if (process.argv.includes('--write')) {
  const { version } = JSON.parse(readFileSync('node_modules/msgpackr/package.json', 'utf8')) as { version: string };
  const bytes = Object.entries(written()).map(([name, of]) => [name, gzipSync(of).toString('base64')] as const);
  writeFileSync(FIXTURE, `${JSON.stringify({ msgpackr: version, bytes: Object.fromEntries(bytes) }, undefined, 2)}\n`);
  process.exit();
}

const fixture = JSON.parse(readFileSync(FIXTURE, 'utf8')) as Fixture;
const old = (name: string): Uint8Array => new Uint8Array(gunzipSync(Buffer.from(fixture.bytes[name]!, 'base64')));

t.test(`bytes of msgpackr ${fixture.msgpackr} are read back unchanged`, async (t) => {
  for (const [name, value] of Object.entries(VALUES)) t.strictSame(unpackJson(old(name)), value, name);
  for (const name of ['message', 'message with digest']) {
    t.strictSame(decodeMessageRecord(MESSAGE.id, Buffer.from(old(name))), { rev: 4, record: MESSAGE }, name);
  }
  t.strictSame(decodeFrameHead(old('frame')), HEAD);
  t.strictSame(log.unpack(old('entry')), ENTRY);
});

t.test(`present bytes equal those of msgpackr ${fixture.msgpackr}, so that processes with it read them`, async (t) => {
  for (const [name, bytes] of Object.entries(written())) {
    t.ok(Buffer.from(bytes).equals(old(name)), name);
  }
});
