import type { Key } from 'lmdb';
import type { Json, JsonObject, RealmId } from '../core/index.js';
import { pack, unpack } from './codec.js';
import { type Embedded, fitsKey, keyText, type Table } from './embedded.js';
import { keepRecord, MetBefore } from './kept-records.js';
import { type CacheChanges, GuardedCache } from './lmdb-cache.js';
import { indexesOf, inRange, rangesOf } from './message-range.js';
import { type FetchIds, Postings } from './postings.js';
import type { MessageIndex, MessageRange, MessageRecord, MessageScan, MessageWrite } from './store.js';
import type { Graves } from './store-lmdb-graves.js';
import { Allowance, CommonPlaces, IndexPlaces, ListPlaces, MergedPlaces, type Places } from './store-lmdb-merge.js';

type StoredIndex = Exclude<MessageIndex, { by: 'ids' }>;
type IndexKey = readonly [string, number, ...(string | number)[]];
interface Stored {
  readonly rev: number;
  readonly record: MessageRecord;
  /** Packed. */
  readonly bytes: number;
}

const PRESENT = Buffer.from([1]);
/** Above every id; ordered-binary sorts numbers by value. */
const LAST_ID = 2 ** 53;
/** Records decoded before other work gets its turn: some 2 ms. */
const DECODE_AT_ONCE = 200;
/** Keys of indexes read before other work gets its turn: some 2 ms. */
const KEYS_AT_ONCE = 4_000;
/** With more ranges than these, what they share is tried by itself first. */
const FEW_RANGES = 8;
/** Records then read before it is given up: it is common, and little of it is in the ranges. Some 10 ms. */
const MOST_TRIED = 1_000;
/** Several conditions rarely agree at once, so that more keys are needed than messages wanted. */
const FIRST_BLOCK_IN_COMMON = 4;

/** Of packed records; decoded, with what is made of them, they take some four times as much. */
const KEPT_BYTES = 16 * 1_048_576;
/** Of all indexes together. */
const KEPT_IDS = 1_000_000;
/** What an index costs that has no ids, as most of some kinds have none. */
const EMPTY_COST = 16;
/** Ids of one realm, told apart from those of others in one number; what is above is not kept. */
const REALM_IDS = 2 ** 33;
const MOST_REALMS = 2 ** 20;

/** Message records keyed [realm, id], and one table of index entries that end with the id. */
export class LmdbMessages {
  readonly #records: Table;
  readonly #index: Table;
  readonly #graves: Graves;
  /** By realm: no stored id is above this one (a write that is not committed yet may be). */
  readonly #newest = new Map<RealmId, number>();
  /** Realms by the order in which they came up. */
  readonly #slots = new Map<RealmId, number>();
  readonly #met = new MetBefore();
  readonly #kept = new GuardedCache<number, Stored>(KEPT_BYTES, ({ bytes }) => bytes);
  readonly #postings = new GuardedCache<string, Postings>(KEPT_IDS, ({ size }) => EMPTY_COST + size);

  constructor(environment: Embedded, graves: Graves) {
    this.#records = environment.table('messages');
    this.#index = environment.table('message-index');
    this.#graves = graves;
  }

  /** Encodes at once; the result is called inside a write transaction. */
  prepare(write: MessageWrite, changes: CacheChanges): () => void {
    const { realm, id, rev, value } = write;
    if (id > (this.#newest.get(realm) ?? -1)) this.#newest.set(realm, id);
    const keys = value ? indexKeys(realm, value) : [];
    const bytes = value && encode(rev, value);
    return () => {
      const old = this.#stored(realm, id);
      if ((old?.rev ?? this.#graves.rev(['m', realm, id])) >= rev) return;
      const before = old ? indexKeys(realm, old.record) : [];
      this.#reindex(before, keys);
      this.#changes(realm, id, before, keys, changes);
      if (bytes) {
        if (!old) this.#graves.unbury(['m', realm, id]);
        this.#records.put([realm, id], bytes);
      } else {
        if (old) this.#records.remove([realm, id]);
        this.#graves.bury(['m', realm, id], rev);
      }
    };
  }

  /** Inside the transaction: what is kept of it must not be used before that is settled. */
  #changes(realm: RealmId, id: number, before: readonly IndexKey[], after: readonly IndexKey[], changes: CacheChanges) {
    const key = this.#keyOf(realm, id);
    const gone = new Set(before.map(keptName));
    const now = new Set(after.map(keptName));
    const names = [...new Set([...gone, ...now])].filter((name) => name !== '' && gone.has(name) !== now.has(name));
    this.#kept.block(key);
    for (const name of names) this.#postings.block(name, true);
    changes.onSettled((done) => {
      this.#kept.release(key);
      for (const name of names) {
        const change = now.has(name) ? (of: Postings) => of.add(id) : (of: Postings) => of.remove(id);
        this.#postings.release(name, done ? change : undefined);
      }
    });
  }

  #reindex(before: readonly IndexKey[], after: readonly IndexKey[]): void {
    // A new message, as most are.
    if (before.length === 0) {
      for (const key of after) this.#index.put(key as unknown as Key, PRESENT);
      return;
    }
    const text = (key: IndexKey): string => JSON.stringify(key);
    const kept = new Set(after.map(text));
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
    const { limit } = scan;
    const found: MessageRecord[] = [];
    let from = scan.from;
    const newest = this.#newestOf(scan);
    if (newest && limit > 0) {
      found.push(newest);
      from = newest.id;
    }
    const shared = sharedRange(scan);
    if (shared && found.length < limit) {
      const { realm, direction } = scan;
      const reached = await this.#walk({ ...shared, realm, direction, from, limit }, scan, found, MOST_TRIED);
      if (reached === undefined) return found;
      from = reached;
    }
    await this.#walk({ ...scan, from }, scan, found);
    return found;
  }

  /**
   * Adds to `found` what is `along` a scan and in another, wider or equal one. Undefined: there is no more, or as many
   * as are wanted were found; else the id that was reached when `most` were looked at.
   */
  async #walk(
    along: MessageScan,
    scan: MessageScan,
    found: MessageRecord[],
    most = Number.POSITIVE_INFINITY,
  ): Promise<number | undefined> {
    const { realm, limit } = scan;
    const ranges = rangesOf(scan);
    const exact = most === Number.POSITIVE_INFINITY;
    const allowance = new Allowance(0);
    const merged = this.#merge(along, allowance);
    let reached = along.from;
    for (let turns = 0, looked = 0; found.length < limit && !merged.ended; turns++) {
      if (looked >= most) return reached;
      if (turns > 0) await turn();
      allowance.left = KEYS_AT_ONCE;
      const missing = limit - found.length;
      const wanted = Math.min(exact ? missing : Math.max(missing, looked), DECODE_AT_ONCE);
      const places = merged.take(wanted, allowance);
      for (const place of places) {
        const record = this.#read(realm, Math.abs(place))?.record;
        // What was read in an earlier turn may be gone or elsewhere by now.
        const sure = exact && turns === 0;
        if (record && found.length < limit && (sure || ranges.some((range) => inRange(record, range)))) {
          found.push(record);
        }
      }
      if (exact && turns === 0 && places[0] !== undefined) this.#learn(scan, Math.abs(places[0]));
      reached = Math.abs(places.at(-1) ?? reached);
      // A turn that was spent on keys alone counts as much as one of records.
      looked += places.length < wanted ? DECODE_AT_ONCE : places.length;
    }
    return undefined;
  }

  #merge(scan: MessageScan, allowance: Allowance): MergedPlaces {
    const ranges = rangesOf(scan);
    const share = Math.ceil(Math.min(scan.limit, DECODE_AT_ONCE) / ranges.length);
    return new MergedPlaces(ranges.flatMap((range) => this.#common(scan, range, share, allowance) ?? []));
  }

  #common(
    { realm, direction, from }: MessageScan,
    range: MessageRange,
    share: number,
    allowance: Allowance,
  ): CommonPlaces | undefined {
    const newer = direction === 'newer';
    const low = Math.max((newer ? from : -1) + 1, (range.above ?? -1) + 1, 0);
    const high = Math.min(newer ? LAST_ID : from - 1, range.upTo ?? LAST_ID, LAST_ID);
    if (low > high) return undefined;
    const all = indexesOf(range);
    // People look for texts of any length.
    if (!all.every(storable)) return undefined;
    const indexes = all.length === 1 ? all : all.filter(({ by }) => by !== 'realm');
    const first = indexes.length > 1 ? FIRST_BLOCK_IN_COMMON : share;
    const places = (indexes.length === 0 ? all.slice(0, 1) : indexes).map((index): Places => {
      if (index.by === 'ids') return new ListPlaces(newer ? index.ids : index.ids.map((id) => -id).reverse());
      return new IndexPlaces(this.#reader(realm, index, newer), allowance, first);
    });
    return newer ? new CommonPlaces(places, low, high) : new CommonPlaces(places, -high, -low);
  }

  /**
   * The first record of a scan from the realm's end, without a cursor: that is what GET /users/me looks at, and opening
   * a cursor costs more than all the rest of it.
   */
  #newestOf(scan: MessageScan): MessageRecord | undefined {
    const { realm, from } = scan;
    if (!isFromEnd(scan)) return undefined;
    const id = this.#newest.get(realm);
    return id === undefined || id >= from ? undefined : this.#read(realm, id)?.record;
  }

  /** After a start. Once a write of the realm is under way, only writes raise it. */
  #learn(scan: MessageScan, first: number): void {
    if (!isFromEnd(scan) || scan.from < LAST_ID || this.#newest.has(scan.realm)) return;
    this.#newest.set(scan.realm, first);
  }

  #reader(realm: RealmId, index: StoredIndex, newer: boolean): (place: number, limit: number) => number[] {
    const prefix = index.by === 'realm' ? [realm] : indexPrefix(realm, index);
    const table = index.by === 'realm' ? this.#records : this.#index;
    const fetch: FetchIds = (from, limit, upwards) => {
      const range = upwards
        ? { start: [...prefix, from], end: [...prefix, LAST_ID] }
        : // Not -from: keys tell -0 from 0.
          { start: [...prefix, from], end: [...prefix, -1], reverse: true };
      const ids: number[] = [];
      const keys = table.getKeys({ ...range, limit } as { start: Key; end: Key; limit: number });
      for (const key of keys) ids.push((key as unknown[]).at(-1) as number);
      return ids;
    };
    const read = this.#remembering(index.by === 'realm' ? '' : keptName([...prefix, 0] as IndexKey), fetch);
    if (newer) return (place, limit) => read(place, limit, true);
    return (place, limit) => {
      const ids = read(0 - place, limit, false);
      for (let i = 0; i < ids.length; i++) ids[i] = -ids[i]!;
      return ids;
    };
  }

  /** The same from what is kept of the index, as far as that goes. @param name '' = nothing is */
  #remembering(name: string, fetch: FetchIds): FetchIds {
    if (name === '') return fetch;
    return (from, limit, newer) => {
      if (this.#postings.isBlocked(name)) return fetch(from, limit, newer);
      let posting = this.#postings.get(name);
      if (!posting) {
        posting = new Postings();
        this.#postings.put(name, posting);
      }
      const before = posting.size;
      const ids = posting.read(from, limit, newer, fetch);
      if (posting.size > before) this.#postings.grew(posting.size - before);
      return ids;
    };
  }

  /** Outside of transactions. */
  #read(realm: RealmId, id: number): Stored | undefined {
    const key = this.#keyOf(realm, id);
    const kept = this.#kept.get(key);
    if (kept) return kept;
    const stored = this.#stored(realm, id);
    if (stored && key !== NOT_KEPT && this.#met.again(key)) {
      keepRecord(stored.record.body);
      this.#kept.put(key, stored);
    }
    return stored;
  }

  #keyOf(realm: RealmId, id: number): number {
    let slot = this.#slots.get(realm);
    if (slot === undefined) {
      slot = this.#slots.size;
      this.#slots.set(realm, slot);
    }
    return id < REALM_IDS && slot < MOST_REALMS ? slot * REALM_IDS + id : NOT_KEPT;
  }

  #stored(realm: RealmId, id: number): Stored | undefined {
    // In memory that the next look overwrites, of which it is the first `length` bytes: decoded at once.
    const found = this.#records.getBinaryFast([realm, id]) as Uint8Array | undefined;
    return found && decode(id, new Uint8Array(found.buffer, found.byteOffset, found.length));
  }
}

const NOT_KEPT = -1;

/** '' = not kept: every message has many words, and few of them are looked for. */
function keptName(key: IndexKey): string {
  if (key[0] === 'w' && (key[2] as string).startsWith('=')) return '';
  return key.slice(0, -1).join('/');
}

function encode(rev: number, m: MessageRecord): Buffer {
  return pack([rev, m.conversation, m.topicKey, m.sender, m.participants, m.body, m.movedFrom, [...m.tags]]);
}

function decode(id: number, bytes: Uint8Array): Stored {
  const [rev, conversation, topicKey, sender, participants, body, movedFrom, tags] = unpack(
    bytes,
  ) as readonly Json[] as [number, string, string, number, number[], JsonObject, string, string[]];
  return {
    rev,
    record: { id, conversation, topicKey, sender, participants, movedFrom, tags, body },
    bytes: bytes.length,
  };
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

/** Is there anything that can be stored there? */
const storable = (index: MessageIndex): boolean =>
  Object.values(index).every((of) => typeof of !== 'string' || fitsKey(of));

function indexPrefix(realm: RealmId, index: Exclude<StoredIndex, { by: 'realm' }>): IndexKey {
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

/**
 * What all of many ranges share, as a word that is looked for in all of somebody's streams. Where it is rare, reading all
 * of it is cheaper than leaping through every range for it.
 */
function sharedRange(scan: MessageScan): MessageRange | undefined {
  const ranges = rangesOf(scan);
  if (ranges.length <= FEW_RANGES) return undefined;
  const [index, ...also] = indexesOf(scan).filter((one) => ranges.every((range) => indexesOf(range).includes(one)));
  if (!index) return undefined;
  const above = Math.min(...ranges.map((range) => range.above ?? -1));
  return { index, also, above, upTo: Math.max(...ranges.map((range) => range.upTo ?? LAST_ID)) };
}

/** All messages of the realm, from above all of them or from some place back. */
const isFromEnd = ({ index, also, or, above, upTo, direction }: MessageScan): boolean =>
  index.by === 'realm' && direction === 'older' && !also && !or && above === undefined && upTo === undefined;

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
