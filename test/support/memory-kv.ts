import type { KeyValue, KvEntry } from '../../src/placement/index.js';

/** Keys shared by several hosts in one process. */
export class MemoryKvServer {
  readonly entries = new Map<string, KvEntry>();
  readonly watchers = new Set<[string, () => void]>();
  revision = 0;
}

/** One host's way to them, with switches for what a network does. */
export class MemoryKv implements KeyValue {
  readonly #server: MemoryKvServer;
  /** Nothing gets through, and nothing is executed. */
  cut = false;
  /** Writes are executed, but their answers are lost. */
  deaf = false;

  constructor(server: MemoryKvServer) {
    this.#server = server;
  }

  async get(key: string): Promise<KvEntry | undefined> {
    await this.#travel();
    return this.#server.entries.get(key);
  }

  async put(key: string, value: string, revision: number): Promise<number | undefined> {
    await this.#travel();
    if ((this.#server.entries.get(key)?.revision ?? 0) !== revision) return undefined;
    const entry = { value, revision: ++this.#server.revision };
    this.#server.entries.set(key, entry);
    for (const [watched, changed] of this.#server.watchers) if (watched === key) queueMicrotask(changed);
    if (this.deaf) throw new Error('no answer');
    return entry.revision;
  }

  watch(key: string, changed: () => void): () => void {
    const watcher: [string, () => void] = [
      key,
      () => {
        if (!this.cut) changed();
      },
    ];
    this.#server.watchers.add(watcher);
    return () => this.#server.watchers.delete(watcher);
  }

  async close(): Promise<void> {}

  async #travel(): Promise<void> {
    await Promise.resolve();
    if (this.cut) throw new Error('cut off');
  }
}
