import type { KeyValue, Stored } from '../core/index.js';

const TABLE = 'values';

const settled = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

/** One table of IndexedDB. Where the browser refuses to store (private windows), values live as long as the page. */
export class IndexedStore implements KeyValue {
  readonly #database: Promise<IDBDatabase | undefined>;
  readonly #memory = new Map<string, Stored>();

  constructor(name: string) {
    this.#database = new Promise((resolve) => {
      try {
        const request = indexedDB.open(name, 1);
        request.onupgradeneeded = () => request.result.createObjectStore(TABLE);
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => resolve(undefined);
        request.onblocked = () => resolve(undefined);
      } catch {
        resolve(undefined);
      }
    });
  }

  async get(key: string): Promise<Stored | undefined> {
    return this.#run<Stored | undefined, Stored | undefined>(
      'readonly',
      (table) => table.get(key),
      () => this.#memory.get(key),
    );
  }

  async set(key: string, value: Stored): Promise<void> {
    await this.#run(
      'readwrite',
      (table) => table.put(value, key),
      () => this.#memory.set(key, value),
    );
  }

  async delete(key: string): Promise<void> {
    await this.#run(
      'readwrite',
      (table) => table.delete(key),
      () => this.#memory.delete(key),
    );
  }

  async keys(prefix: string): Promise<readonly string[]> {
    const keys = await this.#run(
      'readonly',
      (table) => table.getAllKeys(),
      () => [...this.#memory.keys()],
    );
    return keys.map(String).filter((key) => key.startsWith(prefix));
  }

  async #run<T, M>(
    mode: IDBTransactionMode,
    inTable: (table: IDBObjectStore) => IDBRequest<T>,
    inMemory: () => M,
  ): Promise<T | M> {
    const database = await this.#database;
    if (!database) return inMemory();
    try {
      return await settled(inTable(database.transaction(TABLE, mode).objectStore(TABLE)));
    } catch {
      return inMemory();
    }
  }
}
