/** Applies events to a snapshot like a client does, for the sections of the state that exist so far. */
import { applyToBots } from './reducer-bots.js';
import { applyToMessages } from './reducer-messages.js';
import { applyOwn } from './reducer-own.js';
import { applyPeople } from './reducer-people.js';
import { applyRealm } from './reducer-realm.js';
import { applyToStreams } from './reducer-streams.js';
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
  /** True for a client at a newer API level: a guest's client, too, has each stream before its subscription. */
  readonly knowsStreamsBeforeJoining: boolean;
}

/** The state after one event. @throws Error for an event that a client could not make sense of */
export function apply(state: State, event: ApiEvent, options: ReducerOptions): State {
  switch (event.op === undefined ? event.type : `${event.type}/${event.op}`) {
    case 'heartbeat':
    // This is no part of the state: clients fetch it on demand.
    case 'invites_changed':
    case 'realm_export':
    case 'attachment/add':
    case 'attachment/update':
    case 'attachment/remove':
    // Events of messages, which no section shows.
    case 'reaction/add':
    case 'reaction/remove':
    case 'submessage':
      return state;
    case 'realm_emoji/update':
      return { ...state, realm_emoji: event.realm_emoji };
    case 'message':
      return messageArrived(
        conversed(messageSent(state, event.message as ApiMessage), event.message as ApiMessage),
        event.message as ApiMessage,
        event.flags as string[],
      );
    case 'update_message_flags/add':
    case 'update_message_flags/remove':
      return flagsChanged(state, event);
    case 'realm_user/add':
      return userAdded(state, event.person as ApiUser, options);
    case 'realm_user/update': {
      const { is_active, ...person } = event.person as ApiUser;
      if (is_active === undefined) return applyRealm(state, event, options)!;
      return is_active
        ? userReactivated(withoutInGroups(state, person.user_id), person, options)
        : userRemoved(state, person.user_id);
    }
    case 'realm_user/remove':
      return userRemoved(state, (event.person as ApiUser).user_id);
    default: {
      const next =
        applyOwn(state, event) ??
        applyPeople(state, event) ??
        applyRealm(state, event, options) ??
        applyToBots(state, event) ??
        applyToStreams(state, event, options) ??
        applyToMessages(state, event);
      if (!next) throw new Error(`the reducer does not know ${event.type}/${event.op}`);
      return next;
    }
  }
}

interface Conversation {
  readonly max_message_id: number;
  readonly user_ids: readonly number[];
}

/** Adds a conversation, newest first. No event names the newest message after a deletion. */
function conversed(state: State, { id, stream_id, display_recipient }: ApiMessage): State {
  const known = state.recent_private_conversations as readonly Conversation[] | 'unsure' | undefined;
  if (stream_id !== undefined || known === undefined || known === 'unsure') return state;
  const people = display_recipient as unknown as readonly { readonly id: number }[];
  const user_ids = people
    .map((one) => one.id)
    .filter((one) => one !== state.user_id)
    .sort((a, b) => a - b);
  const others = known.filter((one) => one.user_ids.join() !== user_ids.join());
  const before = known.find((one) => one.user_ids.join() === user_ids.join());
  const now = { max_message_id: Math.max(id, before?.max_message_id ?? 0), user_ids };
  const recent_private_conversations = [...others, now].sort((a, b) => b.max_message_id - a.max_message_id);
  return { ...state, recent_private_conversations };
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
  const user = {
    ...person,
    avatar_url: clientGravatar && person.email === person.delivery_email ? null : person.avatar_url,
  } as ApiUser;
  const realm_non_active_users = inactive(state).filter((one) => one.user_id !== user.user_id);
  return { ...state, realm_users: byId([...state.realm_users, user]), realm_non_active_users };
}

const inactive = (state: State): ApiUser[] => state.realm_non_active_users as ApiUser[];
const byId = (users: ApiUser[]): ApiUser[] => users.sort((a, b) => a.user_id - b.user_id);

/** Clients take an inactive account out of its groups, though the state lists it: events must bring it back. */
const withoutInGroups = (state: State, user: unknown): State => ({
  ...state,
  realm_user_groups: (state.realm_user_groups as { members: number[] }[]).map((group) => ({
    ...group,
    members: group.members.filter((id) => id !== user),
  })),
});

/** Clients of newer API levels keep the account, and its fields. */
function userReactivated(state: State, person: Fields, { clientGravatar }: ReducerOptions): State {
  const before = inactive(state).find((one) => one.user_id === person.user_id);
  if (!before) throw new Error('the inactive user was not known');
  const realm_non_active_users = inactive(state).filter((one) => one !== before);
  const changed = { ...before, ...person };
  // Events name the picture also for clients that compute its address themselves, as those of new accounts.
  const isComputed = clientGravatar && changed.email === before.delivery_email;
  const user = isComputed && GRAVATAR.test(String(person.avatar_url)) ? { ...changed, avatar_url: null } : changed;
  return { ...state, realm_users: byId([...state.realm_users, user]), realm_non_active_users };
}

const GRAVATAR = /^https:\/\/secure\.gravatar\.com\//;

/** Deactivated accounts are in no list of subscribers. */
function userRemoved(state: State, id: number): State {
  const user = state.realm_users.find((one) => one.user_id === id);
  if (!user) throw new Error('the user was not known');
  const without = (list: readonly ApiStream[]): ApiStream[] =>
    list.map((stream) =>
      stream.subscribers ? { ...stream, subscribers: stream.subscribers.filter((one) => one !== id) } : stream,
    );
  return {
    ...state,
    realm_users: state.realm_users.filter((one) => one !== user),
    realm_non_active_users: byId([...inactive(state), user]),
    subscriptions: without(state.subscriptions),
    unsubscribed: without(state.unsubscribed),
    never_subscribed: without(state.never_subscribed),
  };
}
