/** Recipients of every kind of event, as a table. The queues of all other users stay empty. */
import { type Person, say, subscribe, tell } from '../../support/organization.js';
import { Queue, settled } from '../../support/queue.js';
import type { Facts } from '../facts.js';
import { isServed, makeWorld, VIEWERS, type Viewer, type World } from './visibility-people.js';

interface Row {
  /** The operation that the row needs. */
  readonly of: string;
  readonly title: string;
  /** type/op of the event that counts. */
  readonly event: string;
  /** Names of all users who get the event. */
  readonly heard: string;
  act(world: World): Promise<unknown>;
}

const edit = (name: keyof World['messages'], heard: string): Row => ({
  of: 'update-message',
  title: `'${name}' is edited`,
  event: 'update_message',
  heard,
  act: ({ people, messages }) =>
    people.start.api.ok('PATCH /messages/{message_id}', { message_id: messages[name], content: `${name}, edited` }),
});

const react = (name: keyof World['messages'], heard: string): Row => ({
  of: 'add-reaction',
  title: `a reaction to '${name}'`,
  event: 'reaction/add',
  heard,
  act: ({ people, messages }) =>
    people.start.api.ok('POST /messages/{message_id}/reactions', { message_id: messages[name], emoji_name: 'tada' }),
});

const own = (of: string, event: string, act: (person: Person, world: World) => Promise<unknown>): Row => ({
  of,
  title: `${of}, of one's own`,
  event,
  heard: 'start',
  act: (world) => act(world.people.start, world),
});

const remove = (name: keyof World['messages'], heard: string): Row => ({
  of: 'delete-message',
  title: `'${name}' is deleted`,
  event: 'delete_message',
  heard,
  act: ({ people, messages }) => people.start.api.ok('DELETE /messages/{message_id}', { message_id: messages[name] }),
});

const ROWS: readonly Row[] = [
  ...(['open', 'shared', 'closed'] as const).map(
    (name): Row => ({
      of: 'send-message',
      title: `a message in ${name}`,
      event: 'message',
      heard: 'start joined guest',
      act: ({ people }) => say(people.start, name, 'heard'),
    }),
  ),
  {
    of: 'send-message',
    title: 'a direct message',
    event: 'message',
    heard: 'start joined',
    act: ({ people }) => tell(people.start, [people.joined]),
  },
  edit('open before', 'start joined guest left'),
  edit('open after', 'start joined guest'),
  edit('shared before', 'start joined guest left'),
  edit('shared after', 'start joined guest'),
  edit('closed before', 'start left'),
  edit('closed after', 'start joined guest'),
  edit('pair', 'start joined'),
  edit('self', 'start'),
  react('open before', 'start joined guest left'),
  react('shared before', 'start joined guest left'),
  react('shared after', 'start joined guest'),
  react('closed before', 'start left'),
  react('closed after', 'start joined guest'),
  react('group', 'start joined guest'),
  ...(['shared', 'closed'] as const).map(
    (name): Row => ({
      of: 'set-typing-status',
      title: `typing in ${name}`,
      event: 'typing/start',
      heard: 'start joined guest',
      act: ({ people, streams }) =>
        people.start.api.ok('POST /typing', { type: 'stream', op: 'start', to: [streams[name]], topic: 'heard' }),
    }),
  ),
  {
    of: 'set-typing-status',
    title: 'typing to somebody',
    event: 'typing/start',
    heard: 'start joined',
    act: ({ people }) => people.start.api.ok('POST /typing', { op: 'start', to: [people.joined.id] }),
  },
  {
    of: 'update-stream',
    title: 'a private stream is described',
    event: 'stream/update',
    heard: 'start joined guest never admin',
    act: ({ people, streams }) =>
      people.admin.api.ok('PATCH /streams/{stream_id}', { stream_id: streams.closed, description: 'told' }),
  },
  {
    of: 'update-stream',
    title: 'a public stream is described',
    event: 'stream/update',
    heard: 'start joined guest left never admin',
    act: ({ people, streams }) =>
      people.admin.api.ok('PATCH /streams/{stream_id}', { stream_id: streams.open, description: 'told' }),
  },
  {
    of: 'subscribe',
    title: 'somebody joins a private stream',
    event: 'subscription/peer_add',
    heard: 'start joined guest never admin',
    act: ({ people }) => subscribe(people.start, 'closed', { principals: [people.left] }),
  },
  {
    of: 'unsubscribe',
    title: 'somebody leaves a private stream',
    event: 'subscription/peer_remove',
    heard: 'start joined guest never admin',
    act: ({ people }) => people.left.api.ok('DELETE /users/me/subscriptions', { subscriptions: ['closed'] }),
  },
  remove('open before', 'start joined guest left'),
  remove('closed before', 'start joined guest left'),
  remove('group', 'start joined guest'),
  own('update-message-flags', 'update_message_flags/add', (person, { messages }) =>
    person.api.ok('POST /messages/flags', { messages: [messages['open after']], op: 'add', flag: 'starred' }),
  ),
  own('create-drafts', 'drafts/add', (person) =>
    person.api.ok('POST /drafts', { drafts: [{ type: '', to: [], topic: '', content: 'a draft' }] }),
  ),
  own('create-scheduled-message', 'scheduled_messages/add', (person, { people }) =>
    person.api.ok('POST /scheduled_messages', {
      type: 'direct',
      to: [people.joined.id],
      content: 'later',
      scheduled_delivery_timestamp: 4_000_000_000,
    }),
  ),
  own('update-user-topic', 'user_topic', (person, { streams }) =>
    person.api.ok('POST /user_topics', { stream_id: streams.open, topic: 'heard', visibility_policy: 1 }),
  ),
  own('add-alert-words', 'alert_words', (person) =>
    person.api.ok('POST /users/me/alert_words', { alert_words: ['heard'] }),
  ),
  own('mute-user', 'muted_users', (person, { people }) =>
    person.api.ok('POST /users/me/muted_users/{muted_user_id}', { muted_user_id: people.admin.id }),
  ),
  own('update-settings', 'user_settings/update', (person) => person.api.ok('PATCH /settings', { enter_sends: true })),
  own('update-subscription-settings', 'subscription/update', (person, { streams }) =>
    person.api.ok('POST /users/me/subscriptions/properties', {
      subscription_data: [{ stream_id: streams.open, property: 'pin_to_top', value: true }],
    }),
  ),
];

const ALL_ON = {
  client_capabilities: { bulk_message_deletion: true, stream_typing_notifications: true, user_settings_object: true },
};

export const visibilityEvents: Facts = async (t, server) => {
  const world = await makeWorld(server);
  await world.org.owner.api.ok('PATCH /realm', { delete_own_message_policy: 5 });
  const queues = new Map<Viewer, Queue>();
  for (const viewer of VIEWERS) queues.set(viewer, await Queue.register(world.people[viewer], ALL_ON));
  for (const { of, title, event, heard, act } of ROWS) {
    if (!isServed(of)) continue;
    await act(world);
    const name = (one: { type: string; op?: string }): string =>
      one.op === undefined ? one.type : `${one.type}/${one.op}`;
    // All users get a direct message to themselves afterwards, which comes behind the events of the action.
    const hears = await Promise.all(
      [...queues].map(async ([viewer, queue]) => {
        const first = heard.split(' ').includes(viewer)
          ? await queue.until((events) => events.some((one) => name(one) === event))
          : [];
        const rest = await settled(queue);
        return [...first, ...rest].some((one) => name(one) === event) ? viewer : '';
      }),
    );
    t.same(hears.filter(Boolean).join(' '), heard, `${title}: ${event}`);
  }
};
