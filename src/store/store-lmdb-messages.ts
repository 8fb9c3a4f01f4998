import type { Key } from 'lmdb';
import type { Json, JsonObject, RealmId } from '../core/index.js';
import { pack, unpack } from './codec.js';
import { type Embedded, fitsKey, keyText, type Table } from './embedded.js';
import { indexesOf, inRange, rangesOf } from './message-range.js';
import type { MessageIndex, MessageRange, MessageRecord, MessageScan, MessageWrite } from './store.js';
import type { Graves } from './store-lmdb-graves.js';
import { Allowance, CommonPlaces, IndexPlaces, ListPlaces, MergedPlaces, type Places } from './store-lmdb-merge.js';

type StoredIndex = Exclude<MessageIndex, { by: 'ids' }>;
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
/** Keys of indexes read before other work gets its turn: some 2 ms. */
const KEYS_AT_ONCE = 4_000;
/** With more ranges than these, what they share is tried by itself first. */
const FEW_RANGES = 8;
/** Records then read before it is given up: it is common, and little of it is in the ranges. Some 10 ms. */
const MOST_TRIED = 1_000;
/** Several conditions rarely agree at once, so that more keys are needed than messages wanted. */
const FIRST_BLOCK_IN_COMMON = 4;

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
    const sign = newer ? 1 : -1;
    return (place, limit) => {
      const range = newer
        ? { start: [...prefix, place], end: [...prefix, LAST_ID] }
        : // Not -place: keys tell -0 from 0.
          { start: [...prefix, 0 - place], end: [...prefix, -1], reverse: true };
      const keys = table.getKeys({ ...range, limit } as { start: Key; end: Key; limit: number });
      return [...keys].map((key) => sign * ((key as unknown[]).at(-1) as number));
    };
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
