import { useState } from 'preact/hooks';

const STORE_KEY = 'left-entries';

/** Entries of fields and forms by key. The session storage has them, too, for the page after a reload. */
const leftEntryByKey = new Map<string, unknown>(readStoredEntries());

function readStoredEntries(): readonly [string, unknown][] {
  try {
    return Object.entries(JSON.parse(sessionStorage.getItem(STORE_KEY) ?? '{}') as object);
  } catch {
    return [];
  }
}

function storeEntries(): void {
  try {
    sessionStorage.setItem(STORE_KEY, JSON.stringify(Object.fromEntries(leftEntryByKey)));
  } catch {
    // Without storage, a reload loses the entries.
  }
}

/** @param key names field or form, object and account */
export const findLeftEntry = (key: string): unknown => leftEntryByKey.get(key);

/** @param entry anything that JSON can hold; undefined forgets the one before */
export function keepLeftEntry(key: string, entry: unknown): void {
  if (entry === undefined) leftEntryByKey.delete(key);
  else leftEntryByKey.set(key, entry);
  storeEntries();
}

/** Called when the session ends. */
export function forgetLeftEntries(): void {
  leftEntryByKey.clear();
  storeEntries();
}

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
    const left = findLeftEntry(key);
    keepLeftEntry(key, undefined);
    return typeof left === 'string' ? left : initial;
  });
  const keep = () => {
    if (entry !== initial) keepLeftEntry(key, entry);
  };
  return [entry, set, keep];
}
