import type { Clock } from '#base/clock';
import type { DirectoryReplicaDependent, DirectoryReplicas } from '#directory';
import type { RealmId } from '#model';
import type { EventLog } from '#ports/log';
import type { Store } from '#ports/store';
import { RealmEventFeed, type RealmEventFeedPorts } from './feed.js';
import { RecentLogEntryMemoryBudget } from './recent-entries.js';
import { RecentMessageMemoryBudget } from './recent-message-index.js';

/** The feeds of this host: one for each realm that has event queues on this host. */
export class RealmEventFeeds implements DirectoryReplicaDependent {
  readonly #feeds = new Map<RealmId, Promise<RealmEventFeed>>();
  /** Feeds whose directory replica is open, by realm. */
  readonly #openFeeds = new Map<RealmId, RealmEventFeed>();
  readonly #ports: RealmEventFeedPorts;

  constructor(
    private readonly directories: DirectoryReplicas,
    log: EventLog,
    store: Store,
    clock: Clock,
  ) {
    this.#ports = {
      log,
      store,
      clock,
      recentEntries: new RecentLogEntryMemoryBudget(),
      recentMessages: new RecentMessageMemoryBudget(),
    };
    directories.addDependent(this);
  }

  busy(realm: RealmId): boolean {
    return this.#openFeeds.get(realm)?.isBusy ?? this.#feeds.has(realm);
  }

  closed(realm: RealmId): void {
    this.#openFeeds.get(realm)?.closed();
    this.#feeds.delete(realm);
    this.#openFeeds.delete(realm);
  }

  of(realm: RealmId): Promise<RealmEventFeed> {
    // Ask for the replica on every call: a replica in use stays open.
    const replica = this.directories.openReplica(realm);
    const known = this.#feeds.get(realm);
    if (known) return known;
    const feed = replica.then((opened) => {
      const made = new RealmEventFeed(realm, opened, this.#ports);
      this.#openFeeds.set(realm, made);
      return made;
    });
    this.#feeds.set(realm, feed);
    feed.catch(() => this.#feeds.delete(realm));
    return feed;
  }
}
