/**
 * Memberships of the streams of one realm, by version, for this host's event queues: read from the Store once, then
 * kept up to date from the log.
 */

import { Semaphore } from '#base';
import {
  isCurrentStreamMember,
  STREAM_MEMBER_PART_PREFIX,
  type StreamMembershipRecord,
  type StreamMembershipStay,
  toStreamMembershipRecord,
  withStayBegun,
  withStayEnded,
} from '#domain/streams';
import { type MembershipLogItem, type RealmId, streamActorKey, toStreamId } from '#model';
import type { Store } from '#ports/store';

interface StreamMembers {
  /** Version of the stream's memberships. */
  mv: number;
  readonly members: Map<number, StreamMembershipRecord>;
  /** Ids of the present subscribers, ascending; undefined: not listed since the last change. */
  subscribers: readonly number[] | undefined;
}

/** Maximum number of concurrent reads of the Store: a registration may want the subscribers of thousands of streams. */
const MAX_CONCURRENT_STORE_READS = 32;

export class StreamMembershipCache {
  readonly #loadedStreams = new Map<number, StreamMembers>();
  readonly #readSemaphore = new Semaphore(MAX_CONCURRENT_STORE_READS);
  readonly #loadByStream = new Map<number, Promise<void>>();
  /** Changes that the log brought while a stream was being read: the read may have begun before them. */
  readonly #changesDuringLoad = new Map<number, MembershipLogItem[]>();

  constructor(
    private readonly store: Store,
    private readonly realm: RealmId,
  ) {}

  membersOfLoadedStream(stream: number): ReadonlyMap<number, StreamMembershipRecord> | undefined {
    return this.#loadedStreams.get(stream)?.members;
  }

  /**
   * Ids of the subscribers of a loaded stream, ascending. The array stays the same object until a subscriber changes.
   */
  subscriberIdsOfLoadedStream(stream: number): readonly number[] {
    const loaded = this.#loadedStreams.get(stream);
    if (!loaded) return [];
    if (!loaded.subscribers) {
      const ids: number[] = [];
      for (const [user, member] of loaded.members) if (isCurrentStreamMember(member)) ids.push(user);
      loaded.subscribers = ids.sort((a, b) => a - b);
    }
    return loaded.subscribers;
  }

  /** True if the stream is loaded at this membership version, or a newer one. */
  hasReachedMembershipVersion(stream: number, mv: number): boolean {
    return (this.#loadedStreams.get(stream)?.mv ?? -1) >= mv;
  }

  /**
   * Loads the memberships of a stream; undefined: they are loaded already. The Store holds every version that the log
   * has shown here, and every version that a log entry names.
   *
   * @param mv version that the loaded memberships must contain. An entry of another actor may name a version before
   * this log shows it
   */
  loadUnlessAtVersion(stream: number, mv = 0): Promise<void> | undefined {
    if (this.#loadedStreams.has(stream) && (mv === 0 || this.hasReachedMembershipVersion(stream, mv))) return undefined;
    return this.#loadByStream.get(stream) ?? this.#beginLoad(stream);
  }

  /** Reads the stream again, so that it shows at least what the Store holds now. */
  reloadFromStore(stream: number): Promise<void> {
    const before = this.#loadByStream.get(stream);
    return before ? before.then(() => this.#beginLoad(stream)) : this.#beginLoad(stream);
  }

  #beginLoad(stream: number): Promise<void> {
    this.#changesDuringLoad.set(stream, []);
    const loading = this.#readFromStore(stream).finally(() => {
      this.#loadByStream.delete(stream);
      this.#changesDuringLoad.delete(stream);
    });
    this.#loadByStream.set(stream, loading);
    return loading;
  }

  applyLogChange(item: MembershipLogItem): void {
    const { stream, mv, last, after = last, join, leave, silent = [], suspended, resumed } = item;
    this.#changesDuringLoad.get(stream)?.push(item);
    const loaded = this.#loadedStreams.get(stream);
    if (!loaded || mv <= loaded.mv) return;
    loaded.mv = mv;
    loaded.subscribers = undefined;
    for (const user of join) {
      const withoutCopies = silent.includes(user) ? ({ silent: true } as const) : {};
      const stay: StreamMembershipStay = { from: mv, to: 0, after, until: 0, ...withoutCopies };
      loaded.members.set(user, withStayBegun(loaded.members.get(user), stay, resumed));
    }
    const end = { to: mv, until: last, ...(suspended ? { suspended } : {}) };
    for (const user of leave) loaded.members.set(user, withStayEnded(loaded.members.get(user), end));
  }

  /** Forgets all streams after a gap in the log; they are read again on demand. */
  clearMemberships(): void {
    this.#loadedStreams.clear();
  }

  async #readFromStore(stream: number): Promise<void> {
    const key = streamActorKey(this.realm, toStreamId(stream));
    const parts = await this.#readSemaphore.runWhenPermitted(() =>
      this.store.listParts(key, STREAM_MEMBER_PART_PREFIX),
    );
    const loaded: StreamMembers = { mv: 0, members: new Map(), subscribers: undefined };
    for (const { part, value } of parts) {
      const member = toStreamMembershipRecord(value)!;
      loaded.members.set(Number(part.slice(STREAM_MEMBER_PART_PREFIX.length)), member);
      for (const stay of member.stays) loaded.mv = Math.max(loaded.mv, stay.from, stay.to);
    }
    // On a reload the memberships in memory may be newer already, because the log brought changes during the load.
    if (!this.hasReachedMembershipVersion(stream, loaded.mv + 1)) this.#loadedStreams.set(stream, loaded);
    const changes = this.#changesDuringLoad.get(stream) ?? [];
    this.#changesDuringLoad.delete(stream);
    for (const item of changes) this.applyLogChange(item);
  }
}
