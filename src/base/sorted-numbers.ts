/** Ascending lists of numbers, each number once. */

/** Returns the index of the first number >= `value` in an ascending list. */
export function findLowerBoundIndex(sorted: ArrayLike<number>, value: number, from = 0): number {
  let low = from;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] as number) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

export const sortedNumbersInclude = (sorted: readonly number[], value: number): boolean =>
  sorted[findLowerBoundIndex(sorted, value)] === value;

/** A list with the number in it, or without it; the same list if nothing changes. */
export function withNumberInOrOut<N extends number>(sorted: readonly N[], value: N, isIn: boolean): readonly N[] {
  const at = findLowerBoundIndex(sorted, value);
  if ((sorted[at] === value) === isIn) return sorted;
  return isIn ? sorted.toSpliced(at, 0, value) : sorted.toSpliced(at, 1);
}
