/**
 * Returns a proxy of the object, whose calls of the named methods go through `around`.
 *
 * @param around gets a function that makes the call, and the call's arguments; returns the answer of the call
 */
export function interceptMethods<T extends object>(
  target: T,
  names: readonly (keyof T)[],
  around: (call: () => unknown, args: readonly unknown[]) => unknown,
): T {
  return new Proxy(target, {
    get(of, name) {
      const value: unknown = Reflect.get(of, name);
      if (typeof value !== 'function') return value;
      if (!names.some((one) => one === name)) return value.bind(of);
      return (...args: unknown[]): unknown => around(() => value.apply(of, args), args);
    },
  });
}
