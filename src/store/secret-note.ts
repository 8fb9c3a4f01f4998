/**
 * What a Store keeps to tell under which server secret it was written: a keyed check value, from which nobody learns the
 * secret. Processes with another one would seal keys that the others can't open, and refuse keys that the others gave out.
 */
export interface SecretNote {
  /** undefined: none was made yet. */
  read(): Promise<string | undefined>;
  /** Unless there is one already. @returns the one that is in force */
  make(check: string): Promise<string>;
  /** In place of whatever there is. */
  replace(check: string): Promise<void>;
  /** Some accounts' API keys as they are sealed: they tell the secret of a Store from before notes were made. */
  sealedKeys(): Promise<string[]>;
}

/** Accounts that are looked at. */
export const MAX_ACCOUNTS = 200;

/** Keys of the roots of accounts. */
export const ACCOUNT_KEYS = { from: 'user/', below: 'user0' } as const;

/** Of an account's state; none of a bot, whose key its realm has. */
export function sealedKeyOf(state: unknown): string[] {
  const { keySealed } = (state ?? {}) as { readonly keySealed?: unknown };
  return typeof keySealed === 'string' && keySealed !== '' ? [keySealed] : [];
}
