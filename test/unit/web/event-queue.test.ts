/** The poll of a browser and the lead among its tabs, on a platform whose time and answers the test controls. */
import t from 'tap';
import { Core, type Platform } from '../../../web/src/core/index.js';
import { answer, answerSignedIn, FakePlatform, FakeServer, isPoll, ME, startLiveCore, turns } from './fake-server.js';

const POLL_TIMEOUT_MS = 95_000;
const FIRST_STATE_LIMIT_MS = 4_000;
const LEADER_SILENCE_LIMIT_MS = 120_000;

/** A platform whose tab leads when the test says so. */
class TabPlatform extends FakePlatform {
  readonly posted: unknown[] = [];
  stolen = 0;
  gain = (): void => {};
  lose = (): void => {};
  receive: (message: unknown) => void = () => {};

  override readonly tabs: Platform['tabs'] = {
    id: 'tab',
    post: (message) => void this.posted.push(message),
    onMessage: (receive) => {
      this.receive = receive;
    },
    waitToLead: (gain, lose) => {
      [this.gain, this.lose] = [gain, lose];
    },
    stealLead: () => {
      this.stolen++;
    },
    listOpenTabIds: async () => ['tab', 'other'],
  };
}

function makeServer(): FakeServer {
  const server = new FakeServer();
  server.other = answerSignedIn;
  return server;
}

/** A core that is live; its poll is held, and is the only request that is. */
async function setUp() {
  const server = makeServer();
  const platform = new FakePlatform(server);
  const core = await startLiveCore(platform);
  const polls = () => server.requests.filter(({ path }) => isPoll(path));
  t.equal(polls().length, 1);
  const isLive = () => polls().at(-1)?.signal?.aborted === false;
  return { server, platform, core, polls, isLive };
}

/** The page sleeps: time passes, and no timer runs. */
async function sleep(platform: FakePlatform, ms: number): Promise<void> {
  platform.visible.value = false;
  platform.time += ms;
  platform.visible.value = true;
  await turns();
}

t.test('a poll that slept for longer than its limit is ended, and asked again at once without waiting', async (t) => {
  const { platform, core, polls, isLive } = await setUp();
  await sleep(platform, POLL_TIMEOUT_MS + 1);
  t.equal(polls()[0]?.signal?.aborted, true);
  t.equal(polls().length, 2, 'no time passes before the next poll');
  t.match(polls()[1]?.path, 'dont_block=true', 'the next poll tells at once whether the queue is still there');
  t.ok(isLive());
  t.equal(core.eventQueue.status.peek(), 'live', 'the page does not say that it connects');
});

t.test('a poll that slept for a shorter time goes on', async (t) => {
  const { platform, polls, isLive } = await setUp();
  await sleep(platform, POLL_TIMEOUT_MS - 1);
  t.equal(polls().length, 1);
  t.ok(isLive());
});

t.test('a queue that is gone after a sleep is replaced by a registration', async (t) => {
  const { server, platform, core, polls } = await setUp();
  const { other } = server;
  server.other = (request) =>
    isPoll(request.path) ? answer({ result: 'error', code: 'BAD_EVENT_QUEUE_ID' }, 400) : other(request);
  await sleep(platform, POLL_TIMEOUT_MS + 1);
  const asked = polls().length;
  while (core.eventQueue.registrationCount === 1 && (await server.deliver()));
  t.equal(core.eventQueue.registrationCount, 2);
  await turns();
  t.equal(polls().length, asked + 1, 'the new queue is polled');
  t.notMatch(polls().at(-1)?.path, 'dont_block');
});

t.test('a queue that is gone after an outage is replaced as soon as the server says so', async (t) => {
  const { server, platform, core, polls } = await setUp();
  for (let failures = 0; failures < 12; failures++) {
    while (server.held.length > 0) await server.lose();
    await platform.pass(30_000);
  }
  t.ok(polls().length > 10, `${polls().length} polls failed`);
  server.other = (request) =>
    isPoll(request.path) ? answer({ result: 'error', code: 'BAD_EVENT_QUEUE_ID' }, 400) : answerSignedIn(request);
  while (server.held.length > 0) await server.lose();
  await platform.pass(30_000);
  while (core.eventQueue.registrationCount === 1 && (await server.deliver()));
  t.equal(core.eventQueue.registrationCount, 2, 'no time passes before the registration');
});

t.test('polls that stay refused lead to registrations at growing intervals', async (t) => {
  const { server, platform, core } = await setUp();
  server.other = (request) =>
    isPoll(request.path) ? answer({ result: 'error', code: 'BAD_EVENT_QUEUE_ID' }, 400) : answerSignedIn(request);
  while (server.held.length > 0) await server.lose();
  const counts: number[] = [];
  for (let seconds = 0; seconds < 60; seconds += 20) {
    for (let steps = 0; steps < 200; steps++) {
      await platform.pass(100);
      for (let answers = 0; answers < 10 && (await server.deliver()); answers++);
    }
    counts.push(core.eventQueue.registrationCount);
  }
  const [first = 0, second = 0, third = 0] = counts;
  t.ok(first >= 3 && first < 10, `${counts}`);
  t.ok(third - second <= second - first && second - first < first, `${counts}`);
});

t.test('a poll in a silent connection is given up after its limit', async (t) => {
  const { platform, polls, core, isLive } = await setUp();
  await platform.pass(POLL_TIMEOUT_MS - 1);
  t.ok(isLive());
  await platform.pass(1);
  t.equal(polls()[0]?.signal?.aborted, true);
  t.equal(core.eventQueue.status.peek(), 'connecting');
  await platform.pass(400);
  t.equal(polls().length, 2);
  t.ok(isLive());
});

t.test('the poll of a page without network is ended as soon as the network is back', async (t) => {
  const { platform, polls, core, isLive } = await setUp();
  platform.online.value = false;
  t.equal(core.eventQueue.status.peek(), 'offline');
  t.ok(isLive(), 'the connection may still be there');
  platform.online.value = true;
  await turns();
  t.equal(polls()[0]?.signal?.aborted, true);
  t.equal(polls().length, 2);
  t.ok(isLive());
});

t.test('the pause after a failure ends when the reader comes back', async (t) => {
  const { server, platform, polls, core } = await setUp();
  while (server.held.length > 0) await server.lose();
  t.equal(core.eventQueue.status.peek(), 'connecting');
  t.equal(polls().length, 1, 'a pause');
  await sleep(platform, 0);
  t.equal(polls().length, 2);
});

/** A tab beside a leader that does not answer. */
async function setUpFollower() {
  const server = makeServer();
  const platform = new TabPlatform(server);
  const core = new Core(platform);
  core.startQueueAndPresence();
  await turns();
  t.match(platform.posted, [{ type: 'ask', from: 'tab' }]);
  return { server, platform, core };
}

t.test('a tab steals the lead from a leader that does not answer its question', async (t) => {
  const { server, platform, core } = await setUpFollower();
  await platform.pass(FIRST_STATE_LIMIT_MS - 1);
  t.equal(platform.stolen, 0);
  await platform.pass(1);
  t.equal(platform.stolen, 1);
  platform.gain();
  while (core.eventQueue.status.peek() !== 'live' && (await server.deliver()));
  t.equal(core.eventQueue.registrationCount, 1, 'it registers, since it got no state');
});

t.test('a tab that is not seen leaves the lead until it is seen', async (t) => {
  const { platform } = await setUpFollower();
  platform.visible.value = false;
  await platform.pass(FIRST_STATE_LIMIT_MS + LEADER_SILENCE_LIMIT_MS - 1);
  t.equal(platform.stolen, 0);
  platform.visible.value = true;
  await platform.pass(1);
  t.equal(platform.stolen, 1);
});

t.test('a leader that says something in time keeps the lead', async (t) => {
  const { platform, core, server } = await setUpFollower();
  const state = { user_id: ME, max_message_id: 5 };
  platform.receive({ type: 'state', to: 'tab', queue: 'q', last: 1, status: 'live', snapshot: state });
  await server.deliver();
  t.equal(core.eventQueue.status.peek(), 'live');
  for (let last = 1; last < 4; last++) {
    await platform.pass(LEADER_SILENCE_LIMIT_MS - 1);
    platform.receive({ type: 'events', queue: 'q', after: last, last: last + 1, events: [] });
  }
  t.equal(platform.stolen, 0);
  await platform.pass(LEADER_SILENCE_LIMIT_MS);
  t.equal(platform.stolen, 1);
  platform.gain();
  await turns();
  const polls = server.requests.filter(({ path }) => isPoll(path));
  t.equal(core.eventQueue.registrationCount, 0);
  t.match(polls.at(-1)?.path, /queue_id=q&last_event_id=4/, 'the new leader goes on with the queue where it is');
});

t.test('a tab takes the lead over from a leader of another account, and not its state', async (t) => {
  const { server, platform, core } = await setUpFollower();
  const state = { user_id: ME + 1, max_message_id: 5 };
  platform.receive({ type: 'state', to: 'tab', queue: 'q', last: 1, status: 'live', snapshot: state });
  await server.deliver();
  t.equal(platform.stolen, 1);
  t.strictSame([core.session.state.peek(), core.state.me.userIdSignal.peek()], ['unknown', 0]);
  platform.gain();
  while (core.eventQueue.status.peek() !== 'live' && (await server.deliver()));
  t.strictSame([core.session.state.peek(), core.state.me.userIdSignal.peek()], ['signed-in', ME]);
});

t.test('a leader from which the lead is stolen ends its poll, and watches the new one', async (t) => {
  const { platform, server, core } = await setUpFollower();
  platform.gain();
  while (core.eventQueue.status.peek() !== 'live' && (await server.deliver()));
  await turns();
  const poll = () => server.requests.filter(({ path }) => isPoll(path));
  t.equal(poll().at(-1)?.signal?.aborted, false);
  platform.lose();
  await turns();
  t.equal(core.eventQueue.isLeadingTab.peek(), false);
  t.equal(poll().at(-1)?.signal?.aborted, true);
  t.equal(poll().length, 1);
  await platform.pass(LEADER_SILENCE_LIMIT_MS);
  t.equal(platform.stolen, 1);
});
