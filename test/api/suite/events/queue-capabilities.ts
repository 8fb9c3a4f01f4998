/**
 * The effects of each client capability, and of the types of events that a queue asks for: events.md § Filtering per
 * queue, § Capability deltas.
 */

import type { Params } from '../../support/client.js';
import {
  addPerson,
  makeOrganization,
  type Person,
  say,
  streamIdOf,
  subscribe,
  tell,
} from '../../support/organization.js';
import { Queue, settled } from '../../support/queue.js';
import type { ApiEvent, Fields } from '../../support/types.js';
import type { Facts } from '../facts.js';

const kind = ({ type, op }: ApiEvent): string => (op === undefined ? type : `${type}/${op}`);

const without = (event: Fields, ...names: string[]): Fields =>
  Object.fromEntries(Object.entries(event).filter(([name]) => !names.includes(name)));

export const queueCapabilities: Facts = async (t, server) => {
  const org = await makeOrganization(server);
  const { owner, admin, member, other } = org;
  await subscribe(owner, 'news', { principals: [owner, admin, member, other] });
  const news = await streamIdOf(owner, 'news');
  const open = (params: Params, of: Person = member): Promise<Queue> =>
    Queue.register(of, { fetch_event_types: [], ...params });
  /** The events of a queue so far, except messages. */
  const heard = async (queue: Queue): Promise<ApiEvent[]> =>
    (await settled(queue)).filter((event) => event.type !== 'message');
  /** The same caller with the capability, without it, and with it as a parameter of GET /events. */
  const both = async (name: string, of: Person = member): Promise<[on: Queue, off: Queue]> => [
    await open({ client_capabilities: { [name]: true } }, of),
    await open({ client_capabilities: { [name]: false } }, of),
  ];

  await t.test(
    'with bulk_message_deletion one event names all messages, without it each message has an equal event',
    async (t) => {
      const ids: number[] = [];
      for (let i = 0; i < 3; i++) ids.push(await say(owner, 'news', 'to go'));
      const [on, off] = await both('bulk_message_deletion');
      await admin.api.ok('POST /streams/{stream_id}/delete_topic', { stream_id: news, topic_name: 'to go' });
      const [bulk, ...more] = await heard(on);
      t.same(more, []);
      t.same([...(bulk!.message_ids as number[])].sort(), ids);
      const single = await heard(off);
      t.same(single.map((event) => event.message_id as number).sort(), ids);
      for (const event of single) t.same(without(event, 'id', 'message_id'), without(bulk!, 'id', 'message_ids'));
    },
  );

  await t.test('without stream_typing_notifications a queue gets typing events of direct messages only', async (t) => {
    const [on, off] = await both('stream_typing_notifications');
    await owner.api.ok('POST /typing', { type: 'stream', op: 'start', to: [news], topic: 'typed' });
    await owner.api.ok('POST /typing', { op: 'start', to: [member.id] });
    // Newer levels name the type of direct messages differently.
    const types = async (queue: Queue) => (await heard(queue)).map((event) => [kind(event), 'stream_id' in event]);
    t.same(await types(on), [
      ['typing/start', true],
      ['typing/start', false],
    ]);
    t.same(await types(off), [['typing/start', false]]);
  });

  await t.test('without user_settings_object a queue gets settings in their older form, too', async (t) => {
    const [on, off] = await both('user_settings_object');
    const now = (
      await member.api.ok<{ user_settings: Fields }>('POST /register', { fetch_event_types: ['user_settings'] })
    ).user_settings;
    await member.api.ok('PATCH /settings', {
      twenty_four_hour_time: !now.twenty_four_hour_time,
      enable_sounds: !now.enable_sounds,
    });
    t.same((await heard(on)).map(kind), ['user_settings/update', 'user_settings/update']);
    t.same((await heard(off)).map(kind).sort(), [
      'update_display_settings',
      'update_global_notifications',
      'user_settings/update',
      'user_settings/update',
    ]);
  });

  await t.test('without linkifier_url_template a queue gets no linkifiers', async (t) => {
    const [on, off] = await both('linkifier_url_template');
    await admin.api.ok('POST /realm/filters', { pattern: '#(?P<id>[0-9]+)', url_template: 'https://x.example/{id}' });
    t.same((await heard(on)).map(kind), ['realm_linkifiers']);
    t.same(await heard(off), []);
  });

  await t.test('with user_avatar_url_field_optional, avatars of deactivated accounts are left out', async (t) => {
    const gone = await addPerson(org, 'Gone');
    await owner.api.ok('DELETE /users/{user_id}', { user_id: gone.id });
    type Shown = Record<'realm_users' | 'realm_non_active_users', Fields[]>;
    for (const optional of [true, false]) {
      const client_capabilities = { user_avatar_url_field_optional: optional };
      const { state } = await open({ client_capabilities, fetch_event_types: ['realm_user'] });
      const { realm_users, realm_non_active_users } = state as unknown as Shown;
      t.ok(realm_users.every((user) => 'avatar_url' in user));
      t.same(
        realm_non_active_users.map((user) => [user.user_id, 'avatar_url' in user]),
        [[gone.id, !optional]],
      );
    }
  });

  await t.test('a queue that knows user_topic does not get muted_topics', async (t) => {
    const queues = {
      all: await open({}),
      'both named': await open({ event_types: ['muted_topics', 'user_topic', 'message'] }),
      'the old one named': await open({ event_types: ['muted_topics', 'message'] }),
    };
    await member.api.ok('POST /user_topics', { stream_id: news, topic: 'quiet', visibility_policy: 1 });
    t.same((await heard(queues.all)).map(kind), ['muted_topics', 'user_topic']);
    t.same((await heard(queues['both named'])).map(kind), ['user_topic']);
    t.same((await heard(queues['the old one named'])).map(kind), ['muted_topics']);
  });

  await t.test('client capabilities are parameters of GET /events, too, where it makes the queue', async (t) => {
    const make = async (params: Params): Promise<string> =>
      (await member.api.ok<{ queue_id: string }>('GET /events', { dont_block: true, ...params })).queue_id;
    const on = await make({
      stream_typing_notifications: true,
      user_settings_object: true,
      event_types: ['typing', 'realm_linkifiers'],
    });
    const off = await make({ event_types: ['typing', 'realm_linkifiers'] });
    const linked = await make({ linkifier_url_template: true, event_types: ['realm_linkifiers'] });
    const watch = await open({});
    await owner.api.ok('POST /typing', { type: 'stream', op: 'start', to: [news], topic: 'typed' });
    await admin.api.ok('POST /realm/filters', { pattern: '%(?P<id>[0-9]+)', url_template: 'https://y.example/{id}' });
    await settled(watch);
    const got = async (queue_id: string) =>
      (await member.api.ok<{ events: ApiEvent[] }>('GET /events', { queue_id, dont_block: true })).events.map(kind);
    t.same([await got(on), await got(off), await got(linked)], [['typing/start'], [], ['realm_linkifiers']]);
  });

  await t.test('a narrow by flags is matched against the flags of the message when it arrives', async (t) => {
    await member.api.ok('POST /users/me/alert_words', { alert_words: ['fire'] });
    const narrows: Readonly<Record<string, readonly string[]>> = {
      starred: [],
      mentioned: [`@**${member.name}**`],
      // events.md: tests the flag of mentions.
      alerted: [`@**${member.name}**`],
      unread: ['plain', `@**${member.name}**`, 'fire'],
      resolved: [],
      home: ['plain', `@**${member.name}**`, 'fire'],
    };
    const queues = await Promise.all(
      Object.keys(narrows).map((operand) => open({ event_types: ['message'], narrow: [['is', operand]] })),
    );
    const all = await open({ event_types: ['message'] });
    for (const text of narrows.unread!) await say(owner, 'news', 'flags', text);
    await all.take(3);
    for (const [i, [operand, expected]] of Object.entries(narrows).entries()) {
      const events = await queues[i]!.now();
      t.same(
        events.map((event) => (event.message as { content: string }).content),
        expected,
        operand,
      );
    }
  });

  await t.test(
    'fetch_event_types selects the state and event_types the events; a sole event_types selects both',
    async (t) => {
      const sections = (state: Fields): string[] =>
        ['subscriptions', 'realm_users', 'max_message_id', 'drafts'].filter((name) => name in state);
      const cases: readonly (readonly [Params, state: string[], events: string[]])[] = [
        [{ event_types: ['message'] }, ['max_message_id'], ['message']],
        [{ event_types: ['message'], fetch_event_types: ['drafts'] }, ['drafts'], ['message']],
        [{ event_types: ['drafts'], fetch_event_types: [] }, [], ['drafts']],
        [{ event_types: [], fetch_event_types: ['subscription'] }, ['subscriptions'], []],
        [{ fetch_event_types: ['realm_user'] }, ['realm_users'], ['message', 'drafts']],
        [{ event_types: ['nonsense'] }, [], []],
        [{ event_types: ['drafts', 'drafts', 'message'] }, ['max_message_id', 'drafts'], ['message', 'drafts']],
      ];
      const queues = await Promise.all(cases.map(([params]) => Queue.register(other, params)));
      const last = await open({}, other);
      await tell(other, [other]);
      await other.api.ok('POST /drafts', { drafts: [{ type: '', to: [], topic: '', content: 'x' }] });
      await last.until((events) => events.some((event) => event.type === 'drafts'));
      for (const [i, [params, state, events]] of cases.entries()) {
        t.same(sections(queues[i]!.state), state, `state for ${JSON.stringify(params)}`);
        t.same(
          (await queues[i]!.now()).map((event) => event.type),
          events,
          `events for ${JSON.stringify(params)}`,
        );
      }
    },
  );
};
