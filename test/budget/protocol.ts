/** Messages between the program and its server process. */

/** Calling account, with the objects on which operations can work. */
export interface Subject {
  readonly email: string;
  readonly key: string;
  /** Usual values by parameter name. */
  readonly usual: Readonly<Record<string, unknown>>;
}

export interface Ready {
  readonly port: number;
  readonly adapter: string;
  readonly slowness: number;
}

export type Question =
  /** `readsProtected`: true if the account calls operations with the large stream with protected history. */
  | { readonly ask: 'subject'; readonly role: 'owner' | 'member'; readonly readsProtected: boolean }
  | { readonly ask: 'held' }
  | { readonly ask: 'stop' };

export type Answer =
  | { readonly ready: Ready }
  | { readonly subject: Subject }
  /** Longest blocking in ms since the last question. */
  | { readonly held: number }
  | { readonly failed: string };
