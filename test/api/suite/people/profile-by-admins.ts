/** `profile_data` of PATCH /users/{user_id}, and the profiles of bots: users.md. */

import { refused } from '../../harness.js';
import { bad } from '../../support/client.js';
import { makeBot, makeOrganization, type Person } from '../../support/organization.js';
import { Queue, settled } from '../../support/queue.js';
import type { ApiUser, Fields } from '../../support/types.js';
import { verifyAction } from '../../support/verify-action.js';
import type { Facts } from '../facts.js';
import { OPTIONS, profileTools } from './profile-tools.js';

export const profileByAdmins: Facts = async (t, server) => {
  const org = await makeOrganization(server);
  const { owner, admin, member, other, guest } = org;
  const { made, profileOf } = profileTools(org);
  const field = {
    text: await made({ name: 'text' }),
    long: await made({ name: 'long', field_type: 2 }),
    tree: await made({ name: 'tree', field_type: 3, field_data: OPTIONS }),
    day: await made({ name: 'day', field_type: 4 }),
    page: await made({ name: 'page', field_type: 5 }),
    mentor: await made({ name: 'mentor', field_type: 6 }),
  };
  type Values = Partial<Record<keyof typeof field, unknown>>;
  const data = (values: Values) =>
    Object.entries(values).map(([name, value]) => ({ id: field[name as keyof typeof field], value }));
  const change = (values: Values, of: Person = member, by: Person = admin, more: Fields = {}) =>
    by.api.call('PATCH /users/{user_id}', { user_id: of.id, profile_data: data(values), ...more });
  const told = async (queue: Queue) => (await settled(queue)).map(({ person }) => person as Fields);
  const update = (id: number, value: unknown, rendered?: string) => ({
    user_id: member.id,
    custom_profile_field: { id, value, ...(rendered === undefined ? {} : { rendered_value: rendered }) },
  });

  await t.test('values are set, changed and deleted; differences are published to all users', async (t) => {
    const queue = await Queue.register(guest);
    t.same((await change({ text: '**x**', day: '2000-01-01', mentor: [member.id] })).body, {
      result: 'success',
      msg: '',
    });
    t.same(await told(queue), [
      update(field.text, '**x**', '<p><strong>x</strong></p>'),
      update(field.day, '2000-01-01'),
      update(field.mentor, `[${member.id}]`),
    ]);
    t.equal((await change({ text: '**x**', day: null, mentor: '', tree: [], page: null })).status, 200);
    t.same(await told(queue), [update(field.day, null), update(field.mentor, null)]);
    t.same(await profileOf(member), { [field.text]: { value: '**x**', rendered_value: '<p><strong>x</strong></p>' } });
    t.equal((await change({ text: '**x**' }, member, owner)).status, 200);
    t.equal((await change({})).status, 200);
    t.same(await told(queue), []);
  });

  await t.test('a refused value changes nothing; deletions of the same call are kept', async (t) => {
    const wrong: [Values, string][] = [
      [{ text: 'x'.repeat(51) }, 'text is too long (limit: 50 characters)'],
      [{ long: 'x'.repeat(501) }, 'long is too long (limit: 500 characters)'],
      [{ long: [1] }, 'long is not a string'],
      [{ tree: 'c' }, "'c' is not a valid choice for 'tree'."],
      [{ day: 'x' }, 'day is not a date'],
      [{ page: 'x' }, 'page is not a URL'],
      [{ mentor: 'x' }, 'User IDs is not a list'],
      [{ mentor: [999_999] }, 'Invalid user ID: 999999'],
    ];
    for (const [values, msg] of wrong) await refused(t, change({ tree: 'a', ...values }), bad(msg));
    t.same(Object.keys(await profileOf(member)), [String(field.text)], 'nothing was taken');
    const queue = await Queue.register(guest);
    await refused(t, change({ tree: 'a', day: 'x', text: null }), bad('day is not a date'));
    t.same(await told(queue), [update(field.text, null)]);
    t.same(await profileOf(member), {});
    await change({ text: 'x' });
    const unknown = [...data({ text: null }), { id: 999_999, value: null }];
    const call = admin.api.call('PATCH /users/{user_id}', { user_id: member.id, profile_data: unknown });
    await refused(t, call, bad('Field id 999999 not found.'));
    t.match(await profileOf(member), { [field.text]: { value: 'x' } });
    await settled(queue);
    await refused(t, change({ tree: 'c' }, member, admin, { role: 300 }), bad("'c' is not a valid choice for 'tree'."));
    t.match((await told(queue)).slice(0, 1), [{ user_id: member.id, role: 300 }], 'the role stays changed');
    for (const by of [member, guest])
      await refused(t, change({ text: 'y' }, other, by), bad('Insufficient permission'));
    t.same(await profileOf(other), {});
  });

  await t.test('bots have no profile and cannot be picked', async (t) => {
    const bot = await makeBot(member);
    const picked = bad(`User with ID ${bot.id} is a bot`);
    await refused(t, change({ mentor: [other.id, bot.id] }), picked);
    const own = { data: data({ mentor: [bot.id] }) };
    await refused(t, member.api.call('PATCH /users/me/profile_data', own), picked);
    const queue = await Queue.register(guest);
    t.equal((await change({ text: 'x' }, bot)).status, 200);
    await refused(t, change({ day: 'x' }, bot), bad('day is not a date'));
    t.same(await told(queue), []);
    t.equal(await profileOf(bot), undefined);
    const { members } = await bot.api.ok<{ members: ApiUser[] }>('GET /users', { include_custom_profile_fields: true });
    for (const user of members) t.equal('profile_data' in user, user.is_bot === false, user.full_name);
    t.notOk('profile_data' in (await bot.api.ok('GET /users/me')));
    const bots = bad('This endpoint does not accept bot requests.');
    await refused(t, bot.api.call('PATCH /users/me/profile_data', { data: 'x' }), bots);
    await refused(t, bot.api.call('DELETE /users/me/profile_data', {}), bots);
    t.equal((await bot.api.call('GET /realm/profile_fields')).status, 200);
  });

  await t.test('a deactivated account keeps its profile and cannot be picked', async (t) => {
    await change({ text: 'mine', mentor: [other.id] }, guest);
    await change({ mentor: [guest.id] });
    await admin.api.ok('DELETE /users/{user_id}', { user_id: guest.id });
    const gone = bad(`User with ID ${guest.id} is deactivated`);
    await refused(t, change({ mentor: [guest.id, admin.id], text: 'x' }, other), gone);
    const own = { data: data({ mentor: [guest.id, 999_999] }) };
    await refused(t, other.api.call('PATCH /users/me/profile_data', own), gone);
    const shown = async (of: Person) => {
      const params = { user_id: of.id, include_custom_profile_fields: true };
      return (await owner.api.ok<{ user: ApiUser }>('GET /users/{user_id}', params)).user.profile_data as Fields;
    };
    t.match((await shown(member))[field.mentor], { value: `[${guest.id}]` }, 'who was picked stays');
    t.match((await shown(guest))[field.text], { value: 'mine' });
    await verifyAction(t, 'of a deactivated account', [admin, member], () => change({ text: 'theirs' }, guest));
    await verifyAction(t, 'it is back', [admin, member], () =>
      admin.api.ok('POST /users/{user_id}/reactivate', { user_id: guest.id }),
    );
    t.match((await shown(guest))[field.text], { value: 'theirs' });
    t.equal((await change({ mentor: [guest.id, admin.id] }, other)).status, 200);
  });

  await t.test('snapshot and events agree', async (t) => {
    const all: Values = { text: 'a', long: 'b', tree: 'a', day: '2000-01-01', page: 'https://example.com', mentor: [] };
    await verifyAction(t, 'set', [admin, member, guest], () => change(all, other));
    await verifyAction(t, 'changed and deleted', [admin, member], () => change({ text: 'c', tree: null }, other));
    await verifyAction(t, 'of a bot', [admin, member], async () => change(all, await makeBot(admin)));
  });
};
