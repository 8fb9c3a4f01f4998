/** Tests of messages against narrows, for messages that arrive or move while a window is open. */
import type { Message } from '../contract/index.js';
import { type Conversation, getOtherOrOwnUserIds, type Narrow, type NarrowTerm } from './narrow.js';

/** Facts that decide, beside the message, whether it matches. */
export interface NarrowMatchFacts {
  readonly ownUserId: number;
  /** undefined: unknown stream. */
  getStreamPrivacy(id: number): 'private' | 'public' | 'web-public' | undefined;
  isTopicMuted(stream: number, topic: string): boolean;
  isSubscribed(stream: number): boolean;
}

/** Beginning of the names of resolved topics. */
export const RESOLVED_TOPIC_PREFIX = '✔ ';

export const isTopicResolved = (topic: string): boolean => topic.startsWith(RESOLVED_TOPIC_PREFIX);

/** Ids of all users of a direct message, the reader among them. */
export const getDirectParticipantIds = ({
  display_recipient: users,
}: Pick<Message, 'display_recipient'>): readonly number[] =>
  typeof users === 'string' ? [] : users.map(({ id }) => id);

export const getMessageConversation = (
  message: Pick<Message, 'display_recipient' | 'stream_id' | 'subject'>,
  me: number,
): Conversation =>
  message.stream_id === undefined
    ? { users: getOtherOrOwnUserIds(getDirectParticipantIds(message), me) }
    : { stream: message.stream_id, topic: message.subject };

function matchesIsOperand(operand: unknown, { flags, type, subject }: Message): boolean | undefined {
  switch (operand) {
    case 'dm':
    case 'private':
      return type === 'private';
    case 'starred':
      return flags.includes('starred');
    case 'unread':
      return !flags.includes('read');
    case 'mentioned':
      return flags.includes('mentioned') || flags.includes('wildcard_mentioned');
    case 'alerted':
      return flags.includes('has_alert_word');
    case 'resolved':
      return type === 'stream' && isTopicResolved(subject);
    default:
      return undefined;
  }
}

function matchesTermIgnoringNegation(
  { operator, operand }: NarrowTerm,
  message: Message,
  facts: NarrowMatchFacts,
): boolean | undefined {
  const { stream_id: stream } = message;
  switch (operator) {
    case 'stream':
      return stream === operand;
    case 'streams': {
      const kind = stream === undefined ? undefined : facts.getStreamPrivacy(stream);
      if (operand === 'public') return kind === 'public' || kind === 'web-public';
      return kind === 'web-public';
    }
    case 'topic':
      return stream !== undefined && message.subject.toLowerCase() === String(operand).toLowerCase();
    case 'sender':
      return typeof operand === 'number' ? message.sender_id === operand : undefined;
    case 'dm':
      if (typeof operand !== 'object') return undefined;
      return (
        stream === undefined &&
        getOtherOrOwnUserIds(getDirectParticipantIds(message), facts.ownUserId).join() === operand.join()
      );
    case 'dm-including':
      return typeof operand === 'number'
        ? stream === undefined && getDirectParticipantIds(message).includes(operand)
        : undefined;
    case 'is':
      return matchesIsOperand(operand, message);
    case 'in':
      return operand !== 'home' || stream === undefined || !facts.isTopicMuted(stream, message.subject);
    case 'id':
      return String(message.id) === String(operand);
    default:
      // Only the server can match `search`, `has` and other operators on the text of a message.
      return undefined;
  }
}

/**
 * Whether the narrow shows messages that the user has no copy of: the history of a stream. Such messages have the flag
 * `historical`. All other narrows show copies only.
 */
export const narrowShowsHistory = (narrow: Narrow): boolean =>
  narrow.some(({ operator, negated }) => !negated && (operator === 'stream' || operator === 'streams')) &&
  !narrow.some(({ operator }) => operator === 'is');

/** Whether the user has events about every message that the narrow shows; visitors have none. */
export const hasEventsForWholeNarrow = (narrow: Narrow, facts: NarrowMatchFacts): boolean =>
  facts.ownUserId !== 0 &&
  (!narrowShowsHistory(narrow) ||
    narrow.some(
      ({ operator, operand, negated }) =>
        operator === 'stream' && !negated && typeof operand === 'number' && facts.isSubscribed(operand),
    ));

/** @returns undefined: only the server can tell */
export function matchesNarrow(narrow: Narrow, message: Message, facts: NarrowMatchFacts): boolean | undefined {
  let unsure = false;
  for (const term of narrow) {
    const is = matchesTermIgnoringNegation(term, message, facts);
    // The API ignores the negation of `in`.
    if (is !== undefined && is === (term.negated === true && term.operator !== 'in')) return false;
    if (is === undefined) unsure = true;
  }
  // `historical`: the user has no copy, unless a reaction has made one, which leaves the flag as it is.
  if (message.flags.includes('historical') && !message.flags.includes('starred') && !narrowShowsHistory(narrow)) {
    return undefined;
  }
  return unsure ? undefined : true;
}
