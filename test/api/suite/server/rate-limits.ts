/**
 * Rate limits as configured by default, with a clock that the test moves (embedded face only): conventions.md § Rate
 * limits.
 */
import type { Test } from 'tap';
import { setRateLimitsOfUser } from '#app/admin';
import { FakeClock } from '../../../support/fake-clock.js';
import { refused } from '../../harness.js';
import { basic, Client } from '../../support/client.js';
import { startEmbedded } from '../../support/faces.js';
import { upload } from '../../support/files.js';
import type { RawAnswer } from '../../support/http.js';
import { addPerson, makeOrganization } from '../../support/organization.js';
import { Queue } from '../../support/queue.js';
import type { Answer, Fields } from '../../support/types.js';

const MINUTE = 60_000;

const nth = async <T>(n: number, call: () => Promise<T>): Promise<T> => {
  for (let i = 1; i < n; i++) await call();
  return call();
};

/** Limit, remaining, and seconds until the reset. */
function limitsIn({ headers }: { readonly headers: Answer['headers'] }, clock: FakeClock): (number | undefined)[] {
  const number = (name: string): number | undefined =>
    headers[name] === undefined ? undefined : Number(headers[name]);
  const reset = number('x-ratelimit-reset');
  return [
    number('x-ratelimit-limit'),
    number('x-ratelimit-remaining'),
    reset === undefined ? undefined : reset - Math.ceil(clock.now() / 1000),
  ];
}

const NONE = [undefined, undefined, undefined];
const LIMITED = (seconds: number): Fields => ({
  result: 'error',
  code: 'RATE_LIMIT_HIT',
  msg: 'API usage exceeded rate limit',
  'retry-after': seconds,
});

/** Moves the clock to a whole second, so that rounded times in headers are exact. */
const START = Math.ceil(Date.now() / 1000) * 1000;

export async function rateLimits(t: Test): Promise<void> {
  const clock = new FakeClock(START);
  const options = { 'rate-limits': 'on', 'trusted-proxies': '127.0.0.1, 10.0.0.0/8' };
  const server = await startEmbedded({ clock, options });
  t.teardown(() => server.close());
  const org = await makeOrganization(server);
  const { member, other, guest, admin, owner, nobody } = org;
  const me = (of = member): Promise<Answer> => of.api.call('GET /users/me');
  const settings = (by = nobody): Promise<Answer> => by.call('GET /server_settings');
  const from = (address: string): Client => nobody.with({ 'x-forwarded-for': address });
  const wait = async (): Promise<void> => clock.advanceAsync(MINUTE);
  await wait();

  await t.test('an account may make 200 calls of any kind a minute, and each answer has the rest', async (t) => {
    t.same(limitsIn(await me(), clock), [200, 199, 60]);
    await clock.advanceAsync(10_000);
    t.same(limitsIn(await member.api.call('GET /streams'), clock), [200, 198, 60]);
    const last = await nth(198, me);
    t.same([last.status, ...limitsIn(last, clock)], [200, 200, 0, 60]);
    const over = await me();
    t.same([over.status, over.body], [429, LIMITED(50)]);
    t.same([over.headers['retry-after'], ...limitsIn(over, clock)], ['50', 200, 0, 50]);
    t.equal(over.headers['content-type'], 'application/json');
    t.same((await member.api.call('POST /register')).body, LIMITED(50), 'nothing else either');
    t.equal((await me(other)).status, 200, 'others are not concerned');
    await clock.advanceAsync(50_000);
    const after = await me();
    t.same([after.status, ...limitsIn(after, clock)], [200, 200, 0, 60], 'the first one is a minute ago');
    t.equal((await me()).status, 429);
    await wait();
    t.same(limitsIn(await me(), clock), [200, 199, 60]);
  });

  await t.test('calls are counted per account, not per key', async (t) => {
    const person = await addPerson(org, 'two-keys');
    await nth(150, () => me(person));
    const { api_key } = await person.api.ok<{ api_key: string }>('POST /users/me/api_key/regenerate');
    const again = new Client(server, 'member', { authorization: basic(person.email, api_key) });
    t.same(limitsIn(await again.call('GET /users/me'), clock), [200, 48, 60]);
  });

  await t.test('credentials are checked before the rate limit, roles after it', async (t) => {
    await wait();
    const call = (by: Client): Promise<Answer> => by.call('POST /realm/domains', { domain: 'x' });
    const roleError = await nth(200, () => call(guest.api));
    t.same(
      [roleError.status, roleError.body.code, ...limitsIn(roleError, clock)],
      [400, 'UNAUTHORIZED_PRINCIPAL', 200, 0, 60],
    );
    t.equal((await call(guest.api)).status, 429);
    const wrong = guest.api.with({ authorization: basic(guest.email, 'x'.repeat(32)) });
    const stranger = await call(wrong);
    t.same([stranger.status, ...limitsIn(stranger, clock)], [401, ...NONE]);
    const method = await guest.api.raw({ method: 'PUT', path: '/api/v1/users/me' });
    t.same([method.status, ...limitsIn(method, clock)], [405, ...NONE]);
  });

  await t.test('polls have a leaky bucket of their own', async (t) => {
    await wait();
    const queue = await Queue.register(member, { fetch_event_types: [] });
    const poll = (): Promise<Answer> =>
      member.api.call('GET /events', { queue_id: queue.id, last_event_id: -1, dont_block: true });
    t.same(limitsIn(await poll(), clock), [200, 199, 1]);
    t.same(limitsIn(await me(), clock), [200, 198, 60], 'registering was one');
    const last = await nth(199, poll);
    t.same([last.status, ...limitsIn(last, clock)], [200, 200, 0, 60]);
    const over = await poll();
    t.same([over.status, over.body, over.headers['retry-after']], [429, LIMITED(0.3), '1']);
    t.equal((await me()).status, 200, 'other calls are not concerned');
    await clock.advanceAsync(300);
    t.equal((await poll()).status, 200, 'one every 0.3 seconds');
    t.equal((await poll()).status, 429);
    await clock.advanceAsync(700);
  });

  await t.test('an address may make 100 calls a minute without credentials', async (t) => {
    await wait();
    t.same(limitsIn(await settings(), clock), [100, 99, 60]);
    const last = await nth(99, settings);
    t.same([last.status, ...limitsIn(last, clock)], [200, 100, 0, 60]);
    await refused(t, settings(), {
      status: 429,
      code: 'RATE_LIMIT_HIT',
      msg: 'API usage exceeded rate limit',
      extra: { 'retry-after': 60 },
    });
    t.equal((await me()).status, 200, 'with an account the address does not count');
    const open = await nobody.call('GET /users/me');
    t.same([open.status, ...limitsIn(open, clock)], [401, ...NONE], 'nor does asking for credentials');
    t.equal((await nobody.raw({ method: 'GET', path: '/static/images/logo/logo.svg' })).status === 429, false);
    await wait();
    t.equal((await settings()).status, 200);
  });

  await t.test('behind our proxies the counted address is the one that the proxies name', async (t) => {
    await wait();
    const left = async (address: string): Promise<number | undefined> =>
      limitsIn(await settings(from(address)), clock)[1];
    t.equal(await left('198.51.100.1'), 99);
    t.equal(await left('203.0.113.9, 198.51.100.1'), 98, 'what a client wrote there means nothing');
    t.equal(await left('198.51.100.1, 10.1.2.3'), 97, 'a proxy behind a proxy');
    t.equal(await left('198.51.100.2'), 99);
    t.equal(await left('2001:db8:1:2:3:4:5:6'), 99);
    t.equal(await left('2001:db8:1:2::ffff'), 98, 'of IPv6 the network');
    t.equal(await left('2001:db8:1:3::1'), 99);
    t.equal(await left('rubbish'), 99, 'and the proxy itself where it names none');
  });

  await t.test('files and avatars are not counted for users with credentials', async (t) => {
    await wait();
    const uri = await upload(member, 'x.txt', 'text');
    const open = (path: string, by: Client = member.api): Promise<RawAnswer> => by.raw({ method: 'GET', path });
    const file = await open(uri);
    t.same([file.status, ...limitsIn(file, clock)], [200, ...NONE]);
    for (const path of [
      `/avatar/${member.id}`,
      `/api/v1/avatar/${member.id}`,
      uri.replace('uploads/', 'uploads/download/'),
    ]) {
      t.same(limitsIn(await open(path), clock), NONE, path);
    }
    const byKey = await open(`${uri}?api_key=${member.key}`, nobody);
    t.same([byKey.status, ...limitsIn(byKey, clock)], [200, ...NONE]);
    const stranger = await open(uri, from('198.51.100.7'));
    t.same([stranger.status, ...limitsIn(stranger, clock)], [403, 100, 99, 60]);
  });

  await t.test('anonymous visitors may open a file a thousand times a day, from all addresses together', async (t) => {
    await owner.api.ok('PATCH /realm', { enable_spectator_access: true });
    await owner.api.ok('POST /users/me/subscriptions', { subscriptions: [{ name: 'web' }], is_web_public: true });
    const uri = await upload(owner, 'popular.txt', 'text');
    await owner.api.ok('POST /messages', { type: 'stream', to: 'web', topic: 'f', content: `[x](${uri})` });
    let last: RawAnswer | undefined;
    for (let i = 0; i < 1000; i++) {
      const visitor = from(`198.51.${100 + Math.floor(i / 100)}.1`).with({ host: `${org.subdomain}.localhost` });
      last = await visitor.raw({ method: 'GET', path: uri });
      if (last.status !== 200) break;
    }
    t.same([last?.status, ...limitsIn(last!, clock)], [200, 100, 0, 60]);
    const one = from('198.51.99.1').with({ host: `${org.subdomain}.localhost` });
    const over = await one.raw({ method: 'GET', path: uri });
    t.same([over.status, limitsIn(over, clock).slice(0, 2)], [429, [1000, 0]]);
    t.equal((await owner.api.raw({ method: 'GET', path: uri })).status, 200, 'accounts may');
  });

  await t.test('one client address causes at most five mails a day', async (t) => {
    await wait();
    const ask = (address: string, email: string): Promise<RawAnswer> =>
      from(address).raw({
        method: 'POST',
        path: '/signup',
        headers: { 'content-type': 'application/x-www-form-urlencoded', host: `${org.subdomain}.localhost` },
        body: new URLSearchParams({ email }).toString(),
      });
    await owner.api.ok('PATCH /realm', { invite_required: false });
    const before = server.mails().length;
    for (let i = 0; i < 5; i++) t.equal((await ask('198.51.100.20', `new${i}@example.com`)).status, 200);
    const over = await ask('198.51.100.20', 'new5@example.com');
    t.same([over.status, limitsIn(over, clock)[1]], [429, 0]);
    t.match(over.text, /Too many mails/);
    t.match(over.headers['retry-after'], /^\d{2,}$/, 'the page says when to try again');
    const reset = await from('198.51.100.20').raw({
      method: 'POST',
      path: '/accounts/password/reset',
      headers: { 'content-type': 'application/x-www-form-urlencoded', host: `${org.subdomain}.localhost` },
      body: new URLSearchParams({ email: owner.email }).toString(),
    });
    t.equal(reset.status, 429, 'mails of forgotten passwords count, too');
    t.equal(reset.headers['retry-after'], over.headers['retry-after']);
    t.equal((await ask('198.51.100.21', 'new6@example.com')).status, 200, 'from elsewhere');
    t.ok(server.mails().length <= before + 6);
  });

  await t.test('a wrong password shows the remaining attempts, also for unknown accounts', async (t) => {
    await wait();
    for (const username of [member.email, 'stranger@example.com']) {
      const attempt = (): Promise<Answer> =>
        nobody
          .with({ host: `${org.subdomain}.localhost` })
          .call('POST /fetch_api_key', { username, password: 'wrong' });
      const seen = [];
      for (let i = 0; i < 6; i++) {
        const answer = await attempt();
        seen.push([answer.status, ...limitsIn(answer, clock).slice(0, 2)]);
      }
      t.same(
        seen,
        [
          [401, 5, 4],
          [401, 5, 3],
          [401, 5, 2],
          [401, 5, 1],
          [401, 5, 0],
          [429, 5, 0],
        ],
        username,
      );
    }
  });

  await t.test('an account may have limits of its own, on all frontends at once', async (t) => {
    await wait();
    let turn = 0;
    const set = async (rules: string | null): Promise<void> => {
      await setRateLimitsOfUser(server.actors, org.realm, admin.email, rules);
      // The call is answered when the frontend shows its change, and all changes before.
      await owner.api.ok('PATCH /users/{user_id}', { user_id: other.id, full_name: `Turn ${turn++}` });
    };
    await set('10:3,60:5');
    t.same(limitsIn(await nth(3, () => me(admin)), clock), [3, 0, 60]);
    t.same((await me(admin)).body, LIMITED(10));
    await clock.advanceAsync(10_000);
    t.same(limitsIn(await nth(2, () => me(admin)), clock), [5, 0, 60], 'the rule that leaves less');
    t.same((await me(admin)).body, LIMITED(50));
    await set('off');
    t.same(limitsIn(await nth(300, () => me(admin)), clock), NONE);
    await set(null);
    t.same(limitsIn(await me(admin), clock), [200, 199, 60], 'again those of all');
    await t.rejects(set('often'), { message: /seconds:calls/ });
  });
}
