import type { JsonObject } from '#base';
import type { ApiChange } from '../change.js';

/** Flags of messages that the event has at newer levels; older flags for user interfaces are left out. */
const FLAGS_OF_TODAY = new Set([
  'read',
  'starred',
  'collapsed',
  'mentioned',
  'wildcard_mentioned',
  'stream_wildcard_mentioned',
  'topic_wildcard_mentioned',
  'has_alert_word',
  'historical',
]);

function withoutMoveIfNothingMoved(event: JsonObject): JsonObject {
  const { propagate_mode, orig_subject, new_stream_id, ...rest } = event;
  if (propagate_mode === undefined) return event;
  const isOtherStream = new_stream_id !== undefined && new_stream_id !== event.stream_id;
  const isOtherTopic = event.subject !== undefined && event.subject !== orig_subject;
  if (isOtherTopic || isOtherStream)
    return isOtherStream ? event : { ...rest, propagate_mode, orig_subject: orig_subject! };
  const { subject: _subject, topic_links: _links, ...unmoved } = rest;
  return unmoved;
}

export const MESSAGE_EDIT_EVENTS: ApiChange = {
  since: 277,
  summary: 'update_message names a move only if stream or topic differ, and no flags of older interfaces.',
  events: {
    update_message: (event) => ({
      ...withoutMoveIfNothingMoved(event),
      flags: (event.flags as readonly string[]).filter((flag) => FLAGS_OF_TODAY.has(flag)),
    }),
  },
};
