/** Marks a stream as read (messages.md): on request, and when the user leaves the stream. */

import { makeMessagesReadEvents, makeSuccessReply, makeValueReply } from '#actors/shared';
import { IdSet, type Json } from '#base';
import {
  encodeOriginReadStatePart,
  isReadByMarkOrExceptions,
  type StoredMessage,
  UnreadMessageScan,
  UserMessageFlagsView,
  withReadMessageIds,
} from '#domain/messages';
import { mayAccessStream } from '#domain/streams';
import { type LogItem, MAX_READ_IDS_PER_EVENT, streamActorKey, toStreamId, userActorKey } from '#model';
import {
  conversationActorCommands,
  type MarkLeftStreamReadArgs,
  makeOutboxCommand,
  userActorCommands,
} from '#model/commands';
import { apiError } from '#model/errors';
import type { CommandInputContext, CommandOutcome } from '#runtime';
import type { ActorInputSources } from '../../../services.js';
import { makeReadEventsOfIdRange, unreadIdRangeOfOrigin } from '../../reading/flag-event.js';
import {
  isSubscribedToStream,
  type UserActorState,
  type UserCommandHandler,
  userIdOfUserActorKey,
} from '../../state.js';
import { loadMessageReadingRights } from './on-message.js';

interface MarkStreamReadInputs {
  /** Id of the newest message that was sent to this stream, wherever the message is now. */
  readonly newestSentId: number;
  /** True if at least one unread message that was sent to this stream is still in it. */
  readonly hasUnreadInStream: boolean;
  /** Ids of all unread messages that were sent to this stream and are still in it; absent if there are too many. */
  readonly all?: readonly number[];
  /** Unread messages that moved from this stream to another: they stay unread. */
  readonly unreadMovedAwayIds: readonly number[];
  /** Unread messages that moved into this stream from another: ids by origin stream. */
  readonly unreadMovedInIdsByOrigin: ReadonlyMap<number, readonly number[]>;
}

/**
 * Finds the stream's unread messages. The cost grows with the number of messages that were moved, not with the number
 * of unread ones.
 */
async function loadMarkStreamReadInputs(
  stream: number,
  { realm, key, view }: CommandInputContext<UserActorState, undefined>,
  sources: ActorInputSources,
  until = Number.POSITIVE_INFINITY,
): Promise<MarkStreamReadInputs> {
  const user = userIdOfUserActorKey(key);
  const flags = new UserMessageFlagsView(user, view.parts);
  const reading = flags.readStateOf(stream);
  const scan = new UnreadMessageScan(sources.store, realm, user);
  const newest = Math.min(until, await scan.newestIdEverSentTo(stream));
  const made = flags.makePersonalCopyLookup();
  const excepted = await scan.loadMessagesUnreadBelowReadMark(reading.unread.ids, made);
  let some = excepted.some(({ body }) => body.stream === stream);
  if (!some) {
    for await (const batch of scan.scanUnreadAboveMark(stream, reading, until)) {
      some = batch.some(({ body }) => body.stream === stream);
      if (some) break;
    }
  }
  const left = excepted.filter(({ body }) => body.stream !== stream).map(({ id }) => id);
  for await (const batch of scan.scanUnreadMovedFrom(stream, reading, until)) left.push(...batch.map(({ id }) => id));
  const came = new Map<number, number[]>();
  for await (const batch of scan.scanCopiesMovedTo(stream, made)) {
    for (const own of batch) {
      if (flags.isRead(own)) continue;
      const { message } = own;
      came.set(message.originStream, [...(came.get(message.originStream) ?? []), message.id]);
    }
  }
  if (some)
    await sources.askActor(streamActorKey(realm, toStreamId(stream)), conversationActorCommands.awaitPublished, {});
  return { newestSentId: newest, hasUnreadInStream: some, unreadMovedAwayIds: left, unreadMovedInIdsByOrigin: came };
}

function makeStreamReadOutcome(
  parts: ReadonlyMap<string, Json>,
  user: number,
  stream: number,
  { newestSentId, hasUnreadInStream, all, unreadMovedAwayIds, unreadMovedInIdsByOrigin }: MarkStreamReadInputs,
): Pick<CommandOutcome<UserActorState>, 'parts' | 'events'> {
  const flags = new UserMessageFlagsView(user, parts);
  const reading = flags.readStateOf(stream);
  const written: Record<string, Json> = {};
  const events: LogItem[] = [];
  if (hasUnreadInStream) {
    const mark = Math.max(reading.mark, newestSentId);
    // Moved messages that the user has read since the inputs were loaded stay read.
    const unread = IdSet.fromIds(unreadMovedAwayIds.filter((id) => isReadByMarkOrExceptions(reading, id) !== true));
    Object.assign(written, encodeOriginReadStatePart(stream, { mark, read: reading.read.idsAbove(mark), unread }));
    if (all) events.push(...makeMessagesReadEvents(user, all));
    else events.push(...makeReadEventsOfIdRange(user, unreadIdRangeOfOrigin(stream, reading, newestSentId, stream)));
  }
  for (const [origin, ids] of unreadMovedInIdsByOrigin) {
    Object.assign(written, encodeOriginReadStatePart(origin, withReadMessageIds(flags.readStateOf(origin), ids)));
    events.push(...makeMessagesReadEvents(user, ids));
  }
  return { parts: written, events };
}

/** POST /mark_stream_as_read: marks all messages of a stream as read. */
export const markStreamReadHandler: UserCommandHandler<
  typeof userActorCommands.markStreamRead,
  MarkStreamReadInputs | undefined
> = {
  lane: 'mark-stream',
  async inputs({ stream: id }, context, sources) {
    const { directory, user } = await loadMessageReadingRights(context, sources);
    const stream = directory.stream(toStreamId(id));
    if (!stream || !mayAccessStream(user, stream, isSubscribedToStream(context.view.parts, id))) return undefined;
    return loadMarkStreamReadInputs(id, context, sources);
  },
  handle({ parts }, { stream }, marking, { caller }) {
    if (!marking) throw apiError('INVALID_STREAM_ID');
    return { reply: makeSuccessReply(), ...makeStreamReadOutcome(parts, caller, stream, marking) };
  },
};

/**
 * Maximum number of message ids that the event about an archived stream names. More than these become read as a range,
 * which is resolved at delivery.
 */
const MAX_NAMED_IDS_OF_ARCHIVED_STREAM = 500;

/** Ids of unread messages that were sent to a stream and are still in it, below and above the mark, ascending. */
interface UnreadIdsOfLeftStream {
  readonly belowMarkIds: readonly number[];
  readonly aboveMarkIds: readonly number[];
  /** True if there are more unread messages than the limit. */
  readonly exceedsLimit: boolean;
}

async function loadUnreadIdsOfLeftStream(
  { stream, until }: MarkLeftStreamReadArgs,
  most: number,
  { realm, key, view }: CommandInputContext<UserActorState, undefined>,
  { store }: ActorInputSources,
): Promise<UnreadIdsOfLeftStream> {
  const user = userIdOfUserActorKey(key);
  const flags = new UserMessageFlagsView(user, view.parts);
  const reading = flags.readStateOf(stream);
  const scan = new UnreadMessageScan(store, realm, user);
  const here = (messages: readonly StoredMessage[]): number[] =>
    messages.filter(({ body }) => body.stream === stream).map(({ id }) => id);
  const below = here(await scan.loadMessagesUnreadBelowReadMark(reading.unread.ids, flags.makePersonalCopyLookup()));
  if (below.length > most) return { belowMarkIds: below.slice(0, most), aboveMarkIds: [], exceedsLimit: true };
  const above: number[] = [];
  for await (const batch of scan.scanUnreadAboveMark(stream, reading, until)) {
    above.push(...here(batch));
    if (below.length + above.length > most)
      return { belowMarkIds: below, aboveMarkIds: above.slice(0, most - below.length), exceedsLimit: true };
  }
  return { belowMarkIds: below, aboveMarkIds: above, exceedsLimit: false };
}

type MarkLeftStreamReadInputs = MarkStreamReadInputs & { readonly unread?: UnreadIdsOfLeftStream };

/**
 * Marks the messages of a stream as read that the user left, or that was archived. The command is never refused. Users
 * who have left get no events of deletions there, so the events name the read ids. Commits are of bounded size, and
 * each marks exactly the ids that its events name.
 */
export const markLeftStreamReadHandler: UserCommandHandler<
  typeof userActorCommands.readStream,
  MarkLeftStreamReadInputs
> = {
  async inputs(args, context, sources) {
    const { stream, until, archived = false } = args;
    const marking = await loadMarkStreamReadInputs(stream, context, sources, until);
    if (!marking.hasUnreadInStream) return marking;
    const most = archived ? MAX_NAMED_IDS_OF_ARCHIVED_STREAM : MAX_READ_IDS_PER_EVENT;
    const unread = await loadUnreadIdsOfLeftStream(args, most, context, sources);
    return archived && unread.exceedsLimit ? marking : { ...marking, unread };
  },
  handle({ parts }, args, marking, { key, realm, directory }) {
    const user = userIdOfUserActorKey(key);
    const { unread } = marking;
    if (!unread?.exceedsLimit) {
      const all = unread && [...unread.belowMarkIds, ...unread.aboveMarkIds];
      return {
        reply: makeValueReply(null),
        ...makeStreamReadOutcome(parts, user, args.stream, { ...marking, ...(all && { all }) }),
      };
    }
    const to = userActorKey(realm, user);
    const rest = makeOutboxCommand({
      to,
      name: userActorCommands.readStream,
      args,
      caller: 0,
      after: directory.version,
    });
    return {
      reply: makeValueReply(null),
      ...makePartialStreamReadOutcome(parts, user, args.stream, marking, unread),
      commands: [[rest]],
      // Until this command has ended, the stream marks deleted messages as read for this user.
      replyAfterCommands: true,
    };
  },
};

/** Marks only the named ids of a stream as read. */
function makePartialStreamReadOutcome(
  parts: ReadonlyMap<string, Json>,
  user: number,
  stream: number,
  { unreadMovedAwayIds }: MarkStreamReadInputs,
  { belowMarkIds, aboveMarkIds }: UnreadIdsOfLeftStream,
): Pick<CommandOutcome<UserActorState>, 'parts' | 'events'> {
  const reading = new UserMessageFlagsView(user, parts).readStateOf(stream);
  const mark = Math.max(reading.mark, aboveMarkIds.at(-1) ?? 0);
  const elsewhere = unreadMovedAwayIds.filter(
    (id) => id > reading.mark && id <= mark && isReadByMarkOrExceptions(reading, id) !== true,
  );
  const named = new Set(belowMarkIds);
  const unread = IdSet.fromIds([...reading.unread.ids.filter((id) => !named.has(id)), ...elsewhere]);
  return {
    parts: encodeOriginReadStatePart(stream, { mark, read: reading.read.idsAbove(mark), unread }),
    events: makeMessagesReadEvents(user, [...belowMarkIds, ...aboveMarkIds]),
  };
}
