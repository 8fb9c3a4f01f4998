/**
 * Finds the newest message that each user received, mostly without asking an actor.
 *
 * The user's actor is asked once; from then on this process follows the log. A change that the log alone can't resolve
 * (the newest message was deleted or moved) makes the answer unknown again. While the log has not shown a change that
 * was already confirmed to the user, the user's actor answers again.
 */
import type { DirectoryReplicaDependent, DirectoryReplicas, RealmLogTailListener } from '#directory';
import type { NewestMessageTrackingState } from '#domain/messages';
import {
  type ActorKey,
  type FreshLogItemGroups,
  LOG_ENTRY_HEAD_FLAGS,
  type LogEntry,
  type LogEntryHead,
  type LogItem,
  type MembershipLogItem,
  type MessageLogItem,
  type MessageMoveProgressLogItem,
  type RealmId,
  type UserId,
  userActorKey,
} from '#model';
import { userActorCommands } from '#model/commands';
import { ActorRefusedError } from '#model/errors';
import type { ActorClient } from '#runtime';

/**
 * Maximum of cached entries (one per user and stream) of all organizations: some 50 MB. Beyond that number the cache is
 * emptied.
 */
const MAX_CACHE_ENTRIES_OF_ALL_REALMS = 2_000_000;

/** True for streams and direct conversations: only their commits bring messages or take them away. */
const isConversationActor = (actor: ActorKey): boolean => actor.startsWith('stream/') || actor.startsWith('dm/');

/** Caches of the newest messages of users, for all realms that this process serves. */
export class NewestMessageCaches implements DirectoryReplicaDependent {
  readonly #cachesByRealm = new Map<RealmId, RealmNewestMessageCache>();
  readonly #entryBudget: CacheEntryBudget = { usedEntries: 0 };

  constructor(
    private readonly directories: DirectoryReplicas,
    private readonly client: ActorClient,
  ) {
    directories.addDependent(this);
  }

  /** Returns false: the cache never keeps a replica open, because loading a newest message again is cheap. */
  needsOpenReplica(): boolean {
    return false;
  }

  onReplicaClosed(realm: RealmId): void {
    this.#cachesByRealm.get(realm)?.forgetAllUsers();
    this.#cachesByRealm.delete(realm);
  }

  /**
   * Id of the newest message that the user received; -1 if there is none. The id includes every change that this
   * process has confirmed to the user, and changes by others as far as this process has read the log.
   */
  getOrFetchNewestMessageId(realm: RealmId, user: UserId, deadlineMs: number): number | Promise<number> {
    const newest = this.#findOrCreateRealmCache(realm);
    const ask = () => this.#askUserActorForNewestMessage(realm, user, deadlineMs);
    if (!newest) return ask().then(({ id }) => id);
    return newest.findCachedNewestMessageId(user) ?? newest.loadNewestMessageId(user, ask);
  }

  /**
   * Records that the user's request is about to be answered, after it changed this actor. The log will show the change
   * as this version of the actor.
   */
  noteConfirmedCommit(realm: RealmId, user: UserId, actor: ActorKey, version: number): void {
    if (!isConversationActor(actor)) return;
    const newest = this.#findOrCreateRealmCache(realm);
    if (newest && !this.directories.findTailOfOpenReplica(realm)?.hasReadCommit(actor, version))
      newest.expectLogChange(user, actor, version);
  }

  /** Opens the cache of a realm. @returns undefined where this process doesn't follow the log of the realm */
  #findOrCreateRealmCache(realm: RealmId): RealmNewestMessageCache | undefined {
    if (this.#entryBudget.usedEntries > MAX_CACHE_ENTRIES_OF_ALL_REALMS)
      for (const newest of this.#cachesByRealm.values()) newest.forgetAllUsers();
    const known = this.#cachesByRealm.get(realm);
    if (known) return known;
    const tail = this.directories.findTailOfOpenReplica(realm);
    if (!tail) return undefined;
    const newest = new RealmNewestMessageCache(this.#entryBudget);
    tail.addListener(newest);
    this.#cachesByRealm.set(realm, newest);
    return newest;
  }

  async #askUserActorForNewestMessage(
    realm: RealmId,
    user: UserId,
    deadlineMs: number,
  ): Promise<NewestMessageTrackingState> {
    const { reply } = this.client.send(
      userActorKey(realm, user),
      userActorCommands.newest,
      {},
      { caller: user, deadlineMs },
    );
    const known = await reply;
    if ('value' in known) return known.value as unknown as NewestMessageTrackingState;
    if ('error' in known) throw new ActorRefusedError(known.error);
    throw new Error(`newest message of ${realm}/${user}: no value`);
  }
}

/** Newest message of a stream, as far as this process has read the log. */
interface StreamNewestMessage {
  /** Id of the stream's newest message since this process began to follow the log; -1 if there was none. */
  messageId: number;
  /** Log step (`#logStep`) at which the stream's newest message was sent. */
  sentAtStep: number;
  /** Log step (`#logStep`) at which the stream's newest message became unknown, because it was deleted or moved. */
  lostAtStep: number;
  /** Number of unfinished moves of messages out of or into this stream. */
  unfinishedMoveCount: number;
}

/** The newest message of one user, with the streams in which the user gets messages. */
class UserNewestMessage {
  /** Ids of every stream that the user is or was subscribed to. */
  readonly everSubscribedStreamIds: number[] = [];
  /**
   * Message ids above which the user gets the stream's messages, in the order of `everSubscribedStreamIds`; Infinity
   * after unsubscribing.
   */
  readonly visibleAboveIds: number[] = [];

  /** Makes the entry of a user. @param at log step (`#logStep`) up to which `id` is correct */
  constructor(
    public id: number,
    public at: number,
    streams: readonly (number | null)[],
  ) {
    for (let i = 0; i < streams.length; i += 2)
      this.setVisibleAboveId(streams[i]!, streams[i + 1] ?? ABOVE_ALL_MESSAGE_IDS);
  }

  setVisibleAboveId(stream: number, above: number): void {
    const i = this.everSubscribedStreamIds.indexOf(stream);
    if (i >= 0) this.visibleAboveIds[i] = above;
    else {
      this.everSubscribedStreamIds.push(stream);
      this.visibleAboveIds.push(above);
    }
  }
}

/** A request to the user's actor for the newest message, and what the log shows while the request is under way. */
interface PendingNewestMessageLoad {
  readonly user: number;
  /** Id of the newest direct message that the user got while the request was under way; -1 if there was none. */
  newestDirectMessageId: number;
  /** True if the log has shown a change that the answer may or may not include. */
  isUncertain: boolean;
}

/** A change that was confirmed to a user and that this process has not read from the log yet. */
interface ExpectedLogChange {
  readonly user: number;
  readonly version: number;
}

const ABOVE_ALL_MESSAGE_IDS = Number.POSITIVE_INFINITY;
/** Maximum of ids remembered as deleted or moved. Beyond that number the whole cache is emptied. */
const MAX_REMOVED_MESSAGE_IDS = 10_000;
/** Cost of one user in the cache, counted in entries, in addition to one entry for each stream of the user. */
const FIXED_ENTRY_COST_PER_USER = 16;

/** Memory used by all organizations together, in entries. */
interface CacheEntryBudget {
  usedEntries: number;
}

/** Newest messages of the users of one realm. */
export class RealmNewestMessageCache implements RealmLogTailListener {
  readonly #newestMessageByUser = new Map<number, UserNewestMessage>();
  readonly #newestMessageByStream = new Map<number, StreamNewestMessage>();
  /** Messages that were deleted or moved between streams: id → log step (`#logStep`) of the change. */
  readonly #removedAtStepByMessage = new Map<number, number>();
  readonly #pendingLoads = new Set<PendingNewestMessageLoad>();
  /** Number of sends, deletions and moves that the log has shown; other fields use this number as a time. */
  #logStep = 0;
  /** Number of unfinished moves of messages in all streams. */
  #unfinishedMoveCount = 0;
  /** Changes that were confirmed to users and that this process has not read from the log yet, by actor. */
  readonly #expectedChangesByActor = new Map<ActorKey, ExpectedLogChange[]>();
  /** Number of changes in `#expectedChangesByActor` for each user. */
  readonly #expectedChangeCountByUser = new Map<number, number>();

  constructor(private readonly budget: CacheEntryBudget) {}

  /** Id of the user's newest message. @returns undefined where the user's actor must be asked */
  findCachedNewestMessageId(user: UserId): number | undefined {
    const known = this.#newestMessageByUser.get(user);
    if (!known || (this.#expectedChangeCountByUser.size > 0 && this.#expectedChangeCountByUser.has(user)))
      return undefined;
    if (known.at === this.#logStep && this.#unfinishedMoveCount === 0) return known.id;
    if (this.#tryUpdateFromStreams(known)) return known.id;
    this.#forgetUser(user);
    return undefined;
  }

  /**
   * Asks for the user's newest message and follows it in the log from then on.
   * @param ask reads the Store, but only when it is called
   */
  async loadNewestMessageId(user: UserId, ask: () => Promise<NewestMessageTrackingState>): Promise<number> {
    const at = this.#logStep;
    const load: PendingNewestMessageLoad = {
      user,
      newestDirectMessageId: -1,
      isUncertain: this.#expectedChangeCountByUser.has(user),
    };
    this.#pendingLoads.add(load);
    try {
      const { id, streams } = await ask();
      const known = new UserNewestMessage(Math.max(id, load.newestDirectMessageId), at, streams);
      // Until the log has shown the user's last confirmed change, it may still deliver older, already reverted ones:
      // don't cache.
      if (load.isUncertain || this.#expectedChangeCountByUser.has(user) || !this.#tryUpdateFromStreams(known))
        return id;
      this.#forgetUser(user);
      this.#newestMessageByUser.set(user, known);
      this.budget.usedEntries += cacheEntryCountOfUser(known);
      return known.id;
    } finally {
      this.#pendingLoads.delete(load);
    }
  }

  /** Records that a change was confirmed to the user. The log will show the change as this version of the actor. */
  expectLogChange(user: UserId, actor: ActorKey, version: number): void {
    const change: ExpectedLogChange = { user, version };
    const unseen = this.#expectedChangesByActor.get(actor);
    if (unseen) unseen.push(change);
    else this.#expectedChangesByActor.set(actor, [change]);
    this.#expectedChangeCountByUser.set(user, (this.#expectedChangeCountByUser.get(user) ?? 0) + 1);
  }

  onLogEntry(_seq: number, entry: LogEntry, fresh: FreshLogItemGroups): void {
    const { actor, head } = entry;
    const isHeadEnough = head && fresh === undefined && (head.flags & LOG_ENTRY_HEAD_FLAGS.messageChanges) === 0;
    if (isHeadEnough) this.#applyNewestStreamMessage(head.newestStreamMessage);
    else for (const { items } of fresh ?? entry.groups) for (const item of items) this.#applyLogItem(item);
    const unseen = this.#expectedChangesByActor.size > 0 && this.#expectedChangesByActor.get(actor);
    const last = unseen && (fresh ?? entry.groups).at(-1);
    if (unseen && last) this.#removeSeenExpectedChanges(actor, unseen, last.v);
  }

  onTransientEvent(): void {}

  /** Forgets everything after a gap in the log: the lost entries may include expected changes. */
  onLogGap(): void {
    this.forgetAllUsers();
    this.#expectedChangesByActor.clear();
    this.#expectedChangeCountByUser.clear();
  }

  /** Drops all cached newest messages, so that every user's actor must be asked again. */
  forgetAllUsers(): void {
    for (const known of this.#newestMessageByUser.values()) this.budget.usedEntries -= cacheEntryCountOfUser(known);
    this.#newestMessageByUser.clear();
    this.#removedAtStepByMessage.clear();
    for (const load of this.#pendingLoads) load.isUncertain = true;
  }

  #forgetUser(user: number): void {
    const known = this.#newestMessageByUser.get(user);
    if (!known) return;
    this.budget.usedEntries -= cacheEntryCountOfUser(known);
    this.#newestMessageByUser.delete(user);
  }

  /** Applies new messages of the user's streams. @returns false if the log doesn't tell which message is the newest */
  #tryUpdateFromStreams(known: UserNewestMessage): boolean {
    let { id } = known;
    for (let i = 0; i < known.everSubscribedStreamIds.length; i++) {
      const stream = this.#newestMessageByStream.get(known.everSubscribedStreamIds[i]!);
      if (!stream) continue;
      if (stream.unfinishedMoveCount > 0 || stream.lostAtStep > known.at) return false;
      if (stream.sentAtStep > known.at && stream.messageId > known.visibleAboveIds[i]! && stream.messageId > id)
        id = stream.messageId;
    }
    if (id === known.id && (this.#removedAtStepByMessage.get(id) ?? -1) > known.at) return false;
    known.id = id;
    known.at = this.#logStep;
    return true;
  }

  #findOrCreateStream(id: number): StreamNewestMessage {
    let stream = this.#newestMessageByStream.get(id);
    if (!stream) {
      stream = { messageId: -1, sentAtStep: 0, lostAtStep: 0, unfinishedMoveCount: 0 };
      this.#newestMessageByStream.set(id, stream);
    }
    return stream;
  }

  #applyLogItem(item: LogItem): void {
    if (item.t === 'message') this.#applySentMessage(item);
    else if (item.t === 'members') this.#applyMembershipChange(item);
    else if (item.t === 'carrying') this.#applyMoveProgress(item);
    else if (item.t === 'event') {
      const { type, message_id, message_ids, stream_id, new_stream_id } = item.event;
      if (type === 'delete_message') {
        this.#recordRemovedMessages(
          (message_ids ?? [message_id]) as readonly number[],
          stream_id as number | undefined,
        );
      } else if (type === 'update_message' && new_stream_id !== undefined) {
        this.#recordRemovedMessages(message_ids as readonly number[], stream_id as number);
        this.#findOrCreateStream(new_stream_id as number).lostAtStep = this.#logStep;
      }
    }
  }

  #applySentMessage({ message, to }: MessageLogItem): void {
    const { id, stream_id } = message.common as { readonly id: number; readonly stream_id?: number };
    if (stream_id !== undefined) {
      this.#applyNewestStreamMessage([stream_id, id]);
      return;
    }
    this.#logStep++;
    for (const user of to.users ?? []) {
      const known = this.#newestMessageByUser.get(user);
      if (known && known.id < id) known.id = id;
    }
    for (const load of this.#pendingLoads) {
      if (load.newestDirectMessageId < id && to.users?.includes(load.user)) load.newestDirectMessageId = id;
    }
  }

  #applyNewestStreamMessage([streamId, id]: LogEntryHead['newestStreamMessage']): void {
    if (streamId === undefined || id === undefined) return;
    this.#logStep++;
    const stream = this.#findOrCreateStream(streamId);
    stream.messageId = id;
    stream.sentAtStep = this.#logStep;
  }

  #applyMembershipChange({ stream, last, after = last, join, leave, silent }: MembershipLogItem): void {
    for (const user of join) {
      // The user got access to earlier messages, so the newest one is unknown.
      if (after < last) this.#forgetUser(user);
      else this.#updateThenSetMembership(user, stream, silent?.includes(user) ? ABOVE_ALL_MESSAGE_IDS : last);
    }
    for (const user of leave) this.#updateThenSetMembership(user, stream, ABOVE_ALL_MESSAGE_IDS);
    for (const load of this.#pendingLoads) {
      if (join.includes(load.user) || leave.includes(load.user)) load.isUncertain = true;
    }
  }

  #updateThenSetMembership(user: number, stream: number, above: number): void {
    const known = this.#newestMessageByUser.get(user);
    if (!known) return;
    // Messages sent before the subscription changed count by the old subscription.
    if (!this.#tryUpdateFromStreams(known)) {
      this.#forgetUser(user);
      return;
    }
    this.budget.usedEntries -= cacheEntryCountOfUser(known);
    known.setVisibleAboveId(stream, above);
    this.budget.usedEntries += cacheEntryCountOfUser(known);
  }

  /**
   * Records that messages were deleted or moved out of a stream.
   * @param from the stream; undefined for direct messages
   */
  #recordRemovedMessages(ids: readonly number[], from: number | undefined): void {
    this.#logStep++;
    if (this.#removedAtStepByMessage.size + ids.length > MAX_REMOVED_MESSAGE_IDS) this.forgetAllUsers();
    for (const id of ids.length > MAX_REMOVED_MESSAGE_IDS ? [] : ids)
      this.#removedAtStepByMessage.set(id, this.#logStep);
    const stream = from === undefined ? undefined : this.#newestMessageByStream.get(from);
    if (stream && ids.includes(stream.messageId)) stream.lostAtStep = this.#logStep;
  }

  #applyMoveProgress({ from, to, done }: MessageMoveProgressLogItem): void {
    this.#logStep++;
    for (const id of [from, to]) {
      const stream = this.#findOrCreateStream(id);
      stream.lostAtStep = this.#logStep;
      // For a move that began before this process followed the log, the log shows only the end.
      if (done && stream.unfinishedMoveCount === 0) continue;
      stream.unfinishedMoveCount += done ? -1 : 1;
      this.#unfinishedMoveCount += done ? -1 : 1;
    }
  }

  #removeSeenExpectedChanges(actor: ActorKey, unseen: readonly ExpectedLogChange[], version: number): void {
    const left = unseen.filter((change) => change.version > version);
    if (left.length > 0) this.#expectedChangesByActor.set(actor, left);
    else this.#expectedChangesByActor.delete(actor);
    for (const change of unseen) {
      if (change.version > version) continue;
      const others = this.#expectedChangeCountByUser.get(change.user)! - 1;
      if (others > 0) this.#expectedChangeCountByUser.set(change.user, others);
      else this.#expectedChangeCountByUser.delete(change.user);
    }
  }
}

const cacheEntryCountOfUser = ({ everSubscribedStreamIds }: UserNewestMessage): number =>
  FIXED_ENTRY_COST_PER_USER + everSubscribedStreamIds.length;
