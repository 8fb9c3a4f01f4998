/** Every operation as every role: conventions.md § Roles. The role is checked before the parameters. */

import { refused } from '../../harness.js';
import { bad, type Params, type Refusal } from '../../support/client.js';
import { makeBot, makeOrganization, type Person, say, streamIdOf, subscribe } from '../../support/organization.js';
import type { Facts } from '../facts.js';

const ADMINS_ONLY: Refusal = { code: 'UNAUTHORIZED_PRINCIPAL', msg: 'Must be an organization administrator' };

export const roles: Facts = async (t, server) => {
  const org = await makeOrganization(server);
  const bot = await makeBot(org.member);
  await subscribe(org.owner, 'everybody', { principals: [...org.people, bot] });
  const message = await say(org.owner, 'everybody', 'roles');
  const poll = await say(org.owner, 'everybody', 'roles', '/poll Roles?');
  const stream = await streamIdOf(org.owner, 'everybody');

  await t.test('operations for everybody are open to all roles', async (t) => {
    const open: Record<string, Params> = {
      'POST /register': {},
      'GET /events': { dont_block: true },
      'POST /messages': { type: 'stream', to: 'everybody', topic: 'roles', content: 'me too' },
      'GET /messages': { anchor: 'newest', num_before: 5, num_after: 0 },
      'GET /messages/{message_id}': { message_id: message },
      'POST /messages/{message_id}/reactions': { message_id: message, emoji_name: 'tada' },
      'DELETE /messages/{message_id}/reactions': { message_id: message, emoji_name: 'tada' },
      'GET /messages/{message_id}/read_receipts': { message_id: message },
      'POST /submessage': { message_id: poll, msg_type: 'widget', content: '{"type":"vote","key":"1,1","vote":1}' },
      'GET /messages/matches_narrow': { msg_ids: [message], narrow: [] },
      'GET /users': {},
      'GET /users/me': {},
      'GET /users/me/subscriptions': {},
      'GET /streams': {},
      'GET /users/{user_id}': { user_id: org.owner.id },
      'GET /users/{email}': { email: org.owner.email },
      'GET /get_stream_id': { stream: 'everybody' },
      'POST /messages/render': { content: 'x' },
      'GET /drafts': {},
      'GET /scheduled_messages': {},
      'POST /scheduled_messages': {
        type: 'stream',
        to: stream,
        topic: 'roles',
        content: 'later',
        scheduled_delivery_timestamp: 4_102_444_800,
      },
      'POST /typing': { type: 'stream', op: 'start', to: [stream], topic: 'roles' },
      'POST /drafts': { drafts: [] },
      'POST /user_topics': { stream_id: stream, topic: 'roles', visibility_policy: 1 },
      'PATCH /users/me/subscriptions/muted_topics': { stream: 'everybody', topic: 'roles', op: 'remove' },
      'GET /server_settings': {},
      'GET /attachments': {},
      'GET /realm/emoji': {},
    };
    for (const [operation, params] of Object.entries(open)) {
      for (const person of [...org.people, bot]) {
        t.equal((await person.api.call(operation, params)).status, 200, `${operation} as ${person.role}`);
      }
    }
    for (const person of [...org.people, bot]) {
      const { queue_id } = await person.api.ok('POST /register', { fetch_event_types: [] });
      t.equal((await person.api.call('DELETE /events', { queue_id })).status, 200, `DELETE /events as ${person.role}`);
    }
  });

  await t.test('guests cannot subscribe; all other roles can', async (t) => {
    for (const person of org.people.filter((one) => one.role !== 'guest')) await subscribe(person, `by ${person.role}`);
    const guest = org.guest.api;
    await refused(
      t,
      guest.call('POST /users/me/subscriptions', { subscriptions: [{ name: 'x' }] }),
      bad('Not allowed for guest users'),
    );
    await refused(
      t,
      guest.call('POST /users/me/subscriptions', { subscriptions: 'nonsense' }),
      bad('Not allowed for guest users'),
      'before parameters',
    );
  });

  await t.test('only owners and administrators create accounts, whatever the parameters', async (t) => {
    const account = (by: Person) => ({
      email: `by-${by.role}@${org.subdomain}.example.com`,
      password: 'umbrella-cactus-17-vowel',
      full_name: `Made by ${by.role}`,
    });
    for (const person of org.people) {
      if (person.role === 'owner' || person.role === 'admin') {
        t.equal((await person.api.call('POST /users', account(person))).status, 200, person.role);
      } else {
        await refused(t, person.api.call('POST /users', account(person)), ADMINS_ONLY, person.role);
        await refused(t, person.api.call('POST /users', {}), ADMINS_ONLY, `${person.role}, without parameters`);
      }
    }
  });

  await t.test('the state says what a role may do', async (t) => {
    const flags = [
      'is_owner',
      'is_admin',
      'is_moderator',
      'is_guest',
      'can_create_streams',
      'can_create_public_streams',
      'can_create_private_streams',
      'can_subscribe_other_users',
      'can_invite_others_to_realm',
    ];
    const expected: Record<string, string> = {
      owner: '110011111',
      admin: '010011111',
      moderator: '001011111',
      member: '000011111',
      other: '000011111',
      guest: '000100000',
    };
    for (const person of org.people) {
      const state = await person.api.ok('POST /register', { fetch_event_types: ['realm_user'] });
      t.equal(flags.map((flag) => Number(state[flag])).join(''), expected[person.role], person.role);
    }
  });
};
