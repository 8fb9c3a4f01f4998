/**
 * The newest message that each user has a copy of, as this process can answer it without asking an actor.
 *
 * The user's actor is asked once; from then on the log is followed. A change that the log alone can't resolve (the
 * newest message was deleted or moved) makes the answer unknown again. While the log has not shown a change that was
 * already confirmed to the user, the answer comes from the Store.
 */
import type { DirectoryReplicas, LogTailReader, ReplicaDependent } from '#directory';
import type { NewestMessageState } from '#domain/messages';
import {
  type ActorKey,
  type LogEntry,
  type LogGroup,
  type LogItem,
  type MembershipItem,
  type MessageItem,
  type MoveProgressItem,
  type RealmId,
  type UserId,
  userKey,
} from '#model';
import { ActorRefused } from '#model/errors';
import type { ActorClient } from '#runtime';

/**
 * Maximum of cached entries (one per user and stream) of all organizations: some 50 MB. Beyond it, everything is
 * forgotten.
 */
const MAX_USED = 2_000_000;

/** True for streams and direct conversations: only their commits bring messages or take them away. */
const isConversation = (actor: ActorKey): boolean => actor.startsWith('stream/') || actor.startsWith('dm/');

/** Caches of the newest messages of users, for all realms that this process serves. */
export class NewestMessageCache implements ReplicaDependent {
  readonly #realms = new Map<RealmId, RealmNewestMessageCache>();
  readonly #budget: MemoryBudget = { used: 0 };

  constructor(
    private readonly directories: DirectoryReplicas,
    private readonly client: ActorClient,
  ) {
    directories.addDependent(this);
  }

  /** Never keeps a replica open: the newest messages cost little to ask for again. */
  busy(): boolean {
    return false;
  }

  closed(realm: RealmId): void {
    this.#realms.get(realm)?.forget();
    this.#realms.delete(realm);
  }

  /**
   * Id of the newest message that the user has a copy of; -1: none. It includes every change that this process has
   * confirmed to the user, and changes by others as far as the log has arrived here.
   */
  of(realm: RealmId, user: UserId, deadlineMs: number): number | Promise<number> {
    const newest = this.#open(realm);
    const ask = () => this.#ask(realm, user, deadlineMs);
    if (!newest) return ask().then(({ id }) => id);
    return newest.of(user) ?? newest.load(user, ask);
  }

  /** The user is about to learn of a change by this actor, which the log shows as this version. */
  acknowledged(realm: RealmId, user: UserId, actor: ActorKey, version: number): void {
    if (!isConversation(actor)) return;
    const newest = this.#open(realm);
    if (newest && !this.directories.tail(realm)?.shows(actor, version)) newest.expectChange(user, actor, version);
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
    const { reply } = this.client.send(userKey(realm, user), 'newest', {}, { caller: user, deadlineMs });
    const known = await reply;
    if ('value' in known) return known.value as unknown as NewestMessageState;
    if ('error' in known) throw new ActorRefused(known.error);
    throw new Error(`newest message of ${realm}/${user}: no value`);
  }
}

/** Newest message of a stream, as far as the log has shown it here. */
interface StreamNewest {
  /** Id of the stream's newest message since this process follows the log; -1: none. */
  id: number;
  /** Step of the log (`#step`) at which that message came. */
  at: number;
  /** Step of the log (`#step`) at which the stream's newest message became unknown. */
  lost: number;
  /** Number of unfinished moves of messages from or to this stream. */
  moves: number;
}

/** The newest message of one user, with the streams that decide about it. */
class UserNewest {
  /** Ids of every stream that the user is or was subscribed to. */
  readonly streams: number[] = [];
  /** Ids above which the user gets messages, for each stream of `streams`; Infinity: none. */
  readonly above: number[] = [];

  /** @param at step of the log up to which `id` is right */
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

/** A question to the user's actor, and what the log shows while it is open. */
interface PendingLoad {
  readonly user: number;
  /** Id of the newest direct message to the user that came while the question was open; -1: none. */
  id: number;
  /** True if the log has shown a change that the answer may or may not include. */
  unsure: boolean;
}

/** A change that a user has learned of before the log shows it here. */
interface UnseenChange {
  readonly user: number;
  readonly version: number;
}

const NONE = Number.POSITIVE_INFINITY;
/** Maximum of ids remembered as deleted or moved. Beyond it, everything is forgotten. */
const MAX_GONE = 10_000;
/** Number of entries that a user counts for, beside one per stream. */
const OWN_WEIGHT = 16;

/** Memory used by all organizations together, in entries. */
interface MemoryBudget {
  used: number;
}

/** Newest messages of the users of one realm. */
export class RealmNewestMessageCache implements LogTailReader {
  readonly #users = new Map<number, UserNewest>();
  readonly #streams = new Map<number, StreamNewest>();
  /** Messages that were deleted or moved between streams: id → step of the log at which that happened. */
  readonly #gone = new Map<number, number>();
  readonly #loads = new Set<PendingLoad>();
  /** Number of relevant changes that the log has shown. */
  #step = 0;
  /** Number of unfinished moves in all streams. */
  #moves = 0;
  /** Changes that were confirmed to users and that the log has not shown here yet, by actor. */
  readonly #unseen = new Map<ActorKey, UnseenChange[]>();
  /** Number of such unseen changes, by user. */
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

  /** Asks for the newest message and follows it from then on. @param ask reads the Store, not before it is called */
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

  /** The user learns of a change that the log will show as this version of the actor. */
  expectChange(user: UserId, actor: ActorKey, version: number): void {
    const change: UnseenChange = { user, version };
    const unseen = this.#unseen.get(actor);
    if (unseen) unseen.push(change);
    else this.#unseen.set(actor, [change]);
    this.#unseenByUser.set(user, (this.#unseenByUser.get(user) ?? 0) + 1);
  }

  entry(_seq: number, { actor }: LogEntry, fresh: readonly LogGroup[]): void {
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

  /** Drops all answers, so that every user's actor must be asked again. */
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

  /** Applies new messages of the user's streams. False: the newest message can't be known from the log. */
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

  #messageSent({ message, to }: MessageItem): void {
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

  #membersChanged({ stream, last, after = last, join, leave, silent }: MembershipItem): void {
    for (const user of join) {
      // The user got copies of earlier messages, so the newest one is unknown.
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
    // Messages sent until now count by the membership that was valid until now.
    if (!this.#update(known)) {
      this.#forget(user);
      return;
    }
    this.budget.used -= weightOf(known);
    known.set(stream, above);
    this.budget.used += weightOf(known);
  }

  /** Messages were deleted from a stream, or moved away. @param from undefined: direct messages */
  #messagesGone(ids: readonly number[], from: number | undefined): void {
    this.#step++;
    if (this.#gone.size + ids.length > MAX_GONE) this.forget();
    for (const id of ids.length > MAX_GONE ? [] : ids) this.#gone.set(id, this.#step);
    const stream = from === undefined ? undefined : this.#streams.get(from);
    if (stream && ids.includes(stream.id)) stream.lost = this.#step;
  }

  #moveProgressed({ from, to, done }: MoveProgressItem): void {
    this.#step++;
    for (const id of [from, to]) {
      const stream = this.#stream(id);
      stream.lost = this.#step;
      // A move that began before this process followed the log shows only its end.
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
