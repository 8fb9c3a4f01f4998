/**
 * What was read from the embedded Store and may be read again without it. Exact: from the moment in which a transaction
 * writes something until it is settled, that is neither kept nor answered from here, so that readers see what LMDB shows
 * them; what they kept before is what was committed then.
 */

/** Keeps what is used, within a bound: two generations, of which the one that was not touched for longer goes. */
export class GuardedCache<K, V> {
  #young = new Map<K, V>();
  #old = new Map<K, V>();
  #weight = 0;
  readonly #blocked = new Map<K, { count: number; held: V | undefined }>();

  /** @param most weight of a generation: together at most twice as much is kept */
  constructor(
    private readonly most: number,
    private readonly weightOf: (value: V) => number,
  ) {}

  get(key: K): V | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const old = this.#old.get(key);
    if (old !== undefined) {
      this.#old.delete(key);
      this.#keep(key, old);
    }
    return old;
  }

  /** Nothing is kept of what is being written. */
  put(key: K, value: V): void {
    if (this.#blocked.size === 0 || !this.#blocked.has(key)) this.#keep(key, value);
  }

  /** A transaction writes it. @param hold what is kept of it comes back once nobody writes it any more */
  block(key: K, hold = false): void {
    const known = this.#blocked.get(key);
    if (known) known.count++;
    else this.#blocked.set(key, { count: 1, held: hold ? this.get(key) : undefined });
    this.#young.delete(key);
    this.#old.delete(key);
  }

  /** That transaction is settled. @param change what it did to the value that was held; absent: it is forgotten */
  release(key: K, change?: (held: V) => void): void {
    const known = this.#blocked.get(key);
    if (!known) return;
    if (!change) known.held = undefined;
    else if (known.held !== undefined) change(known.held);
    if (--known.count > 0) return;
    this.#blocked.delete(key);
    if (known.held !== undefined) this.#keep(key, known.held);
  }

  isBlocked(key: K): boolean {
    return this.#blocked.size > 0 && this.#blocked.has(key);
  }

  /** What is kept under the key weighs so much more. */
  grew(weight: number): void {
    this.#weight += weight;
    if (this.#weight <= this.most) return;
    this.#old = this.#young;
    this.#young = new Map();
    this.#weight = 0;
  }

  #keep(key: K, value: V): void {
    this.#young.set(key, value);
    this.grew(this.weightOf(value));
  }
}

/** What one transaction writes, of what is kept here. */
export class CacheChanges {
  readonly #settled: ((done: boolean) => void)[] = [];

  onSettled(fn: (done: boolean) => void): void {
    this.#settled.push(fn);
  }

  /** @param done false: what became of it is not known */
  settle(done: boolean): void {
    for (const fn of this.#settled) fn(done);
  }
}

const SLOTS_LOG2 = 18;

/** Remembers roughly what was met lately: what is read once is not worth keeping. */
export class SeenFilter {
  readonly #marks = new Uint32Array(2 ** SLOTS_LOG2);

  /** Met not long ago; it is from now on. */
  isRepeat(key: number): boolean {
    const low = key >>> 0;
    const high = Math.floor(key / 2 ** 32);
    const mark = (Math.imul(high + 1, 0x85ebca6b) ^ low) >>> 0;
    const slot = Math.imul(mark, 0x9e3779b1) >>> (32 - SLOTS_LOG2);
    if (this.#marks[slot] === mark) return true;
    this.#marks[slot] = mark;
    return false;
  }
}
