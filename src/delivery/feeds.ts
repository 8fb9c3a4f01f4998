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
  readonly #feedByRealm = new Map<RealmId, Promise<RealmEventFeed>>();
  /** Feeds whose directory replica is open, by realm. */
  readonly #openFeedByRealm = new Map<RealmId, RealmEventFeed>();
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

  needsOpenReplica(realm: RealmId): boolean {
    return this.#openFeedByRealm.get(realm)?.isBusy ?? this.#feedByRealm.has(realm);
  }

  onReplicaClosed(realm: RealmId): void {
    this.#openFeedByRealm.get(realm)?.onReplicaClosed();
    this.#feedByRealm.delete(realm);
    this.#openFeedByRealm.delete(realm);
  }

  of(realm: RealmId): Promise<RealmEventFeed> {
    // Ask for the replica on every call: a replica in use stays open.
    const replica = this.directories.getOrOpenReplica(realm);
    const known = this.#feedByRealm.get(realm);
    if (known) return known;
    const feed = replica.then((opened) => {
      const made = new RealmEventFeed(realm, opened, this.#ports);
      this.#openFeedByRealm.set(realm, made);
      return made;
    });
    this.#feedByRealm.set(realm, feed);
    feed.catch(() => this.#feedByRealm.delete(realm));
    return feed;
  }
}
