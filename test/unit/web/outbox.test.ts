/** States of messages on their way, on a platform whose time and answers the test controls. */
import t from 'tap';
import type { Core, HttpRequest } from '../../../web/src/core/index.js';
import {
  answer,
  answerSignedIn,
  FakePlatform,
  FakeServer,
  ME,
  messageOf,
  signInAs,
  signOut,
  startLiveCore,
  turns,
} from './fake-server.js';

const TO = { stream: 7, topic: 'plans' };

/** A core that is live: its poll stays open. */
async function setUp() {
  const server = new FakeServer();
  const platform = new FakePlatform(server);
  const sent: HttpRequest[] = [];
  server.other = (request) => {
    if (request.method !== 'POST' || !request.path.endsWith('/messages')) return answerSignedIn(request);
    sent.push(request);
    return answer({ id: 100 + sent.length });
  };
  const core = await startLiveCore(platform);
  // The poll and the report of presence stay unanswered.
  server.held.splice(0);
  return { server, platform, core, sent };
}

const phases = (core: Core): readonly string[] => core.outbox.itemsOfThisTab.value.map(({ phase }) => phase);

t.test('the event settles an item, before or after the answer', async (t) => {
  for (const first of ['event', 'answer']) {
    const { server, core, sent } = await setUp();
    const { localId } = core.outbox.sendMessage(TO, 'hello');
    t.strictSame(phases(core), ['sending']);
    t.equal(new URLSearchParams(sent[0]?.body).get('local_id'), localId);
    t.equal(new URLSearchParams(sent[0]?.body).get('queue_id'), 'q');
    const event = () =>
      core.outbox.dropItemOfArrivedMessage({
        id: 2,
        type: 'message',
        message: messageOf(101, 'plans'),
        flags: [],
        local_message_id: localId,
      });
    if (first === 'event') event();
    await server.deliverAll();
    if (first === 'answer') event();
    t.strictSame(phases(core), []);
  }
});

t.test('a refusal is shown with its reason, and the item can be taken back', async (t) => {
  const { server, core } = await setUp();
  server.other = () => answer({ result: 'error', code: 'BAD_REQUEST', msg: 'Not allowed' }, 400);
  const { localId } = core.outbox.sendMessage(TO, 'hello');
  await server.deliverAll();
  t.strictSame(phases(core), ['failed']);
  t.equal(core.outbox.itemsOfThisTab.value[0]?.error, 'Not allowed');
  t.equal(core.outbox.removeItemForEditing(localId)?.content, 'hello');
  t.strictSame(phases(core), []);
});

t.test('too many calls: the item is sent again when the server allows it', async (t) => {
  const { server, platform, core, sent } = await setUp();
  const normal = server.other;
  server.other = () => answer({ result: 'error', code: 'RATE_LIMIT_HIT', msg: 'slow down', 'retry-after': 7 }, 429);
  core.outbox.sendMessage(TO, 'hello');
  await server.deliverAll();
  t.strictSame(phases(core), ['waiting']);
  server.other = normal;
  await platform.pass(6_900);
  t.equal(sent.length, 0);
  await platform.pass(200);
  t.equal(sent.length, 1);
});

t.test('after a lost answer the item is looked for, and sent again only if it is not there', async (t) => {
  for (const arrived of [true, false]) {
    const { server, platform, core, sent } = await setUp();
    core.outbox.sendMessage(TO, 'hello\n');
    if (arrived) {
      const message = { ...messageOf(101, 'plans', 'hello'), sender_id: ME };
      server.messages.set(101, message);
    }
    await server.lose();
    t.strictSame(phases(core), ['waiting']);
    await platform.pass(2_900);
    t.equal(sent.length, 1, 'the first request may still be on its way');
    await platform.pass(200);
    await server.deliverAll();
    t.equal(sent.length, arrived ? 1 : 2);
    t.strictSame(phases(core), arrived ? [] : ['sending']);
  }
});

t.test('two equal messages with lost answers are two messages', async (t) => {
  const { server, platform, core, sent } = await setUp();
  core.outbox.sendMessage(TO, 'ok');
  core.outbox.sendMessage(TO, 'ok');
  // Only the first reaches the server.
  server.messages.set(101, { ...messageOf(101, 'plans', 'ok'), sender_id: ME });
  await server.lose();
  await platform.pass(3_100);
  while (sent.length < 2) await server.deliver();
  await server.lose();
  await platform.pass(3_100);
  await server.deliverAll();
  t.equal(sent.length, 3);
});

t.test('an equal message from before is no proof', async (t) => {
  const { server, platform, core, sent } = await setUp();
  server.messages.set(4, { ...messageOf(4, 'plans', 'ok'), sender_id: ME });
  core.outbox.sendMessage(TO, 'ok');
  await server.lose();
  await platform.pass(3_100);
  await server.deliverAll();
  t.equal(sent.length, 2);
});

t.test('without a network the item waits, is in the storage, and goes out with the network', async (t) => {
  const { server, platform, core, sent } = await setUp();
  platform.online.value = false;
  core.outbox.sendMessage(TO, 'hello');
  await turns();
  t.strictSame(phases(core), ['waiting']);
  t.ok(platform.values.has('outbox/tab'));
  t.equal(sent.length, 0);
  platform.online.value = true;
  await turns();
  await server.deliver();
  await turns();
  t.equal(core.eventQueue.status.value, 'live');
  t.equal(sent.length, 1);
});

t.test('a message that waits is shown and sent for its own account only', async (t) => {
  for (const reason of ['no network', 'too many calls']) {
    const { server, platform, core, sent } = await setUp();
    const normal = server.other;
    if (reason === 'no network') platform.online.value = false;
    else
      server.other = () => answer({ result: 'error', code: 'RATE_LIMIT_HIT', msg: 'slow down', 'retry-after': 7 }, 429);
    core.outbox.sendMessage(TO, 'secret');
    await server.deliverAll();
    t.strictSame(phases(core), ['waiting']);
    server.other = normal;
    await signOut(server, core);
    platform.online.value = true;
    await signInAs(server, core, 2);
    await platform.pass(10_000);
    t.strictSame(phases(core), []);
    t.equal(sent.length, 0);
    await signOut(server, core);
    await signInAs(server, core, ME);
    t.equal(sent.length, 1);
  }
});

t.test('a message whose account changes during the search for it is not sent', async (t) => {
  const { server, platform, core, sent } = await setUp();
  core.outbox.sendMessage(TO, 'secret');
  await server.lose();
  await platform.pass(3_100);
  const search = server.held.splice(0).at(-1);
  await signOut(server, core);
  await signInAs(server, core, 2);
  search?.resolve(search.answer());
  await turns();
  t.equal(sent.length, 1, 'only the first attempt');
});

t.test('of the items of a closed tab, the account gets its own ones, and those without an author unsent', async (t) => {
  const server = new FakeServer();
  const platform = new FakePlatform(server);
  const item = { to: TO, phase: 'waiting', createdAt: 1, after: 1, tried: false };
  const foreign = { ...item, localId: 'closed.2', user: 2, content: 'foreign' };
  platform.values.set('outbox/closed', [
    { ...item, localId: 'closed.1', user: ME, content: 'own' },
    foreign,
    { ...item, localId: 'closed.3', content: 'of an earlier version' },
  ]);
  server.other = answerSignedIn;
  const core = await startLiveCore(platform);
  await turns();
  t.strictSame(
    core.outbox.itemsOfThisTab.value.map(({ content, phase }) => [content, phase]),
    [
      ['own', 'sending'],
      ['of an earlier version', 'failed'],
    ],
  );
  t.strictSame(platform.values.get('outbox/closed'), [foreign]);
});

const contents = (sent: readonly HttpRequest[]): readonly (string | null)[] =>
  sent.map(({ body }) => new URLSearchParams(body).get('content'));

t.test('messages of a conversation keep their order when the first request has no answer', async (t) => {
  const { server, platform, core, sent } = await setUp();
  core.outbox.sendMessage(TO, 'first');
  core.outbox.sendMessage(TO, 'second');
  await server.lose();
  core.outbox.sendMessage({ ...TO, topic: 'Plans' }, 'third');
  core.outbox.sendMessage({ ...TO, topic: 'other' }, 'elsewhere');
  t.strictSame(phases(core), ['waiting', 'waiting', 'waiting', 'sending']);
  await platform.pass(3_100);
  await server.deliverAll();
  t.strictSame(contents(sent), ['first', 'elsewhere', 'first', 'second', 'third']);
  t.strictSame(phases(core), ['sending', 'sending', 'sending', 'sending']);
});

t.test('messages that are written quickly are sent as soon as the one before has its answer', async (t) => {
  const { server, platform, core, sent } = await setUp();
  for (const content of ['first', 'second', 'third']) core.outbox.sendMessage(TO, content);
  t.strictSame(phases(core), ['sending', 'sending', 'sending']);
  t.strictSame(contents(sent), ['first']);
  const { time } = platform;
  await server.deliverAll();
  t.strictSame(contents(sent), ['first', 'second', 'third']);
  t.equal(platform.time, time);
});

t.test('a message is sent when the connection breaks twice while events go on', async (t) => {
  const { server, platform, core, sent } = await setUp();
  core.outbox.sendMessage(TO, 'hello');
  await server.lose();
  for (let round = 0; round < 2; round++) {
    await platform.pass(3_100);
    server.held.splice(0, server.held.length - 1);
    await server.lose();
    t.strictSame(phases(core), ['waiting']);
  }
  await platform.pass(3_100);
  await server.deliverAll();
  t.strictSame(contents(sent), ['hello', 'hello']);
});
