/** The directory replicas of this process. A replica is opened by the first use of its realm. */
import type { Clock, TimerHandle } from '#base/clock';
import { type ProductEmoji, type RealmId, realmActorKey, toRealmId } from '#model';
import type { DirectoryRealmEntry, DirectoryView } from '#model/records';
import type { EventLog } from '#ports/log';
import type { ActorClient } from '#runtime';
import { asDirectorySnapshot, type DirectorySnapshot } from './contents.js';
import { type CredentialEndListener, DirectoryReplica } from './replica.js';
import type { RealmLogTail } from './tail.js';

/** Thrown when the realm does not exist. */
export class NoSuchRealmError extends Error {
  override name = 'NoSuchRealmError';
}

/** Thrown when the replica could not be brought up to the version in time. */
export class DirectoryReplicaBehindError extends Error {
  override name = 'DirectoryReplicaBehindError';
}

/** Realm 0 is the server itself: its directory lists the realms. */
export const SERVER_REALM_ID = toRealmId(0);

const REPLICA_WAIT_TIMEOUT_MS = 8_000;
/**
 * A replica that was not used during a whole round is closed. A round is far longer than any request takes, so a
 * request never outlives the view that it holds.
 */
const UNUSED_REPLICA_CHECK_MS = 300_000;

interface OpenReplica {
  readonly replica: DirectoryReplica;
  /** Number of the round in which the replica was last used. */
  used: number;
}

/** Data derived from replicas, such as the event feed of a realm. */
export interface DirectoryReplicaDependent {
  /** True while the data of the realm is in use: the replica stays open. */
  busy(realm: RealmId): boolean;
  /** Called when the replica was closed: data derived from it gets no more updates. */
  closed(realm: RealmId): void;
}

export class DirectoryReplicas {
  readonly #openReplicas = new Map<RealmId, OpenReplica>();
  readonly #openingReplicas = new Map<RealmId, Promise<DirectoryReplica>>();
  readonly #dependents: DirectoryReplicaDependent[] = [];
  /** Called with the hash of each API key that was revoked, and of each session that has ended. */
  onCredentialEnded: CredentialEndListener = () => {};
  #usageRound = 0;
  #timer: TimerHandle | undefined;

  constructor(
    private readonly client: ActorClient,
    private readonly log: EventLog,
    private readonly clock: Clock,
    private readonly emoji: ProductEmoji,
  ) {}

  /** Waits until the replica is open and has applied version `after`. Undefined if it has already. */
  waitUntilReady(realm: RealmId, after: number): Promise<void> | undefined {
    const replica = this.#find(realm);
    const waiting = replica
      ? replica.waitForVersion(after)
      : this.openReplica(realm).then((opened) => opened.waitForVersion(after));
    return waiting && this.#withinWaitTimeout(waiting);
  }

  /** The directory as its open replica shows it now. @throws when the replica isn't open: await `ready` before */
  currentView(realm: RealmId): DirectoryView {
    const replica = this.#find(realm);
    if (!replica) throw new Error(`no replica of realm ${realm}`);
    return replica.view;
  }

  find(realm: RealmId): DirectoryView | undefined {
    return this.#find(realm)?.view;
  }

  /** The log tail of an open replica. */
  tail(realm: RealmId): RealmLogTail | undefined {
    return this.#find(realm)?.tail;
  }

  /** Number of open replicas. */
  get size(): number {
    return this.#openReplicas.size;
  }

  /** Adds a dependent; no replica is closed while a dependent is busy with its realm. */
  addDependent(dependent: DirectoryReplicaDependent): void {
    this.#dependents.push(dependent);
  }

  openReplica(realm: RealmId): Promise<DirectoryReplica> {
    const open = this.#find(realm);
    if (open) return Promise.resolve(open);
    const opening = this.#openingReplicas.get(realm);
    if (opening) return opening;
    const fresh = DirectoryReplica.open(
      realm,
      this.log,
      (id) => this.#fetch(id),
      this.clock,
      this.emoji,
      (hash, kind) => this.onCredentialEnded(hash, kind),
    );
    this.#openingReplicas.set(realm, fresh);
    fresh.then(
      (replica) => {
        this.#openingReplicas.delete(realm);
        this.#openReplicas.set(realm, { replica, used: this.#usageRound });
        this.#armUnusedCheck();
      },
      () => this.#openingReplicas.delete(realm),
    );
    return fresh;
  }

  /** Brings the replica up to the end of the realm's log. */
  async refresh(realm: RealmId): Promise<void> {
    const replica = await this.openReplica(realm);
    await this.#withinWaitTimeout(replica.tail.caughtUp().then(() => undefined));
  }

  /** Realms of the server, oldest first; empty before the first one was created. */
  async realms(): Promise<DirectoryRealmEntry[]> {
    try {
      return [...(await this.openReplica(SERVER_REALM_ID)).view.realms()];
    } catch (error) {
      if (error instanceof NoSuchRealmError) return [];
      throw error;
    }
  }

  /** Log tails of the open replicas. */
  tails(): RealmLogTail[] {
    return [...this.#openReplicas.values()].map(({ replica }) => replica.tail);
  }

  close(): void {
    if (this.#timer) this.clock.clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const { replica } of this.#openReplicas.values()) replica.close();
    this.#openReplicas.clear();
  }

  #find(realm: RealmId): DirectoryReplica | undefined {
    const open = this.#openReplicas.get(realm);
    if (open) open.used = this.#usageRound;
    return open?.replica;
  }

  #armUnusedCheck(): void {
    if (this.#openReplicas.size > 0)
      this.#timer ??= this.clock.setTimeout(() => this.#closeUnusedReplicas(), UNUSED_REPLICA_CHECK_MS);
  }

  /** Closes replicas that were not used in this round, so an idle organization costs no memory. */
  #closeUnusedReplicas(): void {
    this.#timer = undefined;
    for (const [realm, { replica, used }] of this.#openReplicas) {
      if (used === this.#usageRound || replica.busy || this.#dependents.some((one) => one.busy(realm))) continue;
      this.#openReplicas.delete(realm);
      replica.close();
      for (const one of this.#dependents) one.closed(realm);
    }
    this.#usageRound++;
    this.#armUnusedCheck();
  }

  async #fetch(realm: RealmId): Promise<DirectorySnapshot> {
    const reply = await this.client.send(realmActorKey(realm), 'snapshot', {}).reply;
    if ('value' in reply) return asDirectorySnapshot(reply.value);
    throw new NoSuchRealmError(`realm ${realm}`);
  }

  #withinWaitTimeout(promise: Promise<void>): Promise<void> {
    return new Promise((resolve, reject) => {
      const late = (): void => reject(new DirectoryReplicaBehindError('directory replica is behind'));
      const timer = this.clock.setTimeout(late, this.client.limitBusWaitMs(REPLICA_WAIT_TIMEOUT_MS));
      promise.then(resolve, reject).finally(() => this.clock.clearTimeout(timer));
    });
  }
}
