/** Mobile devices: without a gateway nothing is pushed; with one, each push is a POST there (docs/push.md). */
import t, { type Test } from 'tap';
import { FakeClock } from '../support/fake-clock.js';
import { until } from '../support/until.js';
import { CURRENT_CLIENT_HEADERS } from './support/current-client-requests.js';
import { facesFor, services, startEmbedded, type TestServer } from './support/faces.js';
import { Hook } from './support/hook.js';
import { closeIdle } from './support/http.js';
import { atLevel } from './support/levels.js';
import { makeOrganization, type Person, say, streamIdOf, subscribe, tell } from './support/organization.js';
import type { Fields } from './support/types.js';

const APNS = Buffer.from('an Apple device').toString('base64');
const GCM = 'an:Android-device_';
const TOKEN = 'the.token-of_the/gateway==';

/** Settings of a server that pushes to this gateway. */
const optionsFor = (gateway: Hook, more: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> => ({
  'push-gateway': gateway.url,
  'push-gateway-token': TOKEN,
  ...more,
});

/** The same person with the official mobile app. */
const onPhone = ({ api }: Person) => api.with(CURRENT_CLIENT_HEADERS);

async function registerDevices(person: Person): Promise<void> {
  const phone = onPhone(person);
  await phone.ok('POST /users/me/apns_device_token', { token: APNS, appid: 'com.example.chat' });
  await phone.ok('POST /users/me/android_gcm_reg_id', { token: GCM });
}

/** The next push to the gateway. */
async function nextPush(gateway: Hook): Promise<Fields> {
  const { method, headers, body } = await gateway.next();
  if (method !== 'POST' || headers.authorization !== `Bearer ${TOKEN}`)
    throw new Error(`${method} ${headers.authorization}`);
  return JSON.parse(body) as Fields;
}

type Start = (options: Readonly<Record<string, string>>) => Promise<TestServer>;

async function devicePushes(t: Test, start: Start): Promise<void> {
  const gateway = await Hook.start();
  t.teardown(() => gateway.close());
  gateway.answer = {};
  const server = await start(optionsFor(gateway));
  t.teardown(() => server.close());

  await t.test('with a gateway the server says that it pushes', async (t) => {
    const { member, nobody } = await makeOrganization(server, ['member']);
    for (const headers of [{}, CURRENT_CLIENT_HEADERS]) {
      t.equal((await nobody.with(headers).ok('GET /server_settings')).push_notifications_enabled, true);
      const state = await member.api.with(headers).ok('POST /register', { fetch_event_types: ['realm'] });
      t.equal(state.realm_push_notifications_enabled, true);
    }
  });

  await t.test(
    'direct messages and mentions are posted with all devices; what was read is posted as removed',
    async (t) => {
      const { realm, subdomain, member, other } = await makeOrganization(server, ['member', 'other']);
      await tell(other, [member], 'before there is a device');
      await registerDevices(member);
      const direct = await tell(other, [member], 'Hello **you**');
      const first = await nextPush(gateway);
      t.match(first, {
        version: 1,
        id: /^[0-9a-z-]+$/,
        realm: { id: realm, name: `The ${subdomain}`, url: new RegExp(`//${subdomain}\\.localhost`) },
        user_id: member.id,
        event: 'message',
        trigger: 'direct',
        message: {
          id: direct,
          sender_id: other.id,
          sender_full_name: other.name,
          type: 'direct',
          others: [other.id],
          content: 'Hello you',
        },
      });
      t.same(first.devices, [
        { service: 'apns', token: APNS, app: 'com.example.chat' },
        { service: 'gcm', token: GCM, app: null },
      ]);
      await subscribe(other, 'lobby', { principals: [member, other] });
      const stream_id = await streamIdOf(other, 'lobby');
      const mention = await say(other, 'lobby', 'talk', `@**${member.name}** ||hi||`);
      t.match(await nextPush(gateway), {
        trigger: 'mention',
        message: { id: mention, type: 'stream', stream_id, stream: 'lobby', topic: 'talk' },
      });
      await member.api.ok('POST /messages/flags', { messages: [direct, mention], op: 'add', flag: 'read' });
      t.match(await nextPush(gateway), { event: 'remove', messages: [direct, mention], user_id: member.id });

      const message_id = await say(other, 'lobby', 'talk', 'not for anybody yet');
      const edit = (content: string) => other.api.ok('PATCH /messages/{message_id}', { message_id, content });
      await edit(`now for @**${member.name}**`);
      t.match(await nextPush(gateway), { event: 'message', trigger: 'mention', message: { id: message_id } });
      await edit('for nobody');
      t.match(await nextPush(gateway), { event: 'remove', messages: [message_id] });
      await edit(`for @**${member.name}** again`);
      const next = await tell(other, [member], 'the next push');
      t.match(await nextPush(gateway), { trigger: 'direct', message: { id: next } }, 'an edit pushes once');
    },
  );

  await t.test('the notification of a wrong mention goes with the edit that takes the mention away', async (t) => {
    const { member, other } = await makeOrganization(server, ['member', 'other']);
    await registerDevices(member);
    await subscribe(other, 'lobby', { principals: [member, other] });
    const stream_id = await streamIdOf(other, 'lobby');
    for (const mention of [`@**${member.name}**`, '@**all**']) {
      const message_id = await say(other, 'lobby', 'talk', `${mention} look`);
      t.match(await nextPush(gateway), { event: 'message', message: { id: message_id } });
      await other.api.ok('PATCH /messages/{message_id}', { message_id, content: 'look' });
      t.match(await nextPush(gateway), { event: 'remove', messages: [message_id] }, mention);
    }
    await atLevel(member).api.ok('POST /user_topics', { stream_id, topic: 'talk', visibility_policy: 3 });
    const followed = await say(other, 'lobby', 'talk', `@**${member.name}** look`);
    t.match(await nextPush(gateway), { event: 'message', message: { id: followed } });
    await other.api.ok('PATCH /messages/{message_id}', { message_id: followed, content: 'look' });
    const next = await tell(other, [member], 'the next push');
    t.match(await nextPush(gateway), { message: { id: next } }, 'a message that notifies for another reason stays');
  });

  await t.test('the notification of a deleted message goes although its topic is no longer followed', async (t) => {
    const { owner, member, other } = await makeOrganization(server, ['member', 'other']);
    await registerDevices(member);
    await subscribe(other, 'lobby', { principals: [member, other] });
    const stream_id = await streamIdOf(other, 'lobby');
    const setPolicy = (visibility_policy: number) =>
      atLevel(member).api.ok('POST /user_topics', { stream_id, topic: 'talk', visibility_policy });
    await setPolicy(3);
    const ids: number[] = [];
    for (const text of ['one', 'two', 'three']) {
      const id = await say(other, 'lobby', 'talk', text);
      t.match(await nextPush(gateway), { event: 'message', message: { id } });
      ids.push(id);
    }
    await setPolicy(0);
    await owner.api.ok('DELETE /messages/{message_id}', { message_id: ids[1]! });
    t.match(await nextPush(gateway), { event: 'remove', messages: [ids[1]] });
    await owner.api.ok('POST /streams/{stream_id}/delete_topic', { stream_id, topic_name: 'talk' });
    t.match(await nextPush(gateway), { event: 'remove', messages: [ids[0], ids[2]] });
  });

  await t.test('notifications go when their messages move to a stream that the user is not in', async (t) => {
    const { owner, member, other } = await makeOrganization(server, ['member', 'other']);
    await registerDevices(member);
    await subscribe(other, 'lobby', { principals: [owner, member, other] });
    await subscribe(owner, 'office', { principals: [owner, other], invite_only: true });
    const stays = await say(other, 'lobby', 'talk', `@**${member.name}** stays`);
    t.match(await nextPush(gateway), { event: 'message', message: { id: stays } });
    const moved: number[] = [];
    for (const mention of [`@**${member.name}**`, '@**all**']) {
      moved.push(await say(other, 'lobby', 'secret', mention));
      t.match(await nextPush(gateway), { event: 'message', message: { id: moved.at(-1) } });
    }
    await owner.api.ok('PATCH /messages/{message_id}', {
      message_id: moved[0]!,
      stream_id: await streamIdOf(owner, 'office'),
      propagate_mode: 'change_all',
    });
    t.match(await nextPush(gateway), { event: 'remove', messages: moved });
    await member.api.ok('POST /messages/flags', { messages: [stays], op: 'add', flag: 'read' });
    t.match(await nextPush(gateway), { event: 'remove', messages: [stays] });
  });

  await t.test('a mention that an edit adds after a move is pushed to who has left the stream before', async (t) => {
    const { owner, member, other } = await makeOrganization(server, ['member', 'other']);
    for (const stream of ['attic', 'cove']) await subscribe(owner, stream, { principals: [owner, member, other] });
    await registerDevices(member);
    const message_id = await say(other, 'attic', 'boxes', 'nothing yet');
    const stream_id = await streamIdOf(owner, 'cove');
    await owner.api.ok('PATCH /messages/{message_id}', { message_id, stream_id, propagate_mode: 'change_one' });
    await member.api.ok('DELETE /users/me/subscriptions', { subscriptions: ['attic'] });
    await other.api.ok('PATCH /messages/{message_id}', { message_id, content: `for @**${member.name}**` });
    t.match(await nextPush(gateway), { trigger: 'mention', message: { id: message_id, stream_id } });
    await member.api.ok('POST /messages/flags', { messages: [message_id], op: 'add', flag: 'read' });
    t.match(await nextPush(gateway), { event: 'remove', messages: [message_id] });
  });

  await t.test('a gateway that fails gets the push again under the same id', async (t) => {
    const { member, other } = await makeOrganization(server, ['member', 'other']);
    await registerDevices(member);
    gateway.answer = (response) => {
      gateway.answer = {};
      response.writeHead(503).end();
    };
    await tell(other, [member], 'again');
    const [first, second] = [await nextPush(gateway), await nextPush(gateway)];
    t.same(second, first);
  });

  await t.test(
    'devices that the gateway reports as gone are removed; so are those that the client removes',
    async (t) => {
      const { member, other } = await makeOrganization(server, ['member', 'other']);
      await registerDevices(member);
      gateway.answer = { gone: [APNS, 'unknown', 5] };
      await tell(other, [member], 'one');
      t.equal(((await nextPush(gateway)).devices as Fields[]).length, 2);
      gateway.answer = {};
      // The gateway's answer is stored before the next push of the account is sent.
      await tell(other, [member], 'two');
      t.match((await nextPush(gateway)).devices, [{ token: GCM }]);
      await onPhone(member).ok('DELETE /users/me/android_gcm_reg_id', { token: GCM });
      await tell(other, [member], 'three');
      await registerDevices(other);
      await tell(member, [other], 'four');
      t.equal((await nextPush(gateway)).user_id, other.id, 'nothing is posted for an account without devices');
    },
  );

  await t.test('answers of another form count as taken, and refusals end a push', async (t) => {
    const { member, other } = await makeOrganization(server, ['member', 'other']);
    await registerDevices(member);
    for (const answer of ['', 'nonsense', '[]', 'null', '{"gone":"all"}', '{"gone":null}']) {
      gateway.answer = answer;
      await tell(other, [member], answer || 'empty');
      t.equal(((await nextPush(gateway)).devices as Fields[]).length, 2, answer);
    }
    gateway.answer = (response) => void response.writeHead(302, { location: gateway.url }).end();
    const redirected = await tell(other, [member], 'redirected');
    await nextPush(gateway);
    gateway.answer = (response) => void response.writeHead(400).end();
    const refused = await tell(other, [member], 'refused');
    await nextPush(gateway);
    gateway.answer = {};
    const last = await tell(other, [member], 'taken');
    let push = await nextPush(gateway);
    // On a crowded cluster an answer may be lost, and a push is then posted again: pushes come at least once.
    if (server.kind === 'cluster' && [redirected, refused].includes((push.message as Fields).id as number))
      push = await nextPush(gateway);
    t.match(push, { message: { id: last } }, 'neither is repeated');
  });

  await t.test('after deactivation, and with a new API key, nothing is posted', async (t) => {
    const { member, other, owner } = await makeOrganization(server, ['member', 'other']);
    await registerDevices(member);
    await registerDevices(owner);
    const { api_key } = await member.api.ok<{ api_key: string }>('POST /users/me/api_key/regenerate');
    t.ok(api_key);
    await tell(other, [member], 'to nobody');
    await tell(other, [owner], 'to the owner');
    t.equal((await nextPush(gateway)).user_id, owner.id);
  });
}

async function withoutContent(t: Test, start: Start): Promise<void> {
  const gateway = await Hook.start();
  t.teardown(() => gateway.close());
  gateway.answer = {};
  const server = await start(optionsFor(gateway, { 'push-content': 'off' }));
  t.teardown(() => server.close());
  const { member, other } = await makeOrganization(server, ['member', 'other']);
  await registerDevices(member);
  await tell(other, [member], 'confidential');
  const push = await nextPush(gateway);
  t.match(push, { message: { sender_full_name: other.name, content: null } });
  t.notMatch(JSON.stringify(push), 'confidential');
}

/** An attempt of the server, as the gateway sees it; `message` is 0 for a removal. */
interface Attempt {
  readonly at: number;
  readonly id: string;
  readonly message: number;
}

/** Pauses between attempts and the end of them, with a clock that the test moves. */
async function attempts(t: Test): Promise<void> {
  const gateway = await Hook.start();
  t.teardown(() => gateway.close());
  const clock = new FakeClock(Date.now());
  const server = await startEmbedded({ clock, options: optionsFor(gateway) });
  t.teardown(() => server.close());
  const { member, other } = await makeOrganization(server, ['member', 'other']);
  await registerDevices(member);
  const seen: Attempt[] = [];
  /** Lets the gateway answer with this status from now on. */
  const answer = (status: number, headers: Readonly<Record<string, string>> = {}): void => {
    gateway.answer = (response, { body }) => {
      const { id, message } = JSON.parse(body) as { readonly id: string; readonly message?: { readonly id: number } };
      seen.push({ at: clock.now(), id, message: message?.id ?? 0 });
      response.writeHead(status, headers).end();
    };
  };
  /** Moves the clock until the gateway has seen this number of attempts. */
  const tried = (count: number, stepMs: number) =>
    until(`${count} attempts`, () => {
      clock.advance(stepMs);
      return seen.length >= count;
    });

  await t.test('a gateway that is away is tried again later and later, for a day', async (t) => {
    answer(503);
    const start = clock.now();
    await tell(other, [member], 'never taken');
    for (let n = 1; n <= 5; n++) await tried(n, 50 * 2 ** n);
    const pauses = seen.slice(1).map(({ at }, i) => at - seen[i]!.at);
    t.ok(
      pauses.every((ms, i) => ms >= 1_000 * 2 ** i),
      pauses.join(),
    );
    await until(
      'a day and more has passed',
      () => {
        // An attempt takes real time, in which the clock should hardly move: the longest pause is an hour.
        const isAttemptDue = clock.now() - seen.at(-1)!.at > 70 * 60_000;
        clock.advance(isAttemptDue ? 10_000 : 300_000);
        return clock.now() - start > 27 * 3_600_000;
      },
      60_000,
    );
    t.equal(new Set(seen.map(({ id }) => id)).size, 1, 'each attempt has the same id');
    const last = seen.at(-1)!.at - start;
    t.ok(last > 20 * 3_600_000 && last < 25.5 * 3_600_000, `the last one after ${last / 3_600_000} hours`);
    seen.length = 0;
    answer(200);
    const next = await tell(other, [member], 'taken');
    await tried(1, 10);
    t.equal(seen[0]!.message, next);
  });

  await t.test('a gateway may ask for a longer pause', async (t) => {
    seen.length = 0;
    answer(429, { 'retry-after': '120' });
    await tell(other, [member], 'too many');
    await tried(2, 1_000);
    t.ok(seen[1]!.at - seen[0]!.at >= 120_000);
    answer(200);
    await tried(3, 1_000);
  });

  await t.test('pushes arrive in order, and a removal arrives also where the gateway was away', async (t) => {
    seen.length = 0;
    const [first, second] = [await tell(other, [member], 'shown'), await tell(other, [member], 'shown, too')];
    await tried(2, 10);
    answer(503);
    await member.api.ok('POST /messages/flags', { messages: [first], op: 'add', flag: 'read' });
    await tried(3, 10);
    const third = await tell(other, [member], 'behind the removal');
    await tried(4, 100);
    answer(200);
    await tried(seen.length + 2, 500);
    const taken = seen.slice(-2).map(({ message }) => message);
    t.same([seen[0]!.message, seen[1]!.message, ...taken], [first, second, 0, third]);
    t.ok(
      seen.slice(2, -1).every(({ message }) => message === 0),
      'nothing overtakes the removal',
    );
  });

  await t.test('at most 200 pushes of an account wait; the oldest make room', async (t) => {
    seen.length = 0;
    answer(503);
    const sent: number[] = [];
    for (let n = 0; n < 205; n++) sent.push(await tell(other, [member], `${n}`));
    await tried(1, 1);
    seen.length = 0;
    answer(200);
    await until('all are sent', () => {
      clock.advance(200);
      return seen.some(({ message }) => message === sent.at(-1));
    });
    t.same(
      seen.map(({ message }) => message),
      sent.slice(-200),
    );
  });
}

/** Without a gateway tokens are stored, and nothing is sent anywhere. */
async function withoutGateway(t: Test, start: Start): Promise<void> {
  const server = await start({});
  t.teardown(() => server.close());
  const { member, other, nobody } = await makeOrganization(server, ['member', 'other']);
  await registerDevices(member);
  await tell(other, [member], 'stays here');
  t.equal((await nobody.ok('GET /server_settings')).push_notifications_enabled, false);
  const state = await member.api.ok('POST /register', { fetch_event_types: ['realm'] });
  t.equal(state.realm_push_notifications_enabled, false);
}

t.setTimeout(240_000);

const embedded: Start = (options) => startEmbedded({ options });
for (const { face, start } of facesFor('devices', services(t))) {
  await t.test(`${face} face: devices are pushed to through the gateway`, (t) => devicePushes(t, start));
}
await t.test('embedded face: pushes without the text of messages', (t) => withoutContent(t, embedded));
await t.test('embedded face: attempts', attempts);
await t.test('embedded face: no gateway, no pushes', (t) => withoutGateway(t, embedded));
closeIdle();
