/** Bots as targets: groups, mutes, alert words; and each policy of editing groups (users.md). */

import { refused } from '../../harness.js';
import { bad, type Params } from '../../support/client.js';
import { makeBot, makeOrganization, type Person, say, subscribe, userGroup } from '../../support/organization.js';
import { Queue, settled } from '../../support/queue.js';
import type { ApiMessage, Fields } from '../../support/types.js';
import type { Facts } from '../facts.js';

const NO_BOTS = bad('This endpoint does not accept bot requests.');

export const botsInGroups: Facts = async (t, server) => {
  const org = await makeOrganization(server);
  const { owner, admin, member, other } = org;
  const bot = await makeBot(member);
  await subscribe(owner, 'deck', { principals: [owner, member] });
  const group = await userGroup(member, 'crew', [member]);
  const edit = (params: Params, by: Person = member) =>
    by.api.call('POST /user_groups/{user_group_id}/members', { user_group_id: group, ...params });
  const members = async () =>
    (await member.api.ok('GET /user_groups/{user_group_id}/members', { user_group_id: group })).members;

  await t.test('a bot can neither list nor edit groups, whatever the parameters', async (t) => {
    const of = { user_group_id: group };
    const calls: [operation: string, params: Params][] = [
      ['GET /user_groups', {}],
      ['POST /user_groups/create', {}],
      ['PATCH /user_groups/{user_group_id}', of],
      ['DELETE /user_groups/{user_group_id}', of],
      ['POST /user_groups/{user_group_id}/members', of],
      ['GET /user_groups/{user_group_id}/members', of],
      ['POST /user_groups/{user_group_id}/subgroups', of],
      ['GET /user_groups/{user_group_id}/subgroups', of],
      ['GET /user_groups/{user_group_id}/members/{user_id}', { ...of, user_id: member.id }],
    ];
    for (const [operation, params] of calls) await refused(t, bot.api.call(operation, params), NO_BOTS, operation);
  });

  await t.test('a bot may be in a group and gets its events, but no notices from the notification bot', async (t) => {
    const [queue, post] = [await Queue.register(other), await Queue.register(bot)];
    t.equal((await edit({ add: [bot.id] })).status, 200);
    t.same(
      await members(),
      [member.id, bot.id].sort((a, b) => a - b),
    );
    const events = async () => (await settled(queue)).map(({ op, user_ids }) => [op, user_ids]);
    t.same(await events(), [['add_members', [bot.id]]]);
    const is = member.api.call('GET /user_groups/{user_group_id}/members/{user_id}', {
      user_group_id: group,
      user_id: bot.id,
    });
    await refused(t, is, bad('No such user'), 'asked for by itself it is no user');
    t.equal((await edit({ delete: [bot.id] }, admin)).status, 200);
    t.same(await events(), [['remove_members', [bot.id]]]);
    t.same(
      (await settled(post)).map(({ type }) => type),
      ['user_group', 'user_group'],
      'no message',
    );
    t.same(await members(), [member.id]);
  });

  await t.test('a bot cannot be muted; it can mute people', async (t) => {
    const mute = (method: string, of: Person, by: Person) =>
      by.api.call(`${method} /users/me/muted_users/{muted_user_id}`, { muted_user_id: of.id });
    for (const method of ['POST', 'DELETE']) await refused(t, mute(method, bot, member), bad('No such user'), method);
    await refused(t, mute('POST', bot, bot), bad('Cannot mute self'));
    await refused(t, mute('DELETE', bot, bot), bad('No such user'));
    await refused(t, mute('DELETE', other, bot), bad('User is not muted'));
    t.equal((await mute('POST', other, bot)).status, 200);
    await refused(t, mute('POST', other, bot), bad('User already muted'));
    const { muted_users } = await bot.api.ok('POST /register', { fetch_event_types: ['muted_users'] });
    t.same(
      (muted_users as Fields[]).map(({ id }) => id),
      [other.id],
    );
    t.equal((await mute('DELETE', other, bot)).status, 200);
  });

  await t.test('a bot has alert words of its own', async (t) => {
    await subscribe(owner, 'deck', { principals: [bot] });
    const queue = await Queue.register(bot, { event_types: ['alert_words'] });
    const words = { alert_words: ['anchor'] };
    t.same((await bot.api.ok('POST /users/me/alert_words', words)).alert_words, ['anchor']);
    t.match(await queue.take(1), [{ alert_words: ['anchor'] }]);
    const message_id = await say(owner, 'deck', 'words', 'drop the Anchor');
    const flags = async (by: Person) =>
      ((await by.api.ok('GET /messages/{message_id}', { message_id })).message as ApiMessage).flags;
    t.same([await flags(bot), await flags(member)], [['has_alert_word'], []]);
    t.same((await member.api.ok('GET /users/me/alert_words')).alert_words, []);
    t.same((await bot.api.ok('DELETE /users/me/alert_words', words)).alert_words, []);
  });

  await t.test('a deactivated account stays in groups, gets no notices, and can be muted', async (t) => {
    const gone = org.guest;
    await admin.api.ok('DELETE /users/{user_id}', { user_id: gone.id });
    t.equal((await edit({ add: [gone.id] })).status, 200);
    t.same(
      await members(),
      [member.id, gone.id].sort((a, b) => a - b),
    );
    const of = { user_group_id: group, user_id: gone.id };
    const is = member.api.call('GET /user_groups/{user_group_id}/members/{user_id}', of);
    await refused(t, is, bad('User is deactivated'));
    const mute = { muted_user_id: gone.id };
    t.equal((await member.api.call('POST /users/me/muted_users/{muted_user_id}', mute)).status, 200);
    t.equal((await member.api.call('DELETE /users/me/muted_users/{muted_user_id}', mute)).status, 200);
    await admin.api.ok('POST /users/{user_id}/reactivate', { user_id: gone.id });
    const { messages } = await gone.api.ok<{ messages: ApiMessage[] }>('GET /messages', {
      anchor: 'newest',
      num_before: 10,
      num_after: 0,
      narrow: [{ operator: 'is', operand: 'dm' }],
    });
    t.same(messages, [], 'nothing was written');
    t.same(
      await members(),
      [member.id, gone.id].sort((a, b) => a - b),
      'it is still in the group',
    );
  });

  await t.test('each policy admits its roles to make groups, and to edit groups that the user is in', async (t) => {
    const may: [policy: number, roles: string][] = [
      [1, 'owner admin moderator member other'],
      [2, 'owner admin'],
      [3, 'owner admin moderator member other'],
      [4, 'owner admin moderator'],
    ];
    const everybody = await userGroup(owner, 'everybody', org.people);
    let made = 0;
    for (const [user_group_edit_policy, roles] of may) {
      await owner.api.ok('PATCH /realm', { user_group_edit_policy });
      for (const by of org.people) {
        const name = `by policy ${++made}`;
        const calls = () => [
          by.api.call('POST /user_groups/create', { name, description: '' }),
          by.api.call('PATCH /user_groups/{user_group_id}', { user_group_id: everybody, name: `${name}, changed` }),
        ];
        const title = `${by.role}, policy ${user_group_edit_policy}`;
        const msg = by.role === 'guest' ? 'Not allowed for guest users' : 'Insufficient permission';
        for (const call of calls()) {
          if (roles.split(' ').includes(by.role)) t.equal((await call).status, 200, title);
          else await refused(t, call, bad(msg), title);
        }
      }
    }
    // A new member is none in full before the days that this asks for.
    await owner.api.ok('PATCH /realm', { user_group_edit_policy: 3, waiting_period_threshold: 10 });
    const create = { name: 'too new', description: '' };
    await refused(t, member.api.call('POST /user_groups/create', create), bad('Insufficient permission'));
    t.equal((await org.moderator.api.call('POST /user_groups/create', create)).status, 200);
  });
};
