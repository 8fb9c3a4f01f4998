/** Derived values attached to records that a Store keeps in memory. */
import type { JsonObject } from '#base';

/** Holds a value derived from a cached record, for as long as the record is cached. */
interface RecordMemo {
  derivedValue?: unknown;
}

const memosByRecordBody = new WeakMap<JsonObject, RecordMemo>();

/** Marks the record with this body as cached: the Store returns this same body until the record is overwritten. */
export const enableCachedRecordMemo = (body: JsonObject): void => void memosByRecordBody.set(body, {});

export const memoOfCachedRecord = (body: JsonObject): RecordMemo | undefined => memosByRecordBody.get(body);
