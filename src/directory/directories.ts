/** The replicas of this process, made when a realm is first asked for. */
import type { Clock } from '../clock/index.js';
import { type RealmId, realmId, realmKey } from '../core/index.js';
import type { ExtraEmoji } from '../emoji/extra.js';
import type { EventLog } from '../log/index.js';
import type { ActorClient } from '../runtime/client.js';
import { asSnapshot, type DirectorySnapshot } from './contents.js';
import type { RealmEntry } from './records/index.js';
import { DirectoryReplica } from './replica.js';
import type { RealmTail } from './tail.js';
import type { DirectoryView } from './view.js';

/** The realm does not exist. */
export class NoSuchRealm extends Error {
  override name = 'NoSuchRealm';
}

/** The replica could not be brought up to the version in time. */
export class DirectoryBehind extends Error {
  override name = 'DirectoryBehind';
}

/** Realm 0 is the server itself: its directory lists the realms. */
export const SERVER_REALM = realmId(0);

const WAIT_MS = 8_000;

export class Directories {
  readonly #open = new Map<RealmId, DirectoryReplica>();
  readonly #opening = new Map<RealmId, Promise<DirectoryReplica>>();

  constructor(
    private readonly client: ActorClient,
    private readonly log: EventLog,
    private readonly clock: Clock,
    private readonly emoji: ExtraEmoji,
  ) {}

  /** Undefined when the replica is at hand and has applied version `after`. */
  ready(realm: RealmId, after: number): Promise<void> | undefined {
    const replica = this.#open.get(realm);
    const waiting = replica ? replica.reach(after) : this.replica(realm).then((opened) => opened.reach(after));
    return waiting && this.#within(waiting);
  }

  /** @throws when the replica isn't open: await `ready` before */
  now(realm: RealmId): DirectoryView {
    const replica = this.#open.get(realm);
    if (!replica) throw new Error(`no replica of realm ${realm}`);
    return replica.view;
  }

  find(realm: RealmId): DirectoryView | undefined {
    return this.#open.get(realm)?.view;
  }

  replica(realm: RealmId): Promise<DirectoryReplica> {
    const open = this.#open.get(realm);
    if (open) return Promise.resolve(open);
    const opening = this.#opening.get(realm);
    if (opening) return opening;
    const fresh = DirectoryReplica.open(realm, this.log, (id) => this.#fetch(id), this.clock, this.emoji);
    this.#opening.set(realm, fresh);
    fresh.then(
      (replica) => {
        this.#opening.delete(realm);
        this.#open.set(realm, replica);
      },
      () => this.#opening.delete(realm),
    );
    return fresh;
  }

  /** Bring the replica up to the end of the realm's log. */
  async refresh(realm: RealmId): Promise<void> {
    const replica = await this.replica(realm);
    await this.#within(replica.tail.caughtUp().then(() => undefined));
  }

  /** Realms of the server, oldest first; empty before the first one was created. */
  async realms(): Promise<RealmEntry[]> {
    try {
      return [...(await this.replica(SERVER_REALM)).view.realms()];
    } catch (error) {
      if (error instanceof NoSuchRealm) return [];
      throw error;
    }
  }

  /** Of the open replicas. */
  tails(): RealmTail[] {
    return [...this.#open.values()].map(({ tail }) => tail);
  }

  close(): void {
    for (const replica of this.#open.values()) replica.close();
    this.#open.clear();
  }

  async #fetch(realm: RealmId): Promise<DirectorySnapshot> {
    const reply = await this.client.send(realmKey(realm), 'snapshot', {}).reply;
    if ('value' in reply) return asSnapshot(reply.value);
    throw new NoSuchRealm(`realm ${realm}`);
  }

  #within(promise: Promise<void>): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = this.clock.setTimeout(() => reject(new DirectoryBehind('directory replica is behind')), WAIT_MS);
      promise.then(resolve, reject).finally(() => this.clock.clearTimeout(timer));
    });
  }
}
