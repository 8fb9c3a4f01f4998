/**
 * POST /mark_all_as_read (messages.md): marks all messages as read. One read mark is written per origin, however many
 * of its messages are unread.
 */

import { makeAllMessagesReadEvent, makePartialSuccessReply, makeSuccessReply, makeValueReply } from '#actors/shared';
import { IdSet, type Json } from '#base';
import {
  DIRECT_MESSAGES_ORIGIN,
  encodeOriginReadStatePart,
  NEWEST_ANCHOR_MESSAGE_ID,
  type OriginReadState,
  type StoredMessage,
  toStoredMessage,
  UnreadMessageScan,
  UserMessageFlagsView,
} from '#domain/messages';
import { type LogItem, toUserId, userActorKey } from '#model';
import { makeOutboxCommand, userActorCommands } from '#model/commands';
import type { CommandInputContext, CommandOutcome } from '#runtime';
import type { ActorInputSources } from '../../../services.js';
import {
  makeFlagEvents,
  makeReadEventsOfIdRange,
  makeUnreadMessageDetails,
  unreadIdRangeOfOrigin,
} from '../../reading/flag-event.js';
import {
  awaitRecentMessageEventsPublished,
  type NewestMessageIdsOfOrigin,
  readNewestDirectMessageIds,
} from '../../reading/newest.js';
import {
  listPresentAndFormerSubscriptions,
  type UserActorState,
  type UserCommandHandler,
  userIdOfUserActorKey,
} from '../../state.js';

/** Time limit of one request, ms. After that time the new marks are written, and the client repeats the request. */
const MARK_ALL_READ_TIME_LIMIT_MS = 50_000;
/** Number of origin streams whose newest messages are read at the same time. */
const STREAMS_READ_AT_ONCE = 32;
/** Number of the realm's newest messages that decide which streams come first. */
const RECENT_REALM_MESSAGES_READ = 64;

interface MarkAllReadInputs {
  /** Origins (streams, or all direct messages) with unread messages, newest first. */
  readonly newestIdsOfOrigins: readonly NewestMessageIdsOfOrigin[];
  /** True if the time sufficed for all origins. */
  readonly isComplete: boolean;
}

async function readNewestMessagesOfRealm(
  { realm }: CommandInputContext<UserActorState, undefined>,
  { store }: ActorInputSources,
) {
  const scan = {
    realm,
    index: { by: 'realm' },
    from: NEWEST_ANCHOR_MESSAGE_ID,
    direction: 'older',
    limit: RECENT_REALM_MESSAGES_READ,
  } as const;
  return (await store.scanMessages(scan)).map(toStoredMessage);
}

/** Streams without a subscription whose messages moved to other streams and are unread there. */
async function findUnsubscribedStreamsWithUnread(
  scan: UnreadMessageScan,
  flags: UserMessageFlagsView,
  left: readonly number[],
): Promise<number[]> {
  const found: number[] = [];
  for (let i = 0; i < left.length; i += STREAMS_READ_AT_ONCE) {
    const batch = left.slice(i, i + STREAMS_READ_AT_ONCE);
    const has = await Promise.all(
      batch.map((stream) => scan.hasUnreadExceptionsOrMovedUnread(stream, flags.readStateOf(stream))),
    );
    found.push(...batch.filter((_, n) => has[n]));
  }
  return found;
}

/** Sorts streams by their newest message, as far as the realm's newest messages show it; other streams come last. */
async function sortStreamsByNewestMessage(
  streams: readonly number[],
  context: CommandInputContext<UserActorState, undefined>,
  sources: ActorInputSources,
): Promise<number[]> {
  const own = new Set(streams);
  const newest = await readNewestMessagesOfRealm(context, sources);
  const recent = new Set(newest.map(({ body }) => body.stream).filter((id) => own.has(id)));
  return [...recent, ...streams.filter((id) => !recent.has(id))];
}

function makeMarkedOriginReadState(
  { mark, read }: OriginReadState,
  { storeCompleteUpToId, newerStoredIds }: NewestMessageIdsOfOrigin,
): OriginReadState {
  const to = Math.max(mark, storeCompleteUpToId);
  return { mark: to, read: read.withIds(newerStoredIds).idsAbove(to), unread: IdSet.EMPTY };
}

const wouldMarkingChangeReadState = (
  { mark, read, unread }: OriginReadState,
  { storeCompleteUpToId, newerStoredIds }: NewestMessageIdsOfOrigin,
): boolean => storeCompleteUpToId > mark || unread.size > 0 || newerStoredIds.some((id) => id > mark && !read.has(id));

export const markAllReadHandler: UserCommandHandler<typeof userActorCommands.markAllRead, MarkAllReadInputs> = {
  // The lane is separate, because the reads of this command may take long and must not keep other commands waiting.
  lane: 'mark-all',
  async inputs(_args, context, sources) {
    const { clock } = sources.services;
    const { realm, caller, view } = context;
    const until = clock.now() + MARK_ALL_READ_TIME_LIMIT_MS;
    const flags = new UserMessageFlagsView(caller, view.parts);
    const scan = new UnreadMessageScan(sources.store, realm, caller);
    const own = listPresentAndFormerSubscriptions(view.parts);
    const active = new Set(own.filter((of) => of.active).map((of) => of.stream));
    const others = new Set(
      [...own.map((of) => of.stream), ...flags.originsWithReadState()].filter((id) => !active.has(id)),
    );
    others.delete(DIRECT_MESSAGES_ORIGIN);
    const streams = await sortStreamsByNewestMessage([...active], context, sources);
    streams.push(...(await findUnsubscribedStreamsWithUnread(scan, flags, [...others])));
    const origins: NewestMessageIdsOfOrigin[] = [await readNewestDirectMessageIds(realm, caller, sources)];
    for (let i = 0; i < streams.length; i += STREAMS_READ_AT_ONCE) {
      // The request ends early only if there is a mark to write: the client will repeat the request, which must make
      // progress.
      if (
        clock.now() >= until &&
        origins.some((origin) => wouldMarkingChangeReadState(flags.readStateOf(origin.originStreamId), origin))
      ) {
        return { newestIdsOfOrigins: origins, isComplete: false };
      }
      const batch = streams.slice(i, i + STREAMS_READ_AT_ONCE);
      const newest = await Promise.all(batch.map((stream) => scan.newestIdEverSentTo(stream)));
      batch.forEach((stream, n) => {
        origins.push({ originStreamId: stream, storeCompleteUpToId: newest[n]!, newerStoredIds: [] });
      });
    }
    await awaitRecentMessageEventsPublished(realm, await readNewestMessagesOfRealm(context, sources), sources);
    return { newestIdsOfOrigins: origins, isComplete: true };
  },
  handle({ parts }, _args, { newestIdsOfOrigins, isComplete }, { realm, caller }): CommandOutcome<UserActorState> {
    const flags = new UserMessageFlagsView(caller, parts);
    const written: Record<string, Json> = {};
    const events: LogItem[] = [];
    for (const newest of newestIdsOfOrigins) {
      const reading = flags.readStateOf(newest.originStreamId);
      if (!wouldMarkingChangeReadState(reading, newest)) continue;
      Object.assign(
        written,
        encodeOriginReadStatePart(newest.originStreamId, makeMarkedOriginReadState(reading, newest)),
      );
      const to = Math.max(newest.storeCompleteUpToId, ...newest.newerStoredIds);
      if (!isComplete)
        events.push(...makeReadEventsOfIdRange(caller, unreadIdRangeOfOrigin(newest.originStreamId, reading, to, 0)));
    }
    if (!isComplete) return { reply: makePartialSuccessReply(), parts: written, events };
    const follow = makeOutboxCommand({
      to: userActorKey(realm, toUserId(caller)),
      name: userActorCommands.announceUnreadAfterMarkAll,
      args: {},
      caller: 0,
    });
    return {
      reply: makeSuccessReply(),
      parts: written,
      events: [makeAllMessagesReadEvent(caller)],
      commands: [[follow]],
    };
  },
};

/**
 * Runs after a complete `markAllRead`, once the log has its event. Clients take every message before that event in the
 * log as read. A message that was stored after the marks were computed, but logged before the event, is unread in this
 * actor: this command sends an event that marks it as unread in clients.
 */
export const announceUnreadAfterMarkAllHandler: UserCommandHandler<
  typeof userActorCommands.announceUnreadAfterMarkAll,
  readonly StoredMessage[]
> = {
  lane: 'mark-all',
  async inputs(_args, { realm, key, view }, sources) {
    const user = userIdOfUserActorKey(key);
    const flags = new UserMessageFlagsView(user, view.parts);
    const subscribed = listPresentAndFormerSubscriptions(view.parts).filter((own) => own.active);
    const origins = [DIRECT_MESSAGES_ORIGIN, ...subscribed.map(({ stream }) => stream)];
    const readStates = new Map(origins.map((origin) => [origin, flags.readStateOf(origin)]));
    const scan = new UnreadMessageScan(sources.store, realm, user);
    const unread: StoredMessage[] = [];
    for await (const batch of scan.scanUnreadAboveMarksNewestFirst(readStates, new Map(), () => {}))
      unread.push(...batch);
    await awaitRecentMessageEventsPublished(realm, unread, sources);
    return unread;
  },
  handle({ parts }, _args, found, { key }): CommandOutcome<UserActorState> {
    const user = userIdOfUserActorKey(key);
    const flags = new UserMessageFlagsView(user, parts);
    const unread = found.map((message) => ({ message, copy: true, gained: false })).filter((own) => !flags.isRead(own));
    const details = makeUnreadMessageDetails(unread, user, parts);
    // Messages in streams that the user has left meanwhile have no details, and clients don't count them.
    const ids = Object.keys(details).map(Number);
    if (ids.length === 0) return { reply: makeValueReply(null) };
    ids.sort((a, b) => a - b);
    return {
      reply: makeValueReply(null),
      events: makeFlagEvents(user, { op: 'remove', flag: 'read' }, ids, details),
    };
  },
};
