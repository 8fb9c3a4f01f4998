/**
 * Order, options and types of profile fields, and their effects on values: realm.md § Custom profile fields,
 * register.md § Capability deltas.
 */

import { refused } from '../../harness.js';
import { bad, missing, type Params } from '../../support/client.js';
import { makeOrganization, type Person } from '../../support/organization.js';
import { Queue, settled } from '../../support/queue.js';
import type { Fields } from '../../support/types.js';
import { verifyAction } from '../../support/verify-action.js';
import type { Facts } from '../facts.js';
import { type ApiField, OPTIONS, profileTools } from './profile-tools.js';

export const profileFieldChanges: Facts = async (t, server) => {
  const org = await makeOrganization(server);
  const { admin, member, other, guest } = org;
  const { made, change, remove, reorder, list, find, clear, fill, profileOf } = profileTools(org);

  await t.test(
    'an order must name every field; the last place of each counts, unknown fields are ignored',
    async (t) => {
      const [a, b, c] = [await made(), await made(), await made()];
      const queue = await Queue.register(guest);
      t.same((await reorder([c, a, b])).body, { result: 'success', msg: '' });
      const placed = async () => (await list()).map(({ id, order }) => [id, order]);
      t.same(await placed(), [
        [c, 0],
        [a, 1],
        [b, 2],
      ]);
      const [event] = await queue.take(1);
      t.same(
        (event!.fields as ApiField[]).map(({ id }) => id),
        [c, a, b],
      );
      t.equal((await reorder([b, a, 999_999, c, b, -1])).status, 200);
      t.same(await placed(), [
        [a, 1],
        [c, 3],
        [b, 4],
      ]);
      for (const order of [[], [a, b], [c, a, 999_999]])
        await refused(t, reorder(order), bad('Invalid order mapping.'));
      await refused(t, reorder('x'), bad('Argument "order" is not valid JSON.'));
      await refused(t, reorder({}), bad('order is not a list'));
      await refused(t, reorder([a, 'b']), bad('order[1] is not an integer'));
      await refused(t, reorder(undefined), missing('order'));
      const last = await made();
      t.same((await placed()).at(-1), [last, last], 'a new field is the last');
      await clear();
      t.equal((await reorder([])).status, 200, 'of no fields');
    },
  );

  await t.test(
    'a removed option takes along the values that chose it, and restores none when added again',
    async (t) => {
      const tree = await made({ field_type: 3, field_data: OPTIONS });
      const text = await made();
      const choose = (by: Person, value: string) => fill(by, [{ id: tree, value }]);
      await choose(member, 'a');
      await choose(other, 'b');
      await fill(member, [{ id: text, value: 'stays' }]);
      const stays = { [text]: { value: 'stays', rendered_value: '<p>stays</p>' } };
      t.same(await profileOf(member), { [tree]: { value: 'a' }, ...stays });
      const to = (field_data: Params) => change(tree, { name: 'Tree', field_data });
      const queue = await Queue.register(guest);
      t.equal((await to({ b: OPTIONS.b, c: { text: 'Cedar', order: '1' } })).status, 200);
      t.same(
        (await settled(queue)).map(({ type }) => type),
        ['custom_profile_fields'],
      );
      t.same(await profileOf(member), stays);
      t.same(await profileOf(other), { [tree]: { value: 'b' } });
      t.equal((await to(OPTIONS)).status, 200);
      t.same(await profileOf(member), stays, 'the option that has its key now is another');
      t.same(await profileOf(other), { [tree]: { value: 'b' } });
      await choose(member, 'a');
      t.same(
        (await settled(queue)).map(({ type }) => type),
        ['custom_profile_fields', 'realm_user'],
      );
      t.same(await profileOf(member), { [tree]: { value: 'a' }, ...stays });
      t.same((await remove(tree)).body, { result: 'success', msg: '' });
      t.same([await profileOf(member), await profileOf(other)], [stays, {}]);
      await refused(t, remove(tree), bad(`Field id ${tree} not found.`));
      await clear();
    },
  );

  await t.test('ten thousand options', async (t) => {
    const keys = Array.from({ length: 10_000 }, (_, i) => `o${i}`);
    const field_data = Object.fromEntries(keys.map((key, i) => [key, { text: key, order: String(i) }]));
    const many = await made({ field_type: 3, field_data });
    t.equal((await find(many))!.field_data, JSON.stringify(field_data));
    await fill(member, [{ id: many, value: 'o9999' }]);
    const { status } = await change(many, { name: 'Many', field_data: { ...field_data, o10000: OPTIONS.a } });
    t.equal(status, 200);
    const more = Object.fromEntries(Array.from({ length: 10_301 }, (_, i) => [`o${i}`, OPTIONS.a]));
    const tooMany = bad('field_data has too many items (limit: 10300)');
    await refused(t, change(many, { name: 'Many', field_data: more }), tooMany);
    t.same(await profileOf(member), { [many]: { value: 'o9999' } });
    t.equal((await remove(many)).status, 200);
  });

  await t.test('an option may have the key toString, but not __proto__', async (t) => {
    const text = '{"constructor":{"text":"C","order":"1"},"toString":{"text":"S","order":"2"}}';
    const tree = await made({ field_type: 3, field_data: text });
    t.equal((await find(tree))!.field_data, text);
    await fill(member, [{ id: tree, value: 'toString' }]);
    t.same(await profileOf(member), { [tree]: { value: 'toString' } });
    const data = [{ id: tree, value: 'valueOf' }];
    const name = (await find(tree))!.name;
    const invalid = bad(`'valueOf' is not a valid choice for '${name}'.`);
    await refused(t, member.api.call('PATCH /users/me/profile_data', { data }), invalid);
    const field_data = '{"__proto__":{"text":"P","order":"1"}}';
    const hostile = admin.api.call('POST /realm/profile_fields', { name: 'Hostile', field_type: 3, field_data });
    await refused(t, hostile, bad('field_data contains an invalid key: __proto__'));
    await clear();
  });

  await t.test('old mobile clients get pronouns as short text', async (t) => {
    const id = await made({ field_type: 8, name: 'Pronouns' });
    const agents: [agent: string, type: number][] = [
      ['ZulipMobile/27.191 (Android 13)', 1],
      ['ZulipMobile/26.999 (iOS 16)', 1],
      ['ZulipMobile/27', 1],
      ['ZulipMobile/27.192 (iOS 16)', 8],
      ['ZulipMobile/28.1 (iOS 16)', 8],
      ['ZulipMobile', 8],
      ['ZulipTerminal/0.1', 8],
      ['Mozilla/5.0 ZulipMobile/1.0', 8],
    ];
    for (const [agent, type] of agents) {
      const by = { ...guest, api: guest.api.with({ 'user-agent': agent }) };
      const queue = await Queue.register(by, { event_types: ['custom_profile_fields'] });
      const { custom_profile_fields, custom_profile_field_types } = queue.state;
      t.same(
        (custom_profile_fields as ApiField[]).map((field) => field.type),
        [type],
        agent,
      );
      t.equal('PRONOUNS' in (custom_profile_field_types as Fields), type === 8, agent);
      await change(id, { name: 'Pronouns', hint: agent });
      const [event] = await queue.take(1);
      t.match(event, { fields: [{ id, hint: agent, type }] });
      t.match(await list(by), [{ type: 8 }], 'where no queue is, nothing is made up');
      await queue.delete();
    }
    for (const pronouns_field_type_supported of [true, false]) {
      const of = { event_types: ['custom_profile_fields'], dont_block: true, pronouns_field_type_supported };
      const { queue_id } = await guest.api.ok('GET /events', of);
      await change(id, { name: 'Pronouns' });
      const { events } = await guest.api.ok('GET /events', { queue_id, last_event_id: -1 });
      t.match(events, [{ fields: [{ id, type: pronouns_field_type_supported ? 8 : 1 }] }]);
    }
    await clear();
  });

  await t.test('snapshot and events agree, for users who change fields and users with values', async (t) => {
    const tree = await made({ field_type: 3, field_data: OPTIONS, name: 'Watched' });
    await fill(member, [{ id: tree, value: 'a' }]);
    const people = [admin, member];
    let id = 0;
    await verifyAction(t, 'create', people, async () => {
      id = await made({ display_in_profile_summary: true });
    });
    await fill(admin, [{ id, value: '**x**' }]);
    await verifyAction(t, 'change', people, () => change(id, { name: 'Changed' }));
    await verifyAction(t, 'options', people, () => change(tree, { name: 'T', field_data: { b: OPTIONS.b } }));
    await verifyAction(t, 'order', people, () => reorder([id, tree]));
    await verifyAction(t, 'remove', people, () => remove(id));
  });
};
