/** The key-value operations on which membership stands. All reject when the store of keys can't be reached. */
export interface KvEntry {
  readonly value: string;
  /** Changes with every write of the key; larger ones are later. */
  readonly revision: number;
}

export interface KeyValue {
  get(key: string): Promise<KvEntry | undefined>;
  /** Every key there is, as they were at one moment (which may be a little before the request). */
  all(): Promise<ReadonlyMap<string, KvEntry>>;
  /**
   * Write only if the key still has this revision (0: if it does not exist). Returns the new revision, or undefined
   * when another write came first. A rejection has an unknown outcome.
   */
  put(key: string, value: string, revision: number): Promise<number | undefined>;
  /** Forget the key if it still has this revision. False when another write came first. */
  delete(key: string, revision: number): Promise<boolean>;
  /** A hint that somebody wrote a key (we perhaps), and what; may be lost, may come twice. Returns how to stop. */
  watch(changed: (key: string, value: string) => void): () => void;
  close(): Promise<void>;
}
