/** POST and GET /bots (users.md § Bots): the right to make bots, refusals, and recipients of events. */

import { refused } from '../../harness.js';
import { bad, missing, type Params, type Refusal, unauthorized } from '../../support/client.js';
import { makeBot, makeOrganization, type Person, say, subscribe } from '../../support/organization.js';
import { picture, shown } from '../../support/pictures.js';
import { Queue, settled } from '../../support/queue.js';
import type { ApiUser, Fields } from '../../support/types.js';
import { verifyAction } from '../../support/verify-action.js';
import type { Facts } from '../facts.js';

const ADMINS: Refusal = { code: 'UNAUTHORIZED_PRINCIPAL', msg: 'Must be an organization administrator' };
const NO_BOTS = bad('This endpoint does not accept bot requests.');

interface ApiBot extends Fields {
  readonly user_id: number;
  readonly email: string;
  readonly api_key: string;
}

const botsOf = async (by: Person): Promise<ApiBot[]> =>
  (await by.api.ok<{ realm_bots: ApiBot[] }>('POST /register', { fetch_event_types: ['realm_bot'] })).realm_bots;

let names = 0;

export const bots: Facts = async (t, server) => {
  const org = await makeOrganization(server);
  const elsewhere = await makeOrganization(server, []);
  const { owner, admin, member, other, guest } = org;
  const of = (more: Params = {}): Params => ({ full_name: `Maker ${++names}`, short_name: `maker${names}`, ...more });
  const make = (by: Person, params: Params) => by.api.call('POST /bots', params);
  await subscribe(member, ['for bots', 'the other']);
  await subscribe(member, 'secret of member', { invite_only: true });
  await subscribe(owner, 'secret of owner', { invite_only: true });

  await t.test(
    'a bot is an account with an owner, an address made of its short name, and a key of its own',
    async (t) => {
      const answer = await member.api.ok<{ user_id: number; api_key: string }>('POST /bots', {
        full_name: ' Ham Bot ',
        short_name: 'ham',
        default_sending_stream: 'FOR bots',
      });
      const { user } = await guest.api.ok<{ user: ApiUser }>('GET /users/{user_id}', {
        user_id: answer.user_id,
        client_gravatar: false,
      });
      t.match(answer.api_key, /^[A-Za-z0-9]{32}$/);
      t.same(answer, {
        result: 'success',
        msg: '',
        user_id: answer.user_id,
        api_key: answer.api_key,
        avatar_url: user.avatar_url,
        default_sending_stream: 'for bots',
        default_events_register_stream: null,
        default_all_public_streams: false,
      });
      t.same(
        [
          user.full_name,
          user.is_bot,
          user.bot_type,
          user.bot_owner_id,
          user.role,
          user.is_active,
          'profile_data' in user,
        ],
        ['Ham Bot', true, 1, member.id, 400, true, false],
      );
      t.match(user.email, /^ham-bot@/);
      t.equal(user.delivery_email, user.email);
      const { bots } = await member.api.ok<{ bots: Fields[] }>('GET /bots');
      t.same(bots, [
        {
          username: user.email,
          full_name: 'Ham Bot',
          api_key: answer.api_key,
          avatar_url: user.avatar_url,
          default_sending_stream: 'for bots',
          default_events_register_stream: null,
          default_all_public_streams: false,
        },
      ]);
    },
  );

  await t.test(
    'events: the account goes to all users, the bot with its key to its owner and to human administrators',
    async (t) => {
      const robot = await makeBot(owner);
      await owner.api.ok('PATCH /realm', { name: 'Still the same' });
      const watching = [owner, admin, member, other, guest, robot];
      const queues = await Promise.all(
        watching.map((person) =>
          Queue.register(person, { event_types: ['realm_user', 'user_group', 'realm_bot', 'message'] }),
        ),
      );
      const bot = await makeBot(member, {
        bot_type: 3,
        payload_url: '"https://hook.example.com/"',
        default_events_register_stream: 'the other',
        default_all_public_streams: true,
      });
      const token = (await botsOf(member)).find(({ user_id }) => user_id === bot.id)!.services as { token: string }[];
      t.match(token[0]!.token, /^[A-Za-z0-9]{32}$/);
      t.not(token[0]!.token, bot.key, 'the token is not the key');
      const expected = (person: Fields) => ({
        email: bot.email,
        user_id: bot.id,
        full_name: bot.name,
        bot_type: 3,
        is_active: true,
        api_key: bot.key,
        default_sending_stream: null,
        default_events_register_stream: 'the other',
        default_all_public_streams: true,
        owner_id: member.id,
        avatar_url: person.avatar_url,
        services: [{ base_url: 'https://hook.example.com/', interface: 1, token: token[0]!.token }],
      });
      for (const queue of queues) {
        const events = await settled(queue);
        const managing = ['owner', 'admin', 'member'].includes(queue.of.role);
        t.same(
          events.map(({ type, op }) => `${type}/${op}`),
          [
            'realm_user/add',
            'user_group/add_members',
            'user_group/add_members',
            ...(managing ? ['realm_bot/add'] : []),
          ],
          queue.of.role,
        );
        if (managing) t.same(events.at(-1)!.bot, expected(events[0]!.person as Fields), queue.of.role);
        else t.notMatch(JSON.stringify(events), bot.key, `${queue.of.role} does not see the key`);
      }
    },
  );

  await t.test('administrators hear of a bot for a private stream, as the state has it', async (t) => {
    const queues = await Promise.all(
      [owner, member, other].map((by) => Queue.register(by, { event_types: ['realm_bot', 'message'] })),
    );
    const { id } = await makeBot(member, { default_sending_stream: 'secret of member' });
    const [owners, members, others] = await Promise.all(queues.map((queue) => settled(queue)));
    const shown = (await botsOf(owner)).find(({ user_id }) => user_id === id);
    t.equal(shown?.default_sending_stream, 'secret of member');
    for (const events of [owners, members])
      t.same(
        events?.map(({ bot }) => bot),
        [shown],
      );
    t.same(others, []);
  });

  await t.test('the state lists own bots, all bots for administrators, and API keys for no other user', async (t) => {
    const mine = await makeBot(other);
    const all = await botsOf(admin);
    t.same(
      (await botsOf(other)).map(({ user_id }) => user_id),
      [mine.id],
    );
    t.same(
      (await botsOf(member)).map(({ owner_id }) => owner_id).filter((id) => id !== member.id),
      [],
    );
    t.ok(all.some(({ user_id }) => user_id === mine.id));
    t.equal(all.find(({ user_id }) => user_id === mine.id)!.api_key, mine.key);
    for (const by of [guest, mine, elsewhere.owner]) t.same(await botsOf(by), [], by.role);
    for (const by of [member, guest, mine]) {
      const state = JSON.stringify(await by.api.ok('POST /register'));
      for (const { api_key, owner_id } of all) if (owner_id !== by.id) t.notOk(state.includes(api_key), by.role);
    }
    t.same((await elsewhere.owner.api.ok('GET /bots')).bots, []);
  });

  await t.test('a bot with the role of an administrator gets neither other bots nor their keys', async (t) => {
    const bot = await makeBot(owner);
    await owner.api.ok('PATCH /bots/{bot_id}', { bot_id: bot.id, role: 200 });
    t.same(await botsOf(bot), [], 'in the state');
    const queue = await Queue.register(bot, { event_types: ['realm_bot', 'message'] });
    await makeBot(member);
    t.same(await settled(queue), [], 'in events');
  });

  await t.test(
    'administrators get neither a bot with the owner role nor its keys, but its own owner does',
    async (t) => {
      const bot = await makeBot(member);
      await owner.api.ok('PATCH /bots/{bot_id}', { bot_id: bot.id, role: 100 });
      const watching = [owner, admin, member, other];
      const queues = await Promise.all(
        watching.map((by) => Queue.register(by, { event_types: ['realm_bot', 'message'] })),
      );
      const { api_key } = await owner.api.ok('POST /bots/{bot_id}/api_key/regenerate', { bot_id: bot.id });
      for (const queue of queues) {
        const sees = queue.of === owner || queue.of === member;
        const shown = (await botsOf(queue.of)).find(({ user_id }) => user_id === bot.id);
        t.equal(shown?.api_key, sees ? api_key : undefined, `${queue.of.role}, state`);
        const told = (await settled(queue)).map((event) => event.bot);
        t.same(told, sees ? [{ user_id: bot.id, api_key }] : [], `${queue.of.role}, events`);
      }
    },
  );

  await t.test('wrong parameters are refused, in this order', async (t) => {
    await refused(t, make(member, {}), missing('full_name'));
    await refused(t, make(member, { full_name: 'x' }), missing('short_name'));
    const wrong = { full_name: 'x', short_name: ' ', bot_type: 4, interface_type: 9, default_sending_stream: 'gone' };
    await refused(t, make(member, wrong), bad('Bad name or username'), 'blank short name');
    await refused(t, make(member, { ...wrong, short_name: 'a b' }), bad('Name too short!'));
    await refused(t, make(member, { ...wrong, short_name: 'a', full_name: 'n'.repeat(101) }), bad('Name too long!'));
    await refused(t, make(member, { ...wrong, short_name: 'a', full_name: 'n@n' }), bad('Invalid characters in name!'));
    await refused(t, make(member, { ...wrong, short_name: 'a', full_name: 'Ann|25' }), bad('Invalid format!'));
    const named = { ...wrong, full_name: member.name.toUpperCase(), short_name: 'a b' };
    await refused(t, make(member, named), bad('Embedded bots are not enabled.'));
    await refused(t, make(member, { ...named, bot_type: 7 }), bad('Bad name or username'), 'no address comes of it');
    const taken = await makeBot(member, { short_name: 'taken' });
    await refused(t, make(other, { ...named, bot_type: 7, short_name: 'TAKEN' }), bad('Username already in use'));
    await refused(t, make(other, { ...named, bot_type: 7, short_name: 'free' }), bad('Name is already in use!'));
    await refused(t, make(other, of({ bot_type: 7, full_name: taken.name })), bad('Name is already in use!'));
    const alike = of({ bot_type: 7, full_name: `${taken.name}\u3164` });
    await refused(t, make(other, alike), bad('Name is already in use!'), 'with an invisible character');
    const odd = of({ bot_type: 7, interface_type: 9 });
    await refused(t, make(member, odd), bad('Invalid bot type'));
    await refused(t, make(member, { ...odd, bot_type: 1 }), bad('Invalid interface type'));
    const one = { name: 'a.png', bytes: 'x' };
    await refused(
      t,
      member.api.upload('POST /bots', [one, one], of({ default_sending_stream: 'gone' })),
      bad('You may only upload one file at a time'),
    );
    const named2 = { bot_type: 2, service_name: 'github' };
    for (const key of ['default_sending_stream', 'default_events_register_stream']) {
      for (const name of ['gone', 'secret of owner']) {
        await refused(t, make(member, of({ ...named2, [key]: name })), bad(`Invalid stream name '${name}'`));
      }
    }
    await refused(t, make(guest, of()), bad('Not allowed for guest users'));
    await refused(t, make(member, of(named2)), bad("Invalid integration 'github'."));
    await refused(
      t,
      make(member, of({ payload_url: 'https://x.example.com' })),
      bad('Argument "payload_url" is not valid JSON.'),
    );
    await refused(t, make(member, of({ payload_url: '"nonsense"' })), bad('payload_url is not a URL'));
    await refused(t, make(member, of({ bot_type: '"1"' })), bad('bot_type is not an integer'));
    await refused(t, make(member, of({ config_data: [] })), bad('config_data is not a dict'));
    await refused(
      t,
      make(member, of({ config_data: { a: 1 } })),
      bad('config_data contains a value that is not a string'),
    );
    await refused(
      t,
      make(member, of({ bot_type: 2, config_data: { a: 'x'.repeat(10_000) } })),
      bad('config_data is too long (limit: 10000 characters)'),
    );
    await refused(t, make(taken, of()), NO_BOTS);
    await refused(t, taken.api.call('GET /bots'), NO_BOTS);
    await refused(t, guest.api.call('GET /bots'), bad('Not allowed for guest users'));
    t.same(
      (await botsOf(owner)).filter(({ full_name }) => String(full_name).startsWith('Maker')),
      [],
      'nothing was made',
    );
  });

  await t.test("a picture sent along becomes the bot's avatar; another one may follow later", async (t) => {
    const params = of();
    const made = await member.api.upload('POST /bots', [{ name: 'a.png', bytes: await picture('red') }], params);
    const { user_id, avatar_url } = made.body as { user_id: number; avatar_url: string };
    t.match(avatar_url, new RegExp(`^/user_avatars/${org.realm}/[0-9a-f]{40}\\.png\\?version=2$`));
    const look = async (path: string) => (await shown((await org.nobody.raw({ method: 'GET', path })).bytes)).colour;
    t.equal(await look(avatar_url), '#ff0000');
    const change = async (colour: string) => {
      const files = [{ name: 'b.png', bytes: await picture(colour) }];
      return member.api.upload('PATCH /bots/{bot_id}', files, { bot_id: user_id, full_name: `In ${colour}` });
    };
    await t.test('snapshot and events', (t) =>
      verifyAction(t, 'PATCH /bots/{bot_id}', [owner, member, other], async () => {
        const { body } = await change('blue');
        t.equal(body.full_name, 'In blue');
        t.equal(await look(String(body.avatar_url)), '#0000ff');
      }),
    );
    const no = await member.api.upload('PATCH /bots/{bot_id}', [{ name: 'x', bytes: 'x' }], {
      bot_id: user_id,
      full_name: 'No',
    });
    t.same([no.status, no.body.msg], [400, 'Could not decode image; did you upload an image file?']);
    const none = await member.api.upload('POST /bots', [{ name: 'x', bytes: 'x' }], of());
    t.same([none.status, none.body.msg], [400, 'Could not decode image; did you upload an image file?']);
    const { bots } = await member.api.ok<{ bots: Fields[] }>('GET /bots');
    t.ok(bots.every(({ full_name }) => full_name !== 'No'));
  });

  await t.test('names of deactivated bots are free again; hostile configuration is only text', async (t) => {
    const config_data = { __proto__x: 'a', 'a\u0000b': '\ud800', constructor: '{"$ne":1}', 'a.b$c': '' };
    t.equal((await make(member, of({ bot_type: 2, config_data }))).status, 200);
    const hostile = make(member, of({ bot_type: 2, config_data: '{"__proto__":"x"}' }));
    await refused(t, hostile, bad('config_data contains an invalid key: __proto__'));
  });

  await t.test('bot_creation_policy says which roles make which bots', async (t) => {
    const outcome = async (by: Person, bot_type: number) => (await make(by, of({ bot_type }))).body.msg;
    const table = async (bot_creation_policy: number) => {
      await owner.api.ok('PATCH /realm', { bot_creation_policy });
      const rows: unknown[] = [];
      for (const by of [admin, member]) for (const type of [1, 2, 3]) rows.push(await outcome(by, type));
      return rows;
    };
    const no = ADMINS.msg;
    t.same(await table(2), ['', '', '', no, '', '']);
    t.same(await table(3), ['', '', '', no, no, no]);
    t.same(await table(1), ['', '', '', '', '', '']);
    await owner.api.ok('PATCH /realm', { bot_creation_policy: 3 });
    await refused(t, make(member, of()), ADMINS);
    await owner.api.ok('PATCH /realm', { bot_creation_policy: 1 });
  });

  await t.test('an incoming webhook bot sends messages and does nothing else', async (t) => {
    const hook = await makeBot(member, { bot_type: 2 });
    const NO_HOOKS = unauthorized('This API is not available to incoming webhook bots.');
    t.ok(await say(hook, 'for bots', 'hooked'));
    for (const operation of ['GET /users/me', 'POST /register', 'GET /messages', 'GET /bots']) {
      await refused(t, hook.api.call(operation), NO_HOOKS, operation);
    }
  });

  await t.test('snapshot and events', (t) =>
    verifyAction(t, 'POST /bots', [owner, admin, member, other, guest], () =>
      makeBot(member, { default_events_register_stream: 'for bots' }),
    ),
  );
};
