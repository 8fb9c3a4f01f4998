/** The feeds of this host, one per realm that has queues here. */
import type { Clock } from '../clock/index.js';
import type { RealmId } from '../core/index.js';
import type { Directories } from '../directory/index.js';
import type { EventLog } from '../log/index.js';
import type { Store } from '../store/index.js';
import { RealmFeed } from './feed.js';

declare module '../runtime/kind.js' {
  interface HostServices {
    readonly feeds: Feeds;
  }
}

export class Feeds {
  readonly #feeds = new Map<RealmId, Promise<RealmFeed>>();

  constructor(
    private readonly directories: Directories,
    private readonly log: EventLog,
    private readonly store: Store,
    private readonly clock: Clock,
  ) {}

  of(realm: RealmId): Promise<RealmFeed> {
    const known = this.#feeds.get(realm);
    if (known) return known;
    const feed = this.directories
      .replica(realm)
      .then((replica) => new RealmFeed(realm, replica, this.log, this.store, this.clock));
    this.#feeds.set(realm, feed);
    feed.catch(() => this.#feeds.delete(realm));
    return feed;
  }
}
