/**
 * Ranges of the Store in which to look for the messages of a narrow. Together they hold all of these messages and few
 * others; `NarrowQueryPlan` tests each message found exactly. The functions have no side effects.
 */
import { IdSet } from '#base';
import { messageIdBeforeFirstStay, type StreamMembershipRecord, type StreamMembershipStay } from '#domain/streams';
import type { MessageIndexCondition, MessageIndexRange } from '#ports/store';
import { DIRECT_MESSAGES_ORIGIN, type UserMessageFlagsView } from '../flags/read-state.js';
import { storeNameOfStreamConversation } from '../stored/message.js';
import { messageIndexTags } from '../stored/record.js';
import type { NarrowStoreConditions } from './conditions.js';

/** Maximum number of stays in one stream with a range each; with more stays, one range over all of them is cheaper. */
const MAX_SEPARATELY_SCANNED_STAYS = 4;
const NO_FURTHER_CONDITIONS: readonly MessageIndexCondition[] = [];
const RANGES_WITHOUT_MESSAGES: readonly MessageIndexRange[] = [{ index: { by: 'ids', ids: [] } }];

/** A range of messages that may be the user's, before the conditions of the narrow are added. */
interface CandidateMessageRange {
  readonly index: MessageIndexCondition;
  /** Name of the conversation, if all messages of the range are in one. */
  readonly conversation: string | undefined;
  /** Kind of the messages: direct (true), stream (false) or both (undefined). */
  readonly direct: boolean | undefined;
  /** Largest id below the range; -1 for a range from the first message on. */
  readonly above: number;
  readonly upTo: number | undefined;
}

/**
 * Takes all fields as arguments: a user in ten streams has thirty ranges, and spreading objects took a tenth of a
 * fetch.
 */
const makeCandidate = (
  index: MessageIndexCondition,
  conversation: string | undefined,
  direct: boolean | undefined,
  above = -1,
  upTo?: number,
): CandidateMessageRange => ({ index, conversation, direct, above, upTo });

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
  const candidates = streams.filter(conditions.inStream).map((stream) => {
    const conversation = storeNameOfStreamConversation(stream);
    return makeCandidate({ by: 'conversation', conversation }, conversation, false);
  });
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
  if (personal) return toMessageRangesOrNone([makeCandidate(personal, undefined, undefined)], conditions);
  if (direct && conversation !== undefined) {
    return toMessageRangesOrNone([makeCandidate({ by: 'conversation', conversation }, conversation, true)], conditions);
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
  const candidates: CandidateMessageRange[] = [];
  for (const stream of owner.streams) {
    const conversation = storeNameOfStreamConversation(stream);
    if (inStream(stream))
      addRangesOfStays(candidates, owner, stream, { by: 'conversation', conversation }, conversation, unread);
    addRangesOfStays(candidates, owner, stream, { by: 'moved', from: conversation }, undefined, unread);
  }
  const mark = unread ? flags.readStateOf(DIRECT_MESSAGES_ORIGIN).mark : -1;
  candidates.push(makeCandidate({ by: 'participant', user }, undefined, true, mark));
  // Copies that came with a move and historical ones start as read: unread ones are among the exceptions.
  if (unread) {
    const { ids } = IdSet.fromIds([...flags.allUnreadExceptionIds(), ...flags.markedIds('copied').ids]);
    candidates.push(makeCandidate({ by: 'ids', ids }, undefined, undefined));
    return candidates;
  }
  addRangesOfMovedCopies(candidates, owner);
  addRangeOfPersonalCopies(candidates, owner);
  return candidates;
}

function candidateRangesOfMentions(
  owner: MessageCopyOwner,
  { inStream }: NarrowStoreConditions,
): CandidateMessageRange[] {
  const mentioned = { by: 'tag', tag: messageIndexTags.mentioned(owner.user) } as const;
  const candidates = [makeCandidate(mentioned, undefined, undefined)];
  for (const stream of owner.streams) {
    const conversation = storeNameOfStreamConversation(stream);
    const everybody = { by: 'tag', tag: messageIndexTags.wildcard(conversation) } as const;
    if (inStream(stream)) addRangesOfStays(candidates, owner, stream, everybody, conversation);
    addRangesOfStays(candidates, owner, stream, { by: 'moved', from: conversation }, undefined);
  }
  addRangesOfMovedCopies(candidates, owner);
  addRangeOfPersonalCopies(candidates, owner);
  return candidates;
}

function addRangeOfPersonalCopies(candidates: CandidateMessageRange[], { flags }: MessageCopyOwner): void {
  const { ids } = IdSet.fromIds(flags.personalCopyIds());
  if (ids.length > 0) candidates.push(makeCandidate({ by: 'ids', ids }, undefined, false));
}

/** Adds the messages that were moved into the user's streams: the move may have given the user copies. */
function addRangesOfMovedCopies(candidates: CandidateMessageRange[], { streams }: MessageCopyOwner): void {
  for (const stream of streams) {
    const tag = messageIndexTags.cameTo(storeNameOfStreamConversation(stream));
    candidates.push(makeCandidate({ by: 'tag', tag }, undefined, false));
  }
}

/**
 * Adds ranges of an index of stream messages, one for each of the user's stays in a stream. @param conversation the
 * conversation of all messages of the index, if they are in one. @param unread true to start above the stream's read
 * mark
 */
function addRangesOfStays(
  candidates: CandidateMessageRange[],
  owner: MessageCopyOwner,
  stream: number,
  index: MessageIndexCondition,
  conversation: string | undefined,
  unread = false,
): void {
  const member = owner.membership(stream);
  if (!member) return;
  const mark = unread ? owner.flags.readStateOf(stream).mark : -1;
  for (const { to, after, until } of mergeStaysIfMany(member)) {
    const above = Math.max(after, mark);
    if (to === 0) candidates.push(makeCandidate(index, conversation, false, above));
    else if (until > above) candidates.push(makeCandidate(index, conversation, false, above, until));
  }
}

function mergeStaysIfMany(member: StreamMembershipRecord): readonly StreamMembershipStay[] {
  const { stays } = member;
  const [last, after] = [stays.at(-1), messageIdBeforeFirstStay(member)];
  if (!last || after === undefined || stays.length <= MAX_SEPARATELY_SCANNED_STAYS) return stays;
  return [{ ...last, from: stays[0]!.from, after }];
}

function toMessageRangesOrNone(
  candidates: readonly CandidateMessageRange[],
  conditions: NarrowStoreConditions,
): readonly MessageIndexRange[] {
  if (conditions.impossible) return RANGES_WITHOUT_MESSAGES;
  const ranges: MessageIndexRange[] = [];
  for (const candidate of candidates) {
    const range = toMessageRangeIfPossible(candidate, conditions);
    if (range) ranges.push(range);
  }
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
  const indexes: MessageIndexCondition[] = [];
  // If the candidate's index is that of a conversation, the conditions below add it, perhaps narrowed to a topic.
  if (candidate.index.by !== 'conversation') indexes.push(candidate.index);
  if (place !== undefined) {
    if (topicKey !== undefined) indexes.push({ by: 'topic', conversation: place, topicKey });
    // A tag of the conversation implies the conversation.
    else if (candidate.conversation === undefined || candidate.index.by === 'conversation') {
      indexes.push({ by: 'conversation', conversation: place });
    }
  }
  for (const index of also) indexes.push(index);
  const range: { -readonly [K in keyof MessageIndexRange]: MessageIndexRange[K] } = {
    index: indexes[0]!,
    also: indexes.length === 1 ? NO_FURTHER_CONDITIONS : indexes.slice(1),
  };
  if (candidate.above >= 0) range.above = candidate.above;
  if (candidate.upTo !== undefined) range.upTo = candidate.upTo;
  return range;
}
