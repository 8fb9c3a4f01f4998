import { useState } from 'preact/hooks';

const leftEntryByKey = new Map<string, string>();

/**
 * State of a field in a dialog. `keep` is for the dialog's `onLeave`: the next dialog with this key begins with the
 * entry, unless it is the initial one.
 *
 * @param key names field, object and account
 */
export function useLeftEntry(
  key: string,
  initial: string,
): readonly [entry: string, set: (entry: string) => void, keep: () => void] {
  const [entry, set] = useState(() => {
    const left = leftEntryByKey.get(key);
    leftEntryByKey.delete(key);
    return left ?? initial;
  });
  const keep = () => {
    if (entry !== initial) leftEntryByKey.set(key, entry);
  };
  return [entry, set, keep];
}
