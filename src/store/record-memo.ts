/** Records that a Store keeps in memory, because they were read again; and what is made of them. */
import type { JsonObject } from '../core/index.js';

/** A place for what is made of a record: as long as that is kept, and for none that is read once. */
export interface Memo {
  made?: unknown;
}

const memos = new WeakMap<JsonObject, Memo>();

/** The record with this body is kept: the same body comes with it, until something else is stored. */
export const enableMemo = (body: JsonObject): void => void memos.set(body, {});

export const memoOf = (body: JsonObject): Memo | undefined => memos.get(body);
