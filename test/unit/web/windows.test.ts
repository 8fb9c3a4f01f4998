/** Windows of messages: no gaps and no strangers, whatever the order of answers and events. */
import fc from 'fast-check';
import t from 'tap';
import type { Message } from '../../../web/src/contract/index.js';
import { ALL_MESSAGES_NARROW, ApiClient, MessageWindows, makeTopicNarrow } from '../../../web/src/core/index.js';
import { FACTS, FakePlatform, FakeServer, messageOf, turns } from './fake-server.js';

const NARROW = makeTopicNarrow(7, 'plans');

/** Messages of the topic from id 1 on, for all tests: the server replaces messages and never changes one. */
const PLANS: Message[] = [];

function setUp(count = 0) {
  const server = new FakeServer();
  while (PLANS.length < count) PLANS.push(messageOf(PLANS.length + 1, 'plans'));
  for (const message of PLANS.slice(0, count)) server.messages.set(message.id, message);
  const windows = new MessageWindows(new ApiClient(new FakePlatform(server)), FACTS);
  return { server, windows, window: windows.openWindow(NARROW) };
}

t.test('a window loads around the first unread message and pages in both directions without a gap', async (t) => {
  const { server, window } = setUp(500);
  for (const [id, message] of server.messages) if (id < 250) server.messages.set(id, { ...message, flags: ['read'] });
  void window.showOrLoadAround('first_unread');
  await server.deliverAll();
  t.equal(window.anchorMessageId.value, 250);
  t.strictSame([window.firstMessageId, window.lastMessageId], [200, 300]);
  t.notOk(window.foundOldest.value || window.foundNewest.value);
  void window.loadOlder();
  void window.loadOlder();
  await server.deliverAll();
  t.strictSame(window.lastListChange.value, { kind: 'prepended', rowCount: 100 });
  t.equal(window.firstMessageId, 100);
  while (!window.foundNewest.value) {
    void window.loadNewer();
    await server.deliverAll();
  }
  t.strictSame(
    window.messageIds.value,
    Array.from({ length: 401 }, (_, at) => at + 100),
  );
});

t.test('a message that arrives while the newest are not loaded is not put at the end', async (t) => {
  const { server, windows, window } = setUp(300);
  void window.showOrLoadAround(100);
  await server.deliverAll();
  const last = window.lastMessageId;
  server.messages.set(301, messageOf(301, 'plans'));
  windows.addArrivedMessage(messageOf(301, 'plans'));
  t.equal(window.lastMessageId, last);
  t.notOk(windows.messageStore.holdsMessage(301), 'it takes no memory');
  while (!window.foundNewest.value) {
    void window.loadNewer();
    await server.deliverAll();
  }
  t.equal(window.lastMessageId, 301);
  windows.addArrivedMessage(messageOf(302, 'PLANS'));
  t.equal(window.lastMessageId, 302);
  t.strictSame(window.lastListChange.value, { kind: 'arrived', rowCount: 1 });
});

t.test('a message that arrives during a fetch whose answer is older is not lost', async (t) => {
  const { server, windows, window } = setUp(3);
  void window.showOrLoadAround('newest');
  windows.addArrivedMessage(messageOf(4, 'plans'));
  await server.deliverAll();
  t.strictSame(window.messageIds.value, [1, 2, 3, 4]);
});

t.test('an answer that is older than an event does not undo it', async (t) => {
  const { server, windows, window } = setUp(3);
  void window.showOrLoadAround('newest');
  // The answer is made; now the messages change.
  server.messages.delete(1);
  windows.deleteMessages([1]);
  server.messages.set(2, messageOf(2, 'plans', 'edited'));
  windows.messageStore.changeMessage(2, (message) => ({ ...message, content: 'edited' }));
  await server.deliverAll();
  t.strictSame(window.messageIds.value, [2, 3]);
  t.equal(windows.messageStore.peek(2)?.content, 'edited');
});

t.test('an answer that is older than an event about a known message keeps the newer text', async (t) => {
  const { server, windows, window } = setUp(3);
  void window.showOrLoadAround('newest');
  await server.deliverAll();
  void window.refetchAroundReader();
  windows.messageStore.changeMessage(2, (message) => ({ ...message, content: 'edited' }));
  await server.deliverAll();
  t.equal(windows.messageStore.peek(2)?.content, 'edited');
});

t.test('a result of a search shows its text without marks once the text is changed', async (t) => {
  const { server, windows, window } = setUp(3);
  const answerMarked = (content: string) => {
    const match_content = content.replace('walrus', '<span class="highlight">walrus</span>');
    server.messages.set(2, { ...messageOf(2, 'plans', content), match_content });
  };
  const shown = () => window.getShownHtml(windows.messageStore.peek(2)!);
  answerMarked('the walrus costs 100');
  void window.showOrLoadAround('newest');
  await server.deliverAll();
  t.equal(shown(), 'the <span class="highlight">walrus</span> costs 100');
  windows.messageStore.changeMessage(2, (message) => ({ ...message, flags: ['read'] }));
  t.match(shown(), 'highlight', 'a flag leaves the marks');
  windows.messageStore.changeMessage(2, (message) => ({ ...message, content: 'the walrus costs 999' }));
  t.equal(shown(), 'the walrus costs 999');
  answerMarked('the walrus costs 999');
  void window.refetchAroundReader();
  await server.deliverAll();
  t.equal(shown(), 'the <span class="highlight">walrus</span> costs 999');
});

t.test('a window that is not on screen is fetched again when it is opened, if a message moved in unseen', async (t) => {
  const { server, windows, window } = setUp(3);
  server.messages.set(2, messageOf(2, 'far'));
  void window.showOrLoadAround('newest');
  await server.deliverAll();
  windows.openWindow(ALL_MESSAGES_NARROW);
  server.messages.set(2, messageOf(2, 'plans'));
  windows.recheckChangedMessages([2], 'place');
  await server.deliverAll();
  t.strictSame(window.messageIds.value, [1, 3]);
  windows.openWindow(NARROW);
  await server.deliverAll();
  t.strictSame(window.messageIds.value, [1, 2, 3]);
});

t.test('a message that moves leaves one window and appears in the other, at its place', async (t) => {
  const { server, windows, window } = setUp(3);
  server.messages.set(2, messageOf(2, 'other'));
  const other = windows.openWindow(makeTopicNarrow(7, 'other'));
  void window.showOrLoadAround('newest');
  void other.showOrLoadAround('newest');
  await server.deliverAll();
  t.strictSame([window.messageIds.value, other.messageIds.value], [[1, 3], [2]]);
  windows.messageStore.changeMessage(2, (message) => ({ ...message, subject: 'Plans' }));
  windows.recheckChangedMessages([2], 'place');
  t.strictSame([window.messageIds.value, other.messageIds.value], [[1, 2, 3], []]);
});

t.test('a message that moves in and is not known is fetched', async (t) => {
  const { server, windows, window } = setUp(3);
  server.messages.set(2, messageOf(2, 'far'));
  void window.showOrLoadAround('newest');
  await server.deliverAll();
  server.messages.set(2, messageOf(2, 'plans'));
  windows.recheckChangedMessages([2], 'place');
  await server.deliverAll();
  t.strictSame(window.messageIds.value, [1, 2, 3]);
  t.equal(window.lastListChange.value.kind, 'refreshed');
});

t.test('a window that follows a busy conversation lets go of what is far above the reader', async (t) => {
  const { server, windows, window } = setUp(3);
  void window.showOrLoadAround('newest');
  await server.deliverAll();
  t.ok(window.foundOldest.value);
  const arrive = (from: number, to: number) => {
    for (let id = from; id <= to; id++) {
      server.messages.set(id, messageOf(id, 'plans'));
      windows.addArrivedMessage(messageOf(id, 'plans'));
    }
  };
  window.readerMessageId = 10;
  arrive(4, 2_100);
  t.equal(window.firstMessageId, 1, 'the reader is at the old ones');
  window.readerMessageId = 2_100;
  arrive(2_101, 2_101);
  t.equal(window.messageIds.value.length, 1_500);
  t.notOk(window.foundOldest.value);
  void window.loadOlder();
  await server.deliverAll();
  t.strictSame(window.lastListChange.value, { kind: 'prepended', rowCount: 100 });
  t.strictSame(
    window.messageIds.value,
    Array.from({ length: 1_600 }, (_, at) => at + 502),
  );
});

t.test('a window that failed to load says so and loads again', async (t) => {
  const { server, window } = setUp(3);
  void window.showOrLoadAround('newest');
  await server.lose();
  t.equal(window.loadPhase.value, 'failed');
  void window.reloadRequestedAnchor();
  await server.deliverAll();
  t.strictSame([window.loadPhase.value, window.messageIds.value.length], ['ready', 3]);
});

t.test('the windows used least give way, and their messages with them', async (t) => {
  const { server, windows, window } = setUp(3);
  void window.showOrLoadAround('newest');
  await server.deliverAll();
  for (let at = 0; at < 20; at++) windows.openWindow(makeTopicNarrow(7, `topic ${at}`));
  t.equal(windows.messageStore.heldMessageCount, 0);
  t.not(windows.openWindow(NARROW), window);
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
      const all = windows.openWindow(ALL_MESSAGES_NARROW);
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
          windows.messageStore.changeMessage(id, (message) => ({ ...message, content }));
        } else if (what === 'delete') {
          server.messages.delete(id);
          windows.deleteMessages([id]);
        } else if (what === 'move') {
          server.messages.set(id, { ...server.messages.get(id)!, subject: topic });
          windows.messageStore.changeMessage(id, (message) => ({ ...message, subject: topic }));
          windows.recheckChangedMessages([id], 'place');
        } else if (what === 'older') void target.loadOlder();
        else if (what === 'newer') void target.loadNewer();
        else if (what === 'jump') void target.showOrLoadAround(seed % 5 === 0 ? 'newest' : id);
        else if (what === 'deliver') await server.deliver();
        else if (what === 'lose') await server.lose();
        else void windows.refreshShownAndMarkOthersStale();
        await turns();
      }
      await server.deliverAll();
      for (const of of [window, all]) {
        windows.openWindow(of.narrow);
        await turns();
        await server.deliverAll();
        if (of.loadPhase.peek() !== 'ready') continue;
        const [first, last] = [
          of.firstMessageId ?? Number.POSITIVE_INFINITY,
          of.lastMessageId ?? Number.NEGATIVE_INFINITY,
        ];
        const expected = [...server.messages.values()]
          .filter((message) => of.matchesMessage(message))
          .filter(({ id }) => (of.foundOldest.peek() || id >= first) && (of.foundNewest.peek() || id <= last))
          .sort((a, b) => a.id - b.id);
        const actual = of.messageIds.peek().map((id) => windows.messageStore.peek(id));
        if (JSON.stringify(actual) !== JSON.stringify(expected)) {
          throw new Error(`${of.narrowKey}: ${of.messageIds.peek()} instead of ${expected.map(({ id }) => id)}`);
        }
      }
    }),
    { numRuns: 150 },
  );
});
