/** Rows of the sidebar follow a press before the server has answered, and go back when it refuses. */
import t, { type Test } from 'tap';
import { provideCore } from '../../../web/src/client/index.js';
import type { Snapshot } from '../../../web/src/contract/index.js';
import { Core, type HttpAnswer, TOPIC_VISIBILITY_POLICY } from '../../../web/src/core/index.js';
import { makeSidebarRows } from '../../../web/src/sidebar/rows.js';
import { subscriptionFlags, subscriptions, topicPolicies } from '../../../web/src/toggles/index.js';
import { FakePlatform, FakeServer, ME, turns } from './fake-server.js';

const stream = (stream_id: number, name: string) => ({
  ...{ stream_id, name, color: '#aabbcc', is_muted: false, pin_to_top: false, stream_weekly_traffic: 5 },
  ...{ invite_only: false, is_web_public: false, desktop_notifications: null },
});

const REFUSAL: HttpAnswer = { status: 400, text: JSON.stringify({ result: 'error', msg: 'No', code: 'BAD_REQUEST' }) };

/** Two streams; one has two topics with unread messages and a mention of the reader. */
function setUp() {
  const server = new FakeServer();
  const core = new Core(new FakePlatform(server));
  const snapshot: object = {
    user_id: ME,
    user_settings: { demote_inactive_streams: 2, enable_stream_desktop_notifications: true },
    subscriptions: [stream(10, 'general'), stream(11, 'harbour')],
    never_subscribed: [stream(12, 'other')].map(({ color: _, ...rest }) => rest),
    unread_msgs: {
      streams: [
        { stream_id: 10, topic: 'lunch', unread_message_ids: [101, 102] },
        { stream_id: 10, topic: 'plans', unread_message_ids: [103] },
      ],
      pms: [{ other_user_id: 2, sender_id: 2, unread_message_ids: [104] }],
      mentions: [102],
    },
  };
  core.state.loadFromSnapshot(snapshot as Snapshot);
  provideCore(core);
  /** Streams by section, with numbers of unread messages. */
  const rows = (): string => {
    const list = makeSidebarRows(core.state, {
      ...{ filter: '', closedSections: new Set(), openedStreamIds: new Set(), streamIdsWithAllTopics: new Set() },
      ...{ showsAllDirects: false, currentPlace: undefined },
    });
    return list
      .map((row) => {
        if (row.kind === 'heading') return `${row.section}:`;
        if (row.kind === 'stream') return `${row.stream.name} ${row.count}${row.mentioned ? '@' : ''}`;
        return row.kind === 'direct' ? `to ${row.users} ${row.count}` : '';
      })
      .filter(Boolean)
      .join(' ');
  };
  return { server, core, rows };
}

const BEFORE = 'directs: streams: general 3@ harbour 0';

/** Presses; the rows change at once, stay with the answer, and go back with a refusal. */
async function pressed(t: Test, press: (core: Core) => Promise<unknown>, after: string): Promise<void> {
  for (const refused of [false, true]) {
    const { server, core, rows } = setUp();
    t.equal(rows(), BEFORE);
    if (refused) server.other = () => REFUSAL;
    const done = refused ? t.rejects(press(core), { message: 'No' }) : press(core);
    t.equal(rows(), after, 'before the answer');
    await turns();
    await server.deliverAll();
    await done;
    t.equal(rows(), refused ? BEFORE : after, refused ? 'after a refusal' : 'after the answer');
  }
}

t.test('a pinned stream', (t) =>
  pressed(
    t,
    () => subscriptionFlags.press({ stream: 11, property: 'pin_to_top' }, true),
    'directs: pinned: harbour 0 streams: general 3@',
  ),
);

t.test('a muted stream, whose messages count no more', async (t) => {
  const press = () => subscriptionFlags.press({ stream: 10, property: 'is_muted' }, true);
  await pressed(t, press, 'directs: streams: harbour 0 muted: general 3@');
  const { core } = setUp();
  void press();
  t.equal(core.state.unread.totalUnmutedCount.value, 1);
});

t.test('a muted topic', (t) =>
  pressed(
    t,
    () => topicPolicies.press({ stream: 10, topic: 'lunch' }, TOPIC_VISIBILITY_POLICY.muted),
    'directs: streams: general 1@ harbour 0',
  ),
);

t.test('a stream that is left, and one that is joined', async (t) => {
  await pressed(t, () => subscriptions.press(11, false), 'directs: streams: general 3@');
  await pressed(t, () => subscriptions.press(12, true), 'directs: streams: general 3@ harbour 0 other 0');
  const { server, core } = setUp();
  server.other = () => REFUSAL;
  const done = t.rejects(subscriptions.press(12, true));
  await server.deliverAll();
  await done;
  t.equal(core.state.streams.byId.value.get(12)?.membership, 'never');
});

t.test('read marks of a topic, a stream, everything', async (t) => {
  const read = (press: (core: Core) => Promise<void>, after: string) => pressed(t, press, after);
  await read(
    ({ readMarker }) => readMarker.markConversationRead({ stream: 10, topic: 'Lunch' }),
    'directs: streams: general 1 harbour 0',
  );
  await read(({ readMarker }) => readMarker.markStreamRead(10), 'directs: streams: general 0 harbour 0');
  await read(({ readMarker }) => readMarker.markAllRead(), 'directs: streams: general 0 harbour 0');
});

t.test('a message that arrives while the mark is on its way stays unread', async (t) => {
  const { server, core } = setUp();
  const done = core.readMarker.markConversationRead({ users: [2] });
  t.equal(core.state.unread.unreadDirectCount.value, 0);
  core.state.unread.putUnread(105, { users: [2] }, undefined);
  server.held.splice(0);
  void done;
  t.equal(core.state.unread.unreadDirectCount.value, 1);
});

t.test('a notification that is refused has no value of its own again', async (t) => {
  const { server, core } = setUp();
  const flag = { stream: 10, property: 'desktop_notifications' } as const;
  server.other = () => REFUSAL;
  const done = t.rejects(subscriptionFlags.press(flag, false));
  t.equal(subscriptionFlags.shown(flag), false);
  await server.deliverAll();
  await done;
  t.equal(core.state.streams.byId.value.get(10)?.desktop_notifications, null);
});
