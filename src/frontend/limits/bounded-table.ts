/**
 * A map that never grows past a bound. Entries live in two generations: when the young one is full it becomes the old one, and
 * what nobody asked for since is forgotten with the generation before it. So looking up is one look into a map, mostly, and
 * whoever is active stays, however many strangers pass by.
 */
export class BoundedTable<V> {
  #young = new Map<string, V>();
  #old = new Map<string, V>();
  readonly #half: number;

  constructor(most: number) {
    this.#half = Math.max(1, Math.floor(most / 2));
  }

  get size(): number {
    let size = this.#young.size;
    for (const key of this.#old.keys()) if (!this.#young.has(key)) size++;
    return size;
  }

  get(key: string): V | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const old = this.#old.get(key);
    if (old !== undefined) this.set(key, old);
    return old;
  }

  set(key: string, value: V): void {
    this.#young.set(key, value);
    if (this.#young.size < this.#half) return;
    this.#old = this.#young;
    this.#young = new Map();
  }
}
