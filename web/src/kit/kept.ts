/** Texts that an account has typed. Another one that signs in on the page never gets them. */
interface KeptEntry {
  readonly user: number;
}

/**
 * Writes an entry to the session storage when the page is left, for the next page of the tab. There is one for each
 * key: the next page takes it by `takeKept`, or overwrites it when it is left.
 *
 * @param read undefined: there is nothing to keep
 * @returns a function that ends it
 */
export function keepOverReloads(key: string, read: () => KeptEntry | undefined): () => void {
  const keep = () => {
    try {
      const entry = read();
      if (entry) sessionStorage.setItem(key, JSON.stringify(entry));
      else sessionStorage.removeItem(key);
    } catch {
      // Without storage, a reload loses the entry.
    }
  };
  addEventListener('pagehide', keep);
  return () => removeEventListener('pagehide', keep);
}

/** Takes the entry of before a reload if it is the account's own; undefined also for a damaged one. */
export function takeKept<T extends KeptEntry>(key: string, user: number): T | undefined {
  try {
    const entry = JSON.parse(sessionStorage.getItem(key) ?? '{}') as T;
    if (entry.user !== user) return undefined;
    sessionStorage.removeItem(key);
    return entry;
  } catch {
    return undefined;
  }
}
