/** Derived values attached to records that a Store keeps in memory. */
import type { JsonObject } from '#base';

/** Holds a value derived from a cached record, for as long as the record is cached. */
export interface Memo {
  made?: unknown;
}

const memos = new WeakMap<JsonObject, Memo>();

/** Marks the record with this body as cached: the Store returns this same body until the record is overwritten. */
export const enableMemo = (body: JsonObject): void => void memos.set(body, {});

export const memoOf = (body: JsonObject): Memo | undefined => memos.get(body);
