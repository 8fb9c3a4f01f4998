/** The server's own accounts in each organization. */

import { refused } from '../../harness.js';
import { bad } from '../../support/client.js';
import { makeOrganization, PASSWORD, tell } from '../../support/organization.js';
import type { ApiMessage, ApiUser, Fields } from '../../support/types.js';
import type { Facts } from '../facts.js';

export const systemBots: Facts = async (t, server) => {
  const org = await makeOrganization(server, ['member']);
  const { owner, member } = org;
  const { cross_realm_bots } = await member.api.ok('POST /register', { fetch_event_types: ['realm_user'] });
  const bots = cross_realm_bots as ApiUser[];

  await t.test('system bots are in a list of their own, and in no other', async (t) => {
    t.same(
      bots.map(({ user_id, full_name, email, role, is_system_bot, bot_type, is_active }) => [
        [user_id, full_name, email, role],
        [is_system_bot, bot_type, is_active],
      ]),
      [
        [
          [1, 'Notification Bot', 'notification-bot@conclave.invalid', 400],
          [true, 1, true],
        ],
        [
          [2, 'Welcome Bot', 'welcome-bot@conclave.invalid', 400],
          [true, 1, true],
        ],
        [
          [3, 'Email Gateway', 'emailgateway@conclave.invalid', 400],
          [true, 1, true],
        ],
      ],
    );
    t.ok(bots.every(({ avatar_url, date_joined }) => typeof avatar_url === 'string' && date_joined !== ''));
    const { members } = await member.api.ok<{ members: ApiUser[] }>('GET /users');
    t.ok(members.every(({ user_id }) => user_id > 7));
    for (const { user_id, email } of bots) {
      await refused(t, member.api.call('GET /users/{user_id}', { user_id }), bad('No such user'), `${user_id}`);
      await refused(t, member.api.call('GET /users/{email}', { email }), bad('No such user'), email);
    }
  });

  await t.test('system bots can be written to, and their messages searched', async (t) => {
    const [{ user_id, email, full_name }] = bots as [ApiUser];
    const id = await tell(member, [{ ...owner, id: user_id }], 'thanks');
    await member.api.ok('POST /messages', { type: 'direct', to: [email], content: 'and again' });
    const found = async (narrow: unknown) => {
      const params = { anchor: 'newest', num_before: 10, num_after: 0, narrow };
      return (await member.api.ok('GET /messages', params)).messages as ApiMessage[];
    };
    const conversation = await found([{ operator: 'dm', operand: [user_id] }]);
    t.same(
      conversation.map(({ content }) => content),
      ['<p>thanks</p>', '<p>and again</p>'],
    );
    t.equal(conversation[0]!.id, id);
    const people = conversation[0]!.display_recipient as Fields[];
    t.same(
      people.find((of) => of.id === user_id),
      { id: user_id, email, full_name, is_mirror_dummy: false },
    );
    t.same(await found([{ operator: 'sender', operand: email }]), []);
    t.same(await found([{ operator: 'sender', operand: user_id }]), []);
  });

  await t.test('a system bot cannot log in, and no account can take its address', async (t) => {
    const host = { host: `${org.subdomain}.localhost` };
    for (const { email } of bots) {
      const login = org.nobody.with(host).call('POST /fetch_api_key', { username: email, password: PASSWORD });
      const msg = 'Your username or password is incorrect';
      await refused(t, login, { status: 401, code: 'AUTHENTICATION_FAILED', msg }, email);
      const account = owner.api.call('POST /users', { email, password: PASSWORD, full_name: 'Impostor' });
      await refused(t, account, bad(`Email '${email}' already in use`), email);
    }
    const principals = owner.api.call('POST /users/me/subscriptions', {
      subscriptions: [{ name: 'x' }],
      principals: [1],
    });
    t.equal((await principals).status, 403);
  });

  await t.test('sections of features that do not exist yet are there, and empty', async (t) => {
    const state = await member.api.ok('POST /register');
    const empty = {
      realm_filters: [],
      realm_bots: [],
      realm_embedded_bots: [],
      custom_profile_fields: [],
      has_zoom_token: false,
      giphy_api_key: '',
    };
    for (const [name, value] of Object.entries(empty)) t.same(state[name], value, name);
    const types = state.custom_profile_field_types as Fields;
    t.same([Object.keys(types).length, types.CHOICE], [9, types.SELECT]);
  });
};
