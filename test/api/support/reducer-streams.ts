/** The reducer's part for streams and subscriptions. */
import type { ReducerOptions, State } from './reducer.js';
import { unreadRecounted } from './reducer-unread.js';
import type { ApiEvent, ApiStream, Fields } from './types.js';

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

/** A stream without the user's own settings of its subscription. */
export const withoutOwnSettings = (stream: ApiStream): ApiStream => leaving(stream as unknown as Fields, PERSONAL);

const withoutOwnSide = (stream: ApiStream): ApiStream =>
  leaving(stream as unknown as Fields, [...PERSONAL, 'stream_weekly_traffic', 'subscribers']);

/** @returns undefined for events of other parts. */
export function applyToStreams(state: State, event: ApiEvent, options: ReducerOptions): State | undefined {
  const peers = (change: (subscribers: readonly number[]) => readonly number[]): State =>
    peersChanged(state, event.stream_ids as number[], change);
  const users = event.user_ids as number[];
  switch (event.op === undefined ? event.type : `${event.type}/${event.op}`) {
    case 'stream/create':
      return streamCreated(state, event.streams as ApiStream[], options);
    case 'stream/update':
      return streamUpdated(state, event);
    case 'stream/delete':
      return streamDeleted(state, event.streams as ApiStream[]);
    case 'subscription/add':
      return subscribed(state, event.subscriptions as ApiStream[], options);
    case 'subscription/remove':
      return unsubscribed(state, event.subscriptions as ApiStream[]);
    case 'subscription/update':
      return settingChanged(state, event);
    case 'subscription/peer_add':
      return peers((subscribers) => [...new Set([...subscribers, ...users])].sort((a, b) => a - b));
    case 'subscription/peer_remove':
      return peers((subscribers) => subscribers.filter((id) => !users.includes(id)));
    case 'default_streams':
      return { ...state, realm_default_streams: event.default_streams };
    case 'default_stream_groups':
      return { ...state, realm_default_stream_groups: event.default_stream_groups };
    default:
      return undefined;
  }
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

function subscribed(state: State, added: readonly ApiStream[], { knowsStreamsBeforeJoining }: ReducerOptions): State {
  for (const stream of added) {
    if (state.subscriptions.some((own) => own.stream_id === stream.stream_id)) throw new Error('subscribed already');
  }
  // At the base level a guest learns of a public stream only by joining it.
  const unknown = added.filter((stream) => !state.streams.some((known) => known.stream_id === stream.stream_id));
  if (knowsStreamsBeforeJoining && unknown.length > 0) throw new Error('subscribed to a stream that was not known');
  return {
    ...state,
    subscriptions: merged(state.subscriptions, added),
    unsubscribed: without(state.unsubscribed, added),
    never_subscribed: without(state.never_subscribed, added),
    streams: merged(state.streams, unknown.map(withoutOwnSide)),
  };
}

const LISTS = ['subscriptions', 'unsubscribed', 'never_subscribed', 'streams'] as const;

/** Changes the stream in every list that has it. */
function inAllLists(state: State, change: (stream: ApiStream) => ApiStream): State {
  const lists = [...LISTS, 'realm_default_streams'].map((name) => {
    const list = (state[name] ?? []) as readonly ApiStream[];
    return [name, list.map(change).sort(byName)];
  });
  const groups = ((state.realm_default_stream_groups ?? []) as { streams: ApiStream[] }[]).map((group) => ({
    ...group,
    streams: group.streams.map(change).sort(byName),
  }));
  return { ...state, ...Object.fromEntries(lists), realm_default_stream_groups: groups };
}

function streamUpdated(state: State, event: ApiEvent): State {
  const { stream_id, property, value, name: old } = event as ApiEvent & { property: string; value: unknown };
  const { rendered_description, history_public_to_subscribers, is_web_public } = event;
  if (!state.streams.some((stream) => stream.stream_id === stream_id))
    throw new Error('a stream that is not visible was changed');
  const more = { rendered_description, history_public_to_subscribers, is_web_public };
  const given = Object.fromEntries(Object.entries(more).filter(([, of]) => of !== undefined));
  const next = inAllLists(state, (stream) => {
    // Only subscriptions have an address.
    if (stream.stream_id !== stream_id || !(property in stream)) return stream;
    if (stream.name !== old) throw new Error(`the stream is called ${stream.name}, not ${String(old)}`);
    return { ...stream, [property]: value, ...given };
  });
  if (property !== 'name' || !state.muted_topics) return next;
  const muted = (state.muted_topics as [string, string, number][]).map(([stream, ...rest]) => [
    stream === old ? value : stream,
    ...rest,
  ]);
  return { ...next, muted_topics: muted };
}

function streamDeleted(state: State, gone: readonly ApiStream[]): State {
  for (const { stream_id } of gone) {
    if (!state.streams.some((one) => one.stream_id === stream_id)) throw new Error('the stream was unknown');
  }
  return { ...state, ...Object.fromEntries(LISTS.map((name) => [name, without(state[name], gone)])) };
}

function unsubscribed(state: State, left: readonly ApiStream[]): State {
  const own = state.subscriptions.filter((one) => left.some((of) => of.stream_id === one.stream_id));
  if (own.length !== left.length) throw new Error('not subscribed to a stream that was left');
  const me = state.user_id as number;
  const former = own.map((stream) => {
    if (!stream.subscribers) return stream;
    return { ...stream, subscribers: stream.subscribers.filter((id) => id !== me) };
  });
  return {
    ...state,
    subscriptions: without(state.subscriptions, own),
    unsubscribed: merged(state.unsubscribed, former),
  };
}

function settingChanged(state: State, { stream_id, property, value }: ApiEvent): State {
  const subscriptions = state.subscriptions.map((stream) =>
    stream.stream_id === stream_id ? { ...stream, [property as string]: value } : stream,
  );
  // Muted messages are not counted as unread.
  return unreadRecounted({ ...state, subscriptions });
}

function peersChanged(
  state: State,
  streams: readonly number[],
  change: (subscribers: readonly number[]) => readonly number[],
): State {
  const changed = (list: readonly ApiStream[]): ApiStream[] =>
    list.map((stream) => {
      if (!stream.subscribers || !streams.includes(stream.stream_id)) return stream;
      return { ...stream, subscribers: change(stream.subscribers) };
    });
  return {
    ...state,
    subscriptions: changed(state.subscriptions),
    unsubscribed: changed(state.unsubscribed),
    never_subscribed: changed(state.never_subscribed),
  };
}
