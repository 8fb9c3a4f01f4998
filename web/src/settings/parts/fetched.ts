import { useEffect, useState } from 'preact/hooks';
import { core, formatFailureText } from '../../client/index.js';
import type { Events } from '../../contract/index.js';

export interface FetchedValue<T> {
  readonly value: T | undefined;
  readonly error: string | undefined;
  refetch(): void;
}

/**
 * A list that the snapshot does not hold: fetched when it is shown and after each of the events.
 *
 * @param key fetches again when it changes
 */
export function useFetchedValue<T>(
  fetch: () => Promise<T>,
  events: readonly (keyof Events)[] = [],
  key: unknown = undefined,
): FetchedValue<T> {
  const [value, setValue] = useState<T>();
  const [error, setError] = useState<string>();
  const [turn, setTurn] = useState(0);
  const again = () => setTurn((before) => before + 1);
  useEffect(() => {
    let current = true;
    fetch().then(
      (fetched) => {
        if (!current) return;
        setValue(fetched);
        setError(undefined);
      },
      (failure) => current && setError(formatFailureText(failure)),
    );
    return () => {
      current = false;
    };
  }, [turn, key]);
  useEffect(() => {
    const ends = events.map((kind) => core.listenToEvents(kind, again));
    return () => {
      for (const end of ends) end();
    };
  }, []);
  return { value, error, refetch: again };
}
