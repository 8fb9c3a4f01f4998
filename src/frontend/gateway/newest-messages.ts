/**
 * Finds the newest message that each user received, mostly without asking an actor.
 *
 * The user's actor is asked once; from then on this process follows the log. A change that the log alone can't resolve
 * (the newest message was deleted or moved) makes the answer unknown again. While the log has not shown a change that
 * was already confirmed to the user, the answer comes from the Store.
 */
import type { DirectoryReplicaDependent, DirectoryReplicas, RealmLogTailListener } from '#directory';
import type { NewestMessageState } from '#domain/messages';
import {
  type ActorKey,
  type LogEntry,
  type LogItem,
  type LogItemGroup,
  type MembershipLogItem,
  type MessageLogItem,
  type MoveProgressLogItem,
  type RealmId,
  type UserId,
  userActorKey,
} from '#model';
import { ActorRefusedError } from '#model/errors';
import type { ActorClient } from '#runtime';

/**
 * Maximum of cached entries (one per user and stream) of all organizations: some 50 MB. Beyond that number the cache is
 * emptied.
 */
const MAX_USED = 2_000_000;

/** True for streams and direct conversations: only their commits bring messages or take them away. */
const isConversation = (actor: ActorKey): boolean => actor.startsWith('stream/') || actor.startsWith('dm/');

/** Caches of the newest messages of users, for all realms that this process serves. */
export class NewestMessageCaches implements DirectoryReplicaDependent {
  readonly #realms = new Map<RealmId, RealmNewestMessageCache>();
  readonly #budget: MemoryBudget = { used: 0 };

  constructor(
    private readonly directories: DirectoryReplicas,
    private readonly client: ActorClient,
  ) {
    directories.addDependent(this);
  }

  /** Returns false: the cache never keeps a replica open, because loading a newest message again is cheap. */
  busy(): boolean {
    return false;
  }

  closed(realm: RealmId): void {
    this.#realms.get(realm)?.forget();
    this.#realms.delete(realm);
  }

  /**
   * Id of the newest message that the user received; -1 if there is none. The id includes every change that this
   * process has confirmed to the user, and changes by others as far as this process has read the log.
   */
  of(realm: RealmId, user: UserId, deadlineMs: number): number | Promise<number> {
    const newest = this.#open(realm);
    const ask = () => this.#ask(realm, user, deadlineMs);
    if (!newest) return ask().then(({ id }) => id);
    return newest.of(user) ?? newest.load(user, ask);
  }

  /**
   * Records that the user's request is about to be answered, after it changed this actor. The log will show the change
   * as this version of the actor.
   */
  acknowledged(realm: RealmId, user: UserId, actor: ActorKey, version: number): void {
    if (!isConversation(actor)) return;
    const newest = this.#open(realm);
    if (newest && !this.directories.tail(realm)?.hasCommit(actor, version)) newest.expectChange(user, actor, version);
  }

  /** Opens the cache of a realm. @returns undefined where this process doesn't follow the log of the realm */
  #open(realm: RealmId): RealmNewestMessageCache | undefined {
    if (this.#budget.used > MAX_USED) for (const newest of this.#realms.values()) newest.forget();
    const known = this.#realms.get(realm);
    if (known) return known;
    const tail = this.directories.tail(realm);
    if (!tail) return undefined;
    const newest = new RealmNewestMessageCache(this.#budget);
    tail.add(newest);
    this.#realms.set(realm, newest);
    return newest;
  }

  async #ask(realm: RealmId, user: UserId, deadlineMs: number): Promise<NewestMessageState> {
    const { reply } = this.client.send(userActorKey(realm, user), 'newest', {}, { caller: user, deadlineMs });
    const known = await reply;
    if ('value' in known) return known.value as unknown as NewestMessageState;
    if ('error' in known) throw new ActorRefusedError(known.error);
    throw new Error(`newest message of ${realm}/${user}: no value`);
  }
}

/** Newest message of a stream, as far as this process has read the log. */
interface StreamNewest {
  /** Id of the stream's newest message since this process began to follow the log; -1 if there was none. */
  id: number;
  /** Log step (`#step`) at which the stream's newest message was sent. */
  at: number;
  /** Log step (`#step`) at which the stream's newest message became unknown, because it was deleted or moved. */
  lost: number;
  /** Number of unfinished moves of messages out of or into this stream. */
  moves: number;
}

/** The newest message of one user, with the streams in which the user gets messages. */
class UserNewest {
  /** Ids of every stream that the user is or was subscribed to. */
  readonly streams: number[] = [];
  /**
   * Message ids above which the user gets the stream's messages, in the order of `streams`; Infinity after
   * unsubscribing.
   */
  readonly above: number[] = [];

  /** Makes the entry of a user. @param at log step (`#step`) up to which `id` is correct */
  constructor(
    public id: number,
    public at: number,
    streams: readonly (number | null)[],
  ) {
    for (let i = 0; i < streams.length; i += 2) this.set(streams[i]!, streams[i + 1] ?? NONE);
  }

  set(stream: number, above: number): void {
    const i = this.streams.indexOf(stream);
    if (i >= 0) this.above[i] = above;
    else {
      this.streams.push(stream);
      this.above.push(above);
    }
  }
}

/** A request to the user's actor for the newest message, and what the log shows while the request is under way. */
interface PendingLoad {
  readonly user: number;
  /** Id of the newest direct message that the user got while the request was under way; -1 if there was none. */
  id: number;
  /** True if the log has shown a change that the answer may or may not include. */
  unsure: boolean;
}

/** A change that was confirmed to a user and that this process has not read from the log yet. */
interface UnseenChange {
  readonly user: number;
  readonly version: number;
}

const NONE = Number.POSITIVE_INFINITY;
/** Maximum of ids remembered as deleted or moved. Beyond that number the whole cache is emptied. */
const MAX_GONE = 10_000;
/** Cost of one user in the cache, counted in entries, in addition to one entry for each stream of the user. */
const OWN_WEIGHT = 16;

/** Memory used by all organizations together, in entries. */
interface MemoryBudget {
  used: number;
}

/** Newest messages of the users of one realm. */
export class RealmNewestMessageCache implements RealmLogTailListener {
  readonly #users = new Map<number, UserNewest>();
  readonly #streams = new Map<number, StreamNewest>();
  /** Messages that were deleted or moved between streams: id → log step (`#step`) of the change. */
  readonly #gone = new Map<number, number>();
  readonly #loads = new Set<PendingLoad>();
  /** Number of sends, deletions and moves that the log has shown; other fields use this number as a time. */
  #step = 0;
  /** Number of unfinished moves of messages in all streams. */
  #moves = 0;
  /** Changes that were confirmed to users and that this process has not read from the log yet, by actor. */
  readonly #unseen = new Map<ActorKey, UnseenChange[]>();
  /** Number of changes in `#unseen` for each user. */
  readonly #unseenByUser = new Map<number, number>();

  constructor(private readonly budget: MemoryBudget) {}

  /** Id of the user's newest message. @returns undefined where the user's actor must be asked */
  of(user: UserId): number | undefined {
    const known = this.#users.get(user);
    if (!known || (this.#unseenByUser.size > 0 && this.#unseenByUser.has(user))) return undefined;
    if (known.at === this.#step && this.#moves === 0) return known.id;
    if (this.#update(known)) return known.id;
    this.#forget(user);
    return undefined;
  }

  /**
   * Asks for the user's newest message and follows it in the log from then on.
   * @param ask reads the Store, but only when it is called
   */
  async load(user: UserId, ask: () => Promise<NewestMessageState>): Promise<number> {
    const at = this.#step;
    const load: PendingLoad = { user, id: -1, unsure: this.#unseenByUser.has(user) };
    this.#loads.add(load);
    try {
      const { id, streams } = await ask();
      const known = new UserNewest(Math.max(id, load.id), at, streams);
      // Until the log has shown the user's last confirmed change, it may still deliver older, already reverted ones:
      // don't cache.
      if (load.unsure || this.#unseenByUser.has(user) || !this.#update(known)) return id;
      this.#forget(user);
      this.#users.set(user, known);
      this.budget.used += weightOf(known);
      return known.id;
    } finally {
      this.#loads.delete(load);
    }
  }

  /** Records that a change was confirmed to the user. The log will show the change as this version of the actor. */
  expectChange(user: UserId, actor: ActorKey, version: number): void {
    const change: UnseenChange = { user, version };
    const unseen = this.#unseen.get(actor);
    if (unseen) unseen.push(change);
    else this.#unseen.set(actor, [change]);
    this.#unseenByUser.set(user, (this.#unseenByUser.get(user) ?? 0) + 1);
  }

  entry(_seq: number, { actor }: LogEntry, fresh: readonly LogItemGroup[]): void {
    for (const { items } of fresh) for (const item of items) this.#apply(item);
    const last = fresh.at(-1);
    const unseen = last && this.#unseen.get(actor);
    if (unseen) this.#changesShown(actor, unseen, last.v);
  }

  transient(): void {}

  /** Forgets everything after a gap in the log: the lost entries may include expected changes. */
  gap(): void {
    this.forget();
    this.#unseen.clear();
    this.#unseenByUser.clear();
  }

  /** Drops all cached newest messages, so that every user's actor must be asked again. */
  forget(): void {
    for (const known of this.#users.values()) this.budget.used -= weightOf(known);
    this.#users.clear();
    this.#gone.clear();
    for (const load of this.#loads) load.unsure = true;
  }

  #forget(user: number): void {
    const known = this.#users.get(user);
    if (!known) return;
    this.budget.used -= weightOf(known);
    this.#users.delete(user);
  }

  /** Applies new messages of the user's streams. @returns false if the log doesn't tell which message is the newest */
  #update(known: UserNewest): boolean {
    let { id } = known;
    for (let i = 0; i < known.streams.length; i++) {
      const stream = this.#streams.get(known.streams[i]!);
      if (!stream) continue;
      if (stream.moves > 0 || stream.lost > known.at) return false;
      if (stream.at > known.at && stream.id > known.above[i]! && stream.id > id) id = stream.id;
    }
    if (id === known.id && (this.#gone.get(id) ?? -1) > known.at) return false;
    known.id = id;
    known.at = this.#step;
    return true;
  }

  #stream(id: number): StreamNewest {
    let stream = this.#streams.get(id);
    if (!stream) {
      stream = { id: -1, at: 0, lost: 0, moves: 0 };
      this.#streams.set(id, stream);
    }
    return stream;
  }

  #apply(item: LogItem): void {
    if (item.t === 'message') this.#messageSent(item);
    else if (item.t === 'members') this.#membersChanged(item);
    else if (item.t === 'carrying') this.#moveProgressed(item);
    else if (item.t === 'event') {
      const { type, message_id, message_ids, stream_id, new_stream_id } = item.event;
      if (type === 'delete_message') {
        this.#messagesGone((message_ids ?? [message_id]) as readonly number[], stream_id as number | undefined);
      } else if (type === 'update_message' && new_stream_id !== undefined) {
        this.#messagesGone(message_ids as readonly number[], stream_id as number);
        this.#stream(new_stream_id as number).lost = this.#step;
      }
    }
  }

  #messageSent({ message, to }: MessageLogItem): void {
    const { id, stream_id } = message.common as { readonly id: number; readonly stream_id?: number };
    this.#step++;
    if (stream_id !== undefined) {
      const stream = this.#stream(stream_id);
      stream.id = id;
      stream.at = this.#step;
      return;
    }
    for (const user of to.users ?? []) {
      const known = this.#users.get(user);
      if (known && known.id < id) known.id = id;
    }
    for (const load of this.#loads) {
      if (load.id < id && to.users?.includes(load.user)) load.id = id;
    }
  }

  #membersChanged({ stream, last, after = last, join, leave, silent }: MembershipLogItem): void {
    for (const user of join) {
      // The user got access to earlier messages, so the newest one is unknown.
      if (after < last) this.#forget(user);
      else this.#setMembership(user, stream, silent?.includes(user) ? NONE : last);
    }
    for (const user of leave) this.#setMembership(user, stream, NONE);
    for (const load of this.#loads) {
      if (join.includes(load.user) || leave.includes(load.user)) load.unsure = true;
    }
  }

  #setMembership(user: number, stream: number, above: number): void {
    const known = this.#users.get(user);
    if (!known) return;
    // Messages sent before the subscription changed count by the old subscription.
    if (!this.#update(known)) {
      this.#forget(user);
      return;
    }
    this.budget.used -= weightOf(known);
    known.set(stream, above);
    this.budget.used += weightOf(known);
  }

  /**
   * Records that messages were deleted or moved out of a stream.
   * @param from the stream; undefined for direct messages
   */
  #messagesGone(ids: readonly number[], from: number | undefined): void {
    this.#step++;
    if (this.#gone.size + ids.length > MAX_GONE) this.forget();
    for (const id of ids.length > MAX_GONE ? [] : ids) this.#gone.set(id, this.#step);
    const stream = from === undefined ? undefined : this.#streams.get(from);
    if (stream && ids.includes(stream.id)) stream.lost = this.#step;
  }

  #moveProgressed({ from, to, done }: MoveProgressLogItem): void {
    this.#step++;
    for (const id of [from, to]) {
      const stream = this.#stream(id);
      stream.lost = this.#step;
      // For a move that began before this process followed the log, the log shows only the end.
      if (done && stream.moves === 0) continue;
      stream.moves += done ? -1 : 1;
      this.#moves += done ? -1 : 1;
    }
  }

  #changesShown(actor: ActorKey, unseen: readonly UnseenChange[], version: number): void {
    const left = unseen.filter((change) => change.version > version);
    if (left.length > 0) this.#unseen.set(actor, left);
    else this.#unseen.delete(actor);
    for (const change of unseen) {
      if (change.version > version) continue;
      const others = this.#unseenByUser.get(change.user)! - 1;
      if (others > 0) this.#unseenByUser.set(change.user, others);
      else this.#unseenByUser.delete(change.user);
    }
  }
}

const weightOf = ({ streams }: UserNewest): number => OWN_WEIGHT + streams.length;
