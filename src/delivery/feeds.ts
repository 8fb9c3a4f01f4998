import type { Clock } from '#base/clock';
import type { DirectoryReplicas, ReplicaDependent } from '#directory';
import type { RealmId } from '#model';
import type { EventLog } from '#ports/log';
import type { Store } from '#ports/store';
import { RealmFeed, type RealmFeedPorts } from './feed.js';
import { RecentLogEntryBudget } from './recent-entries.js';
import { RecentMessageBudget } from './recent-message-index.js';

/** The feeds of this host: one for each realm that has event queues on this host. */
export class RealmFeeds implements ReplicaDependent {
  readonly #feeds = new Map<RealmId, Promise<RealmFeed>>();
  /** Feeds whose directory replica is open, by realm. */
  readonly #open = new Map<RealmId, RealmFeed>();
  readonly #ports: RealmFeedPorts;

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
      recentEntries: new RecentLogEntryBudget(),
      recentMessages: new RecentMessageBudget(),
    };
    directories.addDependent(this);
  }

  busy(realm: RealmId): boolean {
    return this.#open.get(realm)?.isBusy ?? this.#feeds.has(realm);
  }

  closed(realm: RealmId): void {
    this.#open.get(realm)?.closed();
    this.#feeds.delete(realm);
    this.#open.delete(realm);
  }

  of(realm: RealmId): Promise<RealmFeed> {
    // Ask for the replica on every call: a replica in use stays open.
    const replica = this.directories.replica(realm);
    const known = this.#feeds.get(realm);
    if (known) return known;
    const feed = replica.then((opened) => {
      const made = new RealmFeed(realm, opened, this.#ports);
      this.#open.set(realm, made);
      return made;
    });
    this.#feeds.set(realm, feed);
    feed.catch(() => this.#feeds.delete(realm));
    return feed;
  }
}
