/**
 * Memoizes a function of an object. The result is computed again when `version` returns a different value, and is
 * released with the object.
 */
export function madeOnce<Of extends object, Made>(
  make: (of: Of) => Made,
  version: (of: Of) => unknown = () => undefined,
): (of: Of) => Made {
  const known = new WeakMap<Of, { readonly version: unknown; readonly made: Made }>();
  return (of) => {
    const now = version(of);
    let current = known.get(of);
    if (!current || current.version !== now) {
      current = { version: now, made: make(of) };
      known.set(of, current);
    }
    return current.made;
  };
}
