/**
 * Commits of this host's actors whose events the log does not hold yet, by realm. Who sent something was answered before: a
 * registration that comes after that answer must not be told of it as of something new.
 */
import type { Clock } from '#base/clock';
import type { RealmId } from '#model';

/** A log that is away keeps nobody waiting for longer: what comes late is told twice, not lost. */
const PATIENCE_MS = 1_000;

/** A commit on its way. */
export interface Untelling {
  /** The log holds its events, or it is another host's business now. */
  over(): void;
}

class OnItsWay implements Untelling {
  #waiting: (() => void)[] | undefined;

  constructor(private readonly all: Set<OnItsWay>) {
    all.add(this);
  }

  whenOver(fn: () => void): void {
    this.#waiting ??= [];
    this.#waiting.push(fn);
  }

  over(): void {
    if (!this.all.delete(this)) return;
    for (const fn of this.#waiting ?? []) fn();
  }
}

export class Untold {
  readonly #realms = new Map<RealmId, Set<OnItsWay>>();

  constructor(private readonly clock: Clock) {}

  begin(realm: RealmId): Untelling {
    let all = this.#realms.get(realm);
    if (!all) {
      all = new Set();
      this.#realms.set(realm, all);
    }
    const one = new OnItsWay(all);
    one.whenOver(() => {
      if (all.size === 0 && this.#realms.get(realm) === all) this.#realms.delete(realm);
    });
    return one;
  }

  /** Resolves when the log holds all that was committed here before; a promise only where that isn't so now. */
  told(realm: RealmId): Promise<void> | undefined {
    const all = this.#realms.get(realm);
    if (!all || all.size === 0) return undefined;
    return new Promise((resolve) => {
      let left = all.size;
      const timer = this.clock.setTimeout(resolve, PATIENCE_MS);
      for (const one of all) {
        one.whenOver(() => {
          if (--left > 0) return;
          this.clock.clearTimeout(timer);
          resolve();
        });
      }
    });
  }
}
