/** Snapshot + events = state, for the web client's core: after random commands its state is that of a new tab. */
import t, { type Test } from 'tap';
import type { Message, Snapshot } from '../../web/src/contract/index.js';
import {
  ALL_MESSAGES_NARROW,
  type MessageWindow,
  makeDirectNarrow,
  makeNarrowApiParam,
  makeStreamNarrow,
  makeTopicNarrow,
  type Narrow,
} from '../../web/src/core/index.js';
import { makeOrganization, type Person, say, streamIdOf, subscribe, tell } from '../api/support/organization.js';
import { withoutOwnSettings } from '../api/support/reducer-streams.js';
import type { ApiStream } from '../api/support/types.js';
import { until } from '../support/until.js';
import { startFace } from './support/face.js';
import { openTab, settle, type Tab } from './support/tab.js';

const SEED = Number(process.env.WEB_TEST_SEED ?? Math.floor(Math.random() * 2 ** 31));
const STEPS = 80;

const server = await startFace('core-state');

/** Small random numbers that a seed repeats (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

interface World {
  readonly people: readonly Person[];
  readonly streams: readonly { readonly id: number; readonly name: string }[];
  readonly messages: number[];
  readonly deleted: Set<number>;
  readonly pick: <T>(list: readonly T[]) => T;
}

const TOPICS = ['one', 'One', 'two', '✔ two', 'three'];
const EMOJI = ['heart', 'tada', '+1'];

/** Commands that may be refused: a message may be gone, a topic the same as before. */
const COMMANDS: readonly ((world: World, by: Person) => Promise<unknown>)[] = [
  async ({ messages, streams, pick, people }, by) => {
    const text = pick(['hello', `@**${pick(people).name}**`, '@**all** listen', '/me waves', ':tada:']);
    messages.push(await say(by, pick(streams).name, pick(TOPICS), text));
  },
  async ({ messages, streams, pick }, by) => {
    messages.push(await say(by, pick(streams).name, pick(TOPICS)));
  },
  async ({ messages, people, pick }, by) => {
    messages.push(
      await tell(
        by,
        [pick(people), pick(people)].filter((one, at, all) => all.indexOf(one) === at),
      ),
    );
  },
  ({ messages, pick }, by) =>
    by.api.ok('PATCH /messages/{message_id}', {
      message_id: pick(messages),
      content: `edited @**all** ${Math.random()}`,
    }),
  ({ messages, pick }, by) =>
    by.api.ok('PATCH /messages/{message_id}', {
      message_id: pick(messages),
      topic: pick(TOPICS),
      propagate_mode: pick(['change_one', 'change_later', 'change_all']),
    }),
  ({ messages, streams, pick }, by) =>
    by.api.ok('PATCH /messages/{message_id}', {
      message_id: pick(messages),
      stream_id: pick(streams).id,
      propagate_mode: pick(['change_one', 'change_all']),
      send_notification_to_new_thread: pick([true, false]),
    }),
  async ({ messages, deleted, pick }, by) => {
    const message_id = pick(messages);
    await by.api.ok('DELETE /messages/{message_id}', { message_id });
    deleted.add(message_id);
  },
  ({ messages, pick }, by) =>
    by.api.ok('POST /messages/flags', {
      messages: [pick(messages), pick(messages)],
      op: pick(['add', 'remove']),
      flag: pick(['read', 'starred']),
    }),
  ({ pick }, by) => (pick([0, 0, 0, 1]) ? by.api.ok('POST /mark_all_as_read', {}) : Promise.resolve()),
  ({ streams, pick }, by) =>
    by.api.ok('POST /mark_topic_as_read', { stream_id: pick(streams).id, topic_name: pick(TOPICS) }),
  ({ messages, pick }, by) =>
    by.api.ok('POST /messages/{message_id}/reactions', { message_id: pick(messages), emoji_name: pick(EMOJI) }),
  ({ messages, pick }, by) =>
    by.api.ok('DELETE /messages/{message_id}/reactions', { message_id: pick(messages), emoji_name: pick(EMOJI) }),
  ({ streams, pick }, by) =>
    by.api.ok('POST /user_topics', {
      stream_id: pick(streams).id,
      topic: pick(TOPICS),
      visibility_policy: pick([0, 1, 2, 3]),
    }),
  ({ streams, pick }, by) =>
    by.api.ok('POST /users/me/subscriptions/properties', {
      subscription_data: [
        { stream_id: pick(streams).id, property: pick(['is_muted', 'pin_to_top']), value: pick([true, false]) },
      ],
    }),
  ({ streams, pick }, by) => by.api.ok('DELETE /users/me/subscriptions', { subscriptions: [pick(streams).name] }),
  ({ streams, people, pick }, by) => subscribe(by, pick(streams).name, { principals: [pick(people)] }),
  ({ streams, pick }, by) =>
    by.api.ok('PATCH /streams/{stream_id}', {
      stream_id: pick(streams).id,
      description: pick(['plans', 'talk', '']),
    }),
  ({ people, pick }, by) => by.api.ok('POST /users/me/muted_users/{muted_user_id}', { muted_user_id: pick(people).id }),
  ({ people, pick }, by) =>
    by.api.ok('DELETE /users/me/muted_users/{muted_user_id}', { muted_user_id: pick(people).id }),
  ({ pick }, by) =>
    by.api.ok('POST /users/me/status', {
      status_text: pick(['', 'away', 'busy']),
      ...pick([{}, { emoji_name: 'heart', emoji_code: '2764', reaction_type: 'unicode_emoji' }]),
    }),
  ({ pick }, by) => by.api.ok('PATCH /settings', { color_scheme: pick([1, 2, 3]), enter_sends: pick([true, false]) }),
  (_, by) => by.api.ok('POST /users/me/alert_words', { alert_words: [`word${Math.floor(Math.random() * 9)}`] }),
  ({ people, pick }, by) =>
    by.api.ok('POST /user_groups/create', {
      name: `group ${Math.random()}`,
      description: '',
      members: [pick(people).id],
    }),
  ({ streams, pick }, by) =>
    by.api.ok('POST /drafts', {
      drafts: [{ type: 'stream', to: [pick(streams).id], topic: pick(TOPICS), content: 'unfinished' }],
    }),
  ({ pick }, by) =>
    by.api.ok('PATCH /realm', { description: pick(['a', 'b']), digest_emails_enabled: pick([true, false]) }),
  ({ people, pick }, by) =>
    by.api.ok('PATCH /users/{user_id}', { user_id: pick(people.slice(1)).id, role: pick([200, 300, 400]) }),
  (_, by) => by.api.ok('PATCH /settings', { full_name: `${by.name} ${Math.floor(Math.random() * 9)}` }),
];

/** A refusal is part of the game; anything else is not. */
const refused = (error: unknown): boolean => error instanceof Error && / as \w+: 4\d\d /.test(error.message);

type Unread = Snapshot['unread_msgs'];

/** The parts that events keep exact. */
function comparable({ core }: Tab, unheard: ReadonlySet<number>): Record<string, unknown> {
  const {
    presences: _,
    server_timestamp: __,
    max_message_id: ___,
    ...state
  } = { ...core.state.makeSnapshot() } as Record<string, unknown>;
  // In a test each frontend of a cluster has an address of its own.
  delete state.realm_uri;
  delete state.server_emoji_data_url;
  // The client's own snapshot has streams in no order; views sort them.
  const streams = (...names: string[]) =>
    names
      .flatMap((name) => (state[name] ?? []) as ApiStream[])
      .map(({ first_message_id: _, stream_weekly_traffic: __, ...stream }) => stream)
      .sort((a, b) => a.stream_id - b.stream_id);
  state.subscriptions = streams('subscriptions');
  // The event of a stream that becomes visible again does not tell whether the user was subscribed before.
  state.never_subscribed = streams('unsubscribed', 'never_subscribed').map(withoutOwnSettings);
  delete state.unsubscribed;
  // A private stream is archived when its last member leaves. The server then omits its policies, which have no effect.
  const topics = (state.user_topics as { stream_id: number; topic_name: string }[]).filter(
    ({ stream_id }) => core.state.streams.getStreamName(stream_id) !== '',
  );
  state.user_topics = topics.sort(
    (a, b) => a.stream_id - b.stream_id || (a.topic_name.toLowerCase() < b.topic_name.toLowerCase() ? -1 : 1),
  );
  const byId = (a: { user_id: number }, b: { user_id: number }): number => a.user_id - b.user_id;
  state.realm_users = [...(state.realm_users as { user_id: number }[])].sort(byId);
  // Deletions leave the newest message of a conversation unsaid.
  delete state.recent_private_conversations;
  // A snapshot does not say which mentions in a muted topic are personal.
  const { streams: groups, pms, huddles, mentions } = state.unread_msgs as Unread;
  const { streams: known, muting, unread: of } = core.state;
  state.unread_msgs = {
    ...{ pms, huddles },
    mentions: mentions.filter((id) => {
      const place = of.conversationOfUnreadMessage(id);
      const muted =
        place && 'stream' in place && (known.isMuted(place.stream) || muting.isTopicMuted(place.stream, place.topic));
      return !muted;
    }),
    streams: groups,
  };
  // A user hears of a deletion only while subscribed to the stream.
  state.starred_messages = (state.starred_messages as number[]).filter((id) => !unheard.has(id));
  delete state.server_generation;
  return state;
}

/**
 * Starred messages of a tab that a fresh one lacks because a move took them: to a private stream that the user may not
 * read, or to a stream without a subscription, where the copy with its star ends. No event tells of the star.
 */
async function starsTakenByMoves({ core, person }: Tab, fresh: Tab): Promise<number[]> {
  const known = fresh.core.state.ownLists.starredMessageIds.peek();
  const more = [...core.state.ownLists.starredMessageIds.peek()].filter((id) => !known.has(id));
  const taken = await Promise.all(
    more.map(async (message_id) => {
      try {
        const { message } = await person.api.ok<{ message: Message }>('GET /messages/{message_id}', { message_id });
        const isMoved = message.edit_history?.some(({ prev_stream }) => prev_stream !== undefined) ?? false;
        return isMoved && message.flags.includes('historical');
      } catch (error) {
        return refused(error);
      }
    }),
  );
  return more.filter((_, i) => taken[i]);
}

/** The messages of a window as the server has them now, in the range that is loaded. */
async function checkWindow(t: Test, { core, person }: Tab, window: MessageWindow, title: string): Promise<void> {
  const [first, last] = [window.firstMessageId, window.lastMessageId];
  const { messages } = await person.api.ok<{ messages: Message[] }>('GET /messages', {
    anchor: 'newest',
    num_before: 1000,
    num_after: 0,
    narrow: makeNarrowApiParam(window.narrow),
    client_gravatar: false,
  });
  const there = messages.filter(
    ({ id }) =>
      (window.foundOldest.value || (first !== undefined && id >= first)) &&
      (window.foundNewest.value || (last !== undefined && id <= last)),
  );
  // A user hears of a deletion only while subscribed to the stream.
  const onServer = new Set(there.map(({ id }) => id));
  const unheard = (id: number): boolean => {
    const stream = core.windows.messageStore.peek(id)?.stream_id;
    return stream !== undefined && !core.state.streams.isSubscribed(stream) && !onServer.has(id);
  };
  const ids = window.messageIds.value.filter((id) => !unheard(id));
  // Nor does it hear of a message that comes from a stream without a subscription.
  const here = new Set(ids);
  const expected = there.filter(({ id, edit_history }) => here.has(id) || !edit_history?.some((of) => of.prev_stream));
  t.strictSame(
    ids,
    expected.map(({ id }) => id),
    `${title}: the ids`,
  );
  // Views take names from the list of users, and events say nothing of the server's own numbers.
  const plain = (message: object | undefined): object => {
    const { id, content, sender_id, subject, stream_id, flags, reactions, submessages, last_edit_timestamp } =
      (message ?? {}) as Message;
    return {
      ...{ id, content, sender_id, subject, stream_id, submessages, last_edit_timestamp },
      flags: flags?.filter((flag) => flag !== 'historical').sort(),
      reactions: reactions?.map(({ emoji_name, emoji_code, user_id }) => ({ emoji_name, emoji_code, user_id })),
    };
  };
  t.strictSame(
    ids.map((id) => plain(core.windows.messageStore.peek(id))),
    expected.map(plain),
    `${title}: the messages`,
  );
}

t.test(`random commands (WEB_TEST_SEED=${SEED})`, async (t) => {
  const random = randomOf(SEED);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
  const org = await makeOrganization(server, ['admin', 'member', 'other']);
  const { owner, admin, member, other } = org;
  const people = [owner, admin, member, other];
  await owner.api.ok('PATCH /realm', {
    delete_own_message_policy: 5,
    edit_topic_policy: 5,
    move_messages_between_streams_policy: 1,
  });
  await subscribe(owner, ['general', 'random', 'side'], { principals: people });
  await subscribe(owner, 'closed', { invite_only: true, principals: [owner, member] });
  const streams = await Promise.all(
    ['general', 'random', 'side', 'closed'].map(async (name) => ({ name, id: await streamIdOf(owner, name) })),
  );
  const world: World = { people, streams, messages: [], deleted: new Set(), pick };
  for (let i = 0; i < 12; i++) await COMMANDS[i % 3]!(world, pick([owner, member]));

  const tabs = [await openTab(t, server, member), await openTab(t, server, admin)];
  const narrows: Narrow[] = [
    ALL_MESSAGES_NARROW,
    makeStreamNarrow(streams[0]!.id),
    makeTopicNarrow(streams[0]!.id, 'one'),
    makeTopicNarrow(streams[1]!.id, 'two'),
    [{ operator: 'is', operand: 'starred' }],
    [{ operator: 'is', operand: 'mentioned' }],
    makeDirectNarrow([owner.id]),
    [{ operator: 'is', operand: 'dm' }],
  ];
  for (const { core } of tabs)
    for (const narrow of narrows) await core.windows.openWindow(narrow).showOrLoadAround('newest');

  for (let step = 0; step < STEPS; step++) {
    const count = 1 + Math.floor(random() * 3);
    const acts = Array.from({ length: count }, () => pick(COMMANDS)(world, pick(people)));
    for (const { reason } of (await Promise.allSettled(acts)).filter((one) => one.status === 'rejected')) {
      if (!refused(reason)) throw reason;
    }
    if (step % 20 !== 19) continue;
    for (const tab of tabs) {
      await settle(tab);
      const fresh = await openTab(t, server, tab.person);
      const unheard = new Set([...world.deleted, ...(await starsTakenByMoves(tab, fresh))]);
      t.strictSame(
        comparable(tab, unheard),
        comparable(fresh, unheard),
        `the state of ${tab.person.role} after ${step + 1} steps`,
      );
      fresh.platform.close();
    }
  }
  for (const tab of tabs) {
    await settle(tab);
    for (const window of [...tab.core.windows.cachedWindows()]) {
      tab.core.windows.openWindow(window.narrow);
      await until(
        'the window is ready',
        () => window.fetchDirection.value === undefined && window.loadPhase.value === 'ready',
      );
      await checkWindow(t, tab, window, `${tab.person.role}, ${JSON.stringify(window.narrow)}`);
    }
  }
});
