/**
 * Real addresses (users.md § User object) reach no user whom email_address_visibility excludes, by any call or event.
 * The test looks at the bytes of answers and events, not at their fields.
 */
import type { Test } from 'tap';
import { basic, Client, type Params } from '../../support/client.js';
import { mailed, mailsTo } from '../../support/mails.js';
import { addPerson, makeBot, makeOrganization, type Person, say, subscribe, tell } from '../../support/organization.js';
import { Queue, settled } from '../../support/queue.js';
import type { Facts } from '../facts.js';

/** email_address_visibility → the roles that see the address, besides its owner. */
const SEEN_BY: Readonly<Record<number, readonly string[]>> = {
  1: ['owner', 'admin', 'moderator', 'member', 'bot', 'guest'],
  2: ['owner', 'admin', 'moderator', 'member', 'bot'],
  5: ['owner', 'admin', 'moderator'],
  3: ['owner', 'admin'],
  4: [],
};

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

export const hiddenAddresses: Facts = async (t, server) => {
  const org = await makeOrganization(server);
  const elsewhere = await makeOrganization(server, ['member']);
  const { owner, admin, moderator, member, guest } = org;
  const bot = await makeBot(member);
  const viewers: Readonly<Record<string, Person>> = { owner, admin, moderator, member, bot, guest };
  await subscribe(member, 'lobby', { principals: Object.values(viewers) });
  await owner.api.ok('PATCH /realm', { enable_spectator_access: true });
  await subscribe(owner, 'for the web', { is_web_public: true, principals: [owner, guest] });
  const visitor = new Client(server, 'visitor', { host: `${org.subdomain}.localhost` });
  let made = 0;

  /** A user with messages in all places, whose address occurs in no other field. */
  const hider = async (visibility: number): Promise<{ person: Person; address: string }> => {
    const one = await addPerson(org, `someone${++made}`);
    await one.api.ok('PATCH /settings', { email_address_visibility: visibility });
    const { email } = await one.api.ok<{ email: string }>('GET /users/me');
    const person = { ...one, email };
    await subscribe(owner, ['lobby', 'for the web'], { principals: [person] });
    await say(person, 'lobby', 'said', `by ${person.id}`);
    await say(person, 'for the web', 'said', `by ${person.id}`);
    await tell(person, Object.values(viewers));
    await person.api.ok('POST /users/me/presence', { status: 'active' });
    await person.api.ok('POST /users/me/status', { status_text: 'here' });
    return { person, address: one.email };
  };

  /** All calls whose answers name accounts. */
  const questions = ({ id, email }: Person): readonly [string, Params][] => [
    ['GET /users', { client_gravatar: false, include_custom_profile_fields: true }],
    ['GET /users', { client_gravatar: true }],
    ['GET /users/{user_id}', { user_id: id, include_custom_profile_fields: true }],
    ['GET /users/{email}', { email }],
    ['GET /messages', { anchor: 'newest', num_before: 100, num_after: 0 }],
    ['GET /messages', { anchor: 'newest', num_before: 100, num_after: 0, narrow: [['sender', id]] }],
    ['GET /messages', { anchor: 'newest', num_before: 100, num_after: 0, narrow: [['streams', 'web-public']] }],
    ['POST /register', { client_gravatar: false, include_subscribers: true }],
    ['POST /register', { client_gravatar: false }],
    ['GET /users/{user_id_or_email}/presence', { user_id_or_email: id }],
    ['GET /realm/presence', {}],
    ['GET /bots', {}],
    ['GET /user_groups', {}],
    ['GET /users/me/subscriptions', { include_subscribers: true }],
  ];

  const answers = async (by: Client, of: Person): Promise<[string, string][]> => {
    const found: [string, string][] = [];
    for (const [operation, params] of questions(of)) {
      const { status, body } = await by.call(operation, params);
      if (status < 400) found.push([operation, JSON.stringify(body)]);
    }
    return found;
  };

  for (const [visibility, seeing] of Object.entries(SEEN_BY)) {
    await t.test(`visibility ${visibility}: ${seeing.join(', ') || 'nobody'}`, async (t) => {
      const { person, address } = await hider(Number(visibility));
      for (const [role, viewer] of Object.entries(viewers)) {
        const told = await answers(viewer.api, person);
        t.ok(told.length >= 6, `${role} gets answers`);
        if (seeing.includes(role)) {
          const [, users] = told.find(([operation]) => operation === 'GET /users')!;
          t.ok(users.includes(address), `${role} sees it`);
          continue;
        }
        for (const [operation, text] of told) t.notOk(text.includes(address), `${role}: ${operation}`);
        for (const params of [{ email: address }, { email: address.toUpperCase() }]) {
          t.match((await viewer.api.call('GET /users/{email}', params)).body, { msg: 'No such user' }, role);
        }
      }
      const nobody: readonly [string, Client][] = [
        ['visitor', visitor],
        ['foreign', elsewhere.member.api.with({}, 'foreign')],
      ];
      for (const [name, client] of nobody) {
        const told = await answers(client, person);
        t.ok(told.length > 0, name);
        // All users, including anonymous visitors.
        if (name === 'visitor' && visibility === '1') continue;
        for (const [operation, text] of told) t.notOk(text.includes(address), `${name}: ${operation}`);
      }
    });
  }

  await t.test('narrows, recipients and principals name nobody by a hidden address', async (t) => {
    const { person, address } = await hider(4);
    const window = { anchor: 'newest', num_before: 1, num_after: 0 };
    const namings = (email: string): readonly [string, Params][] => [
      ['GET /messages', { ...window, narrow: [['sender', email]] }],
      ['GET /messages', { ...window, narrow: [['dm', email]] }],
      ['GET /messages', { ...window, narrow: [['dm-including', email]] }],
      ['GET /messages', { ...window, narrow: [['group-pm-with', email]] }],
      ['POST /messages', { type: 'direct', to: [email], content: 'hello' }],
      ['POST /users/me/subscriptions', { subscriptions: [{ name: 'lobby' }], principals: [email] }],
      ['DELETE /users/me/subscriptions', { subscriptions: ['lobby'], principals: [email] }],
    ];
    const unknown = `nobody@${org.subdomain}.example.com`;
    const answersTo = (by: Client, email: string): Promise<[number, string][]> =>
      Promise.all(
        namings(email).map(async ([operation, params]) => {
          const { status, body } = await by.call(operation, params);
          return [status, JSON.stringify(body).toLowerCase().replaceAll(email.toLowerCase(), 'ADDRESS')];
        }),
      );
    for (const { api } of [owner, member, guest, person]) {
      const refused = await answersTo(api, unknown);
      for (const [status] of refused) t.ok(status >= 400);
      t.same(await answersTo(api, address), refused);
      t.same(await answersTo(api, address.toUpperCase()), refused);
    }
    for (const [status] of (await answersTo(owner.api, person.email)).slice(0, 6)) t.equal(status, 200);
    const anonymous = (email: string) =>
      visitor.call('GET /messages', {
        ...window,
        narrow: [
          ['streams', 'web-public'],
          ['sender', email],
        ],
      });
    t.match((await anonymous(address)).body, { desc: `unknown user ${address}` });
    t.equal((await anonymous(person.email)).status, 200);
  });

  await t.test('no event of an account has its address for users from whom the address is hidden', async (t) => {
    for (const visibility of [2, 3, 4, 5]) await events(t, visibility);
  });

  async function events(t: Test, visibility: number): Promise<void> {
    const { person, address } = await hider(visibility);
    const newer = `newer${made}@${org.subdomain}.example.com`;
    const queues = await Promise.all(
      Object.entries(viewers).flatMap(([role, viewer]) =>
        [true, false].map(async (client_gravatar) => {
          const params = { client_gravatar, all_public_streams: role !== 'guest', include_subscribers: true };
          return [role, await Queue.register(viewer, params)] as const;
        }),
      ),
    );
    const change = (params: Params) => owner.api.ok('PATCH /users/{user_id}', { user_id: person.id, ...params });
    await change({ full_name: 'Another Name' });
    for (const role of [600, 300, 200, 400]) await change({ role });
    await person.api.ok('PATCH /settings', { timezone: 'Europe/Berlin', email: newer });
    const path = new URL(/^http:.*$/m.exec((await mailed(server, newer))[0]!.text)![0]).pathname;
    const confirmed = await org.nobody.raw({ method: 'POST', path, headers: FORM, body: '' });
    t.equal(confirmed.status, 200);
    const moved = { ...person, api: new Client(server, 'member', { authorization: basic(newer, person.key) }) };
    await owner.api.ok('DELETE /users/{user_id}', { user_id: person.id });
    await owner.api.ok('POST /users/{user_id}/reactivate', { user_id: person.id });
    await moved.api.ok('POST /users/me/presence', { status: 'active' });
    await moved.api.ok('POST /users/me/status', { status_text: 'there' });
    await say(moved, 'lobby', 'said', 'again');
    await moved.api.ok('POST /typing', { op: 'start', to: [member.id] });
    await moved.api.ok('PATCH /settings', { email_address_visibility: visibility === 4 ? 3 : 4 });
    await moved.api.ok('PATCH /settings', { email_address_visibility: visibility });
    for (const [role, queue] of queues) {
      const told = JSON.stringify(await settled(queue));
      t.ok(told.includes('Another Name'), `${role} hears of it`);
      const may = SEEN_BY[visibility]!.includes(role) || (visibility === 4 && ['owner', 'admin'].includes(role));
      if (may) t.ok(told.includes(newer), `${role} of ${visibility}`);
      else for (const hidden of [address, newer]) t.notOk(told.includes(hidden), `${role} of ${visibility}`);
      await queue.delete();
    }
    for (const mail of [...mailsTo(server, owner.email), ...mailsTo(server, member.email)]) {
      t.notOk(mail.text.includes(address) || mail.text.includes(newer));
    }
  }

  await t.test('a log-in does not reveal whether an address has an account', async (t) => {
    const { person, address } = await hider(4);
    const tries = async (username: string): Promise<[number, unknown][]> => {
      const found: [number, unknown][] = [];
      for (let i = 0; i < 7; i++) {
        const { status, body } = await visitor.call('POST /fetch_api_key', { username, password: 'wrong' });
        found.push([status, body.msg]);
      }
      return found;
    };
    const known = await tries(address);
    t.same(
      known.map(([status]) => status),
      [401, 401, 401, 401, 401, 429, 429],
    );
    t.same(await tries(`nobody${made}@${org.subdomain}.example.com`), known, 'one that has none');
    t.same(await tries(person.email), known, 'one that stands for a hidden one');
    t.same(
      await tries(`NOBODY${made}@${org.subdomain}.example.com`),
      known.map(() => known.at(-1)),
      'in any case',
    );
    const unknown = `another${made}@${org.subdomain}.example.com`;
    const atOnce = await Promise.all(
      Array.from({ length: 12 }, () => visitor.call('POST /fetch_api_key', { username: unknown, password: 'x' })),
    );
    t.same(atOnce.map(({ status }) => status).sort(), [...Array(5).fill(401), ...Array(7).fill(429)]);
    await server.restart();
    t.equal(
      (await visitor.call('POST /fetch_api_key', { username: unknown, password: 'x' })).status,
      429,
      'remembered',
    );
  });
};
