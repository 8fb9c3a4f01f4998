/** Actions of the mix: the API calls that a simulated client makes for each. */
import type { Client, Fields, SeenMessage } from './client.js';
import { now } from './clock.js';
import type { ActionName, MixEntry } from './mix.js';
import type { Operation } from './protocol.js';
import { pickWeightedIndex, randomExponential } from './schedule.js';
import { makeToken } from './tokens.js';

type ActionHandler = (client: Client, entry: MixEntry, at: number, seen: SeenMessage | undefined) => void;

const ignoreResponse = (): void => {};

const topicName = (sequence: number): string => `topic ${sequence + 1}`;

/** @returns a random stream of the user and a topic in it; undefined if the user is in no stream */
function pickConversation(client: Client): { readonly stream: number; readonly topic: string } | undefined {
  const { state, random } = client;
  const streams = state.streamsOfUser(client.user);
  if (streams.length === 0) return undefined;
  return { stream: random.pick(streams), topic: topicName(random.below(state.setup.mix.topics)) };
}

/** @returns up to `wanted` random other users of the department */
function pickColleagues(client: Client, wanted: number): number[] {
  const { from, count } = client.state.colleagues(client.user);
  const chosen = new Set<number>();
  const target = Math.min(wanted, count - 1);
  while (chosen.size < target) {
    const user = from + client.random.below(count);
    if (user !== client.user) chosen.add(user);
  }
  return [...chosen];
}

function contentFor(client: Client, audience: readonly number[]): string {
  const { mix } = client.state.setup;
  const { random } = client;
  const { text } =
    mix.texts[
      pickWeightedIndex(
        random,
        mix.texts.map(({ weight }) => weight),
      )
    ]!;
  const named = client.state.accounts[random.pick(audience)];
  return text
    .replaceAll('{n}', String(random.below(10_000)))
    .replaceAll('{name}', named ? `@**${named.name}|${named.id}**` : '');
}

interface Message {
  readonly operation: Operation;
  readonly typing: Fields;
  readonly fields: Fields;
  /** Index of the stream; -1 for a direct message. */
  readonly stream: number;
  /** Indices of the users of a direct message, with the sender; empty for a stream. */
  readonly users: readonly number[];
  readonly audience: readonly number[];
}

/** Sends a typing notification at `at`, and the message after the time of writing. */
function compose(client: Client, entry: MixEntry, at: number, message: Message): void {
  const { random, state } = client;
  const typing = random.next() < (entry.typing ?? 0);
  const sendAt = at + randomExponential(random, (entry.composeSeconds ?? 0) * 1_000);
  const content = contentFor(client, message.audience);
  const sendTyping = (op: string, when: number): void =>
    client.call('POST /typing', 'POST', '/typing', { ...message.typing, op }, when, ignoreResponse);
  if (typing) sendTyping('start', at);
  const sequence = client.messages++;
  state.addTask(sendAt, {
    client,
    run: (when) => {
      if (client.phase !== 'live') return;
      if (typing) sendTyping('stop', when);
      const token = makeToken(state.setup.run, client.index, sequence, when);
      const fields = {
        ...message.fields,
        content: `${content}\n\n${token}`,
        queue_id: client.queue,
        local_id: String(sequence),
      };
      client.call(message.operation, 'POST', '/messages', fields, when, ({ status, body }) => {
        if (status !== 200) return;
        const { stream, users } = message;
        const acknowledged = now();
        state.recorder.recordSent({ token, stream, users, at: when, acknowledged });
        const { id } = JSON.parse(body.toString()) as { readonly id: number };
        for (const follower of state.onSent) client.scheduleReaction(follower, follower.perSent!, { id }, acknowledged);
      });
    },
  });
}

function narrowOf(client: Client): readonly Fields[] {
  const { random, state } = client;
  const conversation = pickConversation(client);
  const operators = (...pairs: readonly (readonly [string, unknown])[]): Fields[] =>
    pairs.map(([operator, operand]) => ({ operator, operand }));
  const kind = pickWeightedIndex(random, [30, 40, 20, 5, 5]);
  if (kind <= 1 && conversation) {
    const stream = ['stream', state.streams[conversation.stream]!.name] as const;
    return kind === 0 ? operators(stream) : operators(stream, ['topic', conversation.topic]);
  }
  if (kind === 2) {
    const users = pickColleagues(client, 1).map((user) => state.accounts[user]!.id);
    if (users.length > 0) return operators(['dm', users]);
  }
  return operators(['is', kind === 3 ? 'starred' : 'mentioned']);
}

function fetch(client: Client, operation: Operation, entry: MixEntry, at: number, narrow: readonly Fields[]): void {
  const messages = entry.messages ?? 100;
  const range = { anchor: 'newest', num_before: messages, num_after: 0, client_gravatar: true, narrow };
  client.call(operation, 'GET', '/messages', range, at, ({ status }) => {
    if (status !== 200 || client.random.next() >= (entry.followUp ?? 0)) return;
    const marked = { anchor: 'newest', num_before: messages, num_after: 0, narrow, op: 'add', flag: 'read' };
    client.call('POST /messages/flags/narrow', 'POST', '/messages/flags/narrow', marked, now(), ignoreResponse);
  });
}

const SETTINGS: readonly ((client: Client) => Fields)[] = [
  ({ random }) => ({ color_scheme: 1 + random.below(3) }),
  ({ random }) => ({ twenty_four_hour_time: random.chance(0.5) }),
  ({ random }) => ({ enable_sounds: random.chance(0.5) }),
  ({ random }) => ({ left_side_userlist: random.chance(0.5) }),
];

const STATUSES = ['In a meeting', 'At lunch', 'Working from home', 'Out sick', ''] as const;
/** Largest number of drafts of one client; the next action then edits or deletes one. */
const MAX_DRAFTS = 3;

function draft(client: Client, at: number): void {
  const { state, random } = client;
  const conversation = pickConversation(client);
  const fields = {
    type: conversation ? 'stream' : '',
    to: conversation ? [state.streams[conversation.stream]!.id] : [],
    topic: conversation?.topic ?? '',
    content: `Not yet finished ${random.below(1_000)}`,
  };
  const drafts = client.drafts;
  if (client.isChangingDraft || drafts.length === 0 || (drafts.length < MAX_DRAFTS && random.chance(0.3))) {
    client.call('POST /drafts', 'POST', '/drafts', { drafts: [fields] }, at, ({ status, body }) => {
      if (status === 200) drafts.push(...(JSON.parse(body.toString()) as { readonly ids: readonly number[] }).ids);
    });
    return;
  }
  // Only one change of a draft runs at a time: an edit after its deletion would count as an error of the server.
  client.isChangingDraft = true;
  const onResponse = (): void => {
    client.isChangingDraft = false;
  };
  const id = drafts[0]!;
  if (random.chance(0.5)) {
    drafts.shift();
    client.call('DELETE /drafts/{id}', 'DELETE', `/drafts/${id}`, {}, at, onResponse);
  } else client.call('PATCH /drafts/{id}', 'PATCH', `/drafts/${id}`, { draft: fields }, at, onResponse);
}

const HANDLERS: Readonly<Record<ActionName, ActionHandler>> = {
  stream_message(client, entry, at) {
    const conversation = pickConversation(client);
    if (!conversation) return;
    const { id } = client.state.streams[conversation.stream]!;
    compose(client, entry, at, {
      operation: 'POST /messages (stream)',
      typing: { type: 'stream', to: [id], topic: conversation.topic },
      fields: { type: 'stream', to: id, topic: conversation.topic },
      stream: conversation.stream,
      users: [],
      audience: client.state.membersOfStream(conversation.stream),
    });
  },
  direct_message(client, entry, at) {
    const to = pickColleagues(client, client.random.next() < (entry.group ?? 0) ? 2 : 1);
    if (to.length === 0) return;
    const ids = to.map((user) => client.state.accounts[user]!.id);
    compose(client, entry, at, {
      operation: 'POST /messages (direct)',
      typing: { type: 'direct', to: ids },
      fields: { type: 'direct', to: ids },
      stream: -1,
      users: [...to, client.user],
      audience: to,
    });
  },
  react(client, entry, at, seen) {
    if (!seen) return;
    const { random, state } = client;
    const path = `/messages/${seen.id}/reactions`;
    const emoji = { emoji_name: random.pick(state.setup.mix.emoji) };
    client.call('POST /messages/{id}/reactions', 'POST', path, emoji, at, ({ status }) => {
      if (status !== 200 || random.next() >= (entry.followUp ?? 0)) return;
      client.call('DELETE /messages/{id}/reactions', 'DELETE', path, emoji, now(), ignoreResponse);
    });
  },
  mark_read(client, _entry, at) {
    const messages = client.unread;
    client.unread = [];
    if (messages.length === 0) return;
    const fields = { messages, op: 'add', flag: 'read' };
    client.call('POST /messages/flags (read)', 'POST', '/messages/flags', fields, at, ignoreResponse);
  },
  star(client, _entry, at, seen) {
    if (!seen) return;
    const fields = { messages: [seen.id], op: 'add', flag: 'starred' };
    client.call('POST /messages/flags (starred)', 'POST', '/messages/flags', fields, at, ignoreResponse);
  },
  edit(client, _entry, at, seen) {
    if (!seen) return;
    const content = `${contentFor(client, [client.user])} (edited)`;
    client.call('PATCH /messages/{id}', 'PATCH', `/messages/${seen.id}`, { content }, at, ignoreResponse);
  },
  presence(client, _entry, at) {
    const fields = { status: 'active', new_user_input: true, ping_only: false, slim_presence: true };
    client.call('POST /users/me/presence', 'POST', '/users/me/presence', fields, at, ignoreResponse);
  },
  status(client, _entry, at) {
    const text = client.random.pick(STATUSES);
    const fields = { status_text: text, emoji_name: text === '' ? '' : 'calendar' };
    client.call('POST /users/me/status', 'POST', '/users/me/status', fields, at, ignoreResponse);
  },
  open_narrow(client, entry, at) {
    fetch(client, 'GET /messages (narrow)', entry, at, narrowOf(client));
  },
  search(client, entry, at) {
    const word = client.random.pick(client.state.setup.mix.words);
    fetch(client, 'GET /messages (search)', entry, at, [{ operator: 'search', operand: word }]);
  },
  topics(client, _entry, at) {
    const conversation = pickConversation(client);
    if (!conversation) return;
    const { id } = client.state.streams[conversation.stream]!;
    client.call('GET /users/me/{stream_id}/topics', 'GET', `/users/me/${id}/topics`, {}, at, ignoreResponse);
  },
  settings(client, _entry, at) {
    client.call('PATCH /settings', 'PATCH', '/settings', client.random.pick(SETTINGS)(client), at, ignoreResponse);
  },
  mute_topic(client, _entry, at) {
    const conversation = pickConversation(client);
    if (!conversation) return;
    const { id } = client.state.streams[conversation.stream]!;
    const fields = { stream_id: id, topic: conversation.topic, visibility_policy: client.random.below(2) };
    client.call('POST /user_topics', 'POST', '/user_topics', fields, at, ignoreResponse);
  },
  draft(client, _entry, at) {
    draft(client, at);
  },
  reload(client, _entry, at) {
    client.reload(at);
  },
};

/** @param at intended time of the action @param seen message that the action reacts to */
export function perform(client: Client, entry: MixEntry, seen: SeenMessage | undefined, at: number): void {
  // A client without an event queue shows no page, so its user cannot act.
  if (client.phase === 'live') HANDLERS[entry.action](client, entry, at, seen);
}
