import fc from 'fast-check';
import t from 'tap';
import type { Snapshot, Subscriptions } from '../../../web/src/contract/index.js';
import { ClientState, type Conversation } from '../../../web/src/core/index.js';
import { FakePlatform, FakeServer, ME } from './fake-server.js';

const stream = (stream_id: number, is_muted = false): Subscriptions => ({
  ...{ stream_id, is_muted, name: `stream ${stream_id}`, description: '', rendered_description: '', date_created: 0 },
  ...{ invite_only: false, desktop_notifications: null, email_notifications: null, wildcard_mentions_notify: null },
  ...{ push_notifications: null, audible_notifications: null, pin_to_top: false, email_address: '', color: '' },
  ...{ in_home_view: !is_muted, is_announcement_only: false, is_web_public: false, stream_post_policy: 1 },
  ...{ message_retention_days: null, history_public_to_subscribers: true, first_message_id: null },
  ...{ stream_weekly_traffic: null, can_remove_subscribers_group_id: 1 },
});

function stateOf(snapshot: Partial<Snapshot> = {}): ClientState {
  const state = new ClientState(new FakePlatform(new FakeServer()));
  state.loadFromSnapshot({ user_id: ME, subscriptions: [stream(1), stream(2, true)], ...snapshot } as Snapshot);
  return state;
}

t.test('a snapshot is loaded and saved without a difference', async (t) => {
  const unread_msgs = {
    streams: [
      { stream_id: 1, topic: 'Plans', unread_message_ids: [3, 5] },
      { stream_id: 1, topic: 'plans', unread_message_ids: [7] },
      { stream_id: 2, topic: 'noise', unread_message_ids: [9] },
    ],
    pms: [{ other_user_id: 4, sender_id: 4, unread_message_ids: [11] }],
    huddles: [{ user_ids_string: '1,4,6', unread_message_ids: [12, 13] }],
    mentions: [5],
    count: 6,
    old_unreads_missing: true,
  };
  const { unread } = stateOf({ unread_msgs });
  t.strictSame(unread.makeSnapshotFields().unread_msgs, unread_msgs);
  t.equal(
    unread.getConversationCountSignal({ stream: 1, topic: 'PLANS' }).value,
    3,
    'spellings of a topic are one conversation',
  );
  t.equal(unread.getStreamUnmutedCountSignal(1).value, 3);
  t.equal(unread.getStreamUnmutedCountSignal(2).value, 0, 'a muted stream shows no number');
  t.equal(unread.getConversationCountSignal({ users: [4, 6] }).value, 2);
  t.equal(unread.unreadDirectCount.value, 3);
  t.equal(unread.totalUnmutedCount.value, 6);
  t.ok(unread.areCountsLowerBounds.value);
  t.strictSame(
    unread.unreadConversations.value.map(({ newestMessageId, mentionCount }) => [newestMessageId, mentionCount]),
    [
      [13, 0],
      [11, 0],
      [9, 0],
      [7, 1],
    ],
  );
});

t.test('mutes change totals, and a topic may be louder than its stream', async (t) => {
  const { unread, muting } = stateOf();
  unread.putUnread(1, { stream: 2, topic: 'a' }, 'wildcard');
  unread.putUnread(2, { stream: 2, topic: 'b' }, 'personal');
  unread.putUnread(3, { stream: 1, topic: 'c' }, undefined);
  t.equal(unread.totalUnmutedCount.value, 1);
  t.strictSame(unread.unreadMentionIds.value, [2], 'a wildcard in a muted place is no mention');
  muting.putTopicPolicy({ stream_id: 2, topic_name: 'A', visibility_policy: 2, last_updated: 0 });
  t.equal(unread.totalUnmutedCount.value, 2);
  t.strictSame(unread.unreadMentionIds.value, [1, 2]);
  muting.putTopicPolicy({ stream_id: 1, topic_name: 'c', visibility_policy: 1, last_updated: 0 });
  t.equal(unread.totalUnmutedCount.value, 1);
});

t.test('a signal of one conversation is quiet while others change', async (t) => {
  const { unread } = stateOf();
  let calls = 0;
  const stop = unread.getConversationCountSignal({ stream: 1, topic: 'a' }).subscribe(() => calls++);
  unread.putUnread(1, { stream: 1, topic: 'b' }, undefined);
  unread.putUnread(2, { users: [4] }, undefined);
  t.equal(calls, 1);
  unread.putUnread(3, { stream: 1, topic: 'A' }, undefined);
  t.equal(calls, 2);
  stop();
});

const place = fc.oneof(
  fc.record({ stream: fc.constantFrom(1, 2), topic: fc.constantFrom('a', 'A', 'b') }),
  fc.record({ users: fc.constantFrom([4], [4, 6], [ME]) }),
);
const change = fc.tuple(fc.constantFrom('add', 'remove', 'move'), fc.integer({ min: 1, max: 12 }), place);

t.test('any changes leave the counts of a list of unread messages', async () => {
  fc.assert(
    fc.property(fc.array(change, { maxLength: 40 }), (changes) => {
      const { unread } = stateOf();
      const model = new Map<number, Conversation>();
      for (const [what, id, of] of changes) {
        if (what === 'add') {
          unread.putUnread(id, of, undefined);
          model.set(id, of);
        } else if (what === 'remove') {
          unread.removeMessages([id]);
          model.delete(id);
        } else if ('stream' in of) {
          unread.moveMessages([id], of.stream, of.topic);
          const before = model.get(id);
          if (before && 'stream' in before) model.set(id, of);
        }
      }
      const counted = new Map<string, number>();
      for (const of of model.values()) {
        const key = 'users' in of ? of.users.join() : `${of.stream} ${of.topic.toLowerCase()}`;
        counted.set(key, (counted.get(key) ?? 0) + 1);
      }
      for (const of of model.values()) {
        const key = 'users' in of ? of.users.join() : `${of.stream} ${of.topic.toLowerCase()}`;
        if (unread.getConversationCountSignal(of).value !== counted.get(key))
          throw new Error(`${key}: ${unread.getConversationCountSignal(of).value}`);
      }
      return unread.unreadConversations.value.length === counted.size;
    }),
  );
});
