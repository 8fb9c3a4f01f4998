/** Derived values attached to records that a Store keeps in memory. */
import type { JsonObject } from '#base';

/** Holds a value derived from a cached record, for as long as the record is cached. */
interface RecordMemo {
  made?: unknown;
}

const memos = new WeakMap<JsonObject, RecordMemo>();

/** Marks the record with this body as cached: the Store returns this same body until the record is overwritten. */
export const enableCachedRecordMemo = (body: JsonObject): void => void memos.set(body, {});

export const memoOfCachedRecord = (body: JsonObject): RecordMemo | undefined => memos.get(body);
