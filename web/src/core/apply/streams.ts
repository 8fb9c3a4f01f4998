/** Events about streams, subscriptions and policies of topics. */
import type { Events } from '../../contract/index.js';
import type { ClientState } from '../state/state.js';
import { type EventAppliers, type EventApplyTarget, ignoreEvent } from './target.js';

function applyStreamUpdate(state: ClientState, event: Events['stream/update']): void {
  const { property, value, rendered_description, history_public_to_subscribers, is_web_public } = event;
  const more = { rendered_description, history_public_to_subscribers, is_web_public };
  const given = Object.fromEntries(Object.entries(more).filter(([, of]) => of !== undefined));
  // Only subscriptions have an address for mail.
  const changed = <S extends { readonly stream_id: number }>(stream: S): S =>
    stream.stream_id === event.stream_id && property in stream ? { ...stream, [property]: value, ...given } : stream;
  const stream = state.streams.byId.peek().get(event.stream_id);
  if (stream) state.streams.putStream(stream.stream_id, changed(stream));
  const { realm_default_streams: streams = [] } = state.realm.fields.peek();
  if (streams.some(({ stream_id }) => stream_id === event.stream_id))
    state.realm.mergeFields({ realm_default_streams: streams.map(changed) });
}

function applyStreamsCreated(state: ClientState, { streams }: Events['stream/create']): void {
  for (const stream of streams) {
    // An event about a private stream that the user has left and may see again.
    const former = state.streams.byId.peek().get(stream.stream_id);
    const more = former ?? { stream_weekly_traffic: null, membership: 'never' };
    state.streams.putStream(stream.stream_id, { ...more, ...stream });
  }
}

function applyUnsubscription(
  { state, windows }: EventApplyTarget,
  { subscriptions }: Events['subscription/remove'],
): void {
  for (const { stream_id } of subscriptions) {
    const stream = state.streams.byId.peek().get(stream_id);
    if (stream) state.streams.putStream(stream_id, { ...stream, membership: 'former' });
    state.unread.removeMessagesOfStream(stream_id);
    windows.refreshAfterSubscriptionChange(stream_id);
  }
}

export const STREAM_EVENT_APPLIERS: EventAppliers<
  | 'stream/create'
  | 'stream/update'
  | 'stream/delete'
  | 'subscription/add'
  | 'subscription/remove'
  | 'subscription/update'
  | 'subscription/peer_add'
  | 'subscription/peer_remove'
  | 'default_streams'
  | 'default_stream_groups'
  | 'user_topic'
  | 'muted_topics'
> = {
  'stream/create': ({ state }, event) => applyStreamsCreated(state, event),
  'stream/update': ({ state }, event) => applyStreamUpdate(state, event),
  'stream/delete': ({ state, windows }, { streams }) => {
    for (const { stream_id } of streams) {
      state.streams.deleteStream(stream_id);
      state.unread.removeMessagesOfStream(stream_id);
      windows.refreshAfterSubscriptionChange(stream_id);
    }
  },
  'subscription/add': ({ state, windows }, { subscriptions }) => {
    for (const stream of subscriptions) {
      state.streams.putStream(stream.stream_id, { ...stream, membership: 'subscribed' });
      windows.refreshAfterSubscriptionChange(stream.stream_id);
    }
  },
  'subscription/remove': applyUnsubscription,
  'subscription/update': ({ state }, { stream_id, property, value }) => {
    const stream = state.streams.byId.peek().get(stream_id);
    if (stream) state.streams.putStream(stream_id, { ...stream, [property]: value });
  },
  // Subscribers are fetched by the view that lists them.
  'subscription/peer_add': ignoreEvent,
  'subscription/peer_remove': ignoreEvent,
  default_streams: ({ state }, { default_streams }) =>
    state.realm.mergeFields({ realm_default_streams: default_streams }),
  // The client has no view of these groups.
  default_stream_groups: ignoreEvent,
  user_topic: ({ state }, { stream_id, topic_name, last_updated, visibility_policy }) =>
    state.muting.putTopicPolicy({ stream_id, topic_name, last_updated, visibility_policy }),
  // The older form of user_topic.
  muted_topics: ignoreEvent,
};
