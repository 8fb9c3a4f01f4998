/** The directory replicas of this process. A replica is opened by the first use of its realm. */
import type { Clock, TimerHandle } from '#base/clock';
import { type ProductEmoji, type RealmId, realmActorKey, toRealmId } from '#model';
import { ApiError, apiError } from '#model/errors';
import type { DirectoryRealmEntry, DirectoryView } from '#model/records';
import type { EventLog } from '#ports/log';
import type { ActorClient } from '#runtime';
import { castToDirectorySnapshot, type DirectorySnapshot } from './contents.js';
import { type CredentialEndListener, DirectoryReplica } from './replica.js';
import type { RealmLogTail } from './tail.js';

/** Thrown when the realm does not exist. It is a refusal, so that a command that needs the directory is not retried. */
export class NoSuchRealmError extends ApiError {
  constructor() {
    super('NONEXISTENT_SUBDOMAIN', {});
  }
}

/** Thrown when the replica could not be brought up to the version in time. */
export class DirectoryReplicaBehindError extends Error {
  override name = 'DirectoryReplicaBehindError';
}

/** Realm 0 is the server itself: its directory lists the realms. */
export const SERVER_REALM_ID = toRealmId(0);

/** Text of the reply of a realm actor that does not exist, or is being deleted. */
const MISSING_REALM_MESSAGE = apiError('INVALID_SUBDOMAIN').message;
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
  needsOpenReplica(realm: RealmId): boolean;
  /** Called when the replica was closed: data derived from it gets no more updates. */
  onReplicaClosed(realm: RealmId): void;
}

export class DirectoryReplicas {
  readonly #openReplicas = new Map<RealmId, OpenReplica>();
  readonly #openingReplicas = new Map<RealmId, Promise<DirectoryReplica>>();
  readonly #dependents: DirectoryReplicaDependent[] = [];
  /**
   * Realms that are being deleted, or were. New requests don't find their replicas, which are closed as unused ones
   * are: a request under way may still hold the view.
   */
  readonly #endedRealms = new Set<RealmId>();
  /** Called with the hash of each API key that was revoked, and of each session that has ended. */
  credentialEndedListener: CredentialEndListener = () => {};
  #usageRound = 0;
  #unusedCheckTimer: TimerHandle | undefined;

  constructor(
    private readonly client: ActorClient,
    private readonly log: EventLog,
    private readonly clock: Clock,
    private readonly emoji: ProductEmoji,
  ) {}

  /** Waits until the replica is open and has applied version `after`. Undefined if it has already. */
  waitUntilReady(realm: RealmId, after: number): Promise<void> | undefined {
    const replica = this.#findReplicaAndMarkUsed(realm);
    const waiting = replica
      ? replica.waitForVersion(after)
      : this.getOrOpenReplica(realm).then((opened) => opened.waitForVersion(after));
    return waiting && this.#rejectAfterWaitTimeout(waiting);
  }

  /** The directory as its open replica shows it now. @throws when the replica isn't open: await `ready` before */
  currentView(realm: RealmId): DirectoryView {
    const replica = this.#findReplicaAndMarkUsed(realm);
    if (!replica) throw new Error(`no replica of realm ${realm}`);
    return replica.directoryView;
  }

  findOpenReplicaView(realm: RealmId): DirectoryView | undefined {
    return this.#endedRealms.has(realm) ? undefined : this.#findReplicaAndMarkUsed(realm)?.directoryView;
  }

  /** The log tail of an open replica. */
  findTailOfOpenReplica(realm: RealmId): RealmLogTail | undefined {
    return this.#findReplicaAndMarkUsed(realm)?.logTail;
  }

  /** Number of open replicas. */
  get openReplicaCount(): number {
    return this.#openReplicas.size;
  }

  /** Adds a dependent; no replica is closed while a dependent is busy with its realm. */
  addDependent(dependent: DirectoryReplicaDependent): void {
    this.#dependents.push(dependent);
  }

  getOrOpenReplica(realm: RealmId): Promise<DirectoryReplica> {
    const open = this.#findReplicaAndMarkUsed(realm);
    if (open) return Promise.resolve(open);
    const opening = this.#openingReplicas.get(realm);
    if (opening) return opening;
    const fresh = DirectoryReplica.openAndLoad(
      realm,
      this.log,
      (id) => this.#fetchSnapshot(id),
      this.clock,
      this.emoji,
      (hash, kind) => this.credentialEndedListener(hash, kind),
      (ended) => void this.#endedRealms.add(ended),
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
  async catchUpReplicaWithLog(realm: RealmId): Promise<void> {
    const replica = await this.getOrOpenReplica(realm);
    await this.#rejectAfterWaitTimeout(replica.logTail.waitUntilCaughtUp().then(() => undefined));
  }

  /** Realms of the server, oldest first; empty before the first one was created. */
  async listRealms(): Promise<DirectoryRealmEntry[]> {
    try {
      return [...(await this.getOrOpenReplica(SERVER_REALM_ID)).directoryView.realms()];
    } catch (error) {
      if (error instanceof NoSuchRealmError) return [];
      throw error;
    }
  }

  /** Log tails of the open replicas. */
  tailsOfOpenReplicas(): RealmLogTail[] {
    return [...this.#openReplicas.values()].map(({ replica }) => replica.logTail);
  }

  closeAllReplicas(): void {
    if (this.#unusedCheckTimer) this.clock.clearTimeout(this.#unusedCheckTimer);
    this.#unusedCheckTimer = undefined;
    for (const { replica } of this.#openReplicas.values()) replica.close();
    this.#openReplicas.clear();
  }

  #findReplicaAndMarkUsed(realm: RealmId): DirectoryReplica | undefined {
    const open = this.#openReplicas.get(realm);
    if (open && !this.#endedRealms.has(realm)) open.used = this.#usageRound;
    return open?.replica;
  }

  #armUnusedCheck(): void {
    if (this.#openReplicas.size > 0)
      this.#unusedCheckTimer ??= this.clock.setTimeout(() => this.#closeUnusedReplicas(), UNUSED_REPLICA_CHECK_MS);
  }

  /** Closes replicas that were not used in this round, so an idle organization costs no memory. */
  #closeUnusedReplicas(): void {
    this.#unusedCheckTimer = undefined;
    for (const [realm, { replica, used }] of this.#openReplicas) {
      if (
        used === this.#usageRound ||
        replica.isLoadingOrWaitedFor ||
        this.#dependents.some((one) => one.needsOpenReplica(realm))
      )
        continue;
      this.#openReplicas.delete(realm);
      replica.close();
      for (const one of this.#dependents) one.onReplicaClosed(realm);
    }
    this.#usageRound++;
    this.#armUnusedCheck();
  }

  async #fetchSnapshot(realm: RealmId): Promise<DirectorySnapshot> {
    const reply = await this.client.send(realmActorKey(realm), 'snapshot', {}).reply;
    if ('value' in reply) return castToDirectorySnapshot(reply.value);
    if ('error' in reply && reply.error.msg === MISSING_REALM_MESSAGE) throw new NoSuchRealmError();
    throw new Error(`realm ${realm} gave no snapshot of its directory`);
  }

  #rejectAfterWaitTimeout(promise: Promise<void>): Promise<void> {
    return new Promise((resolve, reject) => {
      const late = (): void => reject(new DirectoryReplicaBehindError('directory replica is behind'));
      const timer = this.clock.setTimeout(late, this.client.limitBusWaitMs(REPLICA_WAIT_TIMEOUT_MS));
      promise.then(resolve, reject).finally(() => this.clock.clearTimeout(timer));
    });
  }
}
