/** Makes update_message_flags events (events.md § Event table, § message_details). */

import { makeFlagEventBaseFields, makeMessageFlagsEvent } from '#actors/shared';
import type { Json, JsonObject } from '#base';
import { hasMentionFlag, type OriginReadState, type ReadableMessage } from '#domain/messages';
import { type ActorParts, type LogItem, MAX_READ_IDS_PER_EVENT, type ReadMessageIdRange } from '#model';
import type { MessageFlagChange } from '#model/commands';
import { findPresentOrFormerSubscription } from '../state.js';

/** Maximum number of events about one range of ids that became read. The last event takes all remaining ids. */
const MAX_EVENTS_PER_READ_RANGE = 64;

type UnreadIdRange = Omit<ReadMessageIdRange, 'of' | 'slice' | 'last'>;

/**
 * Range of the unread ids of an origin stream, up to `to`.
 *
 * @param stream stream in which the messages must be now; 0: any
 */
export const unreadIdRangeOfOrigin = (
  origin: number,
  { mark, read, unread }: OriginReadState,
  to: number,
  stream: number,
): UnreadIdRange => ({
  home: origin,
  above: mark,
  to,
  read: read.encode(),
  unread: unread.encode(),
  stream,
});

/** Events of a range of ids that became read; the ids themselves are resolved at delivery. */
export function makeReadEventsOfIdRange(user: number, range: UnreadIdRange): LogItem[] {
  const possible = Math.max(0, range.to - range.above) + range.unread.length;
  const count = Math.max(1, Math.min(MAX_EVENTS_PER_READ_RANGE, Math.ceil(possible / MAX_READ_IDS_PER_EVENT)));
  return Array.from({ length: count }, (_, slice) => ({
    t: 'event',
    to: { users: [user] },
    event: { ...makeFlagEventBaseFields('add', 'read'), all: false },
    own: { ...range, of: 'read', slice, last: slice === count - 1 },
  }));
}

/** Details by which a client counts messages that became unread. Messages in streams that the user left are omitted. */
export function makeUnreadMessageDetails(
  messages: readonly ReadableMessage[],
  user: number,
  parts: ActorParts,
): JsonObject {
  const details: Record<string, Json> = {};
  for (const { message } of messages) {
    const { body: of, id, participants } = message;
    const mentioned = of.wildcard || hasMentionFlag(of.flags[user]) ? { mentioned: true } : {};
    if (of.stream === 0) {
      const others = participants.filter((one) => one !== user);
      details[id] = { type: 'private', user_ids: others, ...mentioned };
      continue;
    }
    const subscription = findPresentOrFormerSubscription(parts, of.stream);
    if (!subscription?.active) continue;
    const unmuted = !subscription.muted;
    details[id] = { type: 'stream', stream_id: of.stream, topic: of.topic, unmuted_stream_msg: unmuted, ...mentioned };
  }
  return details;
}

/**
 * Maximum number of messages with details per event: the details of a message that becomes unread take some 300 bytes.
 */
const MAX_MESSAGE_DETAILS_PER_EVENT = 1_000;

/** Makes the events of changed flags: at least one, even without a change, because clients expect an event. */
export function makeFlagEvents(
  user: number,
  { op, flag }: MessageFlagChange,
  changed: readonly number[],
  details: JsonObject | undefined,
): LogItem[] {
  const most = details ? MAX_MESSAGE_DETAILS_PER_EVENT : MAX_READ_IDS_PER_EVENT;
  if (changed.length <= most) return [makeMessageFlagsEvent(user, op, flag, changed, details)];
  const events: LogItem[] = [];
  for (let i = 0; i < changed.length; i += most) {
    const ids = changed.slice(i, i + most);
    const own = details && Object.fromEntries(ids.map((id) => [id, details[id]]));
    events.push(makeMessageFlagsEvent(user, op, flag, ids, own));
  }
  return events;
}
