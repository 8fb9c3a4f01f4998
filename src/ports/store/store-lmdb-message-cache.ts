/**
 * Caches stored messages in their encoded form: tens of thousands of messages without an object each. Like
 * `LmdbConsistentCache`, it neither keeps nor returns a key while a transaction writes it, and it has two generations.
 * A message found in the old generation is copied to the young one.
 */
import { totalmem } from 'node:os';
import { type PackedMessage, PackedMessageSlab } from './packed-message.js';

const SLAB_LOG2 = 20;
const SLAB = 2 ** SLAB_LOG2;
/**
 * Words per entry of the table: low and high half of key + 1, address (slab number and offset), length. All 0: a free
 * entry.
 */
const ENTRY = 4;
const FIRST_SLOTS_LOG2 = 10;

export class LmdbMessageCache {
  readonly #slabs: (PackedMessageSlab | undefined)[] = [];
  #young: number[] = [];
  #old: number[] = [];
  /** For each slab by its number: true if the slab belongs to the old generation. */
  readonly #isOld: boolean[] = [];
  #slotsLog2 = FIRST_SLOTS_LOG2;
  #table = new Uint32Array(ENTRY << FIRST_SLOTS_LOG2);
  /**
   * A hash table kept for reuse, like the slabs below: both are large, and only major garbage collections would free
   * them.
   */
  #spareTable = new Uint32Array(0);
  readonly #spareSlabs: PackedMessageSlab[] = [];
  /** Number of used entries of the hash table, including dropped ones. */
  #used = 0;
  readonly #blocked = new Map<number, number>();

  /**
   * Makes an empty cache.
   * @param most slabs of 1 MiB per generation; both generations together hold at most twice as much
   */
  constructor(private readonly most: number) {}

  /**
   * Moves the view `into` to the cached message, which stays valid until the next `get` or `put`.
   * @param key below 2^53 - 1
   */
  get(key: number, id: number, into: PackedMessage): boolean {
    const at = this.#find(key);
    const table = this.#table;
    const length = table[at + 3]!;
    if (length === 0) return false;
    let place = table[at + 2]!;
    if (this.#isOld[place >>> SLAB_LOG2]) {
      // A message in the old generation is copied to the young one, because it is still in use.
      const offset = place & (SLAB - 1);
      place = this.#store(key, this.#slabs[place >>> SLAB_LOG2]!.bytes.subarray(offset, offset + length));
    }
    into.moveTo(id, this.#slabs[place >>> SLAB_LOG2]!, place & (SLAB - 1), length);
    return true;
  }

  /** Caches the message, unless a transaction is writing the key. */
  put(key: number, bytes: Uint8Array): void {
    if (bytes.length <= SLAB && !this.isBlocked(key)) this.#store(key, bytes);
  }

  /** Marks the key as being written by a transaction, so that it is not cached. */
  block(key: number): void {
    this.#blocked.set(key, (this.#blocked.get(key) ?? 0) + 1);
    this.#table[this.#find(key) + 3] = 0;
  }

  /** Removes the mark of a transaction that has settled. */
  release(key: number): void {
    const count = this.#blocked.get(key) ?? 0;
    if (count > 1) this.#blocked.set(key, count - 1);
    else this.#blocked.delete(key);
  }

  isBlocked(key: number): boolean {
    return this.#blocked.size > 0 && this.#blocked.has(key);
  }

  #store(key: number, bytes: Uint8Array): number {
    const place = this.#place(bytes);
    let at = this.#find(key);
    if (this.#isFree(at)) {
      // The table grows when it is half full, which keeps probe sequences short.
      if (this.#used * 2 >= 1 << this.#slotsLog2) {
        this.#rebuild();
        at = this.#find(key);
      }
      this.#used++;
    }
    const table = this.#table;
    table[at] = (key + 1) >>> 0;
    table[at + 1] = Math.floor((key + 1) / 2 ** 32);
    table[at + 2] = place;
    table[at + 3] = bytes.length;
    return place;
  }

  #place(bytes: Uint8Array): number {
    let number = this.#young.at(-1);
    let offset = number === undefined ? undefined : this.#slabs[number]!.add(bytes);
    if (offset === undefined) {
      number = this.#freshSlab();
      offset = this.#slabs[number]!.add(bytes)!;
    }
    return ((number! << SLAB_LOG2) | offset) >>> 0;
  }

  #freshSlab(): number {
    if (this.#young.length >= this.most) this.#turn();
    let number = this.#slabs.indexOf(undefined);
    if (number < 0) number = this.#slabs.length;
    this.#slabs[number] = this.#spareSlabs.pop() ?? new PackedMessageSlab(Buffer.allocUnsafeSlow(SLAB));
    this.#isOld[number] = false;
    this.#young.push(number);
    return number;
  }

  /** Starts a new generation: drops the old one; the young one becomes the old one. */
  #turn(): void {
    for (const number of this.#old) {
      const slab = this.#slabs[number]!;
      slab.clear();
      this.#spareSlabs.push(slab);
      this.#slabs[number] = undefined;
    }
    this.#old = this.#young;
    this.#young = [];
    for (const number of this.#old) this.#isOld[number] = true;
    this.#rebuild();
  }

  /** Copies the live entries to a table with room for as many more. */
  #rebuild(): void {
    const before = this.#table;
    const slabs = this.#slabs;
    let kept = 0;
    for (let at = 0; at < before.length; at += ENTRY) {
      if (before[at + 3] !== 0 && slabs[before[at + 2]! >>> SLAB_LOG2] !== undefined) kept++;
      else before[at + 3] = 0;
    }
    this.#slotsLog2 = Math.max(FIRST_SLOTS_LOG2, 32 - Math.clz32(kept * 4));
    const length = ENTRY << this.#slotsLog2;
    const table = this.#spareTable.length === length ? this.#spareTable.fill(0) : new Uint32Array(length);
    this.#spareTable = before;
    this.#table = table;
    this.#used = kept;
    for (let at = 0; at < before.length; at += ENTRY) {
      if (before[at + 3] === 0) continue;
      const to = this.#slot(before[at]!, before[at + 1]!);
      for (let i = 0; i < ENTRY; i++) table[to + i] = before[at + i]!;
    }
  }

  #find(key: number): number {
    return this.#slot((key + 1) >>> 0, Math.floor((key + 1) / 2 ** 32));
  }

  /** Returns the offset of the entry, or of the free entry at which its probe sequence ends. */
  #slot(low: number, high: number): number {
    const table = this.#table;
    const last = table.length - 1;
    let at = (Math.imul(low ^ Math.imul(high, 0x85ebca6b), 0x9e3779b1) >>> (32 - this.#slotsLog2)) * ENTRY;
    while ((table[at] !== low || table[at + 1] !== high) && (table[at] !== 0 || table[at + 1] !== 0)) {
      at = (at + ENTRY) & last;
    }
    return at;
  }

  #isFree(at: number): boolean {
    return this.#table[at] === 0 && this.#table[at + 1] === 0;
  }
}

const SHARE = 64;
const LEAST_MIB = 16;
const MOST_MIB = 128;

/**
 * MiB of the cache per generation: a 64th of the memory, between 16 and 128 MiB. Both generations together take at most
 * a 32nd of the memory, and 256 MiB.
 * @param bytes memory that the process may use
 */
export const messageCacheGenerationMib = (bytes: number): number =>
  Math.max(LEAST_MIB, Math.min(MOST_MIB, Math.floor(bytes / SHARE / 1_048_576)));

/** Returns the bytes of memory that this process may use: the limit of its container, or the memory of the machine. */
export function readUsableMemoryBytes(): number {
  const limit = process.constrainedMemory();
  // If there is no limit, `constrainedMemory` returns 0 or a number larger than any machine's memory.
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem();
}
