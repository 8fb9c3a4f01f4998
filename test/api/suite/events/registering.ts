/** POST /register: parameters, sections of state, versions (register.md). */

import { refused } from '../../harness.js';
import { bad, type Params } from '../../support/client.js';
import { makeOrganization, type Person, subscribe, tell } from '../../support/organization.js';
import type { Facts } from '../facts.js';

/** Fields that say which section of the state was sent. */
const SECTIONS: Readonly<Record<string, readonly string[]>> = {
  message: ['max_message_id'],
  realm: ['realm_name', 'realm_uri', 'max_message_length', 'server_generation', 'realm_authentication_methods'],
  realm_user: ['realm_users', 'realm_non_active_users', 'cross_realm_bots', 'is_admin', 'user_id', 'full_name'],
  subscription: ['subscriptions', 'unsubscribed', 'never_subscribed'],
  stream: ['streams'],
  realm_emoji: ['realm_emoji'],
  recent_private_conversations: ['recent_private_conversations'],
};

const ALWAYS = [
  'result',
  'msg',
  'queue_id',
  'last_event_id',
  'service_version',
  'zulip_version',
  'service_feature_level',
  'zulip_feature_level',
  'service_merge_base',
  'zulip_merge_base',
];

export const registering: Facts = async (t, server) => {
  const org = await makeOrganization(server, ['member', 'guest']);
  const { owner, member, guest } = org;
  const register = (params: Params, by = member) => by.api.call('POST /register', params);

  await t.test('versions and the queue are always in the answer, alone if nothing is asked for', async (t) => {
    const state = await member.api.ok('POST /register', { fetch_event_types: [] });
    t.same(Object.keys(state).sort(), [...ALWAYS].sort());
    t.match(state.service_version, /^7\.0\+conclave\./);
    t.equal(state.service_feature_level, 184);
    t.match(state.queue_id, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  });

  await t.test(
    'fetch_event_types selects the sections, else event_types does; without both all sections come',
    async (t) => {
      for (const [section, fields] of Object.entries(SECTIONS)) {
        for (const params of [{ fetch_event_types: [section] }, { event_types: [section] }]) {
          const state = await member.api.ok('POST /register', params);
          for (const [other, named] of Object.entries(SECTIONS)) {
            for (const field of named)
              t.equal(field in state, other === section, `${JSON.stringify(params)}: ${field}`);
          }
        }
        const state = await member.api.ok('POST /register', { event_types: ['typing'], fetch_event_types: [section] });
        for (const field of fields) t.ok(field in state, field);
      }
      const everything = await member.api.ok('POST /register');
      for (const fields of Object.values(SECTIONS)) for (const field of fields) t.ok(field in everything, field);
      t.same(
        Object.keys(await member.api.ok('POST /register', { fetch_event_types: ['no such type'] })).sort(),
        [...ALWAYS].sort(),
      );
    },
  );

  await t.test('max_message_id is -1 before the first message', async (t) => {
    t.equal((await guest.api.ok('POST /register', { fetch_event_types: ['message'] })).max_message_id, -1);
  });

  await t.test('recent direct conversations come newest first, each with its other participants', async (t) => {
    const recent = async (of: Person): Promise<unknown> =>
      (await of.api.ok('POST /register', { fetch_event_types: ['recent_private_conversations'], event_types: [] }))
        .recent_private_conversations;
    const { member, moderator, guest } = await makeOrganization(server, ['member', 'moderator', 'guest']);
    t.same(await recent(member), []);
    await tell(member, [moderator]);
    const alone = await tell(member, [member]);
    const three = await tell(guest, [member, moderator]);
    const two = await tell(moderator, [member]);
    t.same(await recent(member), [
      { max_message_id: two, user_ids: [moderator.id] },
      { max_message_id: three, user_ids: [moderator.id, guest.id].sort((a, b) => a - b) },
      { max_message_id: alone, user_ids: [] },
    ]);
    t.same(await recent(guest), [{ max_message_id: three, user_ids: [member.id, moderator.id].sort((a, b) => a - b) }]);
  });

  await t.test('include_subscribers adds the lists', async (t) => {
    await subscribe(owner, 'listed', { principals: [owner, member] });
    const lists = async (params: Params) => {
      const { subscriptions } = await member.api.ok<{ subscriptions: { subscribers?: number[] }[] }>(
        'POST /register',
        params,
      );
      return subscriptions.map((one) => one.subscribers);
    };
    t.same(await lists({}), [undefined]);
    t.same(await lists({ include_subscribers: true }), [[owner.id, member.id]]);
  });

  await t.test('notification settings are null only for clients that can handle null', async (t) => {
    const names = ['desktop', 'audible', 'push', 'email'].map((name) => `${name}_notifications`);
    const values = async (client_capabilities: unknown) => {
      const { subscriptions } = await member.api.ok<{ subscriptions: Record<string, unknown>[] }>('POST /register', {
        client_capabilities,
      });
      return [...names, 'wildcard_mentions_notify'].map((name) => subscriptions[0]![name]);
    };
    t.same(await values({ notification_settings_null: true }), [null, null, null, null, null]);
    t.same(await values({ notification_settings_null: false }), [false, false, false, false, true]);
    t.same(await values({}), [false, false, false, false, true], 'every capability may be left out');
  });

  await t.test('client_gravatar decides on avatar_url; its default is true', async (t) => {
    const urls = async (params: Params) => {
      const { realm_users } = await member.api.ok<{ realm_users: { avatar_url: string | null }[] }>(
        'POST /register',
        params,
      );
      return new Set(realm_users.map((user) => typeof user.avatar_url));
    };
    t.same([...(await urls({}))], ['object']);
    t.same([...(await urls({ client_gravatar: false }))], ['string']);
  });

  await t.test('each parameter is checked', async (t) => {
    for (const name of [
      'apply_markdown',
      'client_gravatar',
      'slim_presence',
      'all_public_streams',
      'include_subscribers',
    ]) {
      await refused(t, register({ [name]: 'maybe' }), bad(`Argument "${name}" is not valid JSON.`));
      await refused(t, register({ [name]: 1 }), bad(`${name} is not a boolean`));
    }
    for (const name of ['event_types', 'fetch_event_types']) {
      await refused(t, register({ [name]: 'message' }), bad(`Argument "${name}" is not valid JSON.`));
      await refused(t, register({ [name]: '"message"' }), bad(`${name} is not a list`));
      await refused(t, register({ [name]: 'null' }), bad(`${name} is not a list`), `${name}: null is not absent`);
      await refused(t, register({ [name]: ['message', 1] }), bad(`${name}[1] is not a string`));
    }
    await refused(t, register({ client_capabilities: [] }), bad('client_capabilities is not a dict'));
    await refused(
      t,
      register({ client_capabilities: { bulk_message_deletion: 1 } }),
      bad('client_capabilities["bulk_message_deletion"] is not a boolean'),
    );
    await refused(
      t,
      register({ client_capabilities: { unheard_of: 1 } }),
      bad('client_capabilities contains a value that is not a boolean'),
    );
    t.equal((await register({ client_capabilities: { unheard_of: true } })).status, 200);
    await refused(t, register({ narrow: 'x' }), bad('Argument "narrow" is not valid JSON.'));
    await refused(t, register({ narrow: {} }), bad('narrow is not a list'));
    await refused(t, register({ narrow: ['stream'] }), bad('narrow[0] is not a list'));
    await refused(t, register({ narrow: [['stream']] }), bad('narrow[0] should have exactly 2 items'));
    await refused(
      t,
      register({
        narrow: [
          ['topic', 'x'],
          ['topic', 'x', 'y'],
        ],
      }),
      bad('narrow[1] should have exactly 2 items'),
    );
    await refused(t, register({ narrow: [['stream', 5]] }), bad('narrow[0][1] is not a string'));
    for (const operator of ['near', 'dm', 'has', 'search']) {
      await refused(t, register({ narrow: [[operator, 'x']] }), bad(`Operator ${operator} not supported.`));
    }
    await refused(t, register({ queue_lifespan_secs: 'x' }), bad('Argument "queue_lifespan_secs" is not valid JSON.'));
    await refused(t, register({ queue_lifespan_secs: '"5"' }), bad('queue_lifespan_secs is not an integer'));
    await refused(t, register({ queue_lifespan_secs: '5.0' }), bad('queue_lifespan_secs is not an integer'), '5.0');
    await refused(t, register({ queue_lifespan_secs: -1 }), bad('queue_lifespan_secs is too small'));
    t.equal((await register({ queue_lifespan_secs: 99_999_999 })).status, 200, 'too long a life is cut, not refused');
    t.equal((await register({ queue_lifespan_secs: true })).status, 200, 'JSON true passes for an integer');
  });

  await t.test('all_public_streams is refused to guests', async (t) => {
    await refused(t, register({ all_public_streams: true }, guest), bad('User not authorized for this query'));
    t.equal((await register({ all_public_streams: true })).status, 200);
  });
};
