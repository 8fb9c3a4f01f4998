/** PATCH /users/{user_id} (users.md): name and role, the right to change them, and recipients of events. */

import { refused } from '../../harness.js';
import { bad, type Params, type Refusal } from '../../support/client.js';
import { makeOrganization, NOTIFICATION_BOT, type Person } from '../../support/organization.js';
import { Queue, settled } from '../../support/queue.js';
import type { ApiUser } from '../../support/types.js';
import { verifyAction } from '../../support/verify-action.js';
import type { Facts } from '../facts.js';

const OPERATION = 'PATCH /users/{user_id}';
const OWNERS_ONLY: Refusal = { code: 'UNAUTHORIZED_PRINCIPAL', msg: 'Must be an organization owner' };
const LAST_OWNER = bad('The owner permission cannot be removed from the only organization owner.');
/** Ids of system groups, by role. */
const GROUPS: Readonly<Record<number, number>> = { 100: 1, 200: 2, 300: 3, 400: 5, 600: 6 };
const FULL_MEMBERS = 4;

export const changingAccounts: Facts = async (t, server) => {
  const org = await makeOrganization(server);
  const { owner, admin, moderator, member, other, guest } = org;
  const change = (by: Person, user: number, params: Params) => by.api.call(OPERATION, { user_id: user, ...params });
  const shown = async (id: number) =>
    (await owner.api.ok<{ user: ApiUser }>('GET /users/{user_id}', { user_id: id })).user;

  await t.test('a changed name is published to all users', async (t) => {
    const queues = await Promise.all(
      org.people.map((person) => Queue.register(person, { event_types: ['realm_user'] })),
    );
    t.equal((await change(admin, member.id, { full_name: '  Another Name ' })).status, 200);
    for (const queue of queues) {
      const [event] = await queue.take(1);
      const person = { user_id: member.id, full_name: 'Another Name' };
      t.same(event, { id: event!.id, type: 'realm_user', op: 'update', person }, queue.of.role);
    }
    t.equal((await shown(member.id)).full_name, 'Another Name');
  });

  await t.test('a name that stays the same, or is blank, changes nothing', async (t) => {
    const queue = await Queue.register(owner);
    for (const full_name of ['Another Name', ' Another Name ', '', '   ', '\n']) {
      t.equal((await change(admin, member.id, { full_name })).status, 200, JSON.stringify(full_name));
    }
    t.equal((await change(admin, member.id, {})).status, 200, 'nothing at all');
    t.equal((await change(admin, member.id, { role: 400 })).status, 200, 'the role that it has');
    t.equal((await change(admin, member.id, { profile_data: [] })).status, 200, 'no value');
    t.same(await settled(queue), []);
    t.equal((await shown(member.id)).full_name, 'Another Name');
  });

  await t.test('administrators change names even where users may not change their own', async (t) => {
    await owner.api.ok('PATCH /realm', { name_changes_disabled: true });
    t.equal((await change(admin, member.id, { full_name: member.name })).status, 200);
    await owner.api.ok('PATCH /realm', { name_changes_disabled: false });
  });

  await t.test('each refusal, in order', async (t) => {
    const before = await shown(other.id);
    const name = (full_name: string) => change(admin, other.id, { full_name });
    await refused(t, change(member, 9_999, { role: 7, full_name: '*' }), bad('Invalid role'), 'parameters first');
    await refused(t, change(admin, other.id, { role: 'x' }), bad('Argument "role" is not valid JSON.'));
    await refused(t, change(admin, other.id, { role: '"400"' }), bad('role is not an integer'));
    const profile = (profile_data: unknown) => change(member, 9_999, { profile_data });
    await refused(t, profile({}), bad('profile_data is not a list'));
    await refused(t, profile([7]), bad('profile_data[0] is not a dict'));
    await refused(t, profile([{ value: 'x' }]), bad('id key is missing from profile_data[0]'));
    await refused(t, profile([{ id: 1 }]), bad('value key is missing from profile_data[0]'));
    await refused(t, profile([{ id: 1, value: 'x', more: 1, most: 2 }]), bad('Unexpected arguments: more, most'));
    await refused(t, profile([{ id: 1, value: 7 }]), bad('profile_data[0]["value"] is not an allowed_type'));
    await refused(t, profile([{ id: 1, value: ['x'] }]), bad('profile_data[0]["value"] is not an allowed_type'));
    for (const unknown of [9_999, 0, NOTIFICATION_BOT]) {
      await refused(t, change(member, unknown, { role: 100 }), bad('No such user'), `user ${unknown}`);
    }
    for (const by of [moderator, member, other, guest]) {
      await refused(t, change(by, other.id, { role: 100, full_name: '*' }), bad('Insufficient permission'), by.role);
      await refused(t, change(by, by.id, {}), bad('Insufficient permission'), `${by.role}, of himself`);
    }
    await refused(t, change(admin, other.id, { role: 100, full_name: '*' }), OWNERS_ONLY, 'making an owner');
    await refused(t, change(admin, owner.id, { role: 400 }), OWNERS_ONLY, 'unmaking one');
    await refused(t, change(owner, owner.id, { role: 200 }), LAST_OWNER, 'the last one');
    await refused(t, name('x'.repeat(101)), bad('Name too long!'));
    await refused(t, name('*'), bad('Name too short!'));
    for (const char of ['*', '`', '\\', '>', '"', '@', '\u{7}', '\u{200b}', '\0'])
      await refused(t, name(`So ${char} what`), bad('Invalid characters in name!'), JSON.stringify(char));
    await refused(t, name('Ann|25'), bad('Invalid format!'));
    for (const value of ['x', '', null, [1]]) {
      await refused(t, change(admin, other.id, { profile_data: [{ id: 999, value }] }), bad('Field id 999 not found.'));
    }
    t.same(await shown(other.id), before, 'nothing was changed');
  });

  await t.test('a role stays changed when the name is refused', async (t) => {
    await refused(t, change(admin, other.id, { role: 300, full_name: '**' }), bad('Invalid characters in name!'));
    t.same([(await shown(other.id)).role, (await shown(other.id)).full_name], [300, other.name]);
    const both = { role: 400, full_name: 'Other One', profile_data: [{ id: 3, value: 'x' }] };
    await refused(t, change(admin, other.id, both), bad('Field id 3 not found.'));
    t.same([(await shown(other.id)).role, (await shown(other.id)).full_name], [400, 'Other One']);
  });

  await t.test('profile values: empty ones are deleted first, the others set together or not at all', async (t) => {
    const field = async (name: string, field_type: number, field_data = {}) =>
      (await admin.api.ok<{ id: number }>('POST /realm/profile_fields', { name, field_type, field_data })).id;
    const [short, long, tree] = [
      await field('short', 1),
      await field('long', 2),
      await field('tree', 3, { a: { text: 'Ash', order: '1' } }),
    ];
    const [day, page, mentor] = [await field('day', 4), await field('page', 5), await field('mentor', 6)];
    const set = (profile_data: readonly { id: number; value: unknown }[], by = admin) =>
      change(by, other.id, { profile_data });
    const values = async () => {
      const params = { user_id: other.id, include_custom_profile_fields: true };
      const { user } = await guest.api.ok<{ user: ApiUser }>('GET /users/{user_id}', params);
      const data = user.profile_data as Record<string, { value: string }>;
      return Object.fromEntries(Object.entries(data).map(([id, { value }]) => [id, value]));
    };
    const first = [
      { id: short, value: 'one' },
      { id: mentor, value: [member.id] },
    ];
    await verifyAction(t, 'values are set', [other, guest], () =>
      admin.api.ok(OPERATION, { user_id: other.id, profile_data: first }),
    );
    t.same(await values(), { [short]: 'one', [mentor]: `[${member.id}]` });
    const refusals: readonly (readonly [number, unknown, string])[] = [
      [short, 'x'.repeat(51), 'short is too long (limit: 50 characters)'],
      [short, [1], 'short is not a string'],
      [long, 'x'.repeat(501), 'long is too long (limit: 500 characters)'],
      [tree, 'b', "'b' is not a valid choice for 'tree'."],
      [day, '2023-2-30', 'day is not a date'],
      [page, 'nowhere', 'page is not a URL'],
      [mentor, 'x', 'User IDs is not a list'],
      [mentor, [9_999], 'Invalid user ID: 9999'],
    ];
    for (const [id, value, msg] of refusals) {
      await refused(
        t,
        set([
          { id: long, value: 'not kept' },
          { id, value },
        ]),
        bad(msg),
        msg,
      );
    }
    const mixed = [
      { id: page, value: 'nowhere' },
      { id: short, value: null },
    ];
    await refused(t, set(mixed), bad('page is not a URL'));
    t.same(await values(), { [mentor]: `[${member.id}]` }, 'what was empty is gone');
    await refused(t, set(first, member), bad('Insufficient permission'));
    t.equal((await set([{ id: mentor, value: [] }])).status, 200);
    t.same(await values(), {});
  });

  await t.test(
    'a change of role publishes the account, the groups of the roles, then the group of full members',
    async (t) => {
      const queue = await Queue.register(guest, { event_types: ['realm_user', 'user_group'] });
      const group = (op: string, group_id: number) => ({ type: 'user_group', op, group_id, user_ids: [other.id] });
      let role = 400;
      for (const next of [600, 400, 300, 200, 100, 600, 300, 600, 200, 400]) {
        t.equal((await change(owner, other.id, { role: next })).status, 200);
        const full = role === 400 ? 'remove_members' : next === 400 ? 'add_members' : undefined;
        const expected = [
          { type: 'realm_user', op: 'update', person: { user_id: other.id, role: next } },
          group('remove_members', GROUPS[role]!),
          group('add_members', GROUPS[next]!),
          ...(full ? [group(full, FULL_MEMBERS)] : []),
        ];
        const events = await queue.take(expected.length);
        t.same(
          events.map(({ id: _, ...event }) => event),
          expected,
          `from ${role} to ${next}`,
        );
        const user = await shown(other.id);
        t.same(
          [user.role, user.is_owner, user.is_admin, user.is_guest],
          [next, next === 100, next <= 200, next === 600],
          String(next),
        );
        role = next;
      }
    },
  );

  await t.test('the last owner cannot be demoted, by any caller or concurrent call', async (t) => {
    await change(owner, other.id, { role: 100 });
    const answers = await Promise.all([
      change(owner, other.id, { role: 200 }),
      change(other, owner.id, { role: 200 }),
      change(other, other.id, { role: 600 }),
      change(owner, owner.id, { role: 400 }),
    ]);
    t.ok(
      answers.some(({ status }) => status === 200),
      'one of them comes first',
    );
    const { members } = await member.api.ok<{ members: ApiUser[] }>('GET /users');
    const owners = members.filter((user) => user.role === 100);
    t.equal(owners.length, 1);
    const left = owners[0]!.user_id === owner.id ? owner : other;
    await refused(t, change(left, left.id, { role: 200 }), LAST_OWNER);
    for (const [person, role] of [
      [owner, 100],
      [other, 400],
    ] as const) {
      if ((await shown(person.id)).role !== role) t.equal((await change(left, person.id, { role })).status, 200);
    }
  });

  await t.test('rights follow the role at once', async (t) => {
    const archive = () =>
      other.api.call('POST /user_groups/create', { name: `of ${Math.random()}`, description: '', members: [] });
    t.equal((await archive()).status, 200);
    await change(admin, other.id, { role: 600 });
    await refused(t, archive(), bad('Not allowed for guest users'));
    await change(admin, other.id, { role: 200 });
    t.equal((await other.api.call('PATCH /realm', { description: 'by a new administrator' })).status, 200);
    await change(admin, other.id, { role: 400 });
    await refused(t, other.api.call('PATCH /realm', { description: 'by nobody' }), {
      code: 'UNAUTHORIZED_PRINCIPAL',
      msg: 'Must be an organization administrator',
    });
  });

  await t.test('accounts of another organization cannot be changed', async (t) => {
    const elsewhere = await makeOrganization(server, ['member', 'admin']);
    const stranger = elsewhere.owner.api.with({}, 'foreign');
    const far = Math.max(...org.people.map(({ id }) => id));
    t.same((await stranger.call(OPERATION, { user_id: far, full_name: 'Taken Over' })).body.msg, 'No such user');
    t.not((await shown(far)).full_name, 'Taken Over');
    const nobody = await org.nobody.call(OPERATION, { user_id: member.id, full_name: 'x y' });
    t.equal(nobody.status, 401);
  });
};
