/**
 * A read replica of one realm's directory: a snapshot of the realm actor, then the changes in the realm's log. Every
 * process keeps one per realm that it serves, so requests need not ask the realm actor.
 */
import type { Clock } from '#base/clock';
import { productEmojiForm } from '#domain/emoji';
import {
  type ActorKey,
  type FreshLogItemGroups,
  LOG_ENTRY_HEAD_FLAGS,
  type LogEntry,
  type LogItemGroup,
  type LogSeq,
  type ProductEmoji,
  type RealmId,
  realmActorKey,
  toStreamId,
} from '#model';
import type { DirectoryView, EndedCredentialKind } from '#model/records';
import type { EventLog } from '#ports/log';
import { castToDirectoryChange, type DirectorySnapshot } from './contents.js';
import { RealmDirectory } from './realm-directory.js';
import { RealmLogTail, type RealmLogTailListener } from './tail.js';

/**
 * Wait before a new snapshot is fetched for a missing version. A change is acknowledged before it is logged, and is
 * logged at once unless the host crashes. A snapshot of a large organization costs far more than this wait.
 */
const LOG_ARRIVAL_GRACE_MS = 300;

/** Called with the hash of an API key that its account no longer has, or of a session that has ended. */
export type CredentialEndListener = (hash: string, kind: EndedCredentialKind) => void;

/** Called by the replica of realm 0 with each realm that it no longer lists, because the realm is being deleted. */
export type RealmEndListener = (realm: RealmId) => void;

type FetchSnapshot = (realm: RealmId) => Promise<DirectorySnapshot>;

interface VersionWaiter {
  readonly version: number;
  resolve(): void;
}

export class DirectoryReplica implements RealmLogTailListener {
  readonly logTail: RealmLogTail;
  readonly #realmActor: ActorKey;
  #directory: RealmDirectory | undefined;
  /** Log groups of the realm actor that arrived while a snapshot was loading. */
  #realmLogGroupsDuringLoad: LogItemGroup[] = [];
  #snapshotLoadInProgress: Promise<void> | undefined;
  #versionWaiters: VersionWaiter[] = [];
  #isCatchingUp = false;
  /** Ids of the first messages of streams that arrived from the log while a snapshot was loading. */
  #firstMessagesDuringLoad: { readonly stream: number; readonly id: number }[] = [];
  /** Version of the last snapshot, which contains all log groups up to that version. */
  #snapshotVersion = -1;

  private constructor(
    private readonly realm: RealmId,
    private readonly log: EventLog,
    after: LogSeq,
    private readonly fetch: FetchSnapshot,
    private readonly clock: Clock,
    private readonly emoji: ProductEmoji,
    private readonly ended: CredentialEndListener,
    private readonly realmEnded: RealmEndListener,
  ) {
    this.#realmActor = realmActorKey(realm);
    this.logTail = new RealmLogTail(this.log, realm, after);
    this.logTail.addListener(this);
  }

  /** Opens a replica of the realm. @throws the errors of `fetch`, e.g. for a realm that does not exist */
  static async openAndLoad(
    realm: RealmId,
    log: EventLog,
    fetch: FetchSnapshot,
    clock: Clock,
    emoji: ProductEmoji = productEmojiForm('conclave'),
    ended: CredentialEndListener = () => {},
    realmEnded: RealmEndListener = () => {},
  ): Promise<DirectoryReplica> {
    // Read the log's end before the snapshot: changes that the snapshot lacks come after this position.
    const { end } = await log.readBounds(realm);
    const replica = new DirectoryReplica(realm, log, end, fetch, clock, emoji, ended, realmEnded);
    try {
      await replica.#loadSnapshot();
    } catch (error) {
      replica.close();
      throw error;
    }
    return replica;
  }

  get directoryView(): DirectoryView {
    return this.#directory!;
  }

  /** True while a caller waits for a version or a snapshot is loading. */
  get isLoadingOrWaitedFor(): boolean {
    return this.#versionWaiters.length > 0 || this.#snapshotLoadInProgress !== undefined;
  }

  /** Resolves when the version is applied; undefined: the version is applied already. */
  waitForVersion(version: number): Promise<void> | undefined {
    if (this.#directory && this.#directory.version >= version) return undefined;
    const reached = new Promise<void>((resolve) => this.#versionWaiters.push({ version, resolve }));
    this.#startCatchingUpWithLog();
    return reached;
  }

  onLogEntry(_seq: LogSeq, entry: LogEntry, fresh: FreshLogItemGroups): void {
    if (entry.actor !== this.#realmActor) {
      if (entry.head && (entry.head.flags & LOG_ENTRY_HEAD_FLAGS.directory) === 0) return;
      for (const group of fresh ?? entry.groups) this.#recordStreamFirstMessages(group);
      return;
    }
    const groups = fresh ?? entry.groups;
    if (this.#snapshotLoadInProgress) this.#realmLogGroupsDuringLoad.push(...groups);
    if (this.#directory) for (const group of groups) this.#applyRealmLogGroup(this.#directory, group);
  }

  onTransientEvent(): void {}

  onLogGap(): void {
    // A snapshot that is loading may be older than the lost entries: load another one after it.
    const before = this.#snapshotLoadInProgress?.catch(() => undefined) ?? Promise.resolve();
    void before
      .then(() => this.#loadSnapshot())
      .catch(() => {
        // The realm actor is unreachable. The next request that needs a newer version tries again.
      });
  }

  close(): void {
    this.logTail.stopFollowing();
  }

  /** Reads the log up to its end, and loads a new snapshot if versions that callers wait for are still missing. */
  #startCatchingUpWithLog(): void {
    if (this.#isCatchingUp) return;
    this.#isCatchingUp = true;
    const chase = async (): Promise<void> => {
      await this.logTail.waitUntilCaughtUp();
      if (this.#versionWaiters.length === 0) return;
      await new Promise<void>((resolve) => void this.clock.setTimeout(resolve, LOG_ARRIVAL_GRACE_MS));
      if (this.#versionWaiters.length > 0) await this.#loadSnapshot();
    };
    void chase()
      .catch(() => {
        // The log or the realm actor is unreachable: callers time out, and the next one tries again.
      })
      .finally(() => {
        this.#isCatchingUp = false;
      });
  }

  #loadSnapshot(): Promise<void> {
    this.#snapshotLoadInProgress ??= this.#fetchAndApplySnapshot().finally(() => {
      this.#snapshotLoadInProgress = undefined;
      this.#realmLogGroupsDuringLoad = [];
      this.#firstMessagesDuringLoad = [];
    });
    return this.#snapshotLoadInProgress;
  }

  async #fetchAndApplySnapshot(): Promise<void> {
    const snapshot = await this.fetch(this.realm);
    const directory = new RealmDirectory(this.realm, snapshot, this.emoji);
    this.#snapshotVersion = snapshot.version;
    for (const group of this.#realmLogGroupsDuringLoad) this.#applyRealmLogGroup(directory, group);
    for (const { stream, id } of this.#firstMessagesDuringLoad)
      directory.setStreamFirstMessageIfUnset(toStreamId(stream), id);
    const before = this.#directory;
    this.#directory = directory;
    this.#resolveReachedVersionWaiters();
    for (const { keyHash } of before?.users() ?? []) if (!directory.userByKeyHash(keyHash)) this.ended(keyHash, 'key');
    const realms = new Set(Array.from(directory.realms(), ({ id }) => id));
    for (const { id } of before?.realms() ?? []) if (!realms.has(id)) this.realmEnded(id);
    for (const { sessions } of before?.sessions() ?? []) {
      for (const { hash } of sessions) this.#reportIfSessionEnded(directory, hash);
    }
  }

  #recordStreamFirstMessages(group: LogItemGroup): void {
    for (const item of group.items) {
      if (item.t !== 'message' || !item.first) continue;
      const { common } = item.message as unknown as { common: { stream_id: number; id: number } };
      if (this.#snapshotLoadInProgress) this.#firstMessagesDuringLoad.push({ stream: common.stream_id, id: common.id });
      this.#directory?.setStreamFirstMessageIfUnset(toStreamId(common.stream_id), common.id);
    }
  }

  #applyRealmLogGroup(directory: RealmDirectory, group: LogItemGroup): void {
    if (group.v <= this.#snapshotVersion) return;
    const changes = group.items.filter((item) => item.t === 'directory');
    if (changes.length === 0) return;
    const keys: string[] = [];
    const sessions: string[] = [];
    for (const item of changes) {
      const change = castToDirectoryChange(item.change);
      const key = change.user && directory.user(change.user.id)?.keyHash;
      if (key && key !== change.user?.keyHash) keys.push(key);
      const before = change.session && directory.sessionsOf(change.session.user);
      for (const { hash } of before?.sessions ?? []) sessions.push(hash);
      directory.applyChange(change);
      if (change.realm?.isBeingDeleted) this.realmEnded(change.realm.id);
    }
    directory.version = group.v;
    this.#resolveReachedVersionWaiters();
    for (const key of keys) this.ended(key, 'key');
    for (const hash of sessions) this.#reportIfSessionEnded(directory, hash);
  }

  #reportIfSessionEnded(directory: RealmDirectory, hash: string): void {
    if (directory.sessionByHash(hash)) return;
    this.ended(hash, directory.hasSessionEndedByDeactivation(hash) ? 'session of deactivated' : 'session');
  }

  #resolveReachedVersionWaiters(): void {
    const version = this.#directory?.version ?? -1;
    const ready = this.#versionWaiters.filter((w) => w.version <= version);
    if (ready.length === 0) return;
    this.#versionWaiters = this.#versionWaiters.filter((w) => w.version > version);
    for (const w of ready) w.resolve();
  }
}
