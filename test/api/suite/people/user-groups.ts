/** User groups: users.md § User groups. */

import { refused } from '../../harness.js';
import { bad, missing, type Params } from '../../support/client.js';
import { makeOrganization, PASSWORD, type Person, say, subscribe, tell } from '../../support/organization.js';
import { Queue } from '../../support/queue.js';
import type { ApiEvent, ApiMessage, Fields } from '../../support/types.js';
import { verifyAction } from '../../support/verify-action.js';
import type { Facts } from '../facts.js';

interface Group extends Fields {
  readonly id: number;
  readonly name: string;
  readonly members: readonly number[];
  readonly direct_subgroup_ids: readonly number[];
}

const plain = (events: readonly ApiEvent[]): Fields[] => events.map(({ id: _, type: __, ...event }) => event);

export const userGroups: Facts = async (t, server) => {
  const org = await makeOrganization(server);
  const elsewhere = await makeOrganization(server, ['member']);
  const { owner, admin, moderator, member, other, guest } = org;
  await subscribe(owner, 'deck', { principals: [owner, member, other, guest] });
  const create = (params: Params, by: Person = member) => by.api.call('POST /user_groups/create', params);
  const list = async (by: Person = member) => (await by.api.ok('GET /user_groups')).user_groups as Group[];
  const made = async (name: string, members: readonly Person[], by: Person = member): Promise<number> => {
    await create({ name, description: `The ${name}`, members: members.map(({ id }) => id) }, by);
    return (await list()).find((group) => group.name === name)!.id;
  };
  const find = async (id: number) => (await list()).find((group) => group.id === id)!;
  const update = (user_group_id: number, params: Params, by: Person = member) =>
    by.api.call('PATCH /user_groups/{user_group_id}', { user_group_id, ...params });
  const remove = (user_group_id: number, by: Person = member) =>
    by.api.call('DELETE /user_groups/{user_group_id}', { user_group_id });
  const members = (user_group_id: number, params: Params, by: Person = member) =>
    by.api.call('POST /user_groups/{user_group_id}/members', { user_group_id, ...params });
  const subgroups = (user_group_id: number, params: Params, by: Person = member) =>
    by.api.call('POST /user_groups/{user_group_id}/subgroups', { user_group_id, ...params });
  const all = async (user_group_id: number, direct_member_only?: boolean) =>
    (await member.api.ok('GET /user_groups/{user_group_id}/members', { user_group_id, direct_member_only })).members;
  const subs = async (user_group_id: number, direct_subgroup_only?: boolean) =>
    (await member.api.ok('GET /user_groups/{user_group_id}/subgroups', { user_group_id, direct_subgroup_only }))
      .subgroups;
  const isMember = (user_group_id: number, user_id: number, params: Params = {}, by: Person = member) =>
    by.api.call('GET /user_groups/{user_group_id}/members/{user_id}', { user_group_id, user_id, ...params });
  const follow = (by: Person) => Queue.register(by, { event_types: ['user_group'] });

  await t.test('system groups follow from roles and form a chain', async (t) => {
    const groups = await list();
    t.same(
      groups.map(({ id, name, members, direct_subgroup_ids }) => [id, name, members, direct_subgroup_ids]),
      [
        [1, '@role:owners', [owner.id], []],
        [2, '@role:administrators', [admin.id], [1]],
        [3, '@role:moderators', [moderator.id], [2]],
        [4, '@role:fullmembers', [member.id, other.id], [3]],
        [5, '@role:members', [member.id, other.id], [4]],
        [6, '@role:everyone', [guest.id], [5]],
        [7, '@role:internet', [], [6]],
        [8, '@role:nobody', [], []],
      ],
    );
    t.ok(groups.every(({ is_system_group }) => is_system_group === true));
    const { realm_user_groups } = await guest.api.ok('POST /register', { fetch_event_types: ['realm_user_groups'] });
    t.same(realm_user_groups, groups, 'guests see them in the state');
    t.same(await all(3), [owner.id, admin.id, moderator.id]);
    t.same(
      await all(7),
      org.people.map(({ id }) => id).sort((a, b) => a - b),
    );
    t.same(await subs(7), [1, 2, 3, 4, 5, 6]);
    t.same(await subs(7, true), [6]);
    for (const id of [1, 7, 8]) {
      await refused(t, update(id, { name: 'x' }, owner), bad('Insufficient permission'), `update ${id}`);
      await refused(t, remove(id, owner), bad('Insufficient permission'), `remove ${id}`);
      await refused(t, members(id, { add: [guest.id] }, owner), bad('Insufficient permission'), `members ${id}`);
      await refused(t, subgroups(id, { add: [8] }, owner), bad('Insufficient permission'), `subgroups ${id}`);
    }
  });

  await t.test('a new account joins the groups of its role', async (t) => {
    const queue = await follow(guest);
    const account = { email: `cadet@${org.subdomain}.example.com`, password: PASSWORD, full_name: 'Cadet' };
    const { user_id } = await owner.api.ok('POST /users', account);
    t.same(
      plain(await queue.take(2)),
      [5, 4].map((group_id) => ({ op: 'add_members', group_id, user_ids: [user_id] })),
    );
  });

  await t.test('a new group is published to all users', async (t) => {
    const queue = await follow(guest);
    const answer = await create({ name: 'crew', description: 'd', members: [other.id, member.id, other.id] });
    t.same(answer.body, { result: 'success', msg: '' });
    const group = (await list()).at(-1)!;
    const ids = [member.id, other.id].sort((a, b) => a - b);
    const expected = { name: 'crew', description: 'd', members: ids, direct_subgroup_ids: [], is_system_group: false };
    t.same(group, { id: group.id, ...expected });
    t.same(plain(await queue.take(1)), [{ op: 'add', group }]);
    t.equal(
      (await create({ name: 'Crew', description: '' }, other)).status,
      200,
      'case counts; members may be missing',
    );
    await refused(t, create({ name: 'crew', description: '' }), bad("User group 'crew' already exists."));
    for (const name of ['cr\u200bew', '@role:\u200bowners'])
      await refused(t, create({ name, description: '' }), bad(`User group '${name}' already exists.`));
    await refused(
      t,
      create({ name: '@role:owners', description: '' }),
      bad("User group '@role:owners' already exists."),
    );
    await refused(t, create({ name: 'x', description: '', members: [987_654] }), bad('Invalid user ID: 987654'));
    await refused(t, create({ name: 'x', description: '', members: [1] }), bad('Invalid user ID: 1'), 'a system bot');
    await refused(t, create({ name: 'x', description: '', members: 5 }), bad('members is not a list'));
    await refused(t, create({ name: 'x', description: '', members: ['5'] }), bad('members[0] is not an integer'));
    await refused(t, create({ description: '' }), missing('name'));
    await refused(t, create({ name: 'x' }), missing('description'));
    await refused(
      t,
      create({ name: 'x'.repeat(101), description: '' }),
      bad('name is too long (limit: 100 characters)'),
    );
    const tooLong = bad('description is too long (limit: 1024 characters)');
    await refused(t, create({ name: 'x', description: 'x'.repeat(1_025) }), tooLong);
  });

  await t.test('name and description change; unchanged ones are not published', async (t) => {
    const id = await made('watch', [member]);
    const queue = await follow(guest);
    await update(id, { name: 'night watch', description: 'dark' });
    await update(id, { name: 'night watch', description: 'darker' });
    t.same((await update(id, { name: 'night watch' })).body, { result: 'success', msg: '' });
    await update(id, { description: '' });
    const told = (data: Fields) => ({ op: 'update', group_id: id, data });
    t.same(plain(await queue.take(4)), [
      told({ name: 'night watch' }),
      told({ description: 'dark' }),
      told({ description: 'darker' }),
      told({ description: '' }),
    ]);
    await refused(t, update(id, {}), bad('No new data supplied'));
    await refused(t, update(987_654, {}), bad('No new data supplied'), 'before the group is looked up');
    await refused(t, update(id, { name: 'crew' }), bad("User group 'crew' already exists."));
    await refused(t, update(id, { name: 'x'.repeat(101) }), bad('name is too long (limit: 100 characters)'));
    const tooLong = bad('description is too long (limit: 1024 characters)');
    await refused(t, update(id, { description: 'x'.repeat(1_025) }), tooLong);
    t.same(await queue.now(), []);
  });

  await t.test('members are changed all or nothing, and get a notice from the notification bot', async (t) => {
    const id = await made('lookout', [member]);
    const [queue, post] = [await follow(guest), await Queue.register(other, { event_types: ['message'] })];
    t.equal((await members(id, { add: [other.id, guest.id], delete: [member.id] })).status, 200);
    const ids = [other.id, guest.id].sort((a, b) => a - b);
    t.same((await find(id)).members, ids);
    t.same(plain(await queue.take(2)), [
      { op: 'add_members', group_id: id, user_ids: ids },
      { op: 'remove_members', group_id: id, user_ids: [member.id] },
    ]);
    await members(id, { delete: [other.id] }, other);
    t.equal((await members(id, { add: [other.id] }, admin)).status, 200);
    t.equal((await members(id, { delete: [other.id] }, moderator)).status, 200);
    const texts = (await post.take(3)).map(({ message }) => message as ApiMessage);
    t.same(
      texts.map(({ content, sender_full_name }) => [sender_full_name, content]),
      [
        [member, 'added you to'],
        [admin, 'added you to'],
        [moderator, 'removed you from'],
      ].map(([by, what]) => [
        'Notification Bot',
        `@_**${(by as Person).name}|${(by as Person).id}** ${what} the group @_*lookout*.`,
      ]),
      'not of what one does to oneself',
    );
    t.same((await find(id)).members, [guest.id]);
    await refused(t, members(id, {}, admin), bad('Nothing to do. Specify at least one of "add" or "delete".'));
    await refused(t, members(987_654, {}), bad('Nothing to do. Specify at least one of "add" or "delete".'));
    await refused(
      t,
      members(id, { add: [guest.id] }, admin),
      bad(`User ${guest.id} is already a member of this group`),
    );
    const none = bad(`There is no member '${other.id}' in this user group`);
    await refused(t, members(id, { add: [owner.id], delete: [other.id] }, admin), none);
    await refused(t, members(id, { add: [987_654] }, admin), bad('Invalid user ID: 987654'));
    await refused(t, members(id, { delete: [987_654] }, admin), bad('Invalid user ID: 987654'));
    await refused(t, members(id, { add: 'x' }, admin), bad('Argument "add" is not valid JSON.'));
    t.same((await find(id)).members, [guest.id], 'nothing of a refused request is done');
  });

  await t.test('members of subgroups are members, at any depth and in circles', async (t) => {
    const [outer, middle, inner] = [
      await made('outer', [member]),
      await made('middle', [member]),
      await made('inner', [member, guest]),
    ];
    const queue = await follow(other);
    await subgroups(outer, { add: [middle] });
    await subgroups(middle, { add: [inner, 1], delete: [1] });
    await subgroups(inner, { add: [outer, inner] });
    t.same(plain(await queue.take(4)), [
      { op: 'add_subgroups', group_id: outer, direct_subgroup_ids: [middle] },
      { op: 'add_subgroups', group_id: middle, direct_subgroup_ids: [1, inner] },
      { op: 'remove_subgroups', group_id: middle, direct_subgroup_ids: [1] },
      { op: 'add_subgroups', group_id: inner, direct_subgroup_ids: [outer, inner] },
    ]);
    t.same(await subs(outer), [middle, inner]);
    t.same(await subs(inner), [outer, middle]);
    t.same(await subs(inner, true), [outer, inner]);
    const ids = [member.id, guest.id].sort((a, b) => a - b);
    t.same([await all(outer), await all(outer, true)], [ids, [member.id]]);
    const is = async (user: number, params: Params = {}) =>
      (await isMember(outer, user, params)).body.is_user_group_member;
    t.same(
      [await is(guest.id), await is(guest.id, { direct_member_only: true }), await is(other.id)],
      [true, false, false],
    );
    await refused(
      t,
      subgroups(outer, { add: [middle] }),
      bad(`User group ${middle} is already a subgroup of this group.`),
    );
    await refused(
      t,
      subgroups(outer, { delete: [inner] }),
      bad(`User group ${inner} is not a subgroup of this group.`),
    );
    await refused(t, subgroups(outer, { add: [987_654] }), bad('Invalid user group ID: 987654'));
    await refused(t, subgroups(outer, { delete: [987_654] }), bad('Invalid user group ID: 987654'));
    await refused(t, subgroups(outer, {}), bad('Nothing to do. Specify at least one of "add" or "delete".'));
    await remove(inner);
    t.same(await subs(middle, true), [], 'a group that is gone is no subgroup any more');
  });

  await t.test('a mention of a group is rendered and flags its members, also those of subgroups', async (t) => {
    const [boat, crew] = [await made('boat', [other]), await made('boat crew', [guest])];
    await subgroups(boat, { add: [crew] }, owner);
    const flags = async (by: Person, message_id: number) =>
      ((await by.api.ok('GET /messages/{message_id}', { message_id })).message as ApiMessage).flags;
    const id = await say(owner, 'deck', 'boats', 'hoist @*boat*');
    t.same(
      [await flags(other, id), await flags(guest, id), await flags(member, id)],
      [['mentioned'], ['mentioned'], []],
    );
    const { message } = await member.api.ok('GET /messages/{message_id}', { message_id: id });
    const html = `<p>hoist <span class="user-group-mention" data-user-group-id="${boat}">@boat</span></p>`;
    t.equal((message as ApiMessage).content, html);
    t.same(await flags(other, await say(owner, 'deck', 'boats', 'silent @_*boat*')), []);
    t.same(
      await flags(other, await tell(owner, [other], '@*Boat* or @*@role:members*')),
      [],
      'case counts; system groups never',
    );
    t.same(await flags(other, await tell(owner, [other, guest], '@*boat*')), ['mentioned']);
  });

  await t.test('each role may change the groups that the policy admits it to', async (t) => {
    const id = await made('club', [member]);
    const edits = (by: Person): (() => ReturnType<typeof update>)[] => [
      () => update(id, { name: `club of ${by.role}` }, by),
      () => members(id, { add: [987_654] }, by),
      () => subgroups(id, { add: [987_654] }, by),
      () => remove(id, by),
    ];
    for (const edit of edits(other)) await refused(t, edit(), bad('Insufficient permission'), 'not a member of it');
    for (const person of [member, moderator, admin, owner])
      t.equal((await edits(person)[0]!()).status, 200, person.role);
    const reads = (by: Person) => [
      by.api.call('GET /user_groups'),
      by.api.call('GET /user_groups/{user_group_id}/members', { user_group_id: id }),
      by.api.call('GET /user_groups/{user_group_id}/subgroups', { user_group_id: id }),
      isMember(id, member.id, {}, by),
    ];
    const noGuests = bad('Not allowed for guest users');
    for (const call of [...reads(guest), create({}, guest), ...edits(guest).map((edit) => edit())]) {
      await refused(t, call, noGuests);
    }
    for (const person of org.people.filter(({ role }) => role !== 'guest')) {
      for (const answer of await Promise.all(reads(person))) t.equal(answer.status, 200, person.role);
    }
    await owner.api.ok('PATCH /realm', { user_group_edit_policy: 4 });
    for (const call of [create({}), ...edits(member).map((edit) => edit())]) {
      await refused(t, call, bad('Insufficient permission'), 'by the policy, before parameters');
    }
    t.equal((await create({ name: 'by a moderator', description: '' }, moderator)).status, 200);
    await owner.api.ok('PATCH /realm', { user_group_edit_policy: 1 });
    const unknown = bad('Invalid user group');
    for (const group of [987_654, 0]) {
      await refused(t, update(group, { name: 'x' }), unknown);
      await refused(t, remove(group), unknown);
      await refused(t, members(group, { add: [member.id] }), unknown);
      await refused(t, subgroups(group, { add: [1] }), unknown);
      await refused(t, isMember(group, member.id), unknown);
      await refused(t, member.api.call('GET /user_groups/{user_group_id}/members', { user_group_id: group }), unknown);
      await refused(
        t,
        member.api.call('GET /user_groups/{user_group_id}/subgroups', { user_group_id: group }),
        unknown,
      );
    }
    for (const user of [987_654, 1]) await refused(t, isMember(id, user), bad('No such user'), `${user}`);
    await refused(t, isMember(id, member.id, {}, elsewhere.member), unknown, 'a group of another organization');
    t.equal((await list(elsewhere.member)).length, 8);
    t.equal((await remove(id)).status, 200);
    await refused(t, remove(id), unknown);
  });

  await t.test('the state after the change equals snapshot + events', async (t) => {
    const people = [owner, member, guest];
    const verify = (title: string, action: () => Promise<unknown>) => verifyAction(t, title, people, action);
    await verify('a group', () => made('alpha', [member, guest]));
    const alpha = (await list()).find(({ name }) => name === 'alpha')!.id;
    const beta = await made('beta', [member]);
    await verify('new name and description', () => update(alpha, { name: 'gamma', description: 'g' }));
    await verify('members', () => members(alpha, { add: [owner.id], delete: [guest.id] }));
    await verify('subgroups', () => subgroups(alpha, { add: [beta, 1, 8], delete: [8] }));
    await verify('a mention', () => say(owner, 'deck', 'groups', 'hello @*gamma*'));
    await verify('a group less', () => remove(beta));
    const account = { email: `mate@${org.subdomain}.example.com`, password: PASSWORD, full_name: 'A mate' };
    await verify('a new account', () => owner.api.ok('POST /users', account));
  });
};
