/** The actions of the mix. */
import type { Client, Fields, Seen } from './client.js';
import { now } from './clock.js';
import type { ActionName, Entry } from './mix.js';
import type { Operation } from './protocol.js';
import { exponential, weighted } from './schedule.js';
import { tokenText } from './tokens.js';

type Action = (client: Client, entry: Entry, at: number, seen: Seen | undefined) => void;

const nothing = (): void => {};

const topicName = (nth: number): string => `topic ${nth + 1}`;

/** Some stream of the client's own and a topic in it; undefined: it is in none. */
function place(client: Client): { readonly stream: number; readonly topic: string } | undefined {
  const { world, random } = client;
  const streams = world.streamsOfUser(client.user);
  if (streams.length === 0) return undefined;
  return { stream: random.pick(streams), topic: topicName(random.below(world.setup.mix.topics)) };
}

/** Positions of others of the department, as many as there are. */
function others(client: Client, wanted: number): number[] {
  const { from, count } = client.world.colleagues(client.user);
  const chosen = new Set<number>();
  const most = Math.min(wanted, count - 1);
  while (chosen.size < most) {
    const user = from + client.random.below(count);
    if (user !== client.user) chosen.add(user);
  }
  return [...chosen];
}

function contentFor(client: Client, audience: readonly number[]): string {
  const { mix } = client.world.setup;
  const { random } = client;
  const { text } =
    mix.texts[
      weighted(
        random,
        mix.texts.map(({ weight }) => weight),
      )
    ]!;
  const named = client.world.accounts[random.pick(audience)];
  return text
    .replaceAll('{n}', String(random.below(10_000)))
    .replaceAll('{name}', named ? `@**${named.name}|${named.id}**` : '');
}

interface Message {
  readonly operation: Operation;
  readonly typing: Fields;
  readonly fields: Fields;
  /** Position of the stream, or -1. */
  readonly stream: number;
  /** Of a direct message, the sender among them. */
  readonly users: readonly number[];
  readonly audience: readonly number[];
}

/** Sends the typing notification, and the message when its text is written. */
function compose(client: Client, entry: Entry, at: number, message: Message): void {
  const { random, world } = client;
  const typing = random.next() < (entry.typing ?? 0);
  const sendAt = at + exponential(random, (entry.composeSeconds ?? 0) * 1_000);
  const content = contentFor(client, message.audience);
  const tell = (op: string, when: number): void =>
    client.call('POST /typing', 'POST', '/typing', { ...message.typing, op }, when, nothing);
  if (typing) tell('start', at);
  const nth = client.messages++;
  world.add(sendAt, {
    client,
    run: (when) => {
      if (client.phase !== 'live') return;
      if (typing) tell('stop', when);
      const token = tokenText(world.setup.run, client.index, nth, when);
      const fields = {
        ...message.fields,
        content: `${content}\n\n${token}`,
        queue_id: client.queue,
        local_id: String(nth),
      };
      client.call(message.operation, 'POST', '/messages', fields, when, ({ status, body }) => {
        if (status !== 200) return;
        const { stream, users } = message;
        const acknowledged = now();
        world.recorder.sent({ token, stream, users, at: when, acknowledged });
        const { id } = JSON.parse(body.toString()) as { readonly id: number };
        for (const follower of world.onSent) client.follow(follower, follower.perSent!, { id }, acknowledged);
      });
    },
  });
}

function narrowOf(client: Client): readonly Fields[] {
  const { random, world } = client;
  const where = place(client);
  const operators = (...pairs: readonly (readonly [string, unknown])[]): Fields[] =>
    pairs.map(([operator, operand]) => ({ operator, operand }));
  const kind = weighted(random, [30, 40, 20, 5, 5]);
  if (kind <= 1 && where) {
    const stream = ['stream', world.streams[where.stream]!.name] as const;
    return kind === 0 ? operators(stream) : operators(stream, ['topic', where.topic]);
  }
  if (kind === 2) {
    const users = others(client, 1).map((user) => world.accounts[user]!.id);
    if (users.length > 0) return operators(['dm', users]);
  }
  return operators(['is', kind === 3 ? 'starred' : 'mentioned']);
}

function fetch(client: Client, operation: Operation, entry: Entry, at: number, narrow: readonly Fields[]): void {
  const messages = entry.messages ?? 100;
  const range = { anchor: 'newest', num_before: messages, num_after: 0, client_gravatar: true, narrow };
  client.call(operation, 'GET', '/messages', range, at, ({ status }) => {
    if (status !== 200 || client.random.next() >= (entry.followUp ?? 0)) return;
    const marked = { anchor: 'newest', num_before: messages, num_after: 0, narrow, op: 'add', flag: 'read' };
    client.call('POST /messages/flags/narrow', 'POST', '/messages/flags/narrow', marked, now(), nothing);
  });
}

const SETTINGS: readonly ((client: Client) => Fields)[] = [
  ({ random }) => ({ color_scheme: 1 + random.below(3) }),
  ({ random }) => ({ twenty_four_hour_time: random.chance(0.5) }),
  ({ random }) => ({ enable_sounds: random.chance(0.5) }),
  ({ random }) => ({ left_side_userlist: random.chance(0.5) }),
];

const STATUSES = ['In a meeting', 'At lunch', 'Working from home', 'Out sick', ''] as const;
/** Of one client; more are deleted first. */
const MOST_DRAFTS = 3;

function draft(client: Client, at: number): void {
  const { world, random } = client;
  const where = place(client);
  const fields = {
    type: where ? 'stream' : '',
    to: where ? [world.streams[where.stream]!.id] : [],
    topic: where?.topic ?? '',
    content: `Not yet finished ${random.below(1_000)}`,
  };
  const known = client.drafts;
  if (client.draftBusy || known.length === 0 || (known.length < MOST_DRAFTS && random.chance(0.3))) {
    client.call('POST /drafts', 'POST', '/drafts', { drafts: [fields] }, at, ({ status, body }) => {
      if (status === 200) known.push(...(JSON.parse(body.toString()) as { readonly ids: readonly number[] }).ids);
    });
    return;
  }
  // A change that is overtaken by its deletion would be an error of ours.
  client.draftBusy = true;
  const done = (): void => {
    client.draftBusy = false;
  };
  const id = known[0]!;
  if (random.chance(0.5)) {
    known.shift();
    client.call('DELETE /drafts/{id}', 'DELETE', `/drafts/${id}`, {}, at, done);
  } else client.call('PATCH /drafts/{id}', 'PATCH', `/drafts/${id}`, { draft: fields }, at, done);
}

const TABLE: Readonly<Record<ActionName, Action>> = {
  stream_message(client, entry, at) {
    const where = place(client);
    if (!where) return;
    const { id } = client.world.streams[where.stream]!;
    compose(client, entry, at, {
      operation: 'POST /messages (stream)',
      typing: { type: 'stream', to: [id], topic: where.topic },
      fields: { type: 'stream', to: id, topic: where.topic },
      stream: where.stream,
      users: [],
      audience: client.world.membersOfStream(where.stream),
    });
  },
  direct_message(client, entry, at) {
    const to = others(client, client.random.next() < (entry.group ?? 0) ? 2 : 1);
    if (to.length === 0) return;
    const ids = to.map((user) => client.world.accounts[user]!.id);
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
    const { random, world } = client;
    const path = `/messages/${seen.id}/reactions`;
    const emoji = { emoji_name: random.pick(world.setup.mix.emoji) };
    client.call('POST /messages/{id}/reactions', 'POST', path, emoji, at, ({ status }) => {
      if (status !== 200 || random.next() >= (entry.followUp ?? 0)) return;
      client.call('DELETE /messages/{id}/reactions', 'DELETE', path, emoji, now(), nothing);
    });
  },
  mark_read(client, _entry, at) {
    const messages = client.unread;
    client.unread = [];
    if (messages.length === 0) return;
    const fields = { messages, op: 'add', flag: 'read' };
    client.call('POST /messages/flags (read)', 'POST', '/messages/flags', fields, at, nothing);
  },
  star(client, _entry, at, seen) {
    if (!seen) return;
    const fields = { messages: [seen.id], op: 'add', flag: 'starred' };
    client.call('POST /messages/flags (starred)', 'POST', '/messages/flags', fields, at, nothing);
  },
  edit(client, _entry, at, seen) {
    if (!seen) return;
    const content = `${contentFor(client, [client.user])} (edited)`;
    client.call('PATCH /messages/{id}', 'PATCH', `/messages/${seen.id}`, { content }, at, nothing);
  },
  presence(client, _entry, at) {
    const fields = { status: 'active', new_user_input: true, ping_only: false, slim_presence: true };
    client.call('POST /users/me/presence', 'POST', '/users/me/presence', fields, at, nothing);
  },
  status(client, _entry, at) {
    const text = client.random.pick(STATUSES);
    const fields = { status_text: text, emoji_name: text === '' ? '' : 'calendar' };
    client.call('POST /users/me/status', 'POST', '/users/me/status', fields, at, nothing);
  },
  open_narrow(client, entry, at) {
    fetch(client, 'GET /messages (narrow)', entry, at, narrowOf(client));
  },
  search(client, entry, at) {
    const word = client.random.pick(client.world.setup.mix.words);
    fetch(client, 'GET /messages (search)', entry, at, [{ operator: 'search', operand: word }]);
  },
  topics(client, _entry, at) {
    const where = place(client);
    if (!where) return;
    const { id } = client.world.streams[where.stream]!;
    client.call('GET /users/me/{stream_id}/topics', 'GET', `/users/me/${id}/topics`, {}, at, nothing);
  },
  settings(client, _entry, at) {
    client.call('PATCH /settings', 'PATCH', '/settings', client.random.pick(SETTINGS)(client), at, nothing);
  },
  mute_topic(client, _entry, at) {
    const where = place(client);
    if (!where) return;
    const { id } = client.world.streams[where.stream]!;
    const fields = { stream_id: id, topic: where.topic, visibility_policy: client.random.below(2) };
    client.call('POST /user_topics', 'POST', '/user_topics', fields, at, nothing);
  },
  draft(client, _entry, at) {
    draft(client, at);
  },
  reload(client, _entry, at) {
    client.reload(at);
  },
};

/** @param at its intended time @param seen the message that it follows */
export function perform(client: Client, entry: Entry, seen: Seen | undefined, at: number): void {
  // A client without queue shows no page to act on.
  if (client.phase === 'live') TABLE[entry.action](client, entry, at, seen);
}
