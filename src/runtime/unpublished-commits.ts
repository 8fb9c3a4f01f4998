/**
 * Commits of this host's actors whose events the log does not hold yet, by realm. Who sent something was answered before: a
 * registration that comes after that answer must not be told of it as of something new.
 */
import type { Clock } from '#base/clock';
import type { RealmId } from '#model';

/** A log that is away keeps nobody waiting for longer: what comes late is told twice, not lost. */
const PATIENCE_MS = 1_000;

/** A commit on its way. */
export interface UnpublishedTicket {
  /** The log holds its events, or it is another host's business now. */
  close(): void;
}

class UnpublishedCommit implements UnpublishedTicket {
  #waiting: (() => void)[] | undefined;

  constructor(private readonly all: Set<UnpublishedCommit>) {
    all.add(this);
  }

  whenClosed(fn: () => void): void {
    this.#waiting ??= [];
    this.#waiting.push(fn);
  }

  close(): void {
    if (!this.all.delete(this)) return;
    for (const fn of this.#waiting ?? []) fn();
  }
}

export class UnpublishedCommits {
  readonly #realms = new Map<RealmId, Set<UnpublishedCommit>>();

  constructor(private readonly clock: Clock) {}

  begin(realm: RealmId): UnpublishedTicket {
    let all = this.#realms.get(realm);
    if (!all) {
      all = new Set();
      this.#realms.set(realm, all);
    }
    const one = new UnpublishedCommit(all);
    one.whenClosed(() => {
      if (all.size === 0 && this.#realms.get(realm) === all) this.#realms.delete(realm);
    });
    return one;
  }

  /** Resolves when the log holds all that was committed here before; a promise only where that isn't so now. */
  published(realm: RealmId): Promise<void> | undefined {
    const all = this.#realms.get(realm);
    if (!all || all.size === 0) return undefined;
    return new Promise((resolve) => {
      let left = all.size;
      const timer = this.clock.setTimeout(resolve, PATIENCE_MS);
      for (const one of all) {
        one.whenClosed(() => {
          if (--left > 0) return;
          this.clock.clearTimeout(timer);
          resolve();
        });
      }
    });
  }
}
