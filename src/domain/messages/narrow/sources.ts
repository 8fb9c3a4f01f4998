/**
 * Ranges of the Store in which to look for the messages of a narrow. Together they hold all of these messages and few
 * others; `NarrowQueryPlan` tests each message found exactly. The functions have no side effects.
 */
import { IdSet } from '#base';
import type { StreamMembershipRecord, StreamMembershipStay } from '#domain/streams';
import type { MessageIndex, MessageRange } from '#ports/store';
import { DIRECT_MESSAGES_ORIGIN, type UserMessageFlags } from '../flags/read-state.js';
import { storeNameOfStreamConversation } from '../stored/message.js';
import { messageIndexTags } from '../stored/record.js';
import type { NarrowConditions } from './conditions.js';

/** Maximum number of stays in one stream with a range each; with more stays, one range over all of them is cheaper. */
const MAX_SEPARATE_STAYS = 4;
const EMPTY_MESSAGE_RANGES: readonly MessageRange[] = [{ index: { by: 'ids', ids: [] } }];

/** A range of messages that may be the user's, before the conditions of the narrow are added. */
interface CandidateMessageRange {
  readonly index: MessageIndex;
  /** Name of the conversation, if all messages of the region are in one. */
  readonly conversation?: string;
  readonly direct?: boolean;
  readonly above?: number;
  readonly upTo?: number;
}

interface MessageCopyOwner {
  readonly user: number;
  readonly flags: UserMessageFlags;
  /** Ids of the streams to which the user is or was subscribed. */
  readonly streams: readonly number[];
  membership(stream: number): StreamMembershipRecord | undefined;
}

/** Ranges of the Store that hold all messages of these streams. */
export function storeRangesOfStreamHistory(
  streams: readonly number[],
  conditions: NarrowConditions,
): readonly MessageRange[] {
  const regions = streams.filter(conditions.inStream).map(
    (stream): CandidateMessageRange => ({
      index: { by: 'conversation', conversation: storeNameOfStreamConversation(stream) },
      conversation: storeNameOfStreamConversation(stream),
      direct: false,
    }),
  );
  return toMessageRanges(regions, conditions);
}

/** Ranges of the Store that hold all messages that the user has a copy of. */
export function storeRangesOfUserCopies(
  owner: MessageCopyOwner,
  conditions: NarrowConditions,
): readonly MessageRange[] {
  const { personal, conversation, direct, unread, mentioned } = conditions;
  // Unread messages are few. Their ranges begin at the read marks, so they are looked up before any other condition.
  if (unread)
    return toMessageRanges(rangesOfCopies(owner, conditions), personal ? withIndex(conditions, personal) : conditions);
  if (personal) return toMessageRanges([{ index: personal }], conditions);
  if (direct && conversation !== undefined) {
    return toMessageRanges([{ index: { by: 'conversation', conversation }, conversation, direct: true }], conditions);
  }
  return toMessageRanges(
    mentioned ? rangesOfMentions(owner, conditions) : rangesOfCopies(owner, conditions),
    conditions,
  );
}

const withIndex = (conditions: NarrowConditions, index: MessageIndex): NarrowConditions => ({
  ...conditions,
  also: [...conditions.also, index],
});

function rangesOfCopies(owner: MessageCopyOwner, { unread, inStream }: NarrowConditions): CandidateMessageRange[] {
  const { flags, user } = owner;
  const regions: CandidateMessageRange[] = owner.streams.flatMap((stream) => {
    const conversation = storeNameOfStreamConversation(stream);
    const here: CandidateMessageRange = { index: { by: 'conversation', conversation }, conversation, direct: false };
    return [
      ...(inStream(stream) ? rangesDuringStays(owner, stream, here, unread) : []),
      ...rangesDuringStays(owner, stream, { index: { by: 'moved', from: conversation }, direct: false }, unread),
    ];
  });
  const mark = unread ? { above: flags.readStateOf(DIRECT_MESSAGES_ORIGIN).mark } : {};
  regions.push({ index: { by: 'participant', user }, direct: true, ...mark });
  // Copies that came with a move and historical ones start as read: unread ones are among the exceptions.
  const copied = flags.markedIds('copied').ids;
  if (unread)
    return [...regions, { index: { by: 'ids', ids: IdSet.of([...flags.unreadExceptionIds(), ...copied]).ids } }];
  const made = IdSet.of([...flags.markedIds('historical').ids, ...copied]).ids;
  return [...regions, ...rangesOfMovedCopies(owner), { index: { by: 'ids', ids: made }, direct: false }];
}

function rangesOfMentions(owner: MessageCopyOwner, { inStream }: NarrowConditions): CandidateMessageRange[] {
  const everybody = owner.streams.flatMap((stream): CandidateMessageRange[] => {
    const conversation = storeNameOfStreamConversation(stream);
    const here: CandidateMessageRange = {
      index: { by: 'tag', tag: messageIndexTags.wildcard(conversation) },
      conversation,
      direct: false,
    };
    return [
      ...(inStream(stream) ? rangesDuringStays(owner, stream, here) : []),
      ...rangesDuringStays(owner, stream, { index: { by: 'moved', from: conversation }, direct: false }),
    ];
  });
  return [
    { index: { by: 'tag', tag: messageIndexTags.mentioned(owner.user) } },
    ...everybody,
    ...rangesOfMovedCopies(owner),
  ];
}

/** Messages moved into the user's streams: subscribers may have got copies with the move. */
const rangesOfMovedCopies = ({ streams }: MessageCopyOwner): CandidateMessageRange[] =>
  streams.map((stream) => ({
    index: { by: 'tag', tag: messageIndexTags.cameTo(storeNameOfStreamConversation(stream)) },
    direct: false,
  }));

/** The region, cut to the user's stays in a stream. @param unread only above the stream's read mark */
function rangesDuringStays(
  owner: MessageCopyOwner,
  stream: number,
  region: CandidateMessageRange,
  unread = false,
): CandidateMessageRange[] {
  const stays = owner.membership(stream)?.stays ?? [];
  const mark = unread ? owner.flags.readStateOf(stream).mark : -1;
  return mergeStaysIfMany(stays)
    .filter((stay) => stay.to === 0 || stay.until > Math.max(stay.after, mark))
    .map((stay) => ({
      ...region,
      above: Math.max(stay.after, mark),
      ...(stay.to === 0 ? {} : { upTo: stay.until }),
    }));
}

function mergeStaysIfMany(stays: readonly StreamMembershipStay[]): readonly StreamMembershipStay[] {
  const [first, last] = [stays[0], stays.at(-1)];
  if (!first || !last || stays.length <= MAX_SEPARATE_STAYS) return stays;
  return [{ ...last, from: first.from, after: first.after }];
}

function toMessageRanges(
  regions: readonly CandidateMessageRange[],
  conditions: NarrowConditions,
): readonly MessageRange[] {
  if (conditions.impossible) return EMPTY_MESSAGE_RANGES;
  const ranges = regions.flatMap((region) => toMessageRange(region, conditions) ?? []);
  return ranges.length === 0 ? EMPTY_MESSAGE_RANGES : ranges;
}

function toMessageRange(
  region: CandidateMessageRange,
  { conversation, topicKey, direct, also }: NarrowConditions,
): MessageRange | undefined {
  if (direct !== undefined && region.direct !== undefined && direct !== region.direct) return undefined;
  if (conversation !== undefined && region.conversation !== undefined && conversation !== region.conversation) {
    return undefined;
  }
  const place = conversation ?? region.conversation;
  const indexes: MessageIndex[] = region.index.by === 'conversation' ? [] : [region.index];
  if (place !== undefined) {
    if (topicKey !== undefined) indexes.push({ by: 'topic', conversation: place, topicKey });
    // A tag of the conversation implies the conversation.
    else if (region.conversation === undefined || region.index.by === 'conversation') {
      indexes.push({ by: 'conversation', conversation: place });
    }
  }
  const [index, ...others] = [...indexes, ...also] as [MessageIndex, ...MessageIndex[]];
  return {
    index,
    also: others,
    ...(region.above === undefined || region.above < 0 ? {} : { above: region.above }),
    ...(region.upTo === undefined ? {} : { upTo: region.upTo }),
  };
}
