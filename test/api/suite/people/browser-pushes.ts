/** Push notifications of browsers: subscribing, what is pushed and to whom, and how a subscription ends. */
import { createECDH } from 'node:crypto';
import type { Test } from 'tap';
import { refused } from '../../harness.js';
import { browserOf, endSession, NOT_LOGGED_IN, pageOf, sessionsOf } from '../../support/browser.js';
import { bad, type Client, type Refusal } from '../../support/client.js';
import type { TestServer } from '../../support/faces.js';
import type { RawAnswer } from '../../support/http.js';
import { atLevel } from '../../support/levels.js';
import {
  addPerson,
  crowd,
  makeBot,
  makeOrganization,
  type Organization,
  PASSWORD,
  type Person,
  say,
  streamIdOf,
  subscribe,
  tell,
} from '../../support/organization.js';
import { type PushedBrowser, PushService } from '../../support/push-service.js';
import type { ApiMessage } from '../../support/types.js';
import type { Facts } from '../facts.js';

const PATH = '/web/push';
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const NOT_THE_CLIENT: Refusal = {
  status: 403,
  code: 'UNAUTHORIZED',
  msg: 'This request does not come from the web client',
};

const handOver = (by: Client, subscription: Readonly<Record<string, string>>): Promise<RawAnswer> =>
  by.raw({ method: 'POST', path: PATH, headers: FORM, body: new URLSearchParams(subscription).toString() });

const pushOf = async (by: Client) =>
  (await by.raw({ method: 'GET', path: PATH })).body as unknown as {
    readonly key: string;
    readonly subscribed: boolean;
  };

interface World {
  readonly org: Organization;
  readonly service: PushService;
}

/** An organization whose members are away, and a push service. */
async function makeWorld(t: Test, server: TestServer): Promise<World> {
  const org = await makeOrganization(server, ['member', 'other']);
  const service = await PushService.start(server.kind === 'embedded');
  t.teardown(() => service.close());
  return { org, service };
}

/** A browser of the person, signed in and subscribed. */
async function subscribed({ org, service }: World, person: Person): Promise<Person & { readonly at: PushedBrowser }> {
  const browser = await browserOf(org, person);
  const at = service.browser((await pushOf(browser.api)).key);
  const answer = await handOver(browser.api, at.subscription);
  if (answer.status !== 200) throw new Error(answer.text);
  return { ...browser, at };
}

/** Proves that nothing else was pushed: the next push is about a message that is sent now. */
async function nothingBefore(
  t: Test,
  { org, service }: World,
  to: Person,
  at: PushedBrowser,
  title: string,
): Promise<void> {
  const message = await tell(org.other, [to], 'proof');
  t.same((await at.next()).said.message, message, title);
  t.same(service.faults, [], 'each request to the push service was a proper push');
}

export const browserPushes: Facts = async (t, server) => {
  await t.test('a message to a person who is away is pushed to their browser, signed and encrypted', async (t) => {
    const world = await makeWorld(t, server);
    const { org, service } = world;
    const { member, other } = org;
    const { api, at } = await subscribed(world, member);
    t.match(await pushOf(api), { key: /^[A-Za-z0-9_-]{87}$/, subscribed: true });
    t.match(await sessionsOf(api), [{ push: true }]);
    const message = await tell(other, [member], 'Hello **you** & ||| <b>');
    const { headers, claims, said } = await at.next();
    t.same(said, {
      event: 'message',
      message,
      tag: `dm/${other.id}`,
      hash: `#narrow/dm/${other.id}/near/${message}`,
      sender: other.name,
      others: 0,
      text: 'Hello you & ||| <b>',
      language: 'en',
    });
    t.match(headers, { 'content-encoding': 'aes128gcm', urgency: 'high', topic: /^[A-Za-z0-9_-]{1,32}$/ });
    t.ok(Number(headers.ttl) > 0);
    t.equal(claims.aud, service.origin);
    t.match(String(claims.sub), /^mailto:.+@/);
    const now = Date.now() / 1000;
    t.ok(Number(claims.exp) > now && Number(claims.exp) <= now + 86_400, 'the signature is good for at most a day');
  });

  await t.test('a push names a group by its recipient id, and links a large group without its members', async (t) => {
    const world = await makeWorld(t, server);
    const { org } = world;
    const { member, other, owner } = org;
    const { at } = await subscribed(world, member);
    const small = await tell(other, [member, owner], 'to three');
    const { message } = await owner.api.ok<{ message: ApiMessage }>('GET /messages/{message_id}', {
      message_id: small,
    });
    const tag = `dm/group/${message.recipient_id}`;
    const ids = [owner, other].map(({ id }) => id).sort((a, b) => a - b);
    t.match((await at.next()).said, { tag, hash: `#narrow/dm/${ids.join()}/near/${small}`, others: 1 });
    await tell(owner, [member, other], 'again to them');
    t.match((await at.next()).said, { tag });
    const many = { type: 'direct', to: [member.id, ...(await crowd(org, 50))], content: 'to many' };
    const { id } = await other.api.ok<{ id: number }>('POST /messages', many);
    const { said } = await at.next();
    t.match(said, { hash: `#narrow/is/dm/near/${id}`, others: 50 });
    t.not(said.tag, tag);
  });

  await t.test('a message in a stream is pushed by mention, or where the stream is set so', async (t) => {
    const world = await makeWorld(t, server);
    const { member, other } = world.org;
    await subscribe(other, 'Plans & more', { principals: [member, other] });
    const stream_id = await streamIdOf(other, 'Plans & more');
    const { at } = await subscribed(world, member);
    await say(other, 'Plans & more', 'quiet', 'nobody in particular');
    const mention = await say(other, 'Plans & more', 'A.b c', `@**${member.name}** look`);
    const { said } = await at.next();
    t.match(said, { message: mention, tag: `${stream_id}/a.b c`, stream: 'Plans & more', topic: 'A.b c' });
    t.match(String(said.hash), new RegExp(`^#narrow/stream/${stream_id}-[^/]*/topic/A.2Eb.20c/near/${mention}$`));
    await member.api.ok('POST /users/me/subscriptions/properties', {
      subscription_data: [{ stream_id, property: 'push_notifications', value: true }],
    });
    const plain = await say(other, 'Plans & more', 'quiet', 'all of it');
    t.same((await at.next()).said.message, plain);
  });

  await t.test('messages of a followed topic are pushed, unless the user turns that off', async (t) => {
    const world = await makeWorld(t, server);
    const { member, other } = world.org;
    await subscribe(other, 'calm', { principals: [member, other] });
    const stream_id = await streamIdOf(other, 'calm');
    const { at } = await subscribed(world, member);
    await member.api.ok('POST /user_topics', { stream_id, topic: 'waves', visibility_policy: 3 });
    await member.api.ok('POST /user_topics', { stream_id, topic: 'sand', visibility_policy: 2 });
    await say(other, 'calm', 'sand', 'unmuted only');
    const followed = await say(other, 'calm', 'waves', 'higher');
    t.match((await at.next()).said, { message: followed, topic: 'waves' });
    await atLevel(member).api.ok('PATCH /settings', { enable_followed_topic_push_notifications: false });
    await say(other, 'calm', 'waves', 'lower');
    await nothingBefore(t, world, member, at, 'followed topics no longer push');
  });

  await t.test('what was read elsewhere or deleted is taken away; what was read before is not pushed', async (t) => {
    const world = await makeWorld(t, server);
    const { member, other, owner } = world.org;
    const { at } = await subscribed(world, member);
    const first = await tell(other, [member], 'first');
    const second = await tell(other, [member], 'second');
    t.same([(await at.next()).said.message, (await at.next()).said.message], [first, second]);
    await member.api.ok('POST /messages/flags', { messages: [first], op: 'add', flag: 'read' });
    t.same((await at.next()).said, { event: 'remove', messages: [first] });
    await owner.api.ok('PATCH /realm', { delete_own_message_policy: 5 });
    await other.api.ok('DELETE /messages/{message_id}', { message_id: second });
    t.same((await at.next()).said, { event: 'remove', messages: [second] });
    const third = await tell(other, [member], 'third');
    t.same((await at.next()).said.message, third);
    await member.api.ok('POST /mark_all_as_read');
    t.same((await at.next()).said, { event: 'remove', messages: [third] });
    await nothingBefore(t, world, member, at, 'no removal is pushed twice');
  });

  await t.test('a push that is late says nothing of a message that was deleted meanwhile', async (t) => {
    const world = await makeWorld(t, server);
    const { member, other, owner } = world.org;
    await owner.api.ok('PATCH /realm', { delete_own_message_policy: 5 });
    const { at } = await subscribed(world, member);
    let refusals = 0;
    const gone = await tell(other, [member], 'a secret that is taken back');
    at.answer = (response) => {
      refusals++;
      void other.api.ok('DELETE /messages/{message_id}', { message_id: gone }).then(() => {
        at.answer = (later) => void later.writeHead(201).end();
        response.writeHead(503).end();
      });
    };
    await at.next();
    await nothingBefore(t, world, member, at, 'the message that was deleted is not pushed again');
    t.ok(refusals <= 1);
  });

  await t.test('a push service that fails gets the push again, under the same tag', async (t) => {
    const world = await makeWorld(t, server);
    const { member, other } = world.org;
    const { at } = await subscribed(world, member);
    at.answer = (response) => {
      at.answer = (later) => void later.writeHead(201).end();
      response.writeHead(500).end();
    };
    const message = await tell(other, [member], 'again');
    const [first, second] = [await at.next(), await at.next()];
    t.same([first.said.message, second.said], [message, first.said]);
    t.equal(second.headers.topic, first.headers.topic);
  });

  await t.test('the text is left out where the user keeps direct messages out of notifications', async (t) => {
    const world = await makeWorld(t, server);
    const { member, other } = world.org;
    const { at } = await subscribed(world, member);
    await member.api.ok('PATCH /settings', { pm_content_in_desktop_notifications: false, default_language: 'de' });
    await tell(other, [member], 'confidential');
    t.match((await at.next()).said, { sender: other.name, text: null, language: 'de' });
    await member.api.ok('PATCH /settings', { enable_offline_push_notifications: false });
    await tell(other, [member], 'not pushed');
    await member.api.ok('PATCH /settings', { enable_offline_push_notifications: true });
    await nothingBefore(t, world, member, at, 'who turns pushes off gets none');
  });

  await t.test('a subscription ends with its session, in each of the ways in which sessions end', async (t) => {
    const world = await makeWorld(t, server);
    const { org } = world;
    const { member, other, owner } = org;
    const kept = await subscribed(world, member);
    const out = await subscribed(world, member);
    const ended = await subscribed(world, member);
    const off = await subscribed(world, member);
    t.equal((await endSession(out.api)).status, 200);
    const sessions = await sessionsOf(kept.api);
    t.equal(
      (await endSession(kept.api, `/web/sessions/${sessions[1]?.id}`)).status,
      200,
      'the one that is called ended',
    );
    t.equal((await off.api.raw({ method: 'DELETE', path: PATH })).status, 200);
    t.equal((await pushOf(off.api)).subscribed, false);
    await tell(other, [member], 'to one browser');
    await kept.at.next();
    const by = await subscribed(world, member);
    await by.api.ok('PATCH /settings', { old_password: PASSWORD, new_password: 'quietly-otter-ladder-28' });
    await tell(other, [member], 'after a new password');
    await by.at.next();
    t.same(
      [kept, out, ended, off].map(({ at }) => at.pushes.length),
      [1, 0, 0, 0],
    );
    const leaver = await addPerson(org, 'leaver');
    const left = await subscribed(world, leaver);
    await owner.api.ok('DELETE /users/{user_id}', { user_id: leaver.id });
    await owner.api.ok('POST /users/{user_id}/reactivate', { user_id: leaver.id });
    await tell(other, [leaver], 'after the return');
    await tell(other, [member], 'afterwards');
    await by.at.next();
    t.equal(left.at.pushes.length, 0);
  });

  await t.test('a subscription that its push service has ended is forgotten', async (t) => {
    const world = await makeWorld(t, server);
    const { member, other } = world.org;
    for (const status of [404, 410]) {
      const { api, at } = await subscribed(world, member);
      at.answer = (response) => void response.writeHead(status).end();
      await tell(other, [member], 'to a browser that is gone');
      await at.next();
      let seen = await pushOf(api);
      while (seen.subscribed) seen = await pushOf(api);
      t.notOk(seen.subscribed, String(status));
    }
  });

  await t.test('a browser shows messages of the account that subscribed last, and of no other', async (t) => {
    const world = await makeWorld(t, server);
    const { org } = world;
    const { member, other, owner } = org;
    const before = await subscribed(world, member);
    const after = await browserOf(org, other);
    t.equal((await handOver(after.api, before.at.subscription)).status, 200);
    t.equal((await pushOf(before.api)).subscribed, false);
    await tell(owner, [member], 'for the account before');
    const message = await tell(owner, [other], 'for the account now');
    t.same((await before.at.next()).said.message, message);
    const again = await browserOf(org, other);
    t.equal((await handOver(again.api, before.at.subscription)).status, 200, 'the same account in another session');
    await tell(owner, [other], 'once');
    await before.at.next();
    await nothingBefore(t, world, member, (await subscribed(world, member)).at, 'others are pushed to');
    t.equal(before.at.pushes.length, 2);
  });

  await t.test(
    'people subscribe from a page of their own that is signed in, and no caller does otherwise',
    async (t) => {
      const org = await makeOrganization(server);
      const service = await PushService.start();
      t.teardown(() => service.close());
      const web = { 'x-conclave-web': '1' };
      for (const person of org.people) {
        const { api } = await browserOf(org, person);
        const { key } = await pushOf(api);
        t.equal((await handOver(api, service.browser(key).subscription)).status, 200, person.role);
        const { subscription } = service.browser(key);
        await refused(
          t,
          handOver(person.api.with(web), subscription),
          bad('No such session'),
          `${person.role} by API key`,
        );
        for (const headers of [
          { 'x-conclave-web': '' },
          { origin: 'https://evil.example' },
          { 'sec-fetch-site': 'cross-site' },
        ]) {
          const elsewhere = api.with(headers);
          await refused(t, handOver(elsewhere, subscription), NOT_LOGGED_IN, 'refused before its body is read');
          await refused(t, elsewhere.raw({ method: 'DELETE', path: PATH }), NOT_THE_CLIENT);
          await refused(t, elsewhere.raw({ method: 'GET', path: PATH }), NOT_THE_CLIENT);
        }
        t.equal((await pushOf(api)).subscribed, true, person.role);
      }
      const { subscription } = service.browser((await pushOf((await browserOf(org, org.member)).api)).key);
      await refused(t, handOver(pageOf(org), subscription), NOT_LOGGED_IN);
      await refused(t, pageOf(org).raw({ method: 'GET', path: PATH }), NOT_LOGGED_IN);
      const bot = await makeBot(org.member);
      await refused(t, handOver(bot.api.with(web), subscription), bad('This endpoint does not accept bot requests.'));
      const elsewhere = await makeOrganization(server, ['member']);
      const { api } = await browserOf(org, org.member);
      const foreign = api.with({ host: `${elsewhere.subdomain}.localhost` });
      t.equal((await handOver(foreign, subscription)).status, 401, 'at the address of another organization');
    },
  );

  await t.test('wrong subscriptions are refused, and change nothing', async (t) => {
    const org = await makeOrganization(server, ['member']);
    const service = await PushService.start();
    t.teardown(() => service.close());
    const { api } = await browserOf(org, org.member);
    const { subscription } = service.browser((await pushOf(api)).key);
    const point = createECDH('prime256v1').generateKeys();
    const off = Buffer.from(point);
    off[64] = off[64]! ^ 1;
    const WRONG: Readonly<Record<'endpoint' | 'p256dh' | 'auth', readonly string[]>> = {
      endpoint: [
        '',
        'here',
        'ftp://127.0.0.1/push',
        'file:///etc/passwd',
        'javascript:alert(1)',
        'http://push.example.com/1',
        'http://8.8.8.8/1',
        'https://10.0.0.1/1',
        'https://169.254.169.254/latest/meta-data',
        'https://[::ffff:10.0.0.1]/1',
        'https://0x0a000001/1',
        'https://user:password@push.example.com/1',
        'https://push.example.com/1#there',
        'https://',
        `https://push.example.com/${'x'.repeat(2_030)}`,
      ],
      p256dh: ['', 'x', off.toString('base64url'), point.toString('base64'), 'A'.repeat(87), 'é'.repeat(87)],
      auth: ['', 'x', 'A'.repeat(21), 'A'.repeat(43), '*'.repeat(22)],
    };
    for (const [field, values] of Object.entries(WRONG)) {
      for (const value of values) {
        const answer = await handOver(api, { ...subscription, [field]: value });
        t.equal(answer.status, 400, `${field} ${value.slice(0, 60)}`);
        t.match(answer.body.msg, new RegExp(field), value.slice(0, 60));
      }
      const { [field as 'auth']: _left, ...rest } = subscription;
      t.equal((await handOver(api, rest)).status, 400, `without ${field}`);
    }
    t.equal((await pushOf(api)).subscribed, false);
    t.equal((await handOver(api, subscription)).status, 200);
  });
};
