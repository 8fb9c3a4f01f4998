/**
 * Caches stored messages in their encoded form: tens of thousands of messages without an object each. Like
 * `LmdbConsistentCache`, it neither keeps nor returns a key while a transaction writes it, and it has two generations.
 * A message found in the old generation is copied to the young one.
 */
import { totalmem } from 'node:os';
import { type PackedMessageCursor, PackedMessageSlab } from './packed-message.js';

const SLAB_BYTES_LOG2 = 20;
const SLAB_BYTES = 2 ** SLAB_BYTES_LOG2;
/**
 * Words per entry of the table: low and high half of key + 1, address (slab number and offset), length. All 0: a free
 * entry.
 */
const WORDS_PER_TABLE_ENTRY = 4;
const INITIAL_TABLE_SLOTS_LOG2 = 10;
/** Binary logarithm of the number of consecutive keys whose table entries are adjacent. */
const KEYS_PER_BLOCK_LOG2 = 4;

export class LmdbMessageCache {
  readonly #slabByNumber: (PackedMessageSlab | undefined)[] = [];
  #youngSlabNumbers: number[] = [];
  #oldSlabNumbers: number[] = [];
  /** For each slab by its number: true if the slab belongs to the old generation. */
  readonly #isOldBySlabNumber: boolean[] = [];
  #tableSlotsLog2 = INITIAL_TABLE_SLOTS_LOG2;
  #hashTable = new Uint32Array(WORDS_PER_TABLE_ENTRY << INITIAL_TABLE_SLOTS_LOG2);
  /**
   * A hash table kept for reuse, like the slabs below: both are large, and only major garbage collections would free
   * them.
   */
  #reusableHashTable = new Uint32Array(0);
  readonly #reusableSlabs: PackedMessageSlab[] = [];
  /** Number of used entries of the hash table, including dropped ones. */
  #usedEntryCount = 0;
  readonly #blockCountByKey = new Map<number, number>();

  /**
   * Makes an empty cache.
   * @param most slabs of 1 MiB per generation; both generations together hold at most twice as much
   */
  constructor(private readonly most: number) {}

  /**
   * Moves the view `into` to the cached message, which stays valid until the next `get` or `putUnlessBlocked`.
   * @param key below 2^53 - 1
   */
  moveViewToCachedMessage(key: number, id: number, into: PackedMessageCursor): boolean {
    const at = this.#findEntryOfKey(key);
    const table = this.#hashTable;
    const length = table[at + 3]!;
    if (length === 0) return false;
    let place = table[at + 2]!;
    if (this.#isOldBySlabNumber[place >>> SLAB_BYTES_LOG2]) {
      // A message in the old generation is copied to the young one, because it is still in use.
      const offset = place & (SLAB_BYTES - 1);
      place = this.#storeMessage(
        key,
        this.#slabByNumber[place >>> SLAB_BYTES_LOG2]!.bytes.subarray(offset, offset + length),
      );
    }
    into.moveToPackedBytes(id, this.#slabByNumber[place >>> SLAB_BYTES_LOG2]!, place & (SLAB_BYTES - 1), length);
    return true;
  }

  /** Caches the message, unless a transaction is writing the key. */
  putUnlessBlocked(key: number, bytes: Uint8Array): void {
    if (bytes.length <= SLAB_BYTES && !this.isKeyBlocked(key)) this.#storeMessage(key, bytes);
  }

  /** Marks the key as being written by a transaction, so that it is not cached. */
  blockKey(key: number): void {
    this.#blockCountByKey.set(key, (this.#blockCountByKey.get(key) ?? 0) + 1);
    this.#hashTable[this.#findEntryOfKey(key) + 3] = 0;
  }

  /** Removes the mark of a transaction that has settled. */
  releaseKey(key: number): void {
    const count = this.#blockCountByKey.get(key) ?? 0;
    if (count > 1) this.#blockCountByKey.set(key, count - 1);
    else this.#blockCountByKey.delete(key);
  }

  isKeyBlocked(key: number): boolean {
    return this.#blockCountByKey.size > 0 && this.#blockCountByKey.has(key);
  }

  #storeMessage(key: number, bytes: Uint8Array): number {
    const place = this.#copyToSlab(bytes);
    let at = this.#findEntryOfKey(key);
    if (this.#isEntryFree(at)) {
      // The table grows when it is half full, which keeps probe sequences short.
      if (this.#usedEntryCount * 2 >= 1 << this.#tableSlotsLog2) {
        this.#rebuildHashTable();
        at = this.#findEntryOfKey(key);
      }
      this.#usedEntryCount++;
    }
    const table = this.#hashTable;
    table[at] = (key + 1) >>> 0;
    table[at + 1] = Math.floor((key + 1) / 2 ** 32);
    table[at + 2] = place;
    table[at + 3] = bytes.length;
    return place;
  }

  #copyToSlab(bytes: Uint8Array): number {
    let number = this.#youngSlabNumbers.at(-1);
    let offset = number === undefined ? undefined : this.#slabByNumber[number]!.appendBytes(bytes);
    if (offset === undefined) {
      number = this.#addYoungSlab();
      offset = this.#slabByNumber[number]!.appendBytes(bytes)!;
    }
    return ((number! << SLAB_BYTES_LOG2) | offset) >>> 0;
  }

  #addYoungSlab(): number {
    if (this.#youngSlabNumbers.length >= this.most) this.#startNewGeneration();
    let number = this.#slabByNumber.indexOf(undefined);
    if (number < 0) number = this.#slabByNumber.length;
    this.#slabByNumber[number] = this.#reusableSlabs.pop() ?? new PackedMessageSlab(Buffer.allocUnsafeSlow(SLAB_BYTES));
    this.#isOldBySlabNumber[number] = false;
    this.#youngSlabNumbers.push(number);
    return number;
  }

  /** Starts a new generation: drops the old one; the young one becomes the old one. */
  #startNewGeneration(): void {
    for (const number of this.#oldSlabNumbers) {
      const slab = this.#slabByNumber[number]!;
      slab.discardContents();
      this.#reusableSlabs.push(slab);
      this.#slabByNumber[number] = undefined;
    }
    this.#oldSlabNumbers = this.#youngSlabNumbers;
    this.#youngSlabNumbers = [];
    for (const number of this.#oldSlabNumbers) this.#isOldBySlabNumber[number] = true;
    this.#rebuildHashTable();
  }

  /** Copies the live entries to a table with room for as many more. */
  #rebuildHashTable(): void {
    const before = this.#hashTable;
    const slabs = this.#slabByNumber;
    let kept = 0;
    for (let at = 0; at < before.length; at += WORDS_PER_TABLE_ENTRY) {
      if (before[at + 3] !== 0 && slabs[before[at + 2]! >>> SLAB_BYTES_LOG2] !== undefined) kept++;
      else before[at + 3] = 0;
    }
    this.#tableSlotsLog2 = Math.max(INITIAL_TABLE_SLOTS_LOG2, 32 - Math.clz32(kept * 4));
    const length = WORDS_PER_TABLE_ENTRY << this.#tableSlotsLog2;
    const table = this.#reusableHashTable.length === length ? this.#reusableHashTable.fill(0) : new Uint32Array(length);
    this.#reusableHashTable = before;
    this.#hashTable = table;
    this.#usedEntryCount = kept;
    for (let at = 0; at < before.length; at += WORDS_PER_TABLE_ENTRY) {
      if (before[at + 3] === 0) continue;
      const to = this.#probeForEntry(before[at]!, before[at + 1]!);
      for (let i = 0; i < WORDS_PER_TABLE_ENTRY; i++) table[to + i] = before[at + i]!;
    }
  }

  #findEntryOfKey(key: number): number {
    return this.#probeForEntry((key + 1) >>> 0, Math.floor((key + 1) / 2 ** 32));
  }

  /** Returns the offset of the entry, or of the free entry at which its probe sequence ends. */
  #probeForEntry(low: number, high: number): number {
    const table = this.#hashTable;
    const last = table.length - 1;
    // Neighbouring ids have neighbouring entries, so that a scan finds several of them in one CPU cache line.
    const block = Math.imul((low >>> KEYS_PER_BLOCK_LOG2) ^ Math.imul(high, 0x85ebca6b), 0x9e3779b1);
    const slot =
      ((block >>> (32 - this.#tableSlotsLog2 + KEYS_PER_BLOCK_LOG2)) << KEYS_PER_BLOCK_LOG2) |
      (low & (2 ** KEYS_PER_BLOCK_LOG2 - 1));
    let at = slot * WORDS_PER_TABLE_ENTRY;
    while ((table[at] !== low || table[at + 1] !== high) && (table[at] !== 0 || table[at + 1] !== 0)) {
      at = (at + WORDS_PER_TABLE_ENTRY) & last;
    }
    return at;
  }

  #isEntryFree(at: number): boolean {
    return this.#hashTable[at] === 0 && this.#hashTable[at + 1] === 0;
  }
}

const CACHE_GENERATION_MEMORY_DIVISOR = 64;
const MIN_CACHE_GENERATION_MIB = 16;
const MAX_CACHE_GENERATION_MIB = 128;

/**
 * MiB of the cache per generation: a 64th of the memory, between 16 and 128 MiB. Both generations together take at most
 * a 32nd of the memory, and 256 MiB.
 * @param bytes memory that the process may use
 */
export const messageCacheGenerationMib = (bytes: number): number =>
  Math.max(
    MIN_CACHE_GENERATION_MIB,
    Math.min(MAX_CACHE_GENERATION_MIB, Math.floor(bytes / CACHE_GENERATION_MEMORY_DIVISOR / 1_048_576)),
  );

/** Returns the bytes of memory that this process may use: the limit of its container, or the memory of the machine. */
export function readUsableMemoryBytes(): number {
  const limit = process.constrainedMemory();
  // If there is no limit, `constrainedMemory` returns 0 or a number larger than any machine's memory.
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem();
}
