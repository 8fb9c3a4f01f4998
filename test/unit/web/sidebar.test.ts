import t from 'tap';
import type { Snapshot } from '../../../web/src/contract/index.js';
import { ClientState } from '../../../web/src/core/index.js';
import {
  keepEqualRows,
  makeSidebarRows,
  matchesFilterWords,
  type SidebarChoices,
  type SidebarRow,
} from '../../../web/src/sidebar/rows.js';
import { Browser, NodePlatform } from '../../web/support/node-platform.js';

const ME = 1;
const PLAIN: SidebarChoices = {
  filter: '',
  closedSections: new Set(),
  openedStreamIds: new Set(),
  streamIdsWithAllTopics: new Set(),
  showsAllDirects: false,
  currentPlace: undefined,
};

const stream = (stream_id: number, name: string, more: object = {}) => ({
  stream_id,
  name,
  color: '#aabbcc',
  is_muted: false,
  pin_to_top: false,
  stream_weekly_traffic: 5,
  invite_only: false,
  is_web_public: false,
  ...more,
});

const person = (user_id: number, full_name: string) => ({ user_id, full_name, is_bot: false });

/** The state of a user with four streams, two of them with unread messages, and two direct conversations. */
function stateOf(change: object = {}): ClientState {
  const state = new ClientState(new NodePlatform(() => '', {}, new Browser()));
  const snapshot: object = {
    user_id: ME,
    user_settings: { demote_inactive_streams: 1 },
    realm_users: [person(ME, 'Ada Lovelace'), person(2, 'Grace Hopper'), person(3, 'Alan Turing')],
    subscriptions: [
      stream(10, 'general'),
      stream(11, 'engineering', { pin_to_top: true }),
      stream(12, 'cats', { is_muted: true }),
      stream(13, 'board', { invite_only: true }),
    ],
    unread_msgs: {
      streams: [
        { stream_id: 10, topic: 'lunch', unread_message_ids: [101, 102] },
        { stream_id: 10, topic: 'noise', unread_message_ids: [103] },
        { stream_id: 12, topic: 'purr', unread_message_ids: [104] },
      ],
      pms: [{ other_user_id: 2, sender_id: 2, unread_message_ids: [105] }],
      huddles: [],
      mentions: [102],
    },
    user_topics: [{ stream_id: 10, topic_name: 'noise', visibility_policy: 1, last_updated: 0 }],
    recent_private_conversations: [
      { user_ids: [2], max_message_id: 105 },
      { user_ids: [2, 3], max_message_id: 90 },
    ],
    ...change,
  };
  state.loadFromSnapshot(snapshot as Snapshot);
  return state;
}

/** Rows in short: kind, name, number. */
const short = (rows: readonly SidebarRow[]): string[] =>
  rows
    .filter(({ kind }) => kind !== 'view')
    .map((row) => {
      const n = 'count' in row && row.count > 0 ? ` ${row.count}${'mentioned' in row && row.mentioned ? '@' : ''}` : '';
      switch (row.kind) {
        case 'heading':
          return `${row.section}${row.open ? '' : ' (closed)'}`;
        case 'stream':
          return `#${row.stream.name}${n}`;
        case 'topic':
          return `  ${row.topic}${n}`;
        case 'direct':
          return `dm ${row.users.join()}${n}`;
        default:
          return row.kind;
      }
    });

t.test('rows that are equal to earlier ones stay the same objects', async (t) => {
  const before = makeSidebarRows(stateOf(), { ...PLAIN, openedStreamIds: new Set([10]) });
  const unread_msgs = {
    streams: [{ stream_id: 10, topic: 'lunch', unread_message_ids: [101, 102, 106] }],
    pms: [{ other_user_id: 2, sender_id: 2, unread_message_ids: [105] }],
    huddles: [],
    mentions: [102],
  };
  const after = makeSidebarRows(stateOf({ unread_msgs }), { ...PLAIN, openedStreamIds: new Set([10]) });
  const kept = keepEqualRows(before, after);
  t.strictSame(kept, after);
  const renewed = kept.filter((row) => !before.includes(row)).map(({ key }) => key);
  t.strictSame(renewed.slice(0, 3), ['inbox', 'h-streams', 's10'], 'the number of unread messages changed here');
  t.notOk(renewed.includes('s11') || renewed.includes('h-directs') || renewed.includes('recent'));
  const again = makeSidebarRows(stateOf({ unread_msgs }), { ...PLAIN, openedStreamIds: new Set([10]) });
  t.equal(keepEqualRows(kept, again), kept, 'equal rows are the same array, for which the sidebar does not render');
});

t.test('streams stand in sections, with unread messages outside of muted topics', async (t) => {
  t.strictSame(short(makeSidebarRows(stateOf(), PLAIN)), [
    'directs',
    'dm 2 1',
    'dm 2,3',
    'pinned',
    '#engineering',
    'streams',
    '#board',
    '#general 2@',
    'muted',
    '#cats 1',
  ]);
});

t.test('an open stream shows its unread topics and the one on screen; muted topics are left out', async (t) => {
  const rows = makeSidebarRows(stateOf(), { ...PLAIN, currentPlace: { stream: 10, topic: 'Plans' } });
  t.strictSame(short(rows).slice(6, 11), ['#board', '#general 2@', '  lunch 2@', '  Plans', 'more-topics']);
  const all = makeSidebarRows(stateOf(), {
    ...PLAIN,
    openedStreamIds: new Set([10]),
    streamIdsWithAllTopics: new Set([10]),
  });
  t.strictSame(short(all).slice(7, 10), ['#general 2@', '  noise 1', '  lunch 2@']);
});

t.test('starred messages are counted if the reader wants that', async (t) => {
  const countOfStarred = (starred_message_counts: boolean): unknown =>
    makeSidebarRows(stateOf({ user_settings: { starred_message_counts }, starred_messages: [101, 105] }), PLAIN).find(
      (row) => row.kind === 'view' && row.id === 'starred',
    );
  t.match(countOfStarred(true), { count: 2 });
  t.match(countOfStarred(false), { count: 0 });
});

t.test('a closed section keeps its number', async (t) => {
  const rows = makeSidebarRows(stateOf(), { ...PLAIN, closedSections: new Set(['streams', 'directs']) });
  t.strictSame(short(rows), ['directs (closed)', 'pinned', '#engineering', 'streams (closed)', 'muted', '#cats 1']);
  const heading = rows.find((row) => row.kind === 'heading' && row.section === 'streams');
  t.match(heading, { count: 2, mentioned: true });
});

t.test('the filter finds streams, topics and people, in closed sections, too', async (t) => {
  const closed = new Set(['muted', 'streams'] as const);
  const find = (filter: string) => short(makeSidebarRows(stateOf(), { ...PLAIN, closedSections: closed, filter }));
  t.strictSame(find('cat'), ['muted', '#cats 1']);
  t.strictSame(find('lun'), ['streams', '#general 2@', '  lunch 2@']);
  t.strictSame(find('turing'), ['directs', 'dm 2,3', 'dm 3']);
  t.strictSame(find('nothing like it'), ['note']);
});

t.test('a filter matches beginnings of words, each of its own words', async (t) => {
  t.ok(matchesFilterWords('Grace Hopper', 'gr ho'));
  t.ok(matchesFilterWords('Grace Hopper', 'hop'));
  t.notOk(matchesFilterWords('Grace Hopper', 'op'));
  t.ok(matchesFilterWords('Grace Hopper', 'opper'), 'longer parts match within a word');
});

t.test('streams without traffic stand apart when there are many, or when the user wants that', async (t) => {
  const subscriptions = [stream(10, 'general'), stream(20, 'attic', { stream_weekly_traffic: 0 })];
  const few = stateOf({ subscriptions, unread_msgs: undefined });
  t.notMatch(short(makeSidebarRows(few, PLAIN)), ['inactive']);
  const wanted = stateOf({ subscriptions, unread_msgs: undefined, user_settings: { demote_inactive_streams: 2 } });
  t.strictSame(short(makeSidebarRows(wanted, PLAIN)).slice(-4), ['streams', '#general', 'inactive', '#attic']);
});

t.test('a visitor without an account sees streams only', async (t) => {
  const visitor = stateOf({
    user_id: 0,
    subscriptions: [],
    never_subscribed: [stream(30, 'news', { is_web_public: true })],
    unread_msgs: undefined,
    user_settings: {},
  });
  const rows = makeSidebarRows(visitor, PLAIN);
  t.notOk(rows.some(({ kind }) => kind === 'view'));
  t.strictSame(short(rows), ['streams', '#news']);
});

t.test('people whose client is open count as online, also idle ones; bots do not', async (t) => {
  const bot = { user_id: 4, full_name: 'Hook', is_bot: true };
  const { people } = stateOf({
    realm_users: [person(ME, 'Ada Lovelace'), person(2, 'Grace Hopper'), person(3, 'Alan Turing'), bot],
    server_timestamp: 1_000,
    presences: {
      [ME]: { active_timestamp: 990, idle_timestamp: 990 },
      2: { active_timestamp: 400, idle_timestamp: 990 },
      3: { active_timestamp: 400, idle_timestamp: 400 },
      4: { active_timestamp: 990, idle_timestamp: 990 },
    },
  });
  t.equal(people.countPeopleOnline(), 2);
});
