/**
 * Stored messages that are kept in memory as they are stored: tens of thousands of them without an object each. Guarded as
 * GuardedCache is: what a transaction writes is neither kept nor found from then on until it is settled. Two generations;
 * what is found in the old one goes over to the young one.
 */
import { totalmem } from 'node:os';
import { type PackedMessage, Slab } from './packed-message.js';

const SLAB_LOG2 = 20;
const SLAB = 2 ** SLAB_LOG2;
/** An entry of the table: low and high half of the key + 1, place (slab and offset in it), length; all 0: free. */
const ENTRY = 4;
const FIRST_SLOTS_LOG2 = 10;

export class MessageCache {
  readonly #slabs: (Slab | undefined)[] = [];
  #young: number[] = [];
  #old: number[] = [];
  /** Of the old generation, by number of the slab. */
  readonly #isOld: boolean[] = [];
  #slotsLog2 = FIRST_SLOTS_LOG2;
  #table = new Uint32Array(ENTRY << FIRST_SLOTS_LOG2);
  /** Memory of tables and slabs is used again: it is large, and only major collections would free it. */
  #spareTable = new Uint32Array(0);
  readonly #spareSlabs: Slab[] = [];
  /** Entries of the table, forgotten ones too. */
  #used = 0;
  readonly #blocked = new Map<number, number>();

  /** @param most slabs of 1 MiB of a generation: together at most twice as much is kept */
  constructor(private readonly most: number) {}

  /** @param key below 2^53 - 1. @param into shows it until something is got or put */
  get(key: number, id: number, into: PackedMessage): boolean {
    const at = this.#find(key);
    const table = this.#table;
    const length = table[at + 3]!;
    if (length === 0) return false;
    let place = table[at + 2]!;
    if (this.#isOld[place >>> SLAB_LOG2]) {
      // It is in use: the copy is the one that stays.
      const offset = place & (SLAB - 1);
      place = this.#store(key, this.#slabs[place >>> SLAB_LOG2]!.bytes.subarray(offset, offset + length));
    }
    into.moveTo(id, this.#slabs[place >>> SLAB_LOG2]!, place & (SLAB - 1), length);
    return true;
  }

  /** Nothing is kept of what is being written. */
  put(key: number, bytes: Uint8Array): void {
    if (bytes.length <= SLAB && !this.isBlocked(key)) this.#store(key, bytes);
  }

  /** A transaction writes it. */
  block(key: number): void {
    this.#blocked.set(key, (this.#blocked.get(key) ?? 0) + 1);
    this.#table[this.#find(key) + 3] = 0;
  }

  /** That transaction is settled. */
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
      // Half of it stays free, so that looks end soon.
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
    this.#slabs[number] = this.#spareSlabs.pop() ?? new Slab(Buffer.allocUnsafeSlow(SLAB));
    this.#isOld[number] = false;
    this.#young.push(number);
    return number;
  }

  /** The old generation goes. */
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

  /** Of what is still kept, in a table with room for as much again. */
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

  /** Where the entry is, or a free one. */
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
 * MiB of one of two generations, so at most a thirty-second of the memory, and 256 MiB.
 *
 * @param bytes that the process may use
 */
export const cacheMib = (bytes: number): number =>
  Math.max(LEAST_MIB, Math.min(MOST_MIB, Math.floor(bytes / SHARE / 1_048_576)));

/** Bytes that this process may use: of the machine, or what its container has. */
export function usableMemory(): number {
  const limit = process.constrainedMemory();
  // Without a limit it is 0, or a number that no machine has.
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem();
}
