/**
 * The Store's record of the server secret it was written under: a keyed check value that doesn't reveal the secret. A
 * process with another secret would seal keys that the others can't open, and reject keys that the others issued.
 */
export interface ServerSecretNote {
  /** The stored check value; undefined if none was stored yet. */
  read(): Promise<string | undefined>;
  /**
   * Stores the check value unless there is one.
   * @returns the stored value
   */
  make(check: string): Promise<string>;
  /** Stores the check value, replacing any other. */
  replace(check: string): Promise<void>;
  /** Sealed API keys of some accounts. They identify the secret of a Store from before notes existed. */
  sealedKeys(): Promise<string[]>;
}

/** Maximum number of accounts that `sealedKeys` reads. */
export const MAX_SAMPLED_ACCOUNTS = 200;

/** Range of the Store keys under which roots of accounts lie. */
export const ACCOUNT_KEY_RANGE = { from: 'user/', below: 'user0' } as const;

/** The sealed API key in an account's state. Empty for a bot, whose key is stored by its realm. */
export function sealedKeyOf(state: unknown): string[] {
  const { keySealed } = (state ?? {}) as { readonly keySealed?: unknown };
  return typeof keySealed === 'string' && keySealed !== '' ? [keySealed] : [];
}
