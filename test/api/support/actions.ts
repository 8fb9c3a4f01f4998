/** Operations carried out while clients followed events, and the roles of these clients. */

export interface Watched {
  /** Watched by the client of the acting user. */
  acting: boolean;
  /** Watched by the client of another user. */
  bystander: boolean;
}

const watched = new Map<string, Watched>();
/** Credentials of the users who watch the action under way; undefined between actions. */
let watching: ReadonlySet<string> | undefined;

/** Successful calls during `action` count as watched by these users. */
export async function whileWatched(by: readonly string[], action: () => Promise<unknown>): Promise<void> {
  watching = new Set(by);
  try {
    await action();
  } finally {
    watching = undefined;
  }
}

export function noteAction(operation: string, credentials: string | undefined): void {
  if (!watching || credentials === undefined) return;
  const of = watched.get(operation) ?? { acting: false, bystander: false };
  watched.set(operation, of);
  of.acting ||= watching.has(credentials);
  of.bystander ||= [...watching].some((one) => one !== credentials);
}

export const watchedAs = (operation: string): Watched => watched.get(operation) ?? { acting: false, bystander: false };
