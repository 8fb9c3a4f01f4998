/**
 * Set of distinct names: a name that is taken gets a number. The next number of a name is remembered, so that thousands
 * of equal names don't try all numbers again.
 */
export class DistinctNames {
  readonly #takenKeys = new Set<string>();
  readonly #nextNumberByKey = new Map<string, number>();

  /**
   * @param keyOf returns the same text for names that count as equal
   * @param taken names that are taken from the beginning
   */
  constructor(
    private readonly keyOf: (name: string) => string,
    taken: readonly string[] = [],
  ) {
    for (const name of taken) this.#takenKeys.add(keyOf(name));
  }

  /** Takes a name, numbered if it is taken. @param withNumber makes the name with a number, from 2 */
  take(name: string, withNumber: (number: number) => string): string {
    if (this.#takeIfFree(name)) return name;
    // Names whose numbered forms are equal share their numbers.
    const key = this.keyOf(withNumber(2));
    for (let number = this.#nextNumberByKey.get(key) ?? 2; ; number++) {
      const numbered = withNumber(number);
      if (!this.#takeIfFree(numbered)) continue;
      this.#nextNumberByKey.set(key, number + 1);
      return numbered;
    }
  }

  #takeIfFree(name: string): boolean {
    const key = this.keyOf(name);
    if (this.#takenKeys.has(key)) return false;
    this.#takenKeys.add(key);
    return true;
  }
}
