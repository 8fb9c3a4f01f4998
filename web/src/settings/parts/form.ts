import { useRef, useState } from 'preact/hooks';
import { core } from '../../client/index.js';
import { findLeftEntry, keepLeftEntry } from '../../kit-later/index.js';

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

/** Key of the entries: account, page of the settings (its view and first part) and form. */
const makeLeftEntriesKey = (formKey: string): string =>
  [core.state.me.id, core.platform.address.hash.peek().split('/', 2).join('/'), formKey].join(' ');

/**
 * Entries of a form over the values of the server. An event that changes the server's values shows in the fields that
 * the reader has not touched, and leaves the others alone.
 *
 * @param formKey names the form on its page: its entries are there again after the page was left or loaded again, until
 *   they are reset or the session ends. Never given for secrets.
 */
export function useFormOverServerValues<F extends object>(server: F, formKey?: string): FormState<F> {
  const [leftKey] = useState(() => formKey && makeLeftEntriesKey(formKey));
  const [entries, setEntries] = useState<Partial<F>>(() => ((leftKey && findLeftEntry(leftKey)) || {}) as Partial<F>);
  const newest = useRef(entries);
  const change = (next: Partial<F>) => {
    newest.current = next;
    if (leftKey) keepLeftEntry(leftKey, Object.keys(next).length > 0 ? next : undefined);
    setEntries(next);
  };
  const names = Object.keys(entries) as (keyof F)[];
  const changes: Partial<F> = {};
  for (const name of names) if (entries[name] !== server[name]) changes[name] = entries[name];
  return {
    values: { ...server, ...entries },
    changedValues: changes,
    hasChanges: Object.keys(changes).length > 0,
    set: (name, value) => change(Object.assign({ ...newest.current }, { [name]: value })),
    reset: () => change({}),
  };
}
