/** The reducer's part for unread and starred messages. */
import type { State } from './reducer.js';
import type { ApiEvent, ApiMessage, ApiStream } from './types.js';

interface Unread {
  readonly id: number;
  /** Stream and topic, or all participants of the conversation. */
  readonly stream?: number;
  readonly topic?: string;
  readonly users?: readonly number[];
  readonly mentioned: boolean;
}

interface Group {
  readonly unread_message_ids: readonly number[];
  readonly other_user_id?: number;
  readonly stream_id?: number;
  readonly topic?: string;
  readonly user_ids_string?: string;
}

interface Section {
  readonly pms: readonly Group[];
  readonly streams: readonly Group[];
  readonly huddles: readonly Group[];
  readonly mentions: readonly number[];
}

interface Details {
  readonly type: string;
  readonly stream_id?: number;
  readonly topic?: string;
  readonly user_ids?: readonly number[];
  readonly mentioned?: boolean;
}

const meOf = (state: State): number => state.user_id as number;

function listed(state: State): Map<number, Unread> {
  const section = state.unread_msgs as Section;
  const mentioned = (id: number): boolean => section.mentions.includes(id);
  const all = new Map<number, Unread>();
  const add = (groups: readonly Group[], place: (group: Group) => Partial<Unread>): void => {
    for (const group of groups) {
      for (const id of group.unread_message_ids) all.set(id, { id, mentioned: mentioned(id), ...place(group) });
    }
  };
  add(section.streams, ({ stream_id, topic }) => ({ stream: stream_id!, topic: topic! }));
  add(section.huddles, ({ user_ids_string }) => ({ users: user_ids_string!.split(',').map(Number) }));
  add(section.pms, ({ other_user_id }) => ({ users: [...new Set([other_user_id!, meOf(state)])] }));
  return all;
}

export function isMuted(state: State, stream: number, topic: string): boolean {
  if (state.subscriptions.find((one) => one.stream_id === stream)?.is_muted === true) return true;
  const topics = (state.user_topics ?? []) as readonly {
    stream_id: number;
    topic_name: string;
    visibility_policy: number;
  }[];
  return topics.some(
    (one) =>
      one.stream_id === stream && one.visibility_policy === 1 && one.topic_name.toLowerCase() === topic.toLowerCase(),
  );
}

function grouped<K extends number | string>(
  list: readonly Unread[],
  name: (one: Unread) => K,
  key: (one: Unread) => object,
): object[] {
  const groups = new Map<K, { readonly key: object; readonly ids: number[] }>();
  for (const one of list) {
    const group = groups.get(name(one)) ?? { key: key(one), ids: [] };
    group.ids.push(one.id);
    groups.set(name(one), group);
  }
  return [...groups]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, { key: of, ids }]) => ({ ...of, unread_message_ids: ids }));
}

function withUnread(state: State, all: ReadonlyMap<number, Unread>): State {
  if (!state.unread_msgs) return state;
  const list = [...all.values()].sort((a, b) => a.id - b.id);
  const me = meOf(state);
  const muted = (one: Unread): boolean => one.stream !== undefined && isMuted(state, one.stream, one.topic!);
  const other = (one: Unread): number => one.users!.find((user) => user !== me) ?? me;
  const direct = list.filter((one) => one.users !== undefined);
  return {
    ...state,
    unread_msgs: {
      pms: grouped(
        direct.filter((one) => one.users!.length < 3),
        other,
        (one) => ({ other_user_id: other(one), sender_id: other(one) }),
      ),
      streams: grouped(
        list.filter((one) => one.stream !== undefined),
        (one) => `${String(one.stream).padStart(16, '0')} ${one.topic}`,
        (one) => ({ stream_id: one.stream, topic: one.topic }),
      ),
      huddles: grouped(
        direct.filter((one) => one.users!.length > 2),
        (one) => one.users!.join(','),
        (one) => ({ user_ids_string: one.users!.join(',') }),
      ),
      mentions: list.filter((one) => one.mentioned).map((one) => one.id),
      count: list.filter((one) => !muted(one)).length,
      old_unreads_missing: false,
    },
  };
}

export function messageArrived(state: State, message: ApiMessage, flags: readonly string[]): State {
  if (!state.unread_msgs || flags.includes('read')) return state;
  const all = listed(state);
  if (all.has(message.id)) throw new Error(`message ${message.id} was counted already`);
  const stream = message.stream_id as number | undefined;
  const people = message.display_recipient as readonly { id: number }[];
  const wildcard =
    flags.includes('wildcard_mentioned') && (stream === undefined || !isMuted(state, stream, message.subject));
  all.set(message.id, {
    id: message.id,
    mentioned: flags.includes('mentioned') || wildcard,
    ...(stream === undefined
      ? { users: people.map(({ id }) => id).sort((a, b) => a - b) }
      : { stream, topic: message.subject }),
  });
  return withUnread(state, all);
}

export function flagsChanged(state: State, event: ApiEvent): State {
  const ids = event.messages as readonly number[];
  if (event.flag === 'starred' && state.starred_messages) {
    const starred = new Set(state.starred_messages as number[]);
    for (const id of ids) event.op === 'add' ? starred.add(id) : starred.delete(id);
    return { ...state, starred_messages: [...starred].sort((a, b) => a - b) };
  }
  if (event.flag !== 'read' || !state.unread_msgs) return state;
  const all = event.all ? new Map<number, Unread>() : listed(state);
  if (event.op === 'add') for (const id of ids) all.delete(id);
  else {
    const details = event.message_details as Readonly<Record<string, Details>>;
    for (const id of ids) {
      const of = details[id];
      if (!of) continue;
      const users = [...new Set([...(of.user_ids ?? []), meOf(state)])].sort((a, b) => a - b);
      const place = of.type === 'stream' ? { stream: of.stream_id!, topic: of.topic! } : { users };
      all.set(id, { id, mentioned: of.mentioned ?? false, ...place });
    }
  }
  return withUnread(state, all);
}

/** Applies a changed text. */
export function mentionsChanged(state: State, id: number, flags: readonly string[]): State {
  if (!state.unread_msgs) return state;
  const all = listed(state);
  const one = all.get(id);
  if (!one) return state;
  const wildcard =
    flags.includes('wildcard_mentioned') && (one.stream === undefined || !isMuted(state, one.stream, one.topic!));
  all.set(id, { ...one, mentioned: flags.includes('mentioned') || wildcard });
  return withUnread(state, all);
}

/** Removes messages that were deleted, or whose copy the user lost. */
export function messagesGone(state: State, ids: readonly number[]): State {
  const starred = state.starred_messages as number[] | undefined;
  const next = starred ? { ...state, starred_messages: starred.filter((id) => !ids.includes(id)) } : state;
  if (!state.unread_msgs) return next;
  const all = listed(state);
  for (const id of ids) all.delete(id);
  return withUnread(next, all);
}

/** Applies a move to another topic or stream. */
export function messagesMoved(state: State, ids: readonly number[], stream: number, topic: string | undefined): State {
  if (!state.unread_msgs) return state;
  const all = listed(state);
  for (const id of ids) {
    const one = all.get(id);
    if (one) all.set(id, { ...one, stream, ...(topic === undefined ? {} : { topic }) });
  }
  return withUnread(state, all);
}

/** Recounts the unread messages after a change of mutes or subscriptions. */
export function unreadRecounted(state: State, left: readonly ApiStream[] = []): State {
  if (!state.unread_msgs) return state;
  const all = listed(state);
  for (const [id, one] of all) if (left.some((stream) => stream.stream_id === one.stream)) all.delete(id);
  return withUnread(state, all);
}
