/** The feeds of this host, one per realm that has queues here. */
import type { Clock } from '#base/clock';
import type { Directories, ReplicaDependent } from '#directory';
import type { RealmId } from '#model';
import type { EventLog } from '#ports/log';
import type { Store } from '#ports/store';
import { RealmFeed } from './feed.js';
import { OverviewBudget } from './overview.js';
import { RecentBudget } from './recent.js';

declare module '../runtime/kind.js' {
  interface HostServices {
    readonly feeds: Feeds;
  }
}

export class Feeds implements ReplicaDependent {
  readonly #feeds = new Map<RealmId, Promise<RealmFeed>>();
  /** Those of them that are there. */
  readonly #recent = new RecentBudget();
  readonly #overviews = new OverviewBudget();
  readonly #open = new Map<RealmId, RealmFeed>();

  constructor(
    private readonly directories: Directories,
    private readonly log: EventLog,
    private readonly store: Store,
    private readonly clock: Clock,
  ) {
    directories.addDependent(this);
  }

  busy(realm: RealmId): boolean {
    return this.#open.get(realm)?.busy ?? this.#feeds.has(realm);
  }

  closed(realm: RealmId): void {
    this.#open.get(realm)?.closed();
    this.#feeds.delete(realm);
    this.#open.delete(realm);
  }

  of(realm: RealmId): Promise<RealmFeed> {
    // Asked for each time: what is asked for stays open.
    const replica = this.directories.replica(realm);
    const known = this.#feeds.get(realm);
    if (known) return known;
    const feed = replica.then((opened) => {
      const made = new RealmFeed(realm, opened, this.log, this.store, this.clock, this.#recent, this.#overviews);
      this.#open.set(realm, made);
      return made;
    });
    this.#feeds.set(realm, feed);
    feed.catch(() => this.#feeds.delete(realm));
    return feed;
  }
}
