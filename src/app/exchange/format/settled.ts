/** Waits until all work has ended, so that none goes on after an error. @throws the error of the first that failed */
export async function allOrFirstErrorWhenSettled<T extends readonly unknown[]>(
  work: {
    readonly [K in keyof T]: Promise<T[K]>;
  },
): Promise<T> {
  await Promise.allSettled(work);
  return (await Promise.all(work)) as unknown as T;
}
