import { useState } from 'preact/hooks';

export interface FormState<F extends object> {
  /** Values to show: the reader's where there are some, those of the server otherwise. */
  readonly values: F;
  /** Fields whose value differs from the server's. */
  readonly changedValues: Partial<F>;
  readonly hasChanges: boolean;
  set<K extends keyof F>(name: K, value: F[K]): void;
  /** Forgets the entries. */
  reset(): void;
}

/**
 * Entries of a form over the values of the server. An event that changes the server's values shows in the fields that
 * the reader has not touched, and leaves the others alone.
 */
export function useFormOverServerValues<F extends object>(server: F): FormState<F> {
  const [entries, setEntries] = useState<Partial<F>>({});
  const names = Object.keys(entries) as (keyof F)[];
  const changes: Partial<F> = {};
  for (const name of names) if (entries[name] !== server[name]) changes[name] = entries[name];
  return {
    values: { ...server, ...entries },
    changedValues: changes,
    hasChanges: Object.keys(changes).length > 0,
    set: (name, value) => setEntries((before) => Object.assign({ ...before }, { [name]: value })),
    reset: () => setEntries({}),
  };
}
