/** The state core of the web client against a real server: tabs, lost queues, lost connections. */
import t from 'tap';
import { makeDirectNarrow, makeTopicNarrow } from '../../web/src/core/index.js';
import { makeOrganization, say, streamIdOf, subscribe, tell } from '../api/support/organization.js';
import { until } from '../support/until.js';
import { startFace } from './support/face.js';
import { Browser } from './support/node-platform.js';
import { openTab, settle } from './support/tab.js';

const server = await startFace('core');

async function makeWorld() {
  const org = await makeOrganization(server, ['member', 'other']);
  await subscribe(org.owner, 'general', { principals: [org.owner, org.member, org.other] });
  return { ...org, stream: await streamIdOf(org.member, 'general') };
}

const sendsOf = (requests: readonly string[]): number =>
  requests.filter((request) => request === 'POST /api/v1/messages').length;

t.test('a message of one user appears in the window of another', async (t) => {
  const { member, other, stream } = await makeWorld();
  const first = await say(other, 'general', 'plans', 'before');
  const { core } = await openTab(t, server, member);
  t.equal(core.session.state.value, 'signed-in');
  t.equal(core.state.people.getPresenceLevel(member.id), 'active', 'the user is not offline before the first report');
  t.equal(core.state.people.getPresenceLevel(other.id), 'offline');
  const window = core.windows.openWindow(makeTopicNarrow(stream, 'plans'));
  await window.showOrLoadAround('first_unread');
  t.strictSame(window.messageIds.value, [first]);
  t.equal(window.anchorMessageId.value, first);
  const count = core.state.unread.getConversationCountSignal({ stream, topic: 'Plans' });
  t.equal(count.value, 1);
  const second = await say(other, 'general', 'plans', 'after');
  await until('the message', () => window.messageIds.value.includes(second));
  t.equal(count.value, 2);
  core.readMarker.markSeenAsReadIfEnabled(window.messageIds.value, window.narrow);
  t.equal(count.value, 0, 'what was seen counts as read at once');
  const direct = core.windows.openWindow(makeDirectNarrow([other.id]));
  await direct.showOrLoadAround('newest');
  await tell(other, [member], 'hello');
  await until('the direct message', () => direct.messageIds.value.length === 1);
});

t.test('the state and messages name no pictures of other hosts, which the page never asks for', async (t) => {
  const { member, other, stream } = await makeWorld();
  const first = await say(other, 'general', 'plans', 'before');
  const { core } = await openTab(t, server, member);
  const window = core.windows.openWindow(makeTopicNarrow(stream, 'plans'));
  await window.showOrLoadAround('newest');
  const people = [...core.state.people.byId.value.values()].filter(({ is_system_bot }) => !is_system_bot);
  t.ok(people.length >= 3);
  t.strictSame(new Set(people.map(({ avatar_url }) => avatar_url)), new Set([null]));
  t.equal(core.windows.messageStore.peek(first)?.avatar_url, null);
});

t.test('a sent message is shown at once and stays when its event comes', async (t) => {
  const { member, stream } = await makeWorld();
  const { core } = await openTab(t, server, member);
  const window = core.windows.openWindow(makeTopicNarrow(stream, 'plans'));
  await window.showOrLoadAround('newest');
  const echoes = core.outbox.makeItemsSignalForNarrow(window.narrow);
  const shown: number[] = [];
  const stop = echoes.subscribe((items) => shown.push(items.length + window.messageIds.peek().length));
  core.outbox.sendMessage({ stream, topic: 'plans' }, 'mine');
  t.equal(echoes.value.length, 1);
  await until('the event', () => window.messageIds.value.length === 1 && echoes.value.length === 0);
  stop();
  t.strictSame(new Set(shown), new Set([0, 1]), 'the message is never there twice, and never away');
});

t.test('a lost queue is replaced, and the window has what came in between', async (t) => {
  const { member, other, stream } = await makeWorld();
  const kept = await say(other, 'general', 'plans', 'kept');
  const doomed = await say(other, 'general', 'plans', 'doomed');
  const { core, platform } = await openTab(t, server, member);
  const window = core.windows.openWindow(makeTopicNarrow(stream, 'plans'));
  await window.showOrLoadAround('newest');
  const before = core.eventQueue.queueId;
  platform.before = ({ path }) => {
    if (path.startsWith('/api/v1/events')) throw new Error('no network');
  };
  await member.api.ok('DELETE /events', { queue_id: before });
  await until('the line says so', () => core.eventQueue.status.value === 'connecting');
  const [, missed] = [
    await member.api.call('DELETE /messages/{message_id}', { message_id: doomed }),
    await say(other, 'general', 'plans', 'missed'),
  ];
  await other.api.ok('PATCH /messages/{message_id}', { message_id: kept, content: 'changed' });
  platform.before = () => {};
  await until('another queue', () => core.eventQueue.queueId !== before && core.eventQueue.status.value === 'live');
  await until('the missed message', () => window.messageIds.value.includes(missed));
  t.match(core.windows.messageStore.peek(kept)?.content, /changed/);
  t.equal(core.state.unread.getConversationCountSignal({ stream, topic: 'plans' }).value, 3);
});

t.test('two tabs share one queue, and the second goes on when the first is closed', async (t) => {
  const { member, other, stream } = await makeWorld();
  const browser = new Browser();
  const one = await openTab(t, server, member, browser);
  const two = await openTab(t, server, member, browser);
  t.ok(one.core.eventQueue.isLeadingTab.value);
  t.notOk(two.core.eventQueue.isLeadingTab.value);
  t.equal(two.core.eventQueue.queueId, one.core.eventQueue.queueId);
  t.notOk(two.platform.requests.some((request) => request.endsWith('/register') || request.endsWith('/events')));
  const window = two.core.windows.openWindow(makeTopicNarrow(stream, 'plans'));
  await window.showOrLoadAround('newest');
  const first = await say(other, 'general', 'plans');
  await until('the event in the second tab', () => window.messageIds.value.includes(first));
  t.strictSame(two.core.state.makeSnapshot(), one.core.state.makeSnapshot());
  two.core.outbox.sendMessage({ stream, topic: 'plans' }, 'from the second tab');
  await until('the echo is settled', () => two.core.outbox.itemsOfThisTab.value.length === 0);
  t.equal(window.messageIds.value.length, 2);

  const queue = one.core.eventQueue.queueId;
  one.platform.close();
  const second = await say(other, 'general', 'plans');
  await until('the event in the tab that is left', () => window.messageIds.value.includes(second));
  t.ok(two.core.eventQueue.isLeadingTab.value);
  t.equal(two.core.eventQueue.queueId, queue, 'with the same queue');
  t.notOk(two.platform.requests.some((request) => request.endsWith('/register')));
  await settle(two);
});

t.test('a message whose answer was lost is sent once', async (t) => {
  const { member, stream } = await makeWorld();
  const { core, platform } = await openTab(t, server, member);
  const window = core.windows.openWindow(makeTopicNarrow(stream, 'plans'));
  await window.showOrLoadAround('newest');
  // The request takes effect, then the connection breaks: its answer and the polls are lost.
  let broken = false;
  const check = platform.after;
  platform.before = ({ path }) => {
    if (broken && path.startsWith('/api/v1/events')) throw new Error('no network');
  };
  platform.after = async (request, text) => {
    if (broken) throw new Error('no network');
    if (request.method === 'POST' && request.path === '/api/v1/messages') {
      broken = true;
      await member.api.ok('DELETE /events', { queue_id: core.eventQueue.queueId });
      throw new Error('no network');
    }
    await check(request, text);
  };
  core.outbox.sendMessage({ stream, topic: 'plans' }, 'only once');
  await until('it waits', () => core.outbox.itemsOfThisTab.value[0]?.phase === 'waiting');
  t.ok(platform.browser.values.has(`outbox/${platform.tabs.id}`), 'the item is in the storage');
  platform.before = () => {};
  platform.after = check;
  await until('it is settled', () => core.outbox.itemsOfThisTab.value.length === 0);
  await until('it is in the window', () => window.messageIds.value.length === 1);
  t.equal(sendsOf(platform.requests), 1);
});

t.test('a message written without a network is sent when there is one, also by another tab', async (t) => {
  const { member, stream } = await makeWorld();
  const browser = new Browser();
  const one = await openTab(t, server, member, browser);
  one.platform.online.value = false;
  t.equal(one.core.eventQueue.status.value, 'offline');
  one.core.outbox.sendMessage({ stream, topic: 'plans' }, 'written on the train');
  t.equal(one.core.outbox.itemsOfThisTab.value[0]?.phase, 'waiting');
  one.platform.close();
  const two = await openTab(t, server, member, browser);
  const window = two.core.windows.openWindow(makeTopicNarrow(stream, 'plans'));
  await window.showOrLoadAround('newest');
  await until('it is sent', () => window.messageIds.value.length === 1);
  await until(
    'nothing is left in the storage',
    () => ![...browser.values.keys()].some((key) => key.startsWith('outbox/')),
  );
});

t.test('a refused message stays with its reason until it is discarded', async (t) => {
  const { member, stream } = await makeWorld();
  const { core } = await openTab(t, server, member);
  const { localId } = core.outbox.sendMessage({ stream, topic: 'plans' }, '   ');
  await until('it fails', () => core.outbox.itemsOfThisTab.value[0]?.phase === 'failed');
  t.match(core.outbox.itemsOfThisTab.value[0]?.error, /empty/);
  core.outbox.discardItem(localId);
  t.equal(core.outbox.itemsOfThisTab.value.length, 0);
});

t.test('a message to a stream without a subscription appears without an event', async (t) => {
  const { owner, member } = await makeWorld();
  await subscribe(owner, 'elsewhere');
  const stream = await streamIdOf(owner, 'elsewhere');
  const { core } = await openTab(t, server, member);
  const window = core.windows.openWindow(makeTopicNarrow(stream, 'plans'));
  await window.showOrLoadAround('newest');
  core.outbox.sendMessage({ stream, topic: 'plans' }, 'hello');
  await until(
    'it is there',
    () => window.messageIds.value.length === 1 && core.outbox.itemsOfThisTab.value.length === 0,
  );
});

t.test('a draft is saved when typing stops, and another tab has it', async (t) => {
  const { member, stream } = await makeWorld();
  const { core } = await openTab(t, server, member);
  const draft = core.draftService.openNewestOrNew({ stream, topic: 'plans' });
  draft.setContent('half a');
  draft.setContent('half a thought');
  await until('it is saved', () => draft.phase.value === 'saved');
  await until('the event', () => core.state.ownLists.draftsNewestFirst.value.length === 1);
  const { core: other } = await openTab(t, server, member);
  const again = other.draftService.openNewestOrNew({ stream, topic: 'Plans' });
  t.equal(again.content.value, 'half a thought');
  again.discardDraft();
  await until('it is gone', () => core.state.ownLists.draftsNewestFirst.value.length === 0);
});

t.test('a draft without a network is there again after the page was loaded', async (t) => {
  const { member, stream } = await makeWorld();
  const browser = new Browser();
  const one = await openTab(t, server, member, browser);
  one.platform.before = () => {
    throw new Error('no network');
  };
  const draft = one.core.draftService.openNewestOrNew({ stream, topic: 'plans' });
  draft.setContent('half a thought');
  await until('it is not saved', () => draft.phase.value === 'unsaved');
  one.platform.close();
  const two = await openTab(t, server, member, browser);
  const again = two.core.draftService.openNewestOrNew({ stream, topic: 'plans' });
  t.equal(again.content.value, 'half a thought');
  again.setContent('half a thought more');
  await until(
    'it is saved',
    () => two.core.state.ownLists.draftsNewestFirst.value[0]?.content === 'half a thought more',
  );
  t.notOk([...browser.values.keys()].some((key) => key.startsWith('draft/')));
});

t.test('a session that ends signs out all tabs', async (t) => {
  const { member } = await makeWorld();
  const browser = new Browser();
  const one = await openTab(t, server, member, browser);
  const two = await openTab(t, server, member, browser);
  await one.person.api.ok('POST /users/me/api_key/regenerate');
  await until('the first tab knows', () => one.core.session.state.value === 'signed-out', 30_000);
  await until('the second tab knows', () => two.core.session.state.value === 'signed-out');
});

t.test('a tab that signs out ends the poll of the leading tab before its session', async (t) => {
  const { member } = await makeWorld();
  const browser = new Browser();
  const one = await openTab(t, server, member, browser);
  const two = await openTab(t, server, member, browser);
  let poll: AbortSignal | undefined;
  one.platform.before = ({ path, signal }) => {
    if (path.startsWith('/api/v1/events')) poll = signal;
  };
  await settle(one);
  await until('the next poll waits', () => poll !== undefined && !poll.aborted);
  let wasPollEnded: boolean | undefined;
  two.platform.before = async ({ method, path }) => {
    if (method !== 'DELETE' || path !== '/web/session') return;
    await new Promise(setImmediate);
    wasPollEnded = poll?.aborted;
  };
  const polls = one.platform.requests.length;
  await two.core.session.signOut();
  t.equal(wasPollEnded, true);
  await until('both tabs know', () =>
    [one, two].every(
      ({ core }) => core.session.state.value === 'signed-out' && core.eventQueue.status.value === 'starting',
    ),
  );
  t.strictSame(one.platform.requests.slice(polls), [], 'no request without a session');
});

t.test(
  'an account that is deactivated ends with the code of the answer, though other requests are refused',
  async (t) => {
    const { member } = await makeWorld();
    const { core, platform } = await openTab(t, server, member);
    let report: AbortSignal | undefined;
    platform.before = ({ path, signal }) => {
      if (path !== '/api/v1/users/me/presence') return;
      report = signal;
      return new Promise(() => {});
    };
    await until('a report of presence is under way', () => report !== undefined);
    let refused: unknown;
    let stateWhenRefused: string | undefined;
    platform.after = async ({ method }) => {
      if (method !== 'DELETE') return;
      platform.after = () => {};
      refused = await core.api.get('/users/me', {}).catch((error) => error.status);
      stateWhenRefused = core.session.state.value;
    };
    await core.session.deactivateAccount();
    t.strictSame([refused, stateWhenRefused, report?.aborted], [401, 'signed-in', true]);
    t.strictSame([core.session.state.value, core.session.endCode.value], ['signed-out', 'USER_DEACTIVATED']);
  },
);

t.test('events go on when the server could not be reached to sign out', async (t) => {
  const { member } = await makeWorld();
  const tab = await openTab(t, server, member);
  const timers: (() => void)[] = [];
  const { platform } = tab;
  const setTimer = platform.setTimer.bind(platform);
  platform.before = ({ path }) => {
    if (path !== '/web/session') return;
    throw new Error('no network');
  };
  platform.setTimer = (run, ms) => {
    timers.push(run);
    return setTimer(() => {}, ms);
  };
  await t.rejects(tab.core.session.signOut());
  t.equal(tab.core.session.state.value, 'signed-in');
  t.equal(timers.length, 1);
  platform.setTimer = setTimer;
  timers[0]!();
  await settle(tab);
});
