/** The common part of two registrations of a client, one of them kept up by events. */
import type { Params } from './client.js';
import { CURRENT_CLIENT_HEADERS, CURRENT_CLIENT_REGISTRATION } from './current-client-requests.js';
import type { ReducerOptions, State } from './reducer.js';
import { byTopic } from './reducer-own.js';
import { ofActive, online } from './reducer-people.js';
import { withoutOwnSettings } from './reducer-streams.js';
import type { ApiStream, Fields } from './types.js';

const CAPABILITIES = [
  'notification_settings_null',
  'bulk_message_deletion',
  'user_avatar_url_field_optional',
  'stream_typing_notifications',
  'user_settings_object',
  'linkifier_url_template',
];

interface ClientKind {
  readonly params: Params;
  readonly headers: Readonly<Record<string, string>>;
}

/** The two extremes of a client's options at the base level, and the mobile client of today, at a newer API level. */
export const CLIENTS: Readonly<Record<string, ClientKind>> = {
  'all capabilities': {
    params: {
      include_subscribers: true,
      client_gravatar: false,
      slim_presence: true,
      apply_markdown: true,
      client_capabilities: Object.fromEntries(CAPABILITIES.map((name) => [name, true])),
    },
    headers: {},
  },
  'no capabilities': { params: {}, headers: {} },
  'mobile client of today': { params: CURRENT_CLIENT_REGISTRATION, headers: CURRENT_CLIENT_HEADERS },
};

export const optionsOf = (params: Params, isAtNewerLevel: boolean): ReducerOptions => ({
  clientGravatar: params.client_gravatar !== false,
  includeSubscribers: params.include_subscribers === true,
  knowsStreamsBeforeJoining: isAtNewerLevel,
});

/** Leaves out fields that differ between any two registrations, and those that no event carries to non-subscribers. */
export function comparable(
  { queue_id: _, last_event_id: __, server_timestamp, ...state }: Fields,
  params: Params,
): State {
  const known = new Set((state.subscriptions as ApiStream[]).map((stream) => stream.stream_id));
  const hide = (list: ApiStream[]): ApiStream[] =>
    list.map((stream) => (known.has(stream.stream_id) ? stream : { ...stream, first_message_id: 'unknown' }));
  const of = state as unknown as State;
  const user_topics = byTopic(of.user_topics as Parameters<typeof byTopic>[0]);
  return {
    ...of,
    // Events have avatars regardless of the client's capability.
    ...(params.client_capabilities ? { realm_non_active_users: withoutAvatars(of.realm_non_active_users) } : {}),
    streams: hide(of.streams),
    ...notSubscribed(hide(of.unsubscribed), hide(of.never_subscribed)),
    user_topics,
    presences: online(of, Number(server_timestamp)),
    user_status: ofActive(of),
  };
}

/**
 * Joins the two lists. The event of a stream that becomes visible again does not tell whether the user was subscribed
 * before, so the client can't know to which list it belongs.
 */
const notSubscribed = (
  unsubscribed: readonly ApiStream[],
  never_subscribed: readonly ApiStream[],
): Pick<State, 'unsubscribed' | 'never_subscribed'> => {
  const both = [...unsubscribed.map(withoutOwnSettings), ...never_subscribed];
  return { unsubscribed: [], never_subscribed: both.sort((a, b) => a.stream_id - b.stream_id) };
};

const withoutAvatars = (users: unknown): object[] =>
  (users as { avatar_url?: unknown }[]).map(({ avatar_url: _, ...user }) => user);
