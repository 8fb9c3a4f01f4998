/** update_message_flags events (events.md § Event table, § message_details). */

import { flagEventBody } from '#actors/shared';
import type { Json, JsonObject } from '#base';
import type { HomeReading, OwnMessage } from '#domain/messages';
import type { LogItem, Parts, ReadRange } from '#model';
import { READ_IDS_PER_EVENT } from '#model';
import { subscriptionOf } from '../state.js';

/** The last of them takes all the rest. */
const MAX_EVENTS = 64;

type Range = Omit<ReadRange, 'of' | 'slice' | 'last'>;

/** What a home's reading leaves unread up to an id. @param stream only what is there now; 0 = wherever it is */
export const rangeOf = (home: number, { mark, read, unread }: HomeReading, to: number, stream: number): Range => ({
  home,
  above: mark,
  to,
  read: read.encode(),
  unread: unread.encode(),
  stream,
});

/** A range of ids became read: which ones is worked out when the event is delivered. */
export function rangeEvents(user: number, range: Range): LogItem[] {
  const possible = Math.max(0, range.to - range.above) + range.unread.length;
  const count = Math.max(1, Math.min(MAX_EVENTS, Math.ceil(possible / READ_IDS_PER_EVENT)));
  return Array.from({ length: count }, (_, slice) => ({
    t: 'event',
    to: { users: [user] },
    event: { ...flagEventBody('add', 'read'), all: false },
    own: { ...range, of: 'read', slice, last: slice === count - 1 },
  }));
}

/** What a client needs to count messages that became unread; without those of streams that the user left. */
export function messageDetails(messages: readonly OwnMessage[], user: number, parts: Parts): JsonObject {
  const details: Record<string, Json> = {};
  for (const { message } of messages) {
    const { body: of, id, participants } = message;
    const mentioned = of.wildcard || of.flags[user]?.includes('mentioned') ? { mentioned: true } : {};
    if (of.stream === 0) {
      const others = participants.filter((one) => one !== user);
      details[id] = { type: 'private', user_ids: others, ...mentioned };
      continue;
    }
    const subscription = subscriptionOf(parts, of.stream);
    if (!subscription?.active) continue;
    const unmuted = !subscription.muted;
    details[id] = { type: 'stream', stream_id: of.stream, topic: of.topic, unmuted_stream_msg: unmuted, ...mentioned };
  }
  return details;
}
