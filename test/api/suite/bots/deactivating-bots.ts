/** DELETE /bots/{id}, and bots of accounts that are deactivated and reactivated (users.md § Bots). */

import { refused } from '../../harness.js';
import { bad, type Refusal, unauthorized } from '../../support/client.js';
import { crowd, makeBot, makeOrganization, type Person, subscribe } from '../../support/organization.js';
import { Queue, settled } from '../../support/queue.js';
import type { Fields } from '../../support/types.js';
import { verifyAction } from '../../support/verify-action.js';
import type { Facts } from '../facts.js';

const principal = (msg: string): Refusal => ({ code: 'UNAUTHORIZED_PRINCIPAL', msg });
const NO_SUCH_BOT = bad('No such bot');
const NO_PERMISSION = bad('Insufficient permission');

export const deactivatingBots: Facts = async (t, server) => {
  const org = await makeOrganization(server);
  const elsewhere = await makeOrganization(server, []);
  const { owner, admin, member, other, guest } = org;
  const remove = (by: Person, bot_id: number) => by.api.call('DELETE /bots/{bot_id}', { bot_id });
  const revive = (by: Person, bot: Person) => by.api.call('POST /users/{user_id}/reactivate', { user_id: bot.id });
  const EVENTS = ['realm_user', 'realm_bot', 'message'];
  const heard = async (queue: Queue) => (await settled(queue)).map(({ type, op }) => `${type}/${op}`);
  await subscribe(member, 'lobby');

  await t.test('a bot is deactivated by its owner or an administrator, and by no other user', async (t) => {
    const bot = await makeBot(member);
    for (const by of [owner, member]) {
      await refused(t, remove(by, 4_000), NO_SUCH_BOT, 'unknown');
      await refused(t, remove(by, other.id), NO_SUCH_BOT, 'a human');
    }
    for (const by of [other, guest, bot]) await refused(t, remove(by, bot.id), NO_PERMISSION, by.role);
    await refused(t, remove(elsewhere.owner, bot.id), NO_SUCH_BOT, 'another organization');
    await owner.api.ok('PATCH /bots/{bot_id}', { bot_id: bot.id, role: 100 });
    for (const by of [admin, member]) {
      await refused(t, remove(by, bot.id), principal('Must be an organization owner'), by.role);
    }
    await owner.api.ok('PATCH /bots/{bot_id}', { bot_id: bot.id, role: 400 });
    t.equal((await remove(member, bot.id)).status, 200);
    await refused(t, bot.api.call('GET /users/me'), unauthorized('Account is deactivated'));
    const { bots } = await member.api.ok<{ bots: Fields[] }>('GET /bots');
    t.notOk(bots.some(({ username }) => username === bot.email));
    t.equal((await remove(member, bot.id)).status, 200, 'again, which changes nothing');
  });

  await t.test("all users get the event of the account, the bot's managers that of the bot", async (t) => {
    const bot = await makeBot(member);
    const queues = await Promise.all([owner, member, other].map((by) => Queue.register(by, { event_types: EVENTS })));
    t.equal((await remove(admin, bot.id)).status, 200);
    t.equal((await remove(admin, bot.id)).status, 200);
    for (const queue of queues) {
      const expected = ['realm_user/remove', ...(queue.of === other ? [] : ['realm_bot/remove'])];
      t.same(await heard(queue), expected, queue.of.role);
    }
    const more = await Promise.all([owner, member, other].map((by) => Queue.register(by, { event_types: EVENTS })));
    t.equal((await revive(member, bot)).status, 200);
    for (const queue of more) {
      const expected = ['realm_user/add', ...(queue.of === other ? [] : ['realm_bot/add'])];
      t.same(await heard(queue), expected, queue.of.role);
    }
    t.equal((await bot.api.ok('GET /users/me')).user_id, bot.id, 'its key is the same');
  });

  await t.test('a user who may create no bot cannot reactivate one', async (t) => {
    const bot = await makeBot(member);
    await remove(member, bot.id);
    await owner.api.ok('PATCH /realm', { bot_creation_policy: 3 });
    await refused(t, revive(member, bot), principal('Must be an organization administrator'));
    await owner.api.ok('PATCH /realm', { bot_creation_policy: 1 });
    await refused(t, revive(other, bot), NO_PERMISSION);
    t.equal((await revive(member, bot)).status, 200);
  });

  await t.test(
    'a deactivated bot frees its name, and a deactivated user cannot become the owner of a bot',
    async (t) => {
      const bot = await makeBot(member);
      await remove(member, bot.id);
      const again = await makeBot(member, { full_name: bot.name });
      const taken = `There is already an active bot named "${bot.name}" in this organization. To reactivate this bot, you must rename or deactivate the other one first.`;
      for (const by of [member, admin]) await refused(t, revive(by, bot), bad(taken));
      const [gone] = await crowd(org, 1);
      await owner.api.ok('DELETE /users/{user_id}', { user_id: gone });
      await refused(
        t,
        member.api.call('PATCH /bots/{bot_id}', { bot_id: again.id, bot_owner_id: gone }),
        bad('Failed to change owner, user is deactivated'),
      );
    },
  );

  await t.test('snapshot and events', async (t) => {
    const people = [owner, admin, member, other, guest];
    const bot = await makeBot(member, { default_sending_stream: 'lobby' });
    await subscribe(member, 'lobby', { principals: [bot] });
    await t.test('deactivated', (t) => verifyAction(t, 'DELETE /bots/{bot_id}', people, () => remove(member, bot.id)));
    await t.test('reactivated', (t) => verifyAction(t, 'reactivated', people, () => revive(admin, bot)));
    const watchers = [owner, admin, member, guest];
    await makeBot(other);
    await t.test('deactivated with their owner', (t) =>
      verifyAction(t, 'an owner of bots', watchers, () =>
        owner.api.ok('DELETE /users/{user_id}', { user_id: other.id }),
      ),
    );
  });
};
