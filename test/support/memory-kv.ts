import type { KeyValueEntry, KeyValueStore } from '#ports/placement';

/** Keys and values that several simulated hosts share. */
export class MemoryKvServer {
  readonly entries = new Map<string, KeyValueEntry>();
  readonly watchers = new Set<(key: string, value: string) => void>();
  revision = 0;
}

/** Connection of one simulated host to the shared keys, with switches for network faults. */
export class MemoryKv implements KeyValueStore {
  readonly #server: MemoryKvServer;
  /** No operation reaches the server. */
  cut = false;
  /** Writes are executed, but their replies are lost. */
  losesReplies = false;
  /** Awaited before each operation: simulates a slow network or a frozen process. */
  beforeOperation: () => Promise<void> = async () => {};

  constructor(server: MemoryKvServer) {
    this.#server = server;
  }

  async get(key: string): Promise<KeyValueEntry | undefined> {
    await this.#travel();
    return this.#server.entries.get(key);
  }

  async readAll(): Promise<ReadonlyMap<string, KeyValueEntry>> {
    await this.#travel();
    return new Map(this.#server.entries);
  }

  async put(key: string, value: string, revision: number): Promise<number | undefined> {
    await this.#travel();
    if ((this.#server.entries.get(key)?.revision ?? 0) !== revision) return undefined;
    const entry = { value, revision: ++this.#server.revision };
    this.#server.entries.set(key, entry);
    for (const changed of this.#server.watchers) queueMicrotask(() => changed(key, value));
    if (this.losesReplies) throw new Error('no answer');
    return entry.revision;
  }

  async delete(key: string, revision: number): Promise<boolean> {
    await this.#travel();
    if (this.#server.entries.get(key)?.revision !== revision) return false;
    this.#server.entries.delete(key);
    if (this.losesReplies) throw new Error('no answer');
    return true;
  }

  watch(changed: (key: string, value: string) => void): () => void {
    const watcher = (key: string, value: string): void => {
      if (!this.cut) changed(key, value);
    };
    this.#server.watchers.add(watcher);
    return () => this.#server.watchers.delete(watcher);
  }

  async close(): Promise<void> {}

  async #travel(): Promise<void> {
    await this.beforeOperation();
    await Promise.resolve();
    if (this.cut) throw new Error('cut off');
  }
}
