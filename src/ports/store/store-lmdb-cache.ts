/**
 * Caches in front of LMDB that never disagree with LMDB. From the moment a transaction writes a key until the
 * transaction is settled, the key is neither cached nor answered from the cache: readers see the state in LMDB. Entries
 * cached before then hold the committed value.
 */

/**
 * A bounded cache of two generations. A full young generation becomes the old one, and the previous old one is dropped.
 */
export class LmdbConsistentCache<K, V> {
  #youngGeneration = new Map<K, V>();
  #oldGeneration = new Map<K, V>();
  #youngWeight = 0;
  readonly #blockedKeys = new Map<K, { count: number; held: V | undefined }>();

  /** Makes an empty cache. @param most maximum weight of one generation; both together hold at most twice as much */
  constructor(
    private readonly most: number,
    private readonly weightOf: (value: V) => number,
  ) {}

  get(key: K): V | undefined {
    const young = this.#youngGeneration.get(key);
    if (young !== undefined) return young;
    const old = this.#oldGeneration.get(key);
    if (old !== undefined) {
      this.#oldGeneration.delete(key);
      this.#putInYoungGeneration(key, old);
    }
    return old;
  }

  /** Caches the value, unless a transaction is writing the key. */
  putUnlessBlocked(key: K, value: V): void {
    if (this.#blockedKeys.size === 0 || !this.#blockedKeys.has(key)) this.#putInYoungGeneration(key, value);
  }

  /**
   * Marks the key as being written by a transaction, so that it is not cached.
   * @param hold true to keep the cached value apart until no transaction writes the key
   */
  blockKey(key: K, hold = false): void {
    const known = this.#blockedKeys.get(key);
    if (known) known.count++;
    else this.#blockedKeys.set(key, { count: 1, held: hold ? this.get(key) : undefined });
    this.#youngGeneration.delete(key);
    this.#oldGeneration.delete(key);
  }

  /**
   * Removes the mark of a transaction that has settled.
   * @param change applies the write to the value kept apart; absent: that value is dropped
   */
  releaseKey(key: K, change?: (held: V) => void): void {
    const known = this.#blockedKeys.get(key);
    if (!known) return;
    if (!change) known.held = undefined;
    else if (known.held !== undefined) change(known.held);
    if (--known.count > 0) return;
    this.#blockedKeys.delete(key);
    if (known.held !== undefined) this.#putInYoungGeneration(key, known.held);
  }

  isKeyBlocked(key: K): boolean {
    return this.#blockedKeys.size > 0 && this.#blockedKeys.has(key);
  }

  /** Adds to the total weight, because a cached value has grown. */
  addWeight(weight: number): void {
    this.#youngWeight += weight;
    if (this.#youngWeight <= this.most) return;
    this.#oldGeneration = this.#youngGeneration;
    this.#youngGeneration = new Map();
    this.#youngWeight = 0;
  }

  #putInYoungGeneration(key: K, value: V): void {
    this.#youngGeneration.set(key, value);
    this.addWeight(this.weightOf(value));
  }
}

/** The cached keys that one transaction writes, with the actions to run when it is settled. */
export class LmdbTransactionCacheChanges {
  readonly #settledListeners: ((done: boolean) => void)[] = [];

  onSettled(fn: (done: boolean) => void): void {
    this.#settledListeners.push(fn);
  }

  /** Runs the actions of a settled transaction. @param done false if the outcome of the transaction is unknown */
  runSettledListeners(done: boolean): void {
    for (const fn of this.#settledListeners) fn(done);
  }
}

const KEY_MARK_SLOTS_LOG2 = 18;
/** Binary logarithm of the number of consecutive keys whose marks are adjacent, in one CPU cache line. */
const KEYS_PER_BLOCK_LOG2 = 4;

/** An approximate set of recently read keys. A record that is read only once isn't worth caching. */
export class RecentlyReadKeys {
  readonly #keyMarkBySlot = new Uint32Array(2 ** KEY_MARK_SLOTS_LOG2);

  /** Adds the key. Returns true if it was added before (false also if its slot was reused since). */
  addAndCheckRepeat(key: number): boolean {
    const low = key >>> 0;
    const high = Math.floor(key / 2 ** 32);
    const mark = (Math.imul(high + 1, 0x85ebca6b) ^ low) >>> 0;
    const block =
      Math.imul(mark >>> KEYS_PER_BLOCK_LOG2, 0x9e3779b1) >>> (32 - KEY_MARK_SLOTS_LOG2 + KEYS_PER_BLOCK_LOG2);
    const slot = (block << KEYS_PER_BLOCK_LOG2) | (mark & (2 ** KEYS_PER_BLOCK_LOG2 - 1));
    if (this.#keyMarkBySlot[slot] === mark) return true;
    this.#keyMarkBySlot[slot] = mark;
    return false;
  }
}
