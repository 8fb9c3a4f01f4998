/** Records that a Store keeps in memory, because they were read again; and what is made of them. */
import type { JsonObject } from '#base';

/** A place for what is made of a record: as long as that is kept, and for none that is read once. */
export interface Memo {
  made?: unknown;
}

const memos = new WeakMap<JsonObject, Memo>();

/** The record with this body is kept: the same body comes with it, until something else is stored. */
export const keepRecord = (body: JsonObject): void => void memos.set(body, {});

export const memoOf = (body: JsonObject): Memo | undefined => memos.get(body);

const SLOTS_LOG2 = 18;

/** Remembers roughly what was met lately: what is read once is not worth keeping. */
export class MetBefore {
  readonly #marks = new Uint32Array(2 ** SLOTS_LOG2);

  /** Met not long ago; it is from now on. */
  again(key: number): boolean {
    const low = key >>> 0;
    const high = Math.floor(key / 2 ** 32);
    const mark = (Math.imul(high + 1, 0x85ebca6b) ^ low) >>> 0;
    const slot = Math.imul(mark, 0x9e3779b1) >>> (32 - SLOTS_LOG2);
    if (this.#marks[slot] === mark) return true;
    this.#marks[slot] = mark;
    return false;
  }
}
