/**
 * A map with a maximum size. Entries live in two generations: a full young generation becomes the old one, and entries
 * that were not used in the meantime are dropped with the previous old one. A look-up is mostly one map access, and
 * active entries stay, no matter how many new ones come.
 */
export class TwoGenerationBoundedMap<V> {
  #youngGeneration = new Map<string, V>();
  #oldGeneration = new Map<string, V>();
  readonly #maxGenerationEntries: number;

  constructor(maxEntries: number) {
    this.#maxGenerationEntries = Math.max(1, Math.floor(maxEntries / 2));
  }

  get size(): number {
    let size = this.#youngGeneration.size;
    for (const key of this.#oldGeneration.keys()) if (!this.#youngGeneration.has(key)) size++;
    return size;
  }

  get(key: string): V | undefined {
    const young = this.#youngGeneration.get(key);
    if (young !== undefined) return young;
    const old = this.#oldGeneration.get(key);
    if (old !== undefined) this.set(key, old);
    return old;
  }

  set(key: string, value: V): void {
    this.#youngGeneration.set(key, value);
    if (this.#youngGeneration.size < this.#maxGenerationEntries) return;
    this.#oldGeneration = this.#youngGeneration;
    this.#youngGeneration = new Map();
  }
}
