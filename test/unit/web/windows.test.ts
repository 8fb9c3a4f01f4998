/** Windows of messages: no gaps and no strangers, whatever the order of answers and events. */
import fc from 'fast-check';
import t from 'tap';
import { ALL_MESSAGES_NARROW, Api, MessageWindows, topicNarrow } from '../../../web/src/core/index.js';
import { FACTS, FakePlatform, FakeServer, messageOf, turns } from './fake-server.js';

const NARROW = topicNarrow(7, 'plans');

function setUp(count = 0) {
  const server = new FakeServer();
  for (let id = 1; id <= count; id++) server.messages.set(id, messageOf(id, 'plans'));
  const windows = new MessageWindows(new Api(new FakePlatform(server)), FACTS);
  return { server, windows, window: windows.open(NARROW) };
}

t.test('a window loads around the first unread message and pages in both directions without a gap', async (t) => {
  const { server, window } = setUp(500);
  for (const [id, message] of server.messages) if (id < 250) server.messages.set(id, { ...message, flags: ['read'] });
  void window.jumpTo('first_unread');
  await server.deliverAll();
  t.equal(window.anchorMessageId.value, 250);
  t.strictSame([window.firstId, window.lastId], [200, 300]);
  t.notOk(window.foundOldest.value || window.foundNewest.value);
  void window.loadOlder();
  void window.loadOlder();
  await server.deliverAll();
  t.strictSame(window.lastListChange.value, { kind: 'prepended', rowCount: 100 });
  t.equal(window.firstId, 100);
  while (!window.foundNewest.value) {
    void window.loadNewer();
    await server.deliverAll();
  }
  t.strictSame(
    window.ids.value,
    Array.from({ length: 401 }, (_, at) => at + 100),
  );
});

t.test('a message that arrives while the newest are not loaded is not put at the end', async (t) => {
  const { server, windows, window } = setUp(300);
  void window.jumpTo(100);
  await server.deliverAll();
  const last = window.lastId;
  server.messages.set(301, messageOf(301, 'plans'));
  windows.addArrivedMessage(messageOf(301, 'plans'));
  t.equal(window.lastId, last);
  t.notOk(windows.store.has(301), 'it takes no memory');
  while (!window.foundNewest.value) {
    void window.loadNewer();
    await server.deliverAll();
  }
  t.equal(window.lastId, 301);
  windows.addArrivedMessage(messageOf(302, 'PLANS'));
  t.equal(window.lastId, 302);
  t.strictSame(window.lastListChange.value, { kind: 'arrived', rowCount: 1 });
});

t.test('a message that arrives during a fetch whose answer is older is not lost', async (t) => {
  const { server, windows, window } = setUp(3);
  void window.jumpTo('newest');
  windows.addArrivedMessage(messageOf(4, 'plans'));
  await server.deliverAll();
  t.strictSame(window.ids.value, [1, 2, 3, 4]);
});

t.test('an answer that is older than an event does not undo it', async (t) => {
  const { server, windows, window } = setUp(3);
  void window.jumpTo('newest');
  // The answer is made; now the messages change.
  server.messages.delete(1);
  windows.delete([1]);
  server.messages.set(2, messageOf(2, 'plans', 'edited'));
  windows.store.changeMessage(2, (message) => ({ ...message, content: 'edited' }));
  await server.deliverAll();
  t.strictSame(window.ids.value, [2, 3]);
  t.equal(windows.store.peek(2)?.content, 'edited');
});

t.test('an answer that is older than an event about a known message keeps the newer text', async (t) => {
  const { server, windows, window } = setUp(3);
  void window.jumpTo('newest');
  await server.deliverAll();
  void window.refresh();
  windows.store.changeMessage(2, (message) => ({ ...message, content: 'edited' }));
  await server.deliverAll();
  t.equal(windows.store.peek(2)?.content, 'edited');
});

t.test('a window that is not on screen is fetched again when it is opened, if a message moved in unseen', async (t) => {
  const { server, windows, window } = setUp(3);
  server.messages.set(2, messageOf(2, 'far'));
  void window.jumpTo('newest');
  await server.deliverAll();
  windows.open(ALL_MESSAGES_NARROW);
  server.messages.set(2, messageOf(2, 'plans'));
  windows.recheckChangedMessages([2], 'place');
  await server.deliverAll();
  t.strictSame(window.ids.value, [1, 3]);
  windows.open(NARROW);
  await server.deliverAll();
  t.strictSame(window.ids.value, [1, 2, 3]);
});

t.test('a message that moves leaves one window and appears in the other, at its place', async (t) => {
  const { server, windows, window } = setUp(3);
  server.messages.set(2, messageOf(2, 'other'));
  const other = windows.open(topicNarrow(7, 'other'));
  void window.jumpTo('newest');
  void other.jumpTo('newest');
  await server.deliverAll();
  t.strictSame([window.ids.value, other.ids.value], [[1, 3], [2]]);
  windows.store.changeMessage(2, (message) => ({ ...message, subject: 'Plans' }));
  windows.recheckChangedMessages([2], 'place');
  t.strictSame([window.ids.value, other.ids.value], [[1, 2, 3], []]);
});

t.test('a message that moves in and is not known is fetched', async (t) => {
  const { server, windows, window } = setUp(3);
  server.messages.set(2, messageOf(2, 'far'));
  void window.jumpTo('newest');
  await server.deliverAll();
  server.messages.set(2, messageOf(2, 'plans'));
  windows.recheckChangedMessages([2], 'place');
  await server.deliverAll();
  t.strictSame(window.ids.value, [1, 2, 3]);
  t.equal(window.lastListChange.value.kind, 'refreshed');
});

t.test('a window that follows a busy conversation lets go of what is far above the reader', async (t) => {
  const { server, windows, window } = setUp(3);
  void window.jumpTo('newest');
  await server.deliverAll();
  t.ok(window.foundOldest.value);
  const arrive = (from: number, to: number) => {
    for (let id = from; id <= to; id++) {
      server.messages.set(id, messageOf(id, 'plans'));
      windows.addArrivedMessage(messageOf(id, 'plans'));
    }
  };
  window.readerPlaceId = 10;
  arrive(4, 2_100);
  t.equal(window.firstId, 1, 'the reader is at the old ones');
  window.readerPlaceId = 2_100;
  arrive(2_101, 2_101);
  t.equal(window.ids.value.length, 1_500);
  t.notOk(window.foundOldest.value);
  void window.loadOlder();
  await server.deliverAll();
  t.strictSame(window.lastListChange.value, { kind: 'prepended', rowCount: 100 });
  t.strictSame(
    window.ids.value,
    Array.from({ length: 1_600 }, (_, at) => at + 502),
  );
});

t.test('a window that failed to load says so and loads again', async (t) => {
  const { server, window } = setUp(3);
  void window.jumpTo('newest');
  await server.lose();
  t.equal(window.phase.value, 'failed');
  void window.retry();
  await server.deliverAll();
  t.strictSame([window.phase.value, window.ids.value.length], ['ready', 3]);
});

t.test('the windows used least give way, and their messages with them', async (t) => {
  const { server, windows, window } = setUp(3);
  void window.jumpTo('newest');
  await server.deliverAll();
  for (let at = 0; at < 20; at++) windows.open(topicNarrow(7, `topic ${at}`));
  t.equal(windows.store.size, 0);
  t.not(windows.open(NARROW), window);
});

type Step = 'send' | 'edit' | 'delete' | 'move' | 'older' | 'newer' | 'jump' | 'deliver' | 'lose' | 'refresh';
const step = fc.tuple(
  fc.constantFrom<Step>(
    'send',
    'send',
    'edit',
    'delete',
    'move',
    'older',
    'newer',
    'jump',
    'deliver',
    'deliver',
    'lose',
    'refresh',
  ),
  fc.nat(),
);

t.test('after any order of events and answers a window is exactly the loaded range', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const { server, windows, window } = setUp(260);
      const all = windows.open(ALL_MESSAGES_NARROW);
      let next = 261;
      const pick = (seed: number): number => [...server.messages.keys()][seed % server.messages.size] ?? 0;
      for (const [what, seed] of steps) {
        const target = seed % 2 === 0 ? window : all;
        const id = pick(seed);
        const topic = seed % 3 === 0 ? 'other' : 'plans';
        if (what === 'send') {
          const message = messageOf(next++, topic);
          server.messages.set(message.id, message);
          windows.addArrivedMessage(message);
        } else if (what === 'edit') {
          const content = `edited ${seed}`;
          server.messages.set(id, { ...server.messages.get(id)!, content });
          windows.store.changeMessage(id, (message) => ({ ...message, content }));
        } else if (what === 'delete') {
          server.messages.delete(id);
          windows.delete([id]);
        } else if (what === 'move') {
          server.messages.set(id, { ...server.messages.get(id)!, subject: topic });
          windows.store.changeMessage(id, (message) => ({ ...message, subject: topic }));
          windows.recheckChangedMessages([id], 'place');
        } else if (what === 'older') void target.loadOlder();
        else if (what === 'newer') void target.loadNewer();
        else if (what === 'jump') void target.jumpTo(seed % 5 === 0 ? 'newest' : id);
        else if (what === 'deliver') await server.deliver();
        else if (what === 'lose') await server.lose();
        else void windows.refresh();
        await turns();
      }
      await server.deliverAll();
      for (const of of [window, all]) {
        windows.open(of.narrow);
        await turns();
        await server.deliverAll();
        if (of.phase.peek() !== 'ready') continue;
        const [first, last] = [of.firstId ?? Number.POSITIVE_INFINITY, of.lastId ?? Number.NEGATIVE_INFINITY];
        const expected = [...server.messages.values()]
          .filter((message) => of.matchesMessage(message))
          .filter(({ id }) => (of.foundOldest.peek() || id >= first) && (of.foundNewest.peek() || id <= last))
          .sort((a, b) => a.id - b.id);
        const actual = of.ids.peek().map((id) => windows.store.peek(id));
        if (JSON.stringify(actual) !== JSON.stringify(expected)) {
          throw new Error(`${of.key}: ${of.ids.peek()} instead of ${expected.map(({ id }) => id)}`);
        }
      }
    }),
    { numRuns: 150 },
  );
});
