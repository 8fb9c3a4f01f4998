/**
 * Scheduled messages (messages.md § Scheduled messages): one part of the sender's actor each. The functions have no
 * side effects.
 */

import { JsonFloat, type JsonObject, parseJsonText } from '#base';
import type { ActorParts } from '#model';
import { apiError } from '#model/errors';

/**
 * Recipients and text of a scheduled message, checked and normalised. `to` is the stream, or the other participants of
 * a conversation, ascending (the sender itself when alone).
 */
export interface ScheduledMessageBody extends JsonObject {
  readonly type: 'stream' | 'private';
  readonly to: readonly number[];
  /** Topic of the message; '' for direct messages. */
  readonly topic: string;
  readonly content: string;
  readonly html: string;
  /** True if the text has a wildcard mention. */
  readonly wildcard: boolean;
  /**
   * True if `@**channel**` and `@**topic**` are mentions, because the API level of the client has them. Absent in
   * messages of earlier versions.
   */
  readonly newer_mentions?: boolean;
}

export interface ScheduledMessage extends ScheduledMessageBody {
  readonly id: number;
  /** Time at which the message is to be sent, seconds since 1970. */
  readonly at: number;
  /**
   * Phase of a scheduled message: waiting → sending (handed over to the conversation's actor) → sent (a
   * `SentScheduledMessage` replaces the message) or failed. An edit sets a failed message to waiting.
   */
  readonly phase: 'waiting' | 'sending' | 'failed';
  /** Name of the client that wrote or last edited the message. */
  readonly client: string;
  /** Base URL under which the sender reached the organization. */
  readonly origin: string;
  /** Time before which the message is not handed over again, ms since 1970, as the last hand-over came too early. */
  readonly notBefore?: number;
  /** Number of times that the message was handed over too early. */
  readonly early?: number;
}

/**
 * Record that a scheduled message was sent: a client that edits the message learns so, and may delete the record. It is
 * kept until `MAX_SENT_SCHEDULED_MESSAGES_KEPT` later messages were sent.
 */
export interface SentScheduledMessage extends JsonObject {
  readonly id: number;
  readonly phase: 'sent';
  /** Time at which the message was sent, ms since 1970. Absent in records of earlier versions, which are the oldest. */
  readonly sent?: number;
}

export const SCHEDULED_MESSAGE_PART_PREFIX = 'scheduled/';

/** Maximum number of messages of a user that wait to be sent or failed; GET /scheduled_messages returns all of them. */
export const MAX_SCHEDULED_MESSAGES_PER_USER = 2_000;

/** Maximum number of records of sent messages per user. */
export const MAX_SENT_SCHEDULED_MESSAGES_KEPT = 100;
/** Maximum number of these records that one commit deletes: earlier versions kept all of them. */
const MAX_SENT_SCHEDULED_MESSAGES_DELETED_AT_ONCE = 100;

export const scheduledMessagePartName = (id: number): string => `${SCHEDULED_MESSAGE_PART_PREFIX}${id}`;

export const findStoredScheduledMessage = (
  parts: ActorParts,
  id: number,
): ScheduledMessage | SentScheduledMessage | undefined =>
  parts.get(scheduledMessagePartName(id)) as ScheduledMessage | SentScheduledMessage | undefined;

const listStoredScheduledMessages = (parts: ActorParts): (ScheduledMessage | SentScheduledMessage)[] =>
  [...parts]
    .filter(([name]) => name.startsWith(SCHEDULED_MESSAGE_PART_PREFIX))
    .map(([, value]) => value as ScheduledMessage | SentScheduledMessage);

/** Scheduled messages that are waiting, being sent or failed, ordered by time. */
export const listUnsentScheduledMessages = (parts: ActorParts): ScheduledMessage[] =>
  listStoredScheduledMessages(parts)
    .filter((message) => message.phase !== 'sent')
    .sort((a, b) => a.at - b.at || a.id - b.id);

/** Records of sent messages to delete before one more is added. */
export function listSentScheduledMessagesToDelete(parts: ActorParts): SentScheduledMessage[] {
  const sent = listStoredScheduledMessages(parts).filter((message) => message.phase === 'sent');
  const excess = Math.max(0, sent.length + 1 - MAX_SENT_SCHEDULED_MESSAGES_KEPT);
  return sent
    .sort((a, b) => (a.sent ?? 0) - (b.sent ?? 0) || a.id - b.id)
    .slice(0, Math.min(excess, MAX_SENT_SCHEDULED_MESSAGES_DELETED_AT_ONCE));
}

/**
 * Maximum number of messages in phase `sending` at a time, so that many messages scheduled for one time don't fill a
 * commit.
 */
const MAX_SCHEDULED_MESSAGES_SENDING_AT_ONCE = 20;

const handOverTimeMs = ({ at, notBefore = 0 }: ScheduledMessage): number => Math.max(at * 1000, notBefore);

/** Wait before the next attempt to deliver a scheduled message that came too early, ms. */
export const EARLY_DELIVERY_RETRY_PAUSE_MS = 1_000;

/** Messages that wait for a further attempt by a clock that was ahead, without that wait. */
export const listScheduledMessagesWithoutWaitFromAhead = (parts: ActorParts, now: number): ScheduledMessage[] =>
  listUnsentScheduledMessages(parts)
    .filter(({ notBefore = 0 }) => notBefore > now + EARLY_DELIVERY_RETRY_PAUSE_MS)
    .map(({ notBefore: _, ...message }) => message as ScheduledMessage);

/** Scheduled messages that are to be handed over now. */
export function listScheduledMessagesToHandOver(parts: ActorParts, now: number): ScheduledMessage[] {
  const messages = listUnsentScheduledMessages(parts);
  const sending = messages.filter(({ phase }) => phase === 'sending').length;
  return messages
    .filter((message) => message.phase === 'waiting' && handOverTimeMs(message) <= now)
    .slice(0, Math.max(0, MAX_SCHEDULED_MESSAGES_SENDING_AT_ONCE - sending));
}

/**
 * Time of the next hand-over, ms since 1970. Null: no message waits, or `MAX_SCHEDULED_MESSAGES_SENDING_AT_ONCE` are
 * being sent.
 */
export function nextScheduledHandOverTimeMs(parts: ActorParts): number | null {
  const messages = listUnsentScheduledMessages(parts);
  if (messages.filter(({ phase }) => phase === 'sending').length >= MAX_SCHEDULED_MESSAGES_SENDING_AT_ONCE) return null;
  const times = messages.filter(({ phase }) => phase === 'waiting').map(handOverTimeMs);
  return times.length === 0 ? null : times.reduce((a, b) => Math.min(a, b));
}

export const formatScheduledMessageForApi = ({
  id,
  type,
  to,
  topic,
  content,
  html,
  at,
  phase,
}: ScheduledMessage): JsonObject => ({
  scheduled_message_id: id,
  type,
  to: type === 'stream' ? to[0] : to,
  content,
  rendered_content: html,
  ...(type === 'stream' ? { topic } : {}),
  scheduled_delivery_timestamp: at,
  failed: phase === 'failed',
});

/** Parses `to` of a scheduled message: ids only (messages.md § Scheduled messages). @throws ApiError */
export function parseScheduledMessageRecipients(type: 'stream' | 'private', to: string): number[] {
  return type === 'stream' ? [parseScheduledStreamId(to)] : parseScheduledUserIds(to);
}

function parseScheduledStreamId(to: string): number {
  const id = /^\s*[+-]?\d{1,15}\s*$/.test(to) ? Number(to) : Number.NaN;
  if (Number.isNaN(id)) throw apiError('SCHEDULED_STREAM_TYPE');
  return id;
}

function parseScheduledUserIds(to: string): number[] {
  const list = parseJsonText(to)?.value;
  if (!Array.isArray(list)) throw apiError('RECIPIENT_DATA_TYPE');
  const ids = list.map((one: unknown) => {
    // Booleans count as integers, as on the API's original server: `true` is 1.
    const id = typeof one === 'boolean' ? Number(one) : one;
    if (id instanceof JsonFloat || !Number.isSafeInteger(id)) throw apiError('SCHEDULED_USER_IDS');
    return id as number;
  });
  return [...new Set(ids)];
}
