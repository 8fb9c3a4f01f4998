/** Bots as callers of every operation (operations.md, conventions.md § Roles), and operations for bots alone. */
import { API_OPERATIONS } from '#frontend/api';
import { refused } from '../../harness.js';
import { bad, type Refusal, unauthorized } from '../../support/client.js';
import {
  makeBot,
  makeOrganization,
  NOTIFICATION_BOT,
  type Person,
  say,
  streamIdOf,
  subscribe,
  withoutNotices,
} from '../../support/organization.js';
import { Queue, settled } from '../../support/queue.js';
import type { ApiMessage, ApiStream, Fields } from '../../support/types.js';
import { declaredAs, errorsOf } from '../../support/wire.js';
import type { Facts } from '../facts.js';

const NO_BOTS = bad('This endpoint does not accept bot requests.');
const principal = (msg: string): Refusal => ({ code: 'UNAUTHORIZED_PRINCIPAL', msg });
const GUARDS: Readonly<Record<string, Refusal>> = {
  admin: principal('Must be an organization administrator'),
  owner: principal('Must be an organization owner'),
};

interface Row {
  readonly operation: string;
  readonly guard: string;
  readonly hooks: boolean;
}

const ROWS: readonly Row[] = API_OPERATIONS.filter(({ root, guard }) => !root && guard !== 'none').map((one) => ({
  operation: declaredAs(one.method, one.path)?.[0] ?? `${one.method} ${one.path}`,
  guard: one.guard,
  hooks: one.webhookBots === true,
}));

/** A number is valid in segments of any kind. */
const segments = (operation: string): Record<string, string> =>
  Object.fromEntries([...operation.matchAll(/\{(\w+)\}/g)].map(([, name]) => [name!, '4000']));

export const botsEverywhere: Facts = async (t, server) => {
  const org = await makeOrganization(server);
  const { owner, admin, member, other } = org;
  const bot = await makeBot(member);
  await subscribe(member, ['lobby', 'hall'], { principals: [member, other] });
  await subscribe(other, 'not for members');
  const messages = (by: Person, params = {}) => Queue.register(by, { event_types: ['message'], ...params });

  await t.test('operations for humans refuse bots, whatever their parameters', async (t) => {
    const closed = ROWS.filter(({ operation }) => errorsOf(operation).some(({ msg }) => msg === NO_BOTS.msg));
    t.ok(closed.length > 20);
    for (const { operation } of closed)
      await refused(t, bot.api.call(operation, segments(operation)), NO_BOTS, operation);
  });

  await t.test(
    'operations for administrators and owners refuse bots without the role and admit bots with it',
    async (t) => {
      const robot = await makeBot(owner);
      await owner.api.ok('PATCH /bots/{bot_id}', { bot_id: robot.id, role: 100 });
      for (const { operation, guard } of ROWS) {
        const refusal = GUARDS[guard];
        if (!refusal) continue;
        await refused(t, bot.api.call(operation, segments(operation)), refusal, operation);
        if (operation === 'POST /realm/deactivate') continue;
        const { body } = await robot.api.call(operation, segments(operation));
        t.not(body.code, refusal.code, `${operation} as a bot who is an owner`);
      }
    },
  );

  await t.test('an incoming webhook bot may send messages, post to its webhook and do nothing else', async (t) => {
    const hook = await makeBot(member, { bot_type: 2 });
    const NO_HOOKS = unauthorized('This API is not available to incoming webhook bots.');
    for (const { operation, hooks } of ROWS) {
      const call = hook.api.call(operation, segments(operation));
      if (hooks) t.equal((await call).status, 400, `${operation}: only its parameters are refused`);
      else await refused(t, call, NO_HOOKS, operation);
    }
    t.ok(await say(hook, 'lobby', 'hooked'));
  });

  await t.test('a message without a stream goes to the one that the bot is set to', async (t) => {
    const set = await makeBot(member, { default_sending_stream: 'hall' });
    const send = (by: Person) => by.api.call('POST /messages', { type: 'stream', topic: 'set', content: 'here' });
    const queue = await messages(member);
    t.equal((await send(set)).status, 200);
    const [event] = await queue.take(1);
    t.same((event!.message as ApiMessage).display_recipient, 'hall');
    await refused(t, send(bot), bad('Missing stream'));
    await refused(t, send(member), bad('Missing stream'));
    await member.api.ok('PATCH /bots/{bot_id}', { bot_id: set.id, default_sending_stream: '' });
    await refused(t, send(set), bad('Missing stream'));
  });

  await t.test(
    'an event queue of a bot gets the streams that the bot is set to, unless the call says otherwise',
    async (t) => {
      const set = await makeBot(member, { default_all_public_streams: true, default_events_register_stream: 'hall' });
      await subscribe(member, 'lobby', { principals: [set] });
      const got = async (params: Record<string, unknown>) => {
        const queue = await messages(set, params);
        for (const stream of ['lobby', 'hall', 'not for members']) {
          await say(stream === 'not for members' ? other : member, stream, 'set', `to ${stream}`);
        }
        const events = await settled(queue).catch(() => queue.received);
        return withoutNotices(events.map(({ message }) => message as ApiMessage)).map(({ content }) => content);
      };
      // Direct messages, with which a test knows that no more events come, are outside of the narrow.
      const narrowed = await messages(set);
      await say(member, 'lobby', 'set', 'elsewhere');
      await say(member, 'hall', 'set', 'in it');
      t.same(
        (await narrowed.take(1)).map(({ message }) => (message as ApiMessage).content),
        ['in it'],
      );
      await member.api.ok('PATCH /bots/{bot_id}', { bot_id: set.id, default_events_register_stream: '' });
      t.same(await got({}), ['to lobby', 'to hall', 'to not for members']);
      t.same(await got({ all_public_streams: false }), ['to lobby']);
      await member.api.ok('PATCH /bots/{bot_id}', { bot_id: set.id, default_all_public_streams: false });
      t.same(await got({}), ['to lobby']);
      await admin.api.ok('PATCH /bots/{bot_id}', { bot_id: set.id, default_all_public_streams: true, role: 600 });
      t.same(await got({}), ['to lobby'], 'guests have no use for it');
      await refused(
        t,
        set.api.call('POST /register', { all_public_streams: true }),
        bad('User not authorized for this query'),
      );
    },
  );

  await t.test(
    "a bot's owner may unsubscribe it and post where it may; the bot posts where its owner may",
    async (t) => {
      await subscribe(member, 'secret', { invite_only: true });
      t.ok(await say(bot, 'secret', 'as its owner may'));
      await subscribe(owner, 'hidden', { invite_only: true });
      const send = { type: 'stream', to: 'hidden', topic: 'x', content: 'x' };
      await refused(t, bot.api.call('POST /messages', send), bad("Not authorized to send to stream 'hidden'"));
      await subscribe(member, ['lobby', 'secret'], { principals: [bot] });
      const leave = (by: Person, subscriptions: string[]) =>
        by.api.call('DELETE /users/me/subscriptions', { subscriptions, principals: [bot.id] });
      await refused(t, leave(other, ['lobby']), bad('Insufficient permission'));
      const { body } = await leave(member, ['lobby', 'secret']);
      t.same([...(body.removed as string[])].sort(), ['lobby', 'secret']);
      const { streams } = await bot.api.ok<{ streams: ApiStream[] }>('GET /streams', {
        include_public: false,
        include_owner_subscribed: true,
      });
      const own = await member.api.ok<{ subscriptions: ApiStream[] }>('GET /users/me/subscriptions');
      t.same(
        streams.map(({ name }) => name),
        own.subscriptions.map(({ name }) => name),
      );
    },
  );

  await t.test("a bot's owner is notified of messages that reach no subscriber, at most once a minute", async (t) => {
    const lost = await makeBot(member);
    const queue = await messages(member);
    const notice = async (): Promise<string> => {
      const is = (event: Fields) => (event.message as ApiMessage | undefined)?.sender_id === NOTIFICATION_BOT;
      const events = await queue.until((seen) => seen.some(is));
      return (events.find(is)!.message as ApiMessage).content;
    };
    const gone = {
      code: 'STREAM_DOES_NOT_EXIST',
      msg: "Stream 'nowhere' does not exist",
      extra: { stream: 'nowhere' },
    };
    const send = { type: 'stream', to: 'nowhere', topic: 'x', content: 'x' };
    await refused(t, lost.api.call('POST /messages', send), gone);
    t.match(await notice(), /could not send a message to the stream `nowhere`, because there is none\./);
    await refused(t, lost.api.call('POST /messages', send), gone, 'again');
    const empty = await makeBot(member);
    await subscribe(other, 'empty');
    await other.api.ok('DELETE /users/me/subscriptions', { subscriptions: ['empty'] });
    t.ok(await say(empty, 'empty', 'hello?'));
    t.match(
      await notice(),
      /sent a message to #\*\*empty\*\*, but nobody is subscribed to it\./,
      'and not twice of the other',
    );
    await refused(t, other.api.call('POST /messages', send), gone, 'of people nobody hears');
  });

  await t.test('a bot cannot be chosen in a profile field of people', async (t) => {
    const field = { name: 'Friends', field_type: 6 };
    const { id } = await owner.api.ok<{ id: number }>('POST /realm/profile_fields', field);
    const isBot = bad(`User with ID ${bot.id} is a bot`);
    const data = [{ id, value: [bot.id] }];
    await refused(t, member.api.call('PATCH /users/me/profile_data', { data }), isBot);
    const params = { user_id: member.id, profile_data: data };
    await refused(t, owner.api.call('PATCH /users/{user_id}', params), isBot);
  });

  await t.test('a bot in a stream subscribes, reads, reacts and types, and cannot be muted', async (t) => {
    await subscribe(bot, 'lobby');
    const message_id = await say(member, 'lobby', 'about');
    await bot.api.ok('POST /messages/{message_id}/reactions', { message_id, emoji_name: 'tada' });
    await bot.api.ok('POST /messages/flags', { messages: [message_id], op: 'add', flag: 'read' });
    const { user_ids } = await member.api.ok<{ user_ids: number[] }>('GET /messages/{message_id}/read_receipts', {
      message_id,
    });
    t.ok(user_ids.includes(bot.id));
    const to = [await streamIdOf(member, 'lobby')];
    await bot.api.ok('POST /typing', { type: 'stream', op: 'start', to, topic: 'about' });
    const mute = member.api.call('POST /users/me/muted_users/{muted_user_id}', { muted_user_id: bot.id });
    await refused(t, mute, bad('No such user'));
    const status = member.api.call('GET /users/{user_id}/subscriptions/{stream_id}', {
      user_id: bot.id,
      stream_id: to[0],
    });
    await refused(t, status, bad('No such user'));
    const me = await bot.api.ok('GET /users/me');
    t.same([me.is_bot, 'bot_type' in me, 'bot_owner_id' in me, 'profile_data' in me], [true, false, false, false]);
  });
};
