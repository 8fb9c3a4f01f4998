/** Bots are deactivated with their owner, who may reactivate own bots (users.md § DELETE /users/{user_id}). */

import { refused } from '../../harness.js';
import { bad, basic, Client, type Params, type Refusal, unauthorized } from '../../support/client.js';
import { addPerson, makeOrganization, type Person } from '../../support/organization.js';
import { Queue, settled } from '../../support/queue.js';
import type { ApiUser } from '../../support/types.js';
import type { Facts } from '../facts.js';

const ADMINS: Refusal = { code: 'UNAUTHORIZED_PRINCIPAL', msg: 'Must be an organization administrator' };

export const ownedBots: Facts = async (t, server) => {
  const org = await makeOrganization(server, ['admin', 'member', 'guest']);
  const { owner, admin, member, guest } = org;
  let made = 0;
  const makeBot = async (by: Person, more = {}) => {
    const name = `Bot ${++made}`;
    const params = { full_name: name, short_name: `bot${made}`, ...more };
    const { user_id, api_key } = await by.api.ok<{ user_id: number; api_key: string }>('POST /bots', params);
    const { user } = await by.api.ok<{ user: ApiUser }>('GET /users/{user_id}', { user_id });
    return { id: user_id, name, api: new Client(server, 'bot', { authorization: basic(user.email, api_key) }) };
  };
  const deactivate = (by: Person, user_id: number) => by.api.call('DELETE /users/{user_id}', { user_id });
  const reactivate = (by: Person, user_id: number) => by.api.call('POST /users/{user_id}/reactivate', { user_id });
  const userOf = async (user_id: number) =>
    (await owner.api.ok<{ user: ApiUser }>('GET /users/{user_id}', { user_id })).user;
  const isActive = async (user_id: number) => (await userOf(user_id)).is_active;
  const roleOf = async (user_id: number) => (await userOf(user_id)).role;
  const setRole = (by: Person, user_id: number, role: number) => by.api.ok('PATCH /users/{user_id}', { user_id, role });

  await t.test('bots are deactivated before their owner, and stay so when the owner is reactivated', async (t) => {
    const maker = await addPerson(org, 'maker');
    const [one, two, gone] = [await makeBot(maker), await makeBot(maker), await makeBot(maker)];
    const foreign = await makeBot(member);
    await reactivate(admin, gone.id);
    const queue = await Queue.register(guest, { event_types: ['realm_user'] });
    t.equal((await deactivate(admin, maker.id)).status, 200);
    t.same(
      (await queue.take(4)).map(({ op, person }) => [op, person]),
      [one, two, gone, maker].map(({ id, name }) => ['remove', { user_id: id, full_name: name }]),
    );
    for (const { api } of [one, two, gone])
      await refused(t, api.call('GET /users/me'), unauthorized('Account is deactivated'));
    t.equal((await foreign.api.call('GET /users/me')).status, 200, 'bots of others stay');
    t.equal((await reactivate(admin, maker.id)).status, 200);
    for (const { id } of [one, two, gone]) t.equal(await isActive(id), false);
    t.equal((await reactivate(maker, one.id)).status, 200, 'he may bring them back');
    t.equal((await one.api.call('GET /users/me')).status, 200);
    await refused(t, reactivate(maker, foreign.id), bad('Insufficient permission'), 'not those of others');
    await refused(t, reactivate(maker, member.id), bad('Insufficient permission'), 'nor people');
  });

  await t.test('a bot is reactivated only by a user who may create such a bot', async (t) => {
    const maker = await addPerson(org, 'second maker');
    const generic = await makeBot(maker);
    const webhook = await makeBot(maker, { bot_type: 2 });
    await deactivate(admin, maker.id);
    await reactivate(admin, maker.id);
    const policy = (bot_creation_policy: number) => owner.api.ok('PATCH /realm', { bot_creation_policy });
    await policy(3);
    await refused(t, reactivate(maker, generic.id), ADMINS);
    await refused(t, reactivate(maker, webhook.id), ADMINS);
    await policy(2);
    await refused(t, reactivate(maker, generic.id), ADMINS);
    t.equal((await reactivate(maker, webhook.id)).status, 200);
    await policy(3);
    t.equal((await reactivate(admin, generic.id)).status, 200, 'administrators always may');
    await policy(1);
  });

  await t.test('a demoted administrator cannot rise again by a bot', async (t) => {
    const maker = await addPerson(org, 'demoted', 'admin');
    const [strong, weak, gone] = [await makeBot(maker), await makeBot(maker), await makeBot(maker)];
    const foreign = await makeBot(admin);
    for (const { id } of [strong, gone, foreign]) await setRole(admin, id, 200);
    await setRole(admin, weak.id, 600);
    await maker.api.ok('DELETE /bots/{bot_id}', { bot_id: gone.id });
    const queue = await Queue.register(guest, { event_types: ['realm_user', 'message'] });
    await setRole(owner, maker.id, 300);
    t.same(
      (await settled(queue)).map(({ person }) => person),
      [maker, strong, gone].map(({ id }) => ({ user_id: id, role: 300 })),
    );
    const rise = strong.api.call('PATCH /users/{user_id}', { user_id: maker.id, role: 200 });
    await refused(t, rise, bad('Insufficient permission'));
    t.equal((await reactivate(maker, gone.id)).status, 200);
    const roles = () => Promise.all([strong, weak, gone, foreign].map(({ id }) => roleOf(id)));
    t.same(await roles(), [300, 600, 300, 200], 'neither weaker bots nor those of others change');
    for (const role of [400, 600]) {
      await setRole(owner, maker.id, role);
      t.same(await roles(), [role, 600, role, 200]);
    }
    await setRole(owner, maker.id, 200);
    t.same(await roles(), [600, 600, 600, 200], 'a role that the owner gets back is not given to the bots');
  });

  await t.test('a bot that is given away has at most the role of its new owner', async (t) => {
    const bot = await makeBot(admin);
    const queue = await Queue.register(guest, { event_types: ['realm_user', 'message'] });
    const give = (params: Params) => admin.api.ok('PATCH /bots/{bot_id}', { bot_id: bot.id, ...params });
    await setRole(admin, bot.id, 200);
    await give({ bot_owner_id: member.id });
    t.same(
      (await settled(queue)).map(({ person }) => person),
      [{ role: 200 }, { role: 400 }, { bot_owner_id: member.id }].map((change) => ({ user_id: bot.id, ...change })),
    );
    await give({ bot_owner_id: admin.id });
    t.equal(await roleOf(bot.id), 400, 'a stronger owner changes nothing');
    await give({ bot_owner_id: guest.id });
    t.equal(await roleOf(bot.id), 600);
    await give({ role: 300, bot_owner_id: member.id });
    t.equal(await roleOf(bot.id), 300, 'the request names a role');
  });

  await t.test('a deactivated user cannot become the owner of a bot', async (t) => {
    const [bot, leaver] = [await makeBot(member), await addPerson(org, 'no owner')];
    await deactivate(admin, leaver.id);
    const given = member.api.call('PATCH /bots/{bot_id}', { bot_id: bot.id, bot_owner_id: leaver.id });
    await refused(t, given, bad('Failed to change owner, user is deactivated'));
  });

  await t.test('DELETE /users/{user_id} does not take a bot, but a bot may call it', async (t) => {
    const bot = await makeBot(member);
    await refused(t, deactivate(admin, bot.id), bad('No such user'));
    t.equal((await admin.api.call('PATCH /users/{user_id}', { user_id: bot.id, role: 200 })).status, 200);
    const leaver = await addPerson(org, 'leaves by bot');
    t.equal((await bot.api.call('DELETE /users/{user_id}', { user_id: leaver.id })).status, 200);
    t.equal((await owner.api.call('PATCH /users/{user_id}', { user_id: bot.id, role: 100 })).status, 200);
    const lastOwner: Refusal = { msg: 'Cannot deactivate the only organization owner' };
    await refused(t, bot.api.call('DELETE /users/{user_id}', { user_id: owner.id }), lastOwner, 'bots do not count');
    const last = bad('The owner permission cannot be removed from the only organization owner.');
    await refused(t, bot.api.call('PATCH /users/{user_id}', { user_id: owner.id, role: 200 }), last);
    t.equal((await bot.api.call('PATCH /users/{user_id}', { user_id: bot.id, role: 400 })).status, 200);
    t.equal((await bot.api.call('DELETE /users/me')).status, 200, 'bots may deactivate themselves');
  });
};
