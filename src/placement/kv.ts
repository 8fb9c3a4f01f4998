/** The key-value operations on which leases stand. All reject when the store of keys can't be reached. */
export interface KvEntry {
  readonly value: string;
  /** Changes with every write of the key. */
  readonly revision: number;
}

export interface KeyValue {
  get(key: string): Promise<KvEntry | undefined>;
  /**
   * Write only if the key still has this revision (0: if it does not exist). Returns the new revision, or undefined
   * when another write came first. A rejection has an unknown outcome.
   */
  put(key: string, value: string, revision: number): Promise<number | undefined>;
  /** A hint that the key may have changed; may be lost, may come for nothing. Returns how to stop. */
  watch(key: string, changed: () => void): () => void;
  close(): Promise<void>;
}
