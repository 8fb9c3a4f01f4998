/**
 * Ranges of the Store in which to look for the messages of a narrow. Together they hold all of these messages and few
 * others; `NarrowQueryPlan` tests each message found exactly. The functions have no side effects.
 */
import { IdSet } from '#base';
import type { StreamMembershipRecord, StreamMembershipStay } from '#domain/streams';
import type { MessageIndexCondition, MessageIndexRange } from '#ports/store';
import { DIRECT_MESSAGES_ORIGIN, type UserMessageFlagsView } from '../flags/read-state.js';
import { storeNameOfStreamConversation } from '../stored/message.js';
import { messageIndexTags } from '../stored/record.js';
import type { NarrowStoreConditions } from './conditions.js';

/** Maximum number of stays in one stream with a range each; with more stays, one range over all of them is cheaper. */
const MAX_SEPARATELY_SCANNED_STAYS = 4;
const RANGES_WITHOUT_MESSAGES: readonly MessageIndexRange[] = [{ index: { by: 'ids', ids: [] } }];

/** A range of messages that may be the user's, before the conditions of the narrow are added. */
interface CandidateMessageRange {
  readonly index: MessageIndexCondition;
  /** Name of the conversation, if all messages of the range are in one. */
  readonly conversation?: string;
  readonly direct?: boolean;
  readonly above?: number;
  readonly upTo?: number;
}

interface MessageCopyOwner {
  readonly user: number;
  readonly flags: UserMessageFlagsView;
  /** Ids of the streams to which the user is or was subscribed. */
  readonly streams: readonly number[];
  membership(stream: number): StreamMembershipRecord | undefined;
}

/** Ranges of the Store that hold all messages of these streams. */
export function makeStreamHistoryRanges(
  streams: readonly number[],
  conditions: NarrowStoreConditions,
): readonly MessageIndexRange[] {
  const candidates = streams.filter(conditions.inStream).map(
    (stream): CandidateMessageRange => ({
      index: { by: 'conversation', conversation: storeNameOfStreamConversation(stream) },
      conversation: storeNameOfStreamConversation(stream),
      direct: false,
    }),
  );
  return toMessageRangesOrNone(candidates, conditions);
}

/** Ranges of the Store that hold all messages that the user has a copy of. */
export function makeUserCopyRanges(
  owner: MessageCopyOwner,
  conditions: NarrowStoreConditions,
): readonly MessageIndexRange[] {
  const { personal, conversation, direct, unread, mentioned } = conditions;
  // Unread messages are few. Their ranges begin at the read marks, so they are looked up before any other condition.
  if (unread)
    return toMessageRangesOrNone(
      candidateRangesOfCopies(owner, conditions),
      personal ? withAdditionalIndex(conditions, personal) : conditions,
    );
  if (personal) return toMessageRangesOrNone([{ index: personal }], conditions);
  if (direct && conversation !== undefined) {
    return toMessageRangesOrNone(
      [{ index: { by: 'conversation', conversation }, conversation, direct: true }],
      conditions,
    );
  }
  return toMessageRangesOrNone(
    mentioned ? candidateRangesOfMentions(owner, conditions) : candidateRangesOfCopies(owner, conditions),
    conditions,
  );
}

const withAdditionalIndex = (
  conditions: NarrowStoreConditions,
  index: MessageIndexCondition,
): NarrowStoreConditions => ({
  ...conditions,
  also: [...conditions.also, index],
});

function candidateRangesOfCopies(
  owner: MessageCopyOwner,
  { unread, inStream }: NarrowStoreConditions,
): CandidateMessageRange[] {
  const { flags, user } = owner;
  const candidates: CandidateMessageRange[] = owner.streams.flatMap((stream) => {
    const conversation = storeNameOfStreamConversation(stream);
    const here: CandidateMessageRange = { index: { by: 'conversation', conversation }, conversation, direct: false };
    return [
      ...(inStream(stream) ? cutRangeToStays(owner, stream, here, unread) : []),
      ...cutRangeToStays(owner, stream, { index: { by: 'moved', from: conversation }, direct: false }, unread),
    ];
  });
  const mark = unread ? { above: flags.readStateOf(DIRECT_MESSAGES_ORIGIN).mark } : {};
  candidates.push({ index: { by: 'participant', user }, direct: true, ...mark });
  // Copies that came with a move and historical ones start as read: unread ones are among the exceptions.
  const copied = flags.markedIds('copied').ids;
  if (unread)
    return [
      ...candidates,
      { index: { by: 'ids', ids: IdSet.fromIds([...flags.allUnreadExceptionIds(), ...copied]).ids } },
    ];
  const made = IdSet.fromIds([...flags.markedIds('historical').ids, ...copied]).ids;
  return [...candidates, ...candidateRangesOfMovedCopies(owner), { index: { by: 'ids', ids: made }, direct: false }];
}

function candidateRangesOfMentions(
  owner: MessageCopyOwner,
  { inStream }: NarrowStoreConditions,
): CandidateMessageRange[] {
  const everybody = owner.streams.flatMap((stream): CandidateMessageRange[] => {
    const conversation = storeNameOfStreamConversation(stream);
    const here: CandidateMessageRange = {
      index: { by: 'tag', tag: messageIndexTags.wildcard(conversation) },
      conversation,
      direct: false,
    };
    return [
      ...(inStream(stream) ? cutRangeToStays(owner, stream, here) : []),
      ...cutRangeToStays(owner, stream, { index: { by: 'moved', from: conversation }, direct: false }),
    ];
  });
  return [
    { index: { by: 'tag', tag: messageIndexTags.mentioned(owner.user) } },
    ...everybody,
    ...candidateRangesOfMovedCopies(owner),
  ];
}

/** Messages moved into the user's streams: subscribers may have got copies with the move. */
const candidateRangesOfMovedCopies = ({ streams }: MessageCopyOwner): CandidateMessageRange[] =>
  streams.map((stream) => ({
    index: { by: 'tag', tag: messageIndexTags.cameTo(storeNameOfStreamConversation(stream)) },
    direct: false,
  }));

/** The range, cut to the user's stays in a stream. @param unread only above the stream's read mark */
function cutRangeToStays(
  owner: MessageCopyOwner,
  stream: number,
  candidate: CandidateMessageRange,
  unread = false,
): CandidateMessageRange[] {
  const stays = owner.membership(stream)?.stays ?? [];
  const mark = unread ? owner.flags.readStateOf(stream).mark : -1;
  return mergeStaysIfMany(stays)
    .filter((stay) => stay.to === 0 || stay.until > Math.max(stay.after, mark))
    .map((stay) => ({
      ...candidate,
      above: Math.max(stay.after, mark),
      ...(stay.to === 0 ? {} : { upTo: stay.until }),
    }));
}

function mergeStaysIfMany(stays: readonly StreamMembershipStay[]): readonly StreamMembershipStay[] {
  const [first, last] = [stays[0], stays.at(-1)];
  if (!first || !last || stays.length <= MAX_SEPARATELY_SCANNED_STAYS) return stays;
  return [{ ...last, from: first.from, after: first.after }];
}

function toMessageRangesOrNone(
  candidates: readonly CandidateMessageRange[],
  conditions: NarrowStoreConditions,
): readonly MessageIndexRange[] {
  if (conditions.impossible) return RANGES_WITHOUT_MESSAGES;
  const ranges = candidates.flatMap((candidate) => toMessageRangeIfPossible(candidate, conditions) ?? []);
  return ranges.length === 0 ? RANGES_WITHOUT_MESSAGES : ranges;
}

function toMessageRangeIfPossible(
  candidate: CandidateMessageRange,
  { conversation, topicKey, direct, also }: NarrowStoreConditions,
): MessageIndexRange | undefined {
  if (direct !== undefined && candidate.direct !== undefined && direct !== candidate.direct) return undefined;
  if (conversation !== undefined && candidate.conversation !== undefined && conversation !== candidate.conversation) {
    return undefined;
  }
  const place = conversation ?? candidate.conversation;
  const indexes: MessageIndexCondition[] = candidate.index.by === 'conversation' ? [] : [candidate.index];
  if (place !== undefined) {
    if (topicKey !== undefined) indexes.push({ by: 'topic', conversation: place, topicKey });
    // A tag of the conversation implies the conversation.
    else if (candidate.conversation === undefined || candidate.index.by === 'conversation') {
      indexes.push({ by: 'conversation', conversation: place });
    }
  }
  const [index, ...others] = [...indexes, ...also] as [MessageIndexCondition, ...MessageIndexCondition[]];
  return {
    index,
    also: others,
    ...(candidate.above === undefined || candidate.above < 0 ? {} : { above: candidate.above }),
    ...(candidate.upTo === undefined ? {} : { upTo: candidate.upTo }),
  };
}
