/** PATCH /bots/{id} and POST /bots/{id}/api_key/regenerate (users.md § Bots). */

import { refused } from '../../harness.js';
import { bad, basic, type Params, type Refusal, unauthorized } from '../../support/client.js';
import { makeBot, makeOrganization, type Person, say, streamIdOf, subscribe } from '../../support/organization.js';
import { Queue, settled } from '../../support/queue.js';
import type { Fields } from '../../support/types.js';
import { verifyAction } from '../../support/verify-action.js';
import type { Facts } from '../facts.js';

const principal = (msg: string): Refusal => ({ code: 'UNAUTHORIZED_PRINCIPAL', msg });
const ADMINS = principal('Must be an organization administrator');
const OWNERS = principal('Must be an organization owner');
const NO_BOTS = bad('This endpoint does not accept bot requests.');
const NO_SUCH_BOT = bad('No such bot');
const NO_PERMISSION = bad('Insufficient permission');

interface ApiBot extends Fields {
  readonly user_id: number;
  readonly services: readonly { readonly token: string }[];
}

export const changingBots: Facts = async (t, server) => {
  const org = await makeOrganization(server);
  const elsewhere = await makeOrganization(server, ['member']);
  const { owner, admin, member, other, guest } = org;
  const patch = (by: Person, bot: Person, params: Params = {}) =>
    by.api.call('PATCH /bots/{bot_id}', { bot_id: bot.id, ...params });
  const change = (by: Person, bot: Person, params: Params) =>
    by.api.ok('PATCH /bots/{bot_id}', { bot_id: bot.id, ...params });
  const renew = (by: Person, bot: Person) => by.api.call('POST /bots/{bot_id}/api_key/regenerate', { bot_id: bot.id });
  const stateOf = async (by: Person, bot: Person): Promise<ApiBot | undefined> => {
    const { realm_bots } = await by.api.ok<{ realm_bots: ApiBot[] }>('POST /register', {
      fetch_event_types: ['realm_bot'],
    });
    return realm_bots.find(({ user_id }) => user_id === bot.id);
  };
  const EVENTS = ['realm_user', 'realm_bot', 'user_group', 'message'];
  const watch = (people: readonly Person[]) =>
    Promise.all(people.map((person) => Queue.register(person, { event_types: EVENTS })));
  const heard = async (queue: Queue) =>
    (await settled(queue)).map(({ type, op, person, bot }) => {
      const { user_id: _, ...fields } = (person ?? bot ?? {}) as Fields;
      return [`${type}/${op}`, fields];
    });
  await subscribe(member, ['lobby', 'hall']);
  await subscribe(member, 'secret of member', { invite_only: true });
  await subscribe(owner, 'secret of owner', { invite_only: true });

  await t.test('a bot may be changed by its owner and by administrators; the answer describes the bot', async (t) => {
    const bot = await makeBot(member, { bot_type: 3, payload_url: '"https://a.example.com/"' });
    const { avatar_url } = (await stateOf(member, bot))!;
    const answer = {
      result: 'success',
      msg: '',
      full_name: bot.name,
      avatar_url,
      service_interface: 1,
      service_payload_url: null,
      config_data: null,
      default_sending_stream: null,
      default_events_register_stream: null,
      default_all_public_streams: false,
      bot_owner: member.email,
    };
    t.same(await change(member, bot, {}), answer);
    const all = {
      full_name: ' New Name ',
      service_payload_url: '"https://b.example.com/"',
      service_interface: 2,
      config_data: { a: 'b' },
      default_sending_stream: 'LOBBY',
      default_events_register_stream: 'hall',
      default_all_public_streams: true,
      bot_owner_id: other.id,
    };
    t.same(await change(admin, bot, all), {
      ...answer,
      full_name: 'New Name',
      service_interface: 2,
      service_payload_url: 'https://b.example.com/',
      config_data: { a: 'b' },
      default_sending_stream: 'lobby',
      default_events_register_stream: 'hall',
      default_all_public_streams: true,
      bot_owner: other.email,
    });
    const { services, ...state } = (await stateOf(other, bot))!;
    t.same(state, {
      email: bot.email,
      user_id: bot.id,
      full_name: 'New Name',
      bot_type: 3,
      is_active: true,
      api_key: bot.key,
      default_sending_stream: 'lobby',
      default_events_register_stream: 'hall',
      default_all_public_streams: true,
      owner_id: other.id,
      avatar_url,
    });
    t.same(services, [{ base_url: 'https://b.example.com/', interface: 2, token: services[0]!.token }]);
    const cleared = await change(other, bot, { default_sending_stream: '', default_events_register_stream: '' });
    t.same([cleared.default_sending_stream, cleared.default_events_register_stream], [null, null]);
    await refused(t, patch(member, bot, {}), NO_PERMISSION, 'the former owner may not any more');
  });

  await t.test('each change is one event; an unchanged value is no event', async (t) => {
    const bot = await makeBot(member, { bot_type: 3, payload_url: '"https://a.example.com/"' });
    const { token } = (await stateOf(member, bot))!.services[0]!;
    const queues = await watch([owner, member, other]);
    await change(admin, bot, {
      full_name: 'Told Bot',
      default_sending_stream: 'lobby',
      default_all_public_streams: true,
      service_payload_url: '"https://b.example.com/"',
    });
    await change(member, bot, { full_name: 'Told Bot', default_sending_stream: 'lobby', bot_owner_id: member.id });
    const base_url = 'https://b.example.com/';
    const managing = [
      ['realm_user/update', { full_name: 'Told Bot' }],
      ['realm_bot/update', { full_name: 'Told Bot' }],
      ['realm_bot/update', { default_sending_stream: 'lobby' }],
      ['realm_bot/update', { default_all_public_streams: true }],
      ['realm_bot/update', { services: [{ base_url, interface: 1, token }] }],
    ];
    for (const queue of queues) {
      t.same(await heard(queue), queue.of === other ? managing.slice(0, 1) : managing, queue.of.role);
    }
  });

  await t.test(
    'a change of owner moves the bot between the owners, and administrators get the new owner',
    async (t) => {
      const bot = await makeBot(member);
      const queues = await watch([admin, member, other, guest]);
      await change(member, bot, { bot_owner_id: other.id });
      const { user_id: _, ...shown } = (await stateOf(other, bot))!;
      const everybody = ['realm_user/update', { bot_owner_id: other.id }];
      const expected: Record<string, unknown> = {
        admin: [['realm_bot/update', { owner_id: other.id }], everybody],
        member: [['realm_bot/delete', {}], everybody],
        other: [['realm_bot/add', shown], everybody],
        guest: [everybody],
      };
      for (const queue of queues) t.same(await heard(queue), expected[queue.of.role], queue.of.role);
      t.equal(await stateOf(member, bot), undefined);
      const more = await watch([owner, admin, other]);
      await change(admin, bot, { bot_owner_id: admin.id });
      const told = ['realm_bot/update', { owner_id: admin.id }];
      const user = ['realm_user/update', { bot_owner_id: admin.id }];
      for (const queue of more) {
        const mine = queue.of === other ? ['realm_bot/delete', {}] : told;
        t.same(await heard(queue), [mine, user], queue.of.role);
      }
    },
  );

  await t.test('changes of a bot for a private stream reach administrators, too', async (t) => {
    const bot = await makeBot(member);
    const queues = await watch([owner, member, other]);
    await change(member, bot, { default_events_register_stream: 'secret of member' });
    await change(member, bot, { default_all_public_streams: true });
    await change(member, bot, { default_events_register_stream: '' });
    const changes = [
      ['realm_bot/update', { default_events_register_stream: 'secret of member' }],
      ['realm_bot/update', { default_all_public_streams: true }],
      ['realm_bot/update', { default_events_register_stream: null }],
    ];
    const [owners, members, others] = await Promise.all(queues.map(heard));
    t.same([owners, members, others], [changes, changes, []]);
  });

  await t.test('wrong parameters are refused in this order, and change nothing', async (t) => {
    const bot = await makeBot(member);
    const before = await stateOf(member, bot);
    const wrong = { full_name: 'x', role: 100, bot_owner_id: 4_000, default_sending_stream: 'gone' };
    await refused(t, patch(member, bot, { ...wrong, role: 150 }), bad('Invalid role'));
    await refused(t, patch(guest, bot, { role: 150 }), bad('Not allowed for guest users'));
    await refused(t, patch(bot, bot, wrong), NO_BOTS);
    await refused(t, patch(member, { ...bot, id: 4_000 }, wrong), NO_SUCH_BOT);
    await refused(t, patch(admin, member, wrong), NO_SUCH_BOT, 'a human');
    await refused(t, patch(admin, { ...bot, id: 1 }, wrong), NO_SUCH_BOT, 'a bot of the server');
    await refused(t, patch(other, bot, wrong), NO_PERMISSION);
    await refused(t, patch(member, bot, wrong), bad('Name too short!'));
    await refused(t, patch(member, bot, { ...wrong, full_name: 'n'.repeat(101) }), bad('Name too long!'));
    await refused(t, patch(member, bot, { ...wrong, full_name: 'n@n' }), bad('Invalid characters in name!'));
    await refused(t, patch(member, bot, { ...wrong, full_name: 'Ann|25' }), bad('Invalid format!'));
    await refused(t, patch(member, bot, { ...wrong, full_name: other.name }), bad('Name is already in use!'));
    const { full_name: _, ...named } = wrong;
    await refused(t, patch(member, bot, named), OWNERS);
    await refused(t, patch(admin, bot, named), OWNERS);
    await refused(t, patch(member, bot, { ...named, role: 200 }), ADMINS);
    const { role: __, ...owned } = named;
    await refused(t, patch(member, bot, owned), bad('Failed to change owner, no such user'));
    await refused(
      t,
      patch(member, bot, { ...owned, bot_owner_id: elsewhere.owner.id + 4_000 }),
      bad('Failed to change owner, no such user'),
    );
    await refused(
      t,
      patch(member, bot, { ...owned, bot_owner_id: bot.id }),
      bad("Failed to change owner, bots can't own other bots"),
    );
    const chosen = { full_name: 'Never Seen', service_payload_url: '"https://b.example.com/"', service_interface: 9 };
    for (const key of ['default_sending_stream', 'default_events_register_stream']) {
      for (const name of ['gone', 'secret of owner']) {
        await refused(t, patch(member, bot, { ...chosen, [key]: name }), bad(`Invalid stream name '${name}'`));
      }
    }
    await refused(t, patch(member, bot, chosen), bad('Invalid interface type'));
    const one = { name: 'a.png', bytes: 'x' };
    const two = member.api.upload('PATCH /bots/{bot_id}', [one, one], { bot_id: bot.id, full_name: 'Never Seen' });
    await refused(t, two, bad('You may only upload one file at a time'));
    await refused(t, patch(member, bot, { service_payload_url: '"x"' }), bad('service_payload_url is not a URL'));
    await refused(
      t,
      patch(member, bot, { config_data: { a: 1 } }),
      bad('config_data contains a value that is not a string'),
    );
    await refused(t, patch(elsewhere.member, bot, {}), NO_SUCH_BOT, 'another organization');
    t.same(await stateOf(member, bot), before);
  });

  await t.test('administrators give bots roles; a bot with the role owner is managed by owners only', async (t) => {
    const bot = await makeBot(member);
    const stream = await streamIdOf(member, 'lobby');
    await refused(
      t,
      bot.api.call('DELETE /streams/{stream_id}', { stream_id: stream + 4_000 }),
      bad('Invalid stream ID'),
    );
    await refused(t, bot.api.call('POST /realm/playgrounds', {}), ADMINS);
    const queues = await watch([member]);
    await change(admin, bot, { role: 200 });
    t.same(await heard(queues[0]!), [
      ['realm_user/update', { role: 200 }],
      ['user_group/remove_members', {}],
      ['user_group/add_members', {}],
      ['user_group/remove_members', {}],
    ]);
    const playground = { name: 'p', highlighter_language: 'Python', url_prefix: 'https://play.example.com/' };
    await bot.api.ok('POST /realm/playgrounds', playground);
    await change(owner, bot, { role: 100 });
    for (const by of [admin, member]) {
      await refused(t, patch(by, bot, {}), OWNERS, by.role);
      await refused(t, renew(by, bot), OWNERS, by.role);
    }
    await change(owner, bot, { role: 400 });
    await change(member, bot, { role: 400 });
  });

  await t.test('a new key works and the old one is dead; the managers of the bot get the event', async (t) => {
    const bot = await makeBot(member);
    const queues = await watch([admin, member, other, bot]);
    const { api_key } = (await renew(member, bot)).body as { api_key: string };
    t.match(api_key, /^[A-Za-z0-9]{32}$/);
    await refused(t, bot.api.call('GET /users/me'), unauthorized('Invalid API key'));
    const renewed = { ...bot, api: bot.api.with({ authorization: basic(bot.email, api_key) }) };
    t.equal((await renewed.api.ok('GET /users/me')).user_id, bot.id);
    for (const queue of queues.slice(0, 3)) {
      const expected = queue.of === other ? [] : [['realm_bot/update', { api_key }]];
      t.same(await heard(queue), expected, queue.of.role);
    }
    t.equal((await stateOf(member, bot))!.api_key, api_key);
    t.equal((await renew(admin, bot)).status, 200);
    await refused(t, renew(other, bot), NO_PERMISSION);
    await refused(t, renew(guest, bot), bad('Not allowed for guest users'));
    await refused(t, renew(member, { ...bot, id: 4_000 }), NO_SUCH_BOT);
    await refused(t, renew(elsewhere.owner, bot), NO_SUCH_BOT);
    const another = await makeBot(member);
    await refused(t, renew(another, bot), NO_BOTS);
  });

  await t.test('a bot has no default stream when that stream is archived', async (t) => {
    await subscribe(member, ['doomed', 'vacated', 'left'], { invite_only: true });
    const archived = async (name: string) =>
      owner.api.ok('DELETE /streams/{stream_id}', { stream_id: await streamIdOf(member, name) });
    const [sending, reading] = [{ default_sending_stream: null }, { default_events_register_stream: null }];
    const bot = await makeBot(member, { default_sending_stream: 'doomed', default_events_register_stream: 'lobby' });
    const queues = await watch([admin, member]);
    await archived('doomed');
    for (const queue of queues) t.same(await heard(queue), [['realm_bot/update', sending]], queue.of.role);
    t.match(await stateOf(member, bot), { ...sending, default_events_register_stream: 'lobby' });
    await refused(
      t,
      bot.api.call('POST /messages', { type: 'stream', topic: 'x', content: 'x' }),
      bad('Missing stream'),
    );
    await change(member, bot, { default_sending_stream: 'vacated', default_events_register_stream: 'left' });
    await member.api.ok('DELETE /users/me/subscriptions', { subscriptions: ['vacated', 'left'] });
    t.match(await stateOf(member, bot), { ...sending, ...reading });
    t.same(
      (await heard(queues[0]!)).slice(-2),
      [sending, reading].map((change) => ['realm_bot/update', change]),
    );
  });

  await t.test('snapshot and events', async (t) => {
    const bot = await makeBot(member, { bot_type: 3, payload_url: '"https://a.example.com/"' });
    const people = [owner, admin, member, other, guest];
    const verify = (title: string, by: Person, params: Params) =>
      t.test(title, (t) => verifyAction(t, title, people, () => change(by, bot, params)));
    await verify('of a name', member, { full_name: 'Followed' });
    await verify('of streams', member, { default_sending_stream: 'lobby', default_events_register_stream: 'hall' });
    await verify('of a service', admin, { service_payload_url: '"https://b.example.com/"', service_interface: 2 });
    await verify('of a role', admin, { role: 200 });
    await verify('of its role to that of owners', owner, { role: 100 });
    await verify('of the owner of a bot with the owner role', owner, { bot_owner_id: admin.id, role: 100 });
    await verify('of its role from that of owners', owner, { role: 200 });
    await verify('of its role with its owner', admin, { bot_owner_id: other.id });
    await change(admin, bot, { bot_owner_id: member.id });
    await verify('of a role back', admin, { role: 600 });
    await verify('of its owner, to a member', member, { bot_owner_id: other.id });
    await verify('of its owner, to an administrator', admin, { bot_owner_id: admin.id });
    await verify('of its owner, to a guest', admin, { bot_owner_id: guest.id });
    await verify('of everything', owner, {
      full_name: 'All of It',
      role: 300,
      bot_owner_id: member.id,
      default_all_public_streams: true,
      default_sending_stream: '',
    });
    await change(owner, bot, { default_events_register_stream: 'hall' });
    await t.test("the name of the bot's stream", (t) =>
      verifyAction(t, 'rename', people, async () => {
        const stream_id = await streamIdOf(member, 'hall');
        await owner.api.ok('PATCH /streams/{stream_id}', { stream_id, new_name: 'great hall' });
      }),
    );
    await t.test("the end of the bot's stream", (t) =>
      verifyAction(t, 'archive', people, async () => {
        const stream_id = await streamIdOf(member, 'great hall');
        await owner.api.ok('DELETE /streams/{stream_id}', { stream_id });
      }),
    );
    await t.test("the bot's key", (t) => verifyAction(t, 'key', people, () => renew(member, bot)));
  });

  await t.test('a new administrator gets all bots; a former administrator keeps only own bots', async (t) => {
    const bot = await makeBot(other, { default_sending_stream: 'lobby' });
    const role = (value: number) => owner.api.ok('PATCH /users/{user_id}', { user_id: other.id, role: value });
    await change(admin, bot, { role: 200 });
    await t.test('to administrator', (t) => verifyAction(t, 'administrator', [owner, other, member], () => role(200)));
    t.ok((await stateOf(other, bot))!);
    await t.test('to moderator', (t) => verifyAction(t, 'moderator', [owner, other, member], () => role(300)));
    await t.test('to guest', (t) => verifyAction(t, 'guest', [owner, other, member, bot], () => role(600)));
    await role(400);
    await change(admin, bot, { role: 400 });
    t.ok(await say(bot, 'lobby', 'still here'));
  });
};
