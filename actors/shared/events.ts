import type { JsonObject } from '#base';
import { type EventAudience, type EventLogItem, type LogItem, MAX_READ_IDS_PER_EVENT } from '#model';
import type { TypingOp } from '#model/commands';
import type { DirectoryUser } from '#model/records';

/** Body of update_message_flags events (events.md § Event table, § message_details). */
export const makeFlagEventBaseFields = (op: 'add' | 'remove', flag: string): JsonObject => ({
  type: 'update_message_flags',
  op,
  operation: op,
  flag,
});

export function makeMessageFlagsEvent(
  user: number,
  op: 'add' | 'remove',
  flag: string,
  messages: readonly number[],
  details?: JsonObject,
): LogItem {
  const event = {
    ...makeFlagEventBaseFields(op, flag),
    messages,
    all: false,
    ...(details ? { message_details: details } : {}),
  };
  return { t: 'event', to: { users: [user] }, event };
}

export const makeAllMessagesReadEvent = (user: number): LogItem => ({
  t: 'event',
  to: { users: [user] },
  event: { ...makeFlagEventBaseFields('add', 'read'), messages: [], all: true },
});

/** Events that name the ids of messages that became read. Without ids there are no events. */
export function makeMessagesReadEvents(user: number, ids: readonly number[]): LogItem[] {
  const sorted = [...ids].sort((a, b) => a - b);
  const events: LogItem[] = [];
  for (let i = 0; i < sorted.length; i += MAX_READ_IDS_PER_EVENT) {
    events.push(makeMessageFlagsEvent(user, 'add', 'read', sorted.slice(i, i + MAX_READ_IDS_PER_EVENT)));
  }
  return events;
}

export const formatTypingUserForApi = ({ id, email }: DirectoryUser): JsonObject => ({ user_id: id, email });

/**
 * The event that typing was started or stopped.
 *
 * @param place fields that name the conversation: message_type, and stream and topic or recipients
 */
export const makeTypingEvent = (
  op: TypingOp,
  sender: DirectoryUser,
  place: JsonObject,
  to: EventAudience,
): EventLogItem => ({
  t: 'event',
  to,
  event: { type: 'typing', op, sender: formatTypingUserForApi(sender), ...place },
});
