export interface KeyValueEntry {
  readonly value: string;
  /** Number of the last write of the key; later revisions are larger. */
  readonly revision: number;
}

/** Key-value store that the membership of hosts is built on. Its promises reject if the store can't be reached. */
export interface KeyValueStore {
  get(key: string): Promise<KeyValueEntry | undefined>;
  /** Reads all keys as they were at one moment, which may be a little before the request. */
  readAll(): Promise<ReadonlyMap<string, KeyValueEntry>>;
  /**
   * Writes the key only if it still has this revision (0: does not exist). Returns the new revision, or undefined if
   * another write came first. A rejection has an unknown outcome.
   */
  put(key: string, value: string, revision: number): Promise<number | undefined>;
  /** Removes the key only if it still has this revision. Returns false if another write came first. */
  delete(key: string, revision: number): Promise<boolean>;
  /**
   * Calls `changed` with keys that were written, by any host including this one. The calls are only hints: they may get
   * lost or repeat. Returns a function that stops the calls.
   */
  watch(changed: (key: string, value: string) => void): () => void;
  close(): Promise<void>;
}
