/** Default stream groups (streams.md § Default stream groups). */

import { refused } from '../../harness.js';
import { bad, missing, type Params } from '../../support/client.js';
import { makeOrganization, type Person, streamIdOf, subscribe } from '../../support/organization.js';
import { Queue, settled } from '../../support/queue.js';
import type { ApiStream, Fields } from '../../support/types.js';
import { verifyAction } from '../../support/verify-action.js';
import type { Facts } from '../facts.js';

interface Group extends Fields {
  readonly id: number;
  readonly name: string;
  readonly description: string;
  readonly streams: readonly ApiStream[];
}

const ADMINS = { code: 'UNAUTHORIZED_PRINCIPAL', msg: 'Must be an organization administrator' } as const;

export const streamGroups: Facts = async (t, server) => {
  const org = await makeOrganization(server);
  const elsewhere = await makeOrganization(server, []);
  const { owner, admin, moderator, member, guest } = org;
  await subscribe(owner, ['alpha', 'beta', 'gamma', 'preset'], { principals: [owner, member, guest] });
  await subscribe(owner, 'secret', { invite_only: true });
  const preset = await streamIdOf(owner, 'preset');
  await owner.api.ok('POST /default_streams', { stream_id: preset });

  const create = (params: Params, by: Person = admin) =>
    by.api.call('POST /default_stream_groups/create', { description: 'for tests', stream_names: [], ...params });
  const update = (group_id: number, params: Params, by: Person = admin) =>
    by.api.call('PATCH /default_stream_groups/{group_id}', { group_id, ...params });
  const edit = (group_id: number, op: string, stream_names: unknown, by: Person = admin) =>
    by.api.call('PATCH /default_stream_groups/{group_id}/streams', { group_id, op, stream_names });
  const remove = (group_id: number, by: Person = admin) =>
    by.api.call('DELETE /default_stream_groups/{group_id}', { group_id });
  const list = async (by: Person = member): Promise<Group[]> =>
    (
      await by.api.ok<{ realm_default_stream_groups: Group[] }>('POST /register', {
        fetch_event_types: ['default_stream_groups'],
      })
    ).realm_default_stream_groups;
  const named = async (name: string): Promise<Group> => (await list()).find((group) => group.name === name)!;
  const names = (group: Group): string[] => group.streams.map((stream) => stream.name);
  const OK = { result: 'success', msg: '' };

  await t.test(
    'a group of default streams is made, changed and removed; each time all but guests get the list',
    async (t) => {
      const params = { event_types: ['default_stream_groups', 'message'], fetch_event_types: [] };
      const queues = await Promise.all([owner, member].map((by) => Queue.register(by, params)));
      const others = await Promise.all([guest, elsewhere.owner].map((by) => Queue.register(by, params)));
      const told = async (): Promise<void> => {
        for (const queue of queues) t.same((await queue.take(1))[0]!.default_stream_groups, await list());
      };
      t.same((await create({ group_name: 'zoo', stream_names: ['beta', 'ALPHA', 'beta'] })).body, OK);
      await told();
      t.same((await create({ group_name: 'ark', stream_names: [] }, owner)).body, OK);
      await told();
      t.same(
        (await list()).map((group) => group.name),
        ['ark', 'zoo'],
        'by name',
      );
      const zoo = await named('zoo');
      t.match(zoo, { description: 'for tests' });
      t.same(names(zoo), ['alpha', 'beta']);
      const state = await member.api.ok<{ streams: ApiStream[] }>('POST /register', { fetch_event_types: ['stream'] });
      t.same(
        zoo.streams[0],
        state.streams.find((stream) => stream.name === 'alpha'),
        'whole streams',
      );
      t.same((await update(zoo.id, { new_group_name: 'Zoo', new_description: '' })).body, OK);
      await told();
      t.match(await named('Zoo'), { id: zoo.id, description: '' });
      t.same((await update(zoo.id, { new_description: 'animals' })).body, OK);
      await told();
      t.same((await edit(zoo.id, 'add', ['gamma'])).body, OK);
      await told();
      t.same((await edit(zoo.id, 'remove', ['alpha', 'beta'])).body, OK);
      await told();
      t.same(names(await named('Zoo')), ['gamma']);
      t.same((await remove(zoo.id)).body, OK);
      await told();
      t.same(await named('Zoo'), undefined);
      for (const queue of others) t.same(await settled(queue), []);
      t.same(await list(guest), [], 'guests have none');
      t.same(await list(elsewhere.owner), []);
      await remove((await named('ark')).id);
    },
  );

  await t.test('only administrators manage groups of default streams', async (t) => {
    await create({ group_name: 'ours', stream_names: ['alpha'] });
    const { id } = await named('ours');
    for (const by of [moderator, member, guest]) {
      await refused(t, create({ group_name: 'mine' }, by), ADMINS, by.role);
      await refused(t, update(id, { new_group_name: 'mine' }, by), ADMINS, by.role);
      await refused(t, edit(id, 'add', ['beta'], by), ADMINS, by.role);
      await refused(t, remove(id, by), ADMINS, by.role);
      await refused(t, by.api.call('POST /default_stream_groups/create', {}), ADMINS, 'before the parameters');
    }
    await refused(t, remove(id, elsewhere.owner), bad(`Default stream group with id '${id}' does not exist.`));
    t.same(names(await named('ours')), ['alpha']);
    await remove(id);
  });

  await t.test('a refused change of a group changes nothing', async (t) => {
    await create({ group_name: 'first', stream_names: ['alpha'] });
    await create({ group_name: 'second', stream_names: ['secret'] }, owner);
    const before = await list();
    const [first, second] = [await named('first'), await named('second')];
    const BLANK = (name: string) => bad(`Invalid default stream group name '${name}'`);
    await refused(t, create({ group_name: '' }), BLANK(''));
    await refused(t, create({ group_name: '  ' }), BLANK('  '));
    await refused(
      t,
      create({ group_name: 'é'.repeat(61) }),
      bad('Default stream group name too long (limit: 60 characters)'),
    );
    await refused(
      t,
      create({ group_name: 'a\0b' }),
      bad("Default stream group name 'a\0b' contains NULL (0x00) characters."),
    );
    await refused(t, create({ group_name: 'first' }), bad("Default stream group 'first' already exists"));
    const unknown = (name: string) => bad(`Invalid stream name '${name}'`);
    await refused(t, create({ group_name: 'x', stream_names: ['alpha', 'nowhere'] }), unknown('nowhere'));
    await refused(t, create({ group_name: 'x', stream_names: ['secret'] }), unknown('secret'), 'not subscribed');
    const DEFAULT = (group: string) => bad(`'preset' is a default stream and cannot be added to '${group}'`);
    await refused(t, create({ group_name: '', stream_names: ['preset'] }), DEFAULT(''), 'streams before the name');
    await refused(t, create({ group_name: undefined, stream_names: [] }), missing('group_name'));
    await refused(
      t,
      create({ group_name: 'x', stream_names: 'alpha' }),
      bad('Argument "stream_names" is not valid JSON.'),
    );
    await refused(t, create({ group_name: 'x', stream_names: [1] }), bad('stream_names[0] is not a string'));

    const NOTHING = bad('You must pass "new_description" or "new_group_name".');
    const absent = (id: number) => bad(`Default stream group with id '${id}' does not exist.`);
    await refused(t, update(first.id, {}), NOTHING);
    await refused(t, update(999_999, { new_group_name: '' }), NOTHING, 'before the group');
    await refused(t, update(999_999, { new_group_name: 'x' }), absent(999_999));
    await refused(
      t,
      update(first.id, { new_group_name: 'first' }),
      bad("This default stream group is already named 'first'"),
    );
    await refused(
      t,
      update(first.id, { new_group_name: 'second', new_description: 'x' }),
      bad("Default stream group 'second' already exists"),
    );

    await refused(t, edit(999_999, 'x', ['nowhere']), absent(999_999));
    await refused(t, edit(first.id, 'x', ['nowhere']), unknown('nowhere'), 'streams before the operation');
    await refused(t, edit(first.id, 'x', ['alpha']), bad('Invalid value for "op". Specify one of "add" or "remove".'));
    await refused(t, edit(first.id, 'add', ['beta', 'preset']), DEFAULT('first'));
    const names = "in default stream group 'first'";
    await refused(t, edit(first.id, 'add', ['beta', 'alpha']), bad(`Stream 'alpha' is already present ${names}`));
    await refused(t, edit(first.id, 'remove', ['alpha', 'beta']), bad(`Stream 'beta' is not present ${names}`));
    await refused(t, remove(999_999), absent(999_999));
    t.same(await list(), before);
    for (const { id } of [first, second]) await remove(id);
  });

  await t.test('a private stream in a group is hidden from users who may not see it', async (t) => {
    await create({ group_name: 'half', stream_names: ['secret', 'alpha'] }, owner);
    for (const by of [owner, member]) t.same((await list(by)).map(names), [['alpha']]);
    await remove((await named('half')).id);
  });

  await t.test('snapshot and events agree through any change of the groups and their streams', async (t) => {
    const people = [admin, member, guest];
    const verify = (title: string, action: () => Promise<unknown>) => verifyAction(t, title, people, action);
    await subscribe(admin, ['one', 'two'], { principals: [admin, member, guest] });
    const [one, two] = [await streamIdOf(admin, 'one'), await streamIdOf(admin, 'two')];
    await verify('made', () => create({ group_name: 'group', stream_names: ['one', 'two'] }));
    const { id } = await named('group');
    const change = (stream_id: number, params: Params) =>
      admin.api.ok('PATCH /streams/{stream_id}', { stream_id, ...params });
    await verify('a stream is renamed', () => change(one, { new_name: 'third', description: 'changed' }));
    await verify('renamed', () => update(id, { new_group_name: 'renamed' }));
    await verify('a stream becomes private', () => change(one, { is_private: true }));
    t.same(names(await named('renamed')), ['two']);
    await verify('and public again', () => change(one, { is_private: false }));
    t.same(names(await named('renamed')), ['third', 'two']);
    await verify('a stream is archived', () => admin.api.ok('DELETE /streams/{stream_id}', { stream_id: two }));
    await verify('a stream is taken out', () => edit(id, 'remove', ['third']));
    await verify('removed', () => remove(id));
  });
};
