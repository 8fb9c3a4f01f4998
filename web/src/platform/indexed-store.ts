import type { KeyValueStore, StoredValue } from '../core/index.js';

const OBJECT_STORE_NAME = 'values';

const awaitDatabaseRequest = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

/** One table of IndexedDB. Where it can't be written (private windows), values are kept until the page is left. */
export class IndexedStore implements KeyValueStore {
  readonly #database: Promise<IDBDatabase | undefined>;
  readonly #memoryFallback = new Map<string, StoredValue>();

  constructor(name: string) {
    this.#database = new Promise((resolve) => {
      try {
        const request = indexedDB.open(name, 1);
        request.onupgradeneeded = () => request.result.createObjectStore(OBJECT_STORE_NAME);
        request.onsuccess = () => resolve(request.result);
        request.onerror = request.onblocked = () => resolve(undefined);
      } catch {
        resolve(undefined);
      }
    });
  }

  async get(key: string): Promise<StoredValue | undefined> {
    return this.#runOrUseMemory<StoredValue | undefined, StoredValue | undefined>(
      'readonly',
      (table) => table.get(key),
      () => this.#memoryFallback.get(key),
    );
  }

  async set(key: string, value: StoredValue): Promise<void> {
    await this.#runOrUseMemory(
      'readwrite',
      (table) => table.put(value, key),
      () => this.#memoryFallback.set(key, value),
    );
  }

  async delete(key: string): Promise<void> {
    await this.#runOrUseMemory(
      'readwrite',
      (table) => table.delete(key),
      () => this.#memoryFallback.delete(key),
    );
  }

  async keys(prefix: string): Promise<readonly string[]> {
    const keys = await this.#runOrUseMemory(
      'readonly',
      (table) => table.getAllKeys(),
      () => [...this.#memoryFallback.keys()],
    );
    return keys.map(String).filter((key) => key.startsWith(prefix));
  }

  async #runOrUseMemory<T, M>(
    mode: IDBTransactionMode,
    inTable: (table: IDBObjectStore) => IDBRequest<T>,
    inMemory: () => M,
  ): Promise<T | M> {
    const database = await this.#database;
    if (!database) return inMemory();
    try {
      return await awaitDatabaseRequest(
        inTable(database.transaction(OBJECT_STORE_NAME, mode).objectStore(OBJECT_STORE_NAME)),
      );
    } catch {
      return inMemory();
    }
  }
}
