/** Read marks on their way, on a platform whose time and answers the test controls. */
import t from 'tap';
import { type HttpAnswer, makeTopicNarrow } from '../../../web/src/core/index.js';
import {
  answer,
  answerSignedIn,
  FakePlatform,
  FakeServer,
  messageOf,
  signInAs,
  signOut,
  startLiveCore,
} from './fake-server.js';

const TO = { stream: 7, topic: 'plans' };

/** A core with a mention on screen that has just been seen. Its read mark goes to the server after 400 ms. */
async function setUp() {
  const server = new FakeServer();
  const platform = new FakePlatform(server);
  const marks: (string | undefined)[] = [];
  const flags: { answer: () => HttpAnswer } = { answer: () => answer({}) };
  server.other = (request) => {
    if (!request.path.endsWith('/messages/flags')) return answerSignedIn(request);
    marks.push(String(request.body));
    return flags.answer();
  };
  const core = await startLiveCore(platform);
  server.held.splice(0);
  server.messages.set(4, messageOf(4, 'plans', 'hello', ['mentioned']));
  core.state.unread.putUnread(4, TO, 'personal');
  const window = core.windows.openWindow(makeTopicNarrow(TO.stream, TO.topic));
  const loading = window.showOrLoadAround('newest');
  await server.deliverAll();
  await loading;
  core.readMarker.markSeenAsReadIfEnabled([4], window.narrow);
  const shown = () => ({
    unread: core.state.unread.getConversationCountSignal(TO).value,
    mentions: core.state.unread.unreadMentionIds.value,
    flags: core.windows.messageStore.peek(4)?.flags,
  });
  return { server, platform, core, window, marks, flags, shown };
}

const READ = { unread: 0, mentions: [], flags: ['read', 'mentioned'] };
const UNREAD = { unread: 1, mentions: [4], flags: ['mentioned'] };

t.test('a read mark is sent again after too many calls', async (t) => {
  const { server, platform, marks, flags, shown } = await setUp();
  flags.answer = () => answer({ result: 'error', code: 'RATE_LIMIT_HIT', msg: 'slow down', 'retry-after': 7 }, 429);
  await platform.pass(400);
  await server.deliverAll();
  flags.answer = () => answer({});
  await platform.pass(6_900);
  t.equal(marks.length, 1);
  await platform.pass(200);
  await server.deliverAll();
  t.equal(marks.length, 2);
  t.strictSame(shown(), READ);
  await platform.pass(20_000);
  t.equal(marks.length, 2);
});

t.test('a message whose read mark is refused is shown as unread again', async (t) => {
  const { server, platform, core, window, marks, flags, shown } = await setUp();
  t.strictSame(shown(), READ);
  flags.answer = () => answer({ result: 'error', code: 'BAD_REQUEST', msg: 'Invalid message(s)' }, 400);
  await platform.pass(400);
  await server.deliverAll();
  t.strictSame(shown(), UNREAD);
  core.readMarker.markSeenAsReadIfEnabled([4], window.narrow);
  t.strictSame(shown(), UNREAD, 'though it is still on screen');
  await platform.pass(20_000);
  t.equal(marks.length, 1);
});

t.test('a read mark of one account is not sent for the next one', async (t) => {
  const { server, platform, core, marks } = await setUp();
  await signOut(server, core);
  await signInAs(server, core, 2);
  await platform.pass(20_000);
  t.strictSame(marks, []);
});
