/**
 * DELETE /users/{user_id}, DELETE /users/me, POST /users/{user_id}/reactivate (users.md): the right to it, and its
 * effects.
 */

import { refused } from '../../harness.js';
import { bad, type Params, type Refusal, unauthorized } from '../../support/client.js';
import { mailed, mailsTo } from '../../support/mails.js';
import {
  addPerson,
  makeOrganization,
  NOTIFICATION_BOT,
  PASSWORD,
  type Person,
  subscribe,
  userGroup,
} from '../../support/organization.js';
import { Queue } from '../../support/queue.js';
import type { ApiUser } from '../../support/types.js';
import type { Facts } from '../facts.js';

const DEACTIVATE = 'DELETE /users/{user_id}';
const REACTIVATE = 'POST /users/{user_id}/reactivate';
const GONE = unauthorized('Account is deactivated');
const OWNERS_ONLY: Refusal = { code: 'UNAUTHORIZED_PRINCIPAL', msg: 'Must be an organization owner' };

export const deactivating: Facts = async (t, server) => {
  const org = await makeOrganization(server);
  const { owner, admin, moderator, member, other, guest } = org;
  const deactivate = (by: Person, user: number, params: Params = {}) =>
    by.api.call(DEACTIVATE, { user_id: user, ...params });
  const reactivate = (by: Person, user: number) => by.api.call(REACTIVATE, { user_id: user });
  const login = (person: Person) =>
    org.nobody
      .with({ host: `${org.subdomain}.localhost` })
      .call('POST /fetch_api_key', { username: person.email, password: PASSWORD });
  const shown = async (id: number) =>
    (await owner.api.ok<{ user: ApiUser }>('GET /users/{user_id}', { user_id: id })).user;

  await t.test('a deactivated account is refused everywhere, and all users get the event', async (t) => {
    const leaver = await addPerson(org, 'leaver');
    const queues = await Promise.all(
      org.people.map((person) => Queue.register(person, { event_types: ['realm_user'] })),
    );
    const own = await Queue.register(leaver);
    const waiting = leaver.api.call('GET /events', { queue_id: own.id, last_event_id: own.last });
    t.equal((await deactivate(admin, leaver.id)).status, 200);
    await refused(t, waiting, GONE, 'the poll that waited');
    for (const queue of queues) {
      const [event] = await queue.take(1);
      const person = { user_id: leaver.id, full_name: leaver.name };
      t.same(event, { id: event!.id, type: 'realm_user', op: 'remove', person }, queue.of.role);
    }
    await refused(t, leaver.api.call('GET /users/me'), GONE);
    await refused(t, leaver.api.call('GET /events', { queue_id: own.id, last_event_id: own.last }), GONE);
    await refused(t, leaver.api.call('DELETE /events', { queue_id: own.id }), GONE);
    await refused(t, login(leaver), { status: 401, code: 'USER_DEACTIVATED', msg: 'Account is deactivated' });
    t.equal((await shown(leaver.id)).is_active, false);
    const { realm_users, realm_non_active_users: inactive } = await member.api.ok('POST /register', {
      fetch_event_types: ['realm_user'],
    });
    const ids = (users: unknown): number[] => (users as ApiUser[]).map((user) => user.user_id);
    t.notOk(ids(realm_users).includes(leaver.id));
    t.same(ids(inactive), [leaver.id]);

    t.equal((await reactivate(admin, leaver.id)).status, 200);
    for (const queue of queues) {
      const [event] = await queue.take(1);
      t.same([event!.op, (event!.person as ApiUser).user_id], ['add', leaver.id], queue.of.role);
      t.same(event!.person, {
        ...(await shown(leaver.id)),
        avatar_url: (event!.person as ApiUser).avatar_url,
        profile_data: {},
      });
    }
    t.equal((await leaver.api.call('GET /users/me')).status, 200, 'with the key that it had');
    t.equal((await login(leaver)).status, 200);
    t.equal(
      (await leaver.api.call('GET /events', { queue_id: own.id, last_event_id: own.last })).body.code,
      'BAD_EVENT_QUEUE_ID',
      'what its queue has missed is not known: it registers anew',
    );
    t.equal((await reactivate(admin, leaver.id)).status, 200, 'again');
    await deactivate(admin, leaver.id);
  });

  await t.test('each refusal, in order', async (t) => {
    const long = { deactivation_notification_comment: 'x'.repeat(2_001) };
    const limit = bad('deactivation_notification_comment is too long (limit: 2000 characters)');
    await refused(t, deactivate(member, 9_999, long), limit);
    const gone = await addPerson(org, 'gone');
    const longest = { deactivation_notification_comment: '\u{1F44B}'.repeat(2_000) };
    t.equal((await deactivate(admin, gone.id, longest)).status, 200, 'characters are counted');
    for (const unknown of [9_999, 0, NOTIFICATION_BOT]) {
      await refused(t, deactivate(member, unknown), bad('No such user'), `user ${unknown}`);
      await refused(t, reactivate(member, unknown), bad('No such user'), `user ${unknown}`);
    }
    await refused(t, deactivate(member, gone.id), bad('User is deactivated'));
    for (const by of [moderator, member, guest]) {
      await refused(t, deactivate(by, owner.id), bad('Insufficient permission'), by.role);
      await refused(t, deactivate(by, by.id), bad('Insufficient permission'), `${by.role} himself`);
      await refused(t, reactivate(by, gone.id), bad('Insufficient permission'), by.role);
      await refused(t, reactivate(by, other.id), bad('Insufficient permission'), `${by.role}, of an active account`);
    }
    await refused(t, deactivate(admin, owner.id), OWNERS_ONLY);
    const lastOwner: Refusal = { msg: 'Cannot deactivate the only organization owner' };
    await refused(t, deactivate(owner, owner.id), lastOwner);
    const elsewhere = await makeOrganization(server, []);
    const stranger = elsewhere.owner.api.with({}, 'foreign');
    t.equal((await stranger.call(DEACTIVATE, { user_id: guest.id })).body.msg, 'No such user');
    t.equal((await stranger.call(REACTIVATE, { user_id: guest.id })).body.msg, 'No such user');
    t.equal((await shown(guest.id)).is_active, true);
  });

  await t.test('users deactivate themselves, except the last owner and the last user', async (t) => {
    const lonely = await makeOrganization(server, ['member']);
    const self = (person: Person) => person.api.call('DELETE /users/me');
    const last = (entity: string, is_last_owner: boolean): Refusal => ({
      code: 'CANNOT_DEACTIVATE_LAST_USER',
      msg: `Cannot deactivate the only ${entity}.`,
      extra: { is_last_owner, entity },
    });
    await refused(t, self(lonely.owner), last('organization owner', true));
    const queue = await Queue.register(lonely.owner, { event_types: ['realm_user'] });
    t.equal((await self(lonely.member)).status, 200);
    t.same((await queue.take(1))[0]!.person, { user_id: lonely.member.id, full_name: lonely.member.name });
    await refused(t, self(lonely.member), GONE);
    await refused(t, self(lonely.owner), last('user', false));
    for (const role of ['guest', 'moderator', 'admin', 'owner'] as const) {
      t.equal((await self(await addPerson(org, `self-${role}`, role))).status, 200, role);
    }
  });

  await t.test('one of two owners who deactivate each other remains', async (t) => {
    const second = await addPerson(org, 'second', 'owner');
    const answers = await Promise.all([
      deactivate(owner, second.id),
      deactivate(second, owner.id),
      owner.api.call('DELETE /users/me'),
      second.api.call('DELETE /users/me'),
    ]);
    t.equal(answers.filter(({ status }) => status === 200).length, 1);
    const { members } = await member.api.ok<{ members: ApiUser[] }>('GET /users');
    const left = members.filter((user) => user.is_owner && user.is_active);
    t.equal(left.length, 1);
    const [stays, went] = left[0]!.user_id === owner.id ? [owner, second] : [second, owner];
    t.equal((await reactivate(stays, went.id)).status, 200);
    t.equal((await deactivate(owner, second.id)).status, 200);
    const role = await owner.api.call('PATCH /users/{user_id}', { user_id: owner.id, role: 400 });
    t.equal(role.status, 400, 'an owner who is deactivated does not count');
  });

  await t.test('a deactivated account keeps role, name and groups, which may be changed', async (t) => {
    const leaver = await addPerson(org, 'renamed');
    const group = await userGroup(owner, 'of leavers', [owner, leaver]);
    await deactivate(admin, leaver.id);
    const queue = await Queue.register(member, { event_types: ['realm_user', 'user_group'] });
    t.equal(
      (await admin.api.call('PATCH /users/{user_id}', { user_id: leaver.id, full_name: 'Left', role: 300 })).status,
      200,
    );
    const events = await queue.take(5);
    t.same(
      events.map(({ type, op }) => `${type}/${op}`),
      [
        'realm_user/update',
        'user_group/remove_members',
        'user_group/add_members',
        'user_group/remove_members',
        'realm_user/update',
      ],
    );
    const inGroup = { user_group_id: group, user_id: leaver.id };
    await refused(
      t,
      member.api.call('GET /user_groups/{user_group_id}/members/{user_id}', inGroup),
      bad('User is deactivated'),
    );
    await reactivate(admin, leaver.id);
    t.same([(await shown(leaver.id)).role, (await shown(leaver.id)).full_name], [300, 'Left']);
    t.equal(
      (await member.api.ok('GET /user_groups/{user_group_id}/members/{user_id}', inGroup)).is_user_group_member,
      true,
    );
    await deactivate(admin, leaver.id);
  });

  await t.test('a mail goes to the deactivated user where a comment was given, and holds the comment', async (t) => {
    const [told, greeted, untold] = [
      await addPerson(org, 'told'),
      await addPerson(org, 'greeted'),
      await addPerson(org, 'untold'),
    ];
    const say = (text: string) => ({ deactivation_notification_comment: text });
    t.equal((await deactivate(admin, untold.id)).status, 200);
    t.equal((await deactivate(admin, greeted.id, say(''))).status, 200);
    t.equal((await deactivate(admin, told.id, say('Farewell,\r\nand thanks.'))).status, 200);
    const [[letter], [bare]] = [await mailed(server, told.email), await mailed(server, greeted.email)];
    t.equal(letter?.headers.get('subject'), `Your account at The ${org.subdomain} was deactivated`);
    t.match(letter?.text, /An administrator wrote:\n\nFarewell,\nand thanks\./);
    t.match(letter?.text, told.email);
    t.notMatch(bare?.text, /An administrator wrote/);
    t.same(mailsTo(server, untold.email), []);
  });

  await t.test('an address that its owner hides stays hidden when the account is reactivated', async (t) => {
    const hidden = await addPerson(org, 'hidden');
    await hidden.api.ok('PATCH /settings', { email_address_visibility: 3 });
    await deactivate(admin, hidden.id);
    const [seeing, blind] = [
      await Queue.register(admin, { event_types: ['realm_user'] }),
      await Queue.register(member, { event_types: ['realm_user'] }),
    ];
    await reactivate(admin, hidden.id);
    t.equal(((await seeing.take(1))[0]!.person as ApiUser).delivery_email, hidden.email);
    t.equal(((await blind.take(1))[0]!.person as ApiUser).delivery_email, null);
  });

  await t.test('a deactivated account cannot be written to, subscribed or mentioned', async (t) => {
    const leaver = await addPerson(org, 'Gone One');
    await subscribe(leaver, 'with leaver', { principals: [leaver, member] });
    await deactivate(admin, leaver.id);
    const noLonger = bad(`'${leaver.email}' is no longer using Conclave.`);
    const direct = (to: number[]) => member.api.call('POST /messages', { type: 'direct', to, content: 'hello?' });
    await refused(t, direct([leaver.id]), noLonger);
    await refused(t, direct([leaver.id, other.id]), noLonger, 'in a group');
    const later = { type: 'direct', to: [leaver.id], content: 'x', scheduled_delivery_timestamp: 4_000_000_000 };
    await refused(t, member.api.call('POST /scheduled_messages', later), noLonger);
    const now = { ...later, to: [other.id] };
    const { scheduled_message_id } = await member.api.ok('POST /scheduled_messages', now);
    const edit = { scheduled_message_id, to: [leaver.id] };
    await refused(t, member.api.call('PATCH /scheduled_messages/{scheduled_message_id}', edit), noLonger);
    await member.api.ok('DELETE /scheduled_messages/{scheduled_message_id}', { scheduled_message_id });
    const draft = { type: 'private', to: [leaver.id], topic: '', content: 'x' };
    await refused(t, member.api.call('POST /drafts', { drafts: [draft] }), noLonger);
    const { ids } = await member.api.ok<{ ids: number[] }>('POST /drafts', { drafts: [{ ...draft, to: [other.id] }] });
    await refused(t, member.api.call('PATCH /drafts/{draft_id}', { draft_id: ids[0], draft }), noLonger);
    const { id: field } = await admin.api.ok('POST /realm/profile_fields', { name: 'mentor', field_type: 6 });
    const picked = [{ id: field, value: [leaver.id] }];
    const notPicked = bad(`User with ID ${leaver.id} is deactivated`);
    await refused(t, member.api.call('PATCH /users/me/profile_data', { data: picked }), notPicked);
    const profile = { user_id: member.id, profile_data: picked };
    await refused(t, admin.api.call('PATCH /users/{user_id}', profile), notPicked);
    await refused(t, member.api.call('PATCH /settings', { email: leaver.email }), bad('Account has been deactivated.'));
    for (const principal of [leaver.id, leaver.email]) {
      for (const operation of ['POST /users/me/subscriptions', 'DELETE /users/me/subscriptions']) {
        const subscriptions = operation.startsWith('POST') ? [{ name: 'with leaver' }] : ['with leaver'];
        await refused(t, admin.api.call(operation, { subscriptions, principals: [principal] }), {
          status: 403,
          code: 'UNAUTHORIZED_PRINCIPAL',
          msg: `User not authorized to execute queries on behalf of '${principal}'`,
          extra: { principal },
        });
      }
    }
    const { rendered } = await member.api.ok('POST /messages/render', {
      content: `@**Gone One** @**Gone One|${leaver.id}** @_**Gone One**`,
    });
    t.notMatch(rendered, 'user-mention');
    const typing = await Queue.register(other, { event_types: ['typing'] });
    t.equal((await member.api.call('POST /typing', { op: 'start', to: [leaver.id, other.id] })).status, 200);
    t.same(
      (await typing.take(1)).map(({ recipients }) => (recipients as ApiUser[]).map((user) => user.user_id)),
      [[leaver.id, other.id, member.id]],
    );
    t.equal(
      (await member.api.call('POST /users/me/muted_users/{muted_user_id}', { muted_user_id: leaver.id })).status,
      200,
    );
    await member.api.ok('DELETE /users/me/muted_users/{muted_user_id}', { muted_user_id: leaver.id });
  });
};
