/**
 * Commits of this host's actors whose events the log does not hold yet, by realm. A sender is answered before its event
 * is logged. An event queue that is registered after that answer must not get the event as new, so the registration
 * waits for the log.
 */
import type { Clock } from '#base/clock';
import type { RealmId } from '#model';

/**
 * Maximum time for which a registration of an event queue waits for the log, ms. If the log is away for longer, an
 * event may be delivered although the initial state includes it, but no event is lost.
 */
const MAX_REGISTRATION_LOG_WAIT_MS = 1_000;

/** Ticket of a commit whose events are not in the log yet. */
export interface UnpublishedCommitTicket {
  /** Called when the log holds the commit's events, or when another host will append them. */
  close(): void;
}

class UnpublishedCommit implements UnpublishedCommitTicket {
  #closeCallbacks: (() => void)[] | undefined;

  constructor(private readonly all: Set<UnpublishedCommit>) {
    all.add(this);
  }

  callWhenClosed(fn: () => void): void {
    this.#closeCallbacks ??= [];
    this.#closeCallbacks.push(fn);
  }

  close(): void {
    if (!this.all.delete(this)) return;
    for (const fn of this.#closeCallbacks ?? []) fn();
  }
}

export class UnpublishedCommits {
  readonly #unpublishedCommitsByRealm = new Map<RealmId, Set<UnpublishedCommit>>();

  constructor(private readonly clock: Clock) {}

  openTicket(realm: RealmId): UnpublishedCommitTicket {
    let all = this.#unpublishedCommitsByRealm.get(realm);
    if (!all) {
      all = new Set();
      this.#unpublishedCommitsByRealm.set(realm, all);
    }
    const one = new UnpublishedCommit(all);
    one.callWhenClosed(() => {
      if (all.size === 0 && this.#unpublishedCommitsByRealm.get(realm) === all)
        this.#unpublishedCommitsByRealm.delete(realm);
    });
    return one;
  }

  /**
   * Resolves when this host has no earlier commit left to append, after MAX_REGISTRATION_LOG_WAIT_MS at the latest;
   * undefined if it has none now.
   */
  waitUntilPublished(realm: RealmId): Promise<void> | undefined {
    const all = this.#unpublishedCommitsByRealm.get(realm);
    if (!all || all.size === 0) return undefined;
    return new Promise((resolve) => {
      let left = all.size;
      const timer = this.clock.setTimeout(resolve, MAX_REGISTRATION_LOG_WAIT_MS);
      for (const one of all) {
        one.callWhenClosed(() => {
          if (--left > 0) return;
          this.clock.clearTimeout(timer);
          resolve();
        });
      }
    });
  }
}
