import type { Key } from 'lmdb';
import type { Json, JsonObject, RealmId } from '../core/index.js';
import { pack, unpack } from './codec.js';
import { type Embedded, fitsKey, keyText, type Table } from './embedded.js';
import type { MessageIndex, MessageRecord, MessageScan, MessageWrite } from './store.js';
import type { Graves } from './store-lmdb-graves.js';

type IndexKey = readonly [string, number, ...(string | number)[]];
interface Stored {
  readonly rev: number;
  readonly record: MessageRecord;
}

const PRESENT = Buffer.from([1]);
/** Above every id; ordered-binary sorts numbers by value. */
const LAST_ID = 2 ** 53;
/** Records decoded before other work gets its turn: some 2 ms. */
const DECODE_AT_ONCE = 200;

/** Message records keyed [realm, id], and one table of index entries that end with the id. */
export class LmdbMessages {
  readonly #records: Table;
  readonly #index: Table;
  readonly #graves: Graves;
  /** By realm: no stored id is above this one (a write that is not committed yet may be). */
  readonly #newest = new Map<RealmId, number>();

  constructor(environment: Embedded, graves: Graves) {
    this.#records = environment.table('messages');
    this.#index = environment.table('message-index');
    this.#graves = graves;
  }

  /** Encodes at once; the result is called inside a write transaction. */
  prepare(write: MessageWrite): () => void {
    const { realm, id, rev, value } = write;
    if (id > (this.#newest.get(realm) ?? -1)) this.#newest.set(realm, id);
    const keys = value ? indexKeys(realm, value) : [];
    const bytes = value && encode(rev, value);
    return () => {
      const old = this.#read(realm, id);
      if ((old?.rev ?? this.#graves.rev(['m', realm, id])) >= rev) return;
      this.#reindex(old ? indexKeys(realm, old.record) : [], keys);
      if (bytes) {
        if (!old) this.#graves.unbury(['m', realm, id]);
        this.#records.put([realm, id], bytes);
      } else {
        if (old) this.#records.remove([realm, id]);
        this.#graves.bury(['m', realm, id], rev);
      }
    };
  }

  #reindex(before: readonly IndexKey[], after: readonly IndexKey[]): void {
    const text = (key: IndexKey): string => JSON.stringify(key);
    const kept = new Set(before.length > 0 ? after.map(text) : []);
    const had = new Set(before.map(text));
    for (const key of before) if (!kept.has(text(key))) this.#index.remove(key as unknown as Key);
    for (const key of after) if (!had.has(text(key))) this.#index.put(key as unknown as Key, PRESENT);
  }

  async get(realm: RealmId, ids: readonly number[]): Promise<(MessageRecord | null)[]> {
    const found: (MessageRecord | null)[] = [];
    for (const id of ids) {
      if (found.length > 0 && found.length % DECODE_AT_ONCE === 0) await turn();
      found.push(this.#read(realm, id)?.record ?? null);
    }
    return found;
  }

  async scan(scan: MessageScan): Promise<MessageRecord[]> {
    const { realm, limit } = scan;
    // People look for texts of any length.
    if (Object.values(scan.index).some((of) => typeof of === 'string' && !fitsKey(of))) return [];
    const found: MessageRecord[] = [];
    let from = scan.from;
    const newest = this.#newestOf(scan);
    if (newest && limit > 0) {
      found.push(newest);
      from = newest.id;
    }
    while (found.length < limit) {
      if (found.length > (newest ? 1 : 0)) await turn();
      const wanted = Math.min(limit - found.length, DECODE_AT_ONCE);
      // Index and records are read in one turn, hence from one snapshot: every id has its record.
      const ids = this.#ids(scan, from, wanted);
      for (const id of ids) {
        const record = this.#read(realm, id)?.record;
        if (record) found.push(record);
      }
      this.#learn(scan, ids[0]);
      if (ids.length < wanted) break;
      from = ids[ids.length - 1] as number;
    }
    return found;
  }

  /**
   * The first record of a scan from the realm's end, without a cursor: that is what GET /users/me looks at, and opening
   * a cursor costs more than all the rest of it.
   */
  #newestOf({ realm, index, direction, from }: MessageScan): MessageRecord | undefined {
    if (index.by !== 'realm' || direction !== 'older') return undefined;
    const id = this.#newest.get(realm);
    return id === undefined || id >= from ? undefined : this.#read(realm, id)?.record;
  }

  /** After a start. Once a write of the realm is under way, only writes raise it. */
  #learn({ realm, index, direction, from }: MessageScan, first: number | undefined): void {
    if (index.by !== 'realm' || direction !== 'older' || from < LAST_ID) return;
    if (first !== undefined && !this.#newest.has(realm)) this.#newest.set(realm, first);
  }

  #ids({ realm, index, direction }: MessageScan, from: number, limit: number): number[] {
    const prefix = index.by === 'realm' ? [realm] : indexPrefix(realm, index);
    const table = index.by === 'realm' ? this.#records : this.#index;
    const range =
      direction === 'newer'
        ? { start: [...prefix, Math.max(from, -1) + 1], end: [...prefix, LAST_ID] }
        : { start: [...prefix, Math.min(from, LAST_ID) - 1], end: [...prefix, -1], reverse: true };
    const keys = table.getKeys({ ...range, limit } as { start: Key; end: Key; limit: number });
    return [...keys].map((key) => (key as unknown[]).at(-1) as number);
  }

  #read(realm: RealmId, id: number): Stored | undefined {
    const bytes = this.#records.get([realm, id]);
    return bytes && decode(id, bytes);
  }
}

function encode(rev: number, m: MessageRecord): Buffer {
  return pack([rev, m.conversation, m.topicKey, m.sender, m.participants, m.body, m.movedFrom, [...m.tags]]);
}

function decode(id: number, bytes: Buffer): Stored {
  const [rev, conversation, topicKey, sender, participants, body, movedFrom, tags] = unpack(
    bytes,
  ) as readonly Json[] as [number, string, string, number, number[], JsonObject, string, string[]];
  return { rev, record: { id, conversation, topicKey, sender, participants, movedFrom, tags, body } };
}

function indexKeys(realm: RealmId, m: MessageRecord): IndexKey[] {
  const keys: IndexKey[] = [
    [...indexPrefix(realm, { by: 'conversation', conversation: m.conversation }), m.id],
    [...indexPrefix(realm, { by: 'topic', conversation: m.conversation, topicKey: m.topicKey }), m.id],
    [...indexPrefix(realm, { by: 'sender', sender: m.sender }), m.id],
  ];
  for (const user of new Set(m.participants)) keys.push([...indexPrefix(realm, { by: 'participant', user }), m.id]);
  for (const tag of m.tags) keys.push([...indexPrefix(realm, { by: 'tag', tag }), m.id]);
  if (m.movedFrom !== '') keys.push([...indexPrefix(realm, { by: 'moved', from: m.movedFrom }), m.id]);
  return keys;
}

function indexPrefix(realm: RealmId, index: Exclude<MessageIndex, { by: 'realm' }>): IndexKey {
  switch (index.by) {
    case 'conversation':
      return ['c', realm, keyText(index.conversation)];
    case 'topic':
      return ['t', realm, keyText(index.conversation), keyText(index.topicKey)];
    case 'sender':
      return ['s', realm, index.sender];
    case 'participant':
      return ['p', realm, index.user];
    case 'tag':
      return ['w', realm, keyText(index.tag)];
    case 'moved':
      return ['m', realm, keyText(index.from)];
  }
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
