/** Changes of every channel object: a stream, or a subscription, which has the fields of its stream. */
import type { Json, JsonObject } from '#base';
import type { ApiChange } from './change.js';
import { mapObjects } from './json.js';

/** The ids of a list of channel objects. */
export const toStreamIds = (channels: Json | undefined): Json[] =>
  (channels as readonly JsonObject[]).map(({ stream_id }) => stream_id!);

/**
 * Returns the fields of an `ApiChange` that applies `translate` to each channel object in answers, state and events.
 */
export function inEveryChannelObject(
  translate: (channel: JsonObject) => JsonObject,
): Required<Pick<ApiChange, 'answers' | 'state' | 'events'>> {
  const inList =
    (name: string) =>
    (fields: JsonObject): JsonObject => ({ ...fields, [name]: mapObjects(fields[name], translate) });
  const list = (channels: Json): Json => mapObjects(channels, translate);
  return {
    answers: {
      'get-streams': inList('streams'),
      'get-stream-by-id': (fields) => ({ ...fields, stream: translate(fields.stream as JsonObject) }),
      'get-subscriptions': inList('subscriptions'),
    },
    state: { streams: list, subscriptions: list, unsubscribed: list, never_subscribed: list },
    events: {
      stream: (event) => (event.op === 'create' ? inList('streams')(event) : event),
      subscription: (event) => (event.op === 'add' ? inList('subscriptions')(event) : event),
    },
  };
}
