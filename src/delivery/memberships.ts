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
const MAX_CONCURRENT_READS = 32;

export class StreamMembershipCache {
  readonly #streams = new Map<number, StreamMembers>();
  readonly #readSemaphore = new Semaphore(MAX_CONCURRENT_READS);
  readonly #loading = new Map<number, Promise<void>>();
  /** Changes that the log brought while a stream was being read: the read may have begun before them. */
  readonly #changesDuringLoad = new Map<number, MembershipLogItem[]>();

  constructor(
    private readonly store: Store,
    private readonly realm: RealmId,
  ) {}

  membersOf(stream: number): ReadonlyMap<number, StreamMembershipRecord> | undefined {
    return this.#streams.get(stream)?.members;
  }

  /**
   * Ids of the subscribers of a loaded stream, ascending. The array stays the same object until a subscriber changes.
   */
  subscribers(stream: number): readonly number[] {
    const loaded = this.#streams.get(stream);
    if (!loaded) return [];
    if (!loaded.subscribers) {
      const ids: number[] = [];
      for (const [user, member] of loaded.members) if (isCurrentStreamMember(member)) ids.push(user);
      loaded.subscribers = ids.sort((a, b) => a - b);
    }
    return loaded.subscribers;
  }

  /** True if the stream is loaded at this membership version, or a newer one. */
  isAtMembershipVersion(stream: number, mv: number): boolean {
    return (this.#streams.get(stream)?.mv ?? -1) >= mv;
  }

  /**
   * Loads the memberships of a stream; undefined: they are loaded already. The Store holds every version that the log
   * has shown here, and every version that a log entry names.
   *
   * @param mv version that the loaded memberships must contain. An entry of another actor may name a version before
   * this log shows it
   */
  load(stream: number, mv = 0): Promise<void> | undefined {
    if (this.#streams.has(stream) && (mv === 0 || this.isAtMembershipVersion(stream, mv))) return undefined;
    return this.#loading.get(stream) ?? this.#beginLoad(stream);
  }

  /** Reads the stream again, so that it shows at least what the Store holds now. */
  reload(stream: number): Promise<void> {
    const before = this.#loading.get(stream);
    return before ? before.then(() => this.#beginLoad(stream)) : this.#beginLoad(stream);
  }

  #beginLoad(stream: number): Promise<void> {
    this.#changesDuringLoad.set(stream, []);
    const loading = this.#load(stream).finally(() => {
      this.#loading.delete(stream);
      this.#changesDuringLoad.delete(stream);
    });
    this.#loading.set(stream, loading);
    return loading;
  }

  apply(item: MembershipLogItem): void {
    const { stream, mv, last, after = last, join, leave, silent = [] } = item;
    this.#changesDuringLoad.get(stream)?.push(item);
    const loaded = this.#streams.get(stream);
    if (!loaded || mv <= loaded.mv) return;
    loaded.mv = mv;
    loaded.subscribers = undefined;
    for (const user of join) {
      const withoutCopies = silent.includes(user) ? ({ silent: true } as const) : {};
      const stay: StreamMembershipStay = { from: mv, to: 0, after, until: 0, ...withoutCopies };
      loaded.members.set(user, { stays: [...(loaded.members.get(user)?.stays ?? []), stay] });
    }
    for (const user of leave) {
      const stays = loaded.members.get(user)?.stays ?? [];
      loaded.members.set(user, {
        stays: stays.map((stay) => (stay.to === 0 ? { ...stay, to: mv, until: last } : stay)),
      });
    }
  }

  /** Forgets all streams after a gap in the log; they are read again on demand. */
  clearMemberships(): void {
    this.#streams.clear();
  }

  async #load(stream: number): Promise<void> {
    const key = streamActorKey(this.realm, toStreamId(stream));
    const parts = await this.#readSemaphore.run(() => this.store.listParts(key, STREAM_MEMBER_PART_PREFIX));
    const loaded: StreamMembers = { mv: 0, members: new Map(), subscribers: undefined };
    for (const { part, value } of parts) {
      const member = toStreamMembershipRecord(value)!;
      loaded.members.set(Number(part.slice(STREAM_MEMBER_PART_PREFIX.length)), member);
      for (const stay of member.stays) loaded.mv = Math.max(loaded.mv, stay.from, stay.to);
    }
    // On a reload the memberships in memory may be newer already, because the log brought changes during the load.
    if (!this.isAtMembershipVersion(stream, loaded.mv + 1)) this.#streams.set(stream, loaded);
    const changes = this.#changesDuringLoad.get(stream) ?? [];
    this.#changesDuringLoad.delete(stream);
    for (const item of changes) this.apply(item);
  }
}
