/** Messages between the program and the process of its server. */

/** An account that calls, and what is there for it to work on. */
export interface Subject {
  readonly email: string;
  readonly key: string;
  /** Usual values by the name of the parameter. */
  readonly usual: Readonly<Record<string, unknown>>;
}

export interface Ready {
  readonly port: number;
  readonly adapter: string;
  readonly slowness: number;
}

export type Question =
  | { readonly ask: 'subject'; readonly role: 'owner' | 'member' }
  | { readonly ask: 'held' }
  | { readonly ask: 'stop' };

export type Answer =
  | { readonly ready: Ready }
  | { readonly subject: Subject }
  /** Longest time since the last question, ms. */
  | { readonly held: number }
  | { readonly failed: string };
