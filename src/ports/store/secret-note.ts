/**
 * Access to the Store's note about its server secret: a keyed check value that doesn't reveal the secret. A process
 * with another secret would encrypt keys that the others can't decrypt, and reject keys that the others issued.
 */
export interface ServerSecretCheckNote {
  /** Reads the stored check value; undefined if none was stored yet. */
  read(): Promise<string | undefined>;
  /**
   * Stores the check value unless there is one.
   * @returns the stored value
   */
  storeUnlessPresent(check: string): Promise<string>;
  /** Stores the check value, replacing any other. */
  replace(check: string): Promise<void>;
  /** Reads the encrypted API keys of some accounts. They identify the server secret of a Store that has no note yet. */
  readSealedApiKeys(): Promise<string[]>;
}

/** Maximum number of accounts that `readSealedApiKeys` reads. */
export const MAX_ACCOUNTS_SAMPLED_FOR_SECRET = 200;

/** Range of the Store keys under which roots of accounts lie. */
export const ACCOUNT_ROOT_KEY_RANGE = { from: 'user/', below: 'user0' } as const;

/** Returns the encrypted API key in an account's state; empty for a bot, whose key is stored by its realm. */
export function sealedApiKeysOfAccountState(state: unknown): string[] {
  const { keySealed } = (state ?? {}) as { readonly keySealed?: unknown };
  return typeof keySealed === 'string' && keySealed !== '' ? [keySealed] : [];
}
