import type { KeyValueEntry, KeyValueStore } from '#ports/placement';

/** Keys shared by several hosts in one process. */
export class MemoryKvServer {
  readonly entries = new Map<string, KeyValueEntry>();
  readonly watchers = new Set<(key: string, value: string) => void>();
  revision = 0;
}

/** One host's way to them, with switches for what a network does. */
export class MemoryKv implements KeyValueStore {
  readonly #server: MemoryKvServer;
  /** Nothing gets through, and nothing is executed. */
  cut = false;
  /** Writes are executed, but their answers are lost. */
  deaf = false;
  /** Waited for before each operation: a slow network, or a process that stands still. */
  way: () => Promise<void> = async () => {};

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
    if (this.deaf) throw new Error('no answer');
    return entry.revision;
  }

  async delete(key: string, revision: number): Promise<boolean> {
    await this.#travel();
    if (this.#server.entries.get(key)?.revision !== revision) return false;
    this.#server.entries.delete(key);
    if (this.deaf) throw new Error('no answer');
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
    await this.way();
    await Promise.resolve();
    if (this.cut) throw new Error('cut off');
  }
}
