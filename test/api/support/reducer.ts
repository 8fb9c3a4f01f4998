/** What a client makes of its snapshot when events come: the sections of the state that exist so far. */
import { applyOwn } from './reducer-own.js';
import { applyRealm } from './reducer-realm.js';
import { flagsChanged, messageArrived } from './reducer-unread.js';
import type { ApiEvent, ApiMessage, ApiStream, ApiUser, Fields } from './types.js';

export interface State {
  max_message_id: number;
  realm_users: ApiUser[];
  subscriptions: ApiStream[];
  unsubscribed: ApiStream[];
  never_subscribed: ApiStream[];
  streams: ApiStream[];
  readonly [section: string]: unknown;
}

export interface ReducerOptions {
  readonly clientGravatar: boolean;
  readonly includeSubscribers: boolean;
}

const PERSONAL = [
  'color',
  'is_muted',
  'in_home_view',
  'pin_to_top',
  'desktop_notifications',
  'audible_notifications',
  'push_notifications',
  'email_notifications',
  'wildcard_mentions_notify',
  'email_address',
];

const byName = (a: ApiStream, b: ApiStream): number => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);

const without = (list: readonly ApiStream[], gone: readonly ApiStream[]): ApiStream[] =>
  list.filter((stream) => !gone.some((other) => other.stream_id === stream.stream_id));

const merged = (list: readonly ApiStream[], added: readonly ApiStream[]): ApiStream[] =>
  [...without(list, added), ...added].sort(byName);

const leaving = (stream: Fields, names: readonly string[]): ApiStream =>
  Object.fromEntries(Object.entries(stream).filter(([name]) => !names.includes(name))) as unknown as ApiStream;

/** The state after one event. @throws Error for an event that a client could not make sense of */
export function apply(state: State, event: ApiEvent, options: ReducerOptions): State {
  switch (event.op === undefined ? event.type : `${event.type}/${event.op}`) {
    case 'heartbeat':
    // Of messages, which no section shows.
    case 'reaction/add':
    case 'reaction/remove':
    case 'submessage':
      return state;
    case 'message':
      return messageArrived(
        messageSent(state, event.message as ApiMessage),
        event.message as ApiMessage,
        event.flags as string[],
      );
    case 'update_message_flags/add':
    case 'update_message_flags/remove':
      return flagsChanged(state, event);
    case 'realm_user/add':
      return userAdded(state, event.person as ApiUser, options);
    case 'stream/create':
      return streamCreated(state, event.streams as ApiStream[], options);
    case 'subscription/add':
      return subscribed(state, event.subscriptions as ApiStream[]);
    case 'subscription/peer_add':
      return peersAdded(state, event.stream_ids as number[], event.user_ids as number[]);
    default: {
      const next = applyOwn(state, event) ?? applyRealm(state, event, options);
      if (!next) throw new Error(`the reducer does not know ${event.type}/${event.op}`);
      return next;
    }
  }
}

function messageSent(state: State, { id, stream_id }: ApiMessage): State {
  const first = (list: readonly ApiStream[]): ApiStream[] =>
    list.map((stream) =>
      stream.stream_id === stream_id && stream.first_message_id === null ? { ...stream, first_message_id: id } : stream,
    );
  return {
    ...state,
    max_message_id: Math.max(state.max_message_id, id),
    subscriptions: first(state.subscriptions),
    streams: first(state.streams),
  };
}

function userAdded(state: State, { is_active: _, ...person }: ApiUser, { clientGravatar }: ReducerOptions): State {
  if (state.realm_users.some((user) => user.user_id === person.user_id)) throw new Error('the user was known already');
  const user = { ...person, avatar_url: clientGravatar ? null : person.avatar_url } as ApiUser;
  const realm_users = [...state.realm_users, user].sort((a, b) => a.user_id - b.user_id);
  return { ...state, realm_users };
}

function streamCreated(state: State, made: readonly ApiStream[], { includeSubscribers }: ReducerOptions): State {
  for (const stream of made) {
    if (state.streams.some((known) => known.stream_id === stream.stream_id))
      throw new Error('the stream was known already');
  }
  const never = made.map((stream) => ({
    ...stream,
    stream_weekly_traffic: null,
    ...(includeSubscribers ? { subscribers: [] } : {}),
  }));
  return {
    ...state,
    streams: merged(state.streams, made),
    never_subscribed: merged(state.never_subscribed, never),
  };
}

function subscribed(state: State, added: readonly ApiStream[]): State {
  for (const stream of added) {
    if (state.subscriptions.some((own) => own.stream_id === stream.stream_id)) throw new Error('subscribed already');
  }
  // A guest hears of a public stream only when he joins it.
  const unknown = added.filter((stream) => !state.streams.some((known) => known.stream_id === stream.stream_id));
  return {
    ...state,
    subscriptions: merged(state.subscriptions, added),
    unsubscribed: without(state.unsubscribed, added),
    never_subscribed: without(state.never_subscribed, added),
    streams: merged(
      state.streams,
      unknown.map((stream) => leaving(stream, [...PERSONAL, 'stream_weekly_traffic', 'subscribers'])),
    ),
  };
}

function peersAdded(state: State, streams: readonly number[], users: readonly number[]): State {
  const joined = (list: readonly ApiStream[]): ApiStream[] =>
    list.map((stream) => {
      if (!stream.subscribers || !streams.includes(stream.stream_id)) return stream;
      const subscribers = [...new Set([...stream.subscribers, ...users])].sort((a, b) => a - b);
      return { ...stream, subscribers };
    });
  return {
    ...state,
    subscriptions: joined(state.subscriptions),
    unsubscribed: joined(state.unsubscribed),
    never_subscribed: joined(state.never_subscribed),
  };
}
