/** Marking many messages as read, and unread messages in registrations (messages.md, register.md § unread_msgs). */

import { until } from '../../../support/until.js';
import { refused } from '../../harness.js';
import { bad, missing, type Params } from '../../support/client.js';
import { makeOrganization, say, streamIdOf, subscribe, tell } from '../../support/organization.js';
import { flagEvents, flagQueue, flagsOf, setFlag, unreadOf } from '../../support/reading.js';
import { verifyAction } from '../../support/verify-action.js';
import type { Facts } from '../facts.js';

const NEWEST = { anchor: 'newest', num_before: 100, num_after: 0 };

export const marking: Facts = async (t, server) => {
  const org = await makeOrganization(server);
  const { owner, moderator, member, other, guest } = org;
  await subscribe(owner, ['square', 'garden'], { principals: [owner, member, other, guest] });
  const square = await streamIdOf(owner, 'square');
  const garden = await streamIdOf(owner, 'garden');

  await t.test('mark_all_as_read publishes one event for all messages; later messages are unread', async (t) => {
    await say(member, 'square', 'a');
    await tell(member, [other]);
    await tell(member, [other, guest]);
    t.ok((await unreadOf(other)).count > 0);
    const queue = await flagQueue(other);
    await other.api.ok('POST /mark_all_as_read');
    const events = await flagEvents(queue);
    t.match(events, [{ op: 'add', flag: 'read', messages: [], all: true }]);
    const later = await say(member, 'square', 'a');
    const direct = await tell(member, [other]);
    const { streams, pms, count } = await unreadOf(other);
    t.same(streams, [{ stream_id: square, topic: 'a', unread_message_ids: [later] }]);
    // The mark that `settled` sends to oneself is unread, too.
    t.same(
      pms.filter((one) => one.other_user_id === member.id).map((one) => one.unread_message_ids),
      [[direct]],
    );
    t.equal(count, 3);
    await queue.delete();
  });

  await t.test('mark_stream_as_read names exactly the messages of the stream that were unread', async (t) => {
    await other.api.ok('POST /mark_all_as_read');
    const [a, b] = [await say(member, 'square', 'a'), await say(member, 'square', 'b')];
    const away = await say(member, 'garden', 'a');
    await setFlag(other, 'add', 'read', [a]);
    const kept = await say(member, 'square', 'b');
    const queue = await flagQueue(other);
    await other.api.ok('POST /mark_stream_as_read', { stream_id: square });
    t.match(await flagEvents(queue), [{ op: 'add', flag: 'read', messages: [b, kept], all: false }]);
    t.same(await flagsOf(other, away), []);
    await other.api.ok('POST /mark_stream_as_read', { stream_id: square });
    t.same(await flagEvents(queue), [], 'nothing was unread');
    await setFlag(other, 'remove', 'read', [a]);
    await flagEvents(queue);
    await other.api.ok('POST /mark_stream_as_read', { stream_id: square });
    t.match(await flagEvents(queue), [{ messages: [a] }]);
    await queue.delete();
  });

  await t.test(
    'each mark of a stream names its own messages, even if no message came since the last mark',
    async (t) => {
      const [a, b] = [await say(member, 'square', 'again'), await say(member, 'square', 'again')];
      await other.api.ok('POST /mark_stream_as_read', { stream_id: square });
      const queue = await flagQueue(other);
      for (const id of [a, b, a]) {
        await setFlag(other, 'remove', 'read', [id]);
        await flagEvents(queue);
        await other.api.ok('POST /mark_stream_as_read', { stream_id: square });
        t.match(await flagEvents(queue), [{ op: 'add', flag: 'read', messages: [id] }]);
      }
      await queue.delete();
    },
  );

  await t.test('mark_topic_as_read ignores case; without a topic it marks the whole stream', async (t) => {
    await other.api.ok('POST /mark_all_as_read');
    const [a, b] = [await say(member, 'garden', 'Roses'), await say(member, 'garden', 'trees')];
    const again = await say(member, 'garden', 'roses');
    const queue = await flagQueue(other);
    await other.api.ok('POST /mark_topic_as_read', { stream_id: garden, topic_name: 'ROSES' });
    t.match(await flagEvents(queue), [{ messages: [a, again] }]);
    t.same(await flagsOf(other, b), []);
    await other.api.ok('POST /mark_topic_as_read', { stream_id: garden, topic_name: '' });
    t.match(await flagEvents(queue), [{ messages: [b] }]);
    await queue.delete();
    const call = (params: Params, by = other) => by.api.call('POST /mark_topic_as_read', params);
    await refused(t, call({ stream_id: garden, topic_name: 'no such' }), bad("No such topic 'no such'"));
    await refused(t, call({ stream_id: 4_711, topic_name: 'a' }), bad('Invalid stream ID'));
    await refused(t, call({ stream_id: garden }), missing('topic_name'));
    await refused(t, call({ topic_name: 'a' }), missing('stream_id'));
    const stream = (params: Params, by = other) => by.api.call('POST /mark_stream_as_read', params);
    await refused(t, stream({ stream_id: 4_711 }), bad('Invalid stream ID'));
    await refused(t, stream({ stream_id: '"x"' }), bad('stream_id is not an integer'));
    await refused(t, stream({}), missing('stream_id'));
  });

  await t.test('a moved message stays unread after its reader left the stream that it came from', async (t) => {
    await subscribe(owner, ['shed', 'attic'], { principals: [owner, member, other] });
    await other.api.ok('POST /mark_all_as_read');
    const stays = await say(member, 'shed', 'tools');
    const [first, second] = [await say(member, 'shed', 'pots'), await say(member, 'shed', 'pots')];
    const move = (message_id: number, stream: number) =>
      owner.api.ok('PATCH /messages/{message_id}', {
        ...{ message_id, stream_id: stream, propagate_mode: 'change_one' },
        send_notification_to_new_thread: false,
      });
    const unread = async () => (await unreadOf(other)).streams;
    const moved = [{ stream_id: garden, topic: 'pots', unread_message_ids: [first, second] }];
    for (const id of [first, second]) await move(id, garden);
    const queue = await flagQueue(other);
    await other.api.ok('DELETE /users/me/subscriptions', { subscriptions: ['shed'] });
    await until('the messages of the stream are read', async () => (await flagsOf(other, stays)).includes('read'));
    t.match(await flagEvents(queue), [{ op: 'add', flag: 'read', messages: [stays] }]);
    t.same(await unread(), moved);
    t.same(await flagsOf(other, first), []);

    const attic = await streamIdOf(owner, 'attic');
    await other.api.ok('DELETE /users/me/subscriptions', { subscriptions: ['attic'] });
    await move(first, attic);
    await subscribe(other, 'attic');
    t.same(await unread(), [{ ...moved[0], unread_message_ids: [second] }], 'a lost copy is not unread');

    await other.api.ok('POST /mark_all_as_read');
    t.same(await unread(), []);
    t.same(await flagsOf(other, second), ['read']);
    const later = await say(member, 'garden', 'pots');
    t.same(await unread(), [{ ...moved[0], unread_message_ids: [later] }]);
    await queue.delete();
  });

  await t.test('a moved message that was alone in its stream stays unread after its reader left', async (t) => {
    await subscribe(owner, 'cellar', { principals: [owner, member, other] });
    await other.api.ok('POST /mark_all_as_read');
    const id = await say(member, 'cellar', 'wine');
    await owner.api.ok('PATCH /messages/{message_id}', {
      ...{ message_id: id, stream_id: garden, propagate_mode: 'change_all' },
      send_notification_to_new_thread: false,
    });
    await other.api.ok('DELETE /users/me/subscriptions', { subscriptions: ['cellar'] });
    const unread = [{ stream_id: garden, topic: 'wine', unread_message_ids: [id] }];
    t.same((await unreadOf(other)).streams, unread);
    await other.api.ok('POST /mark_all_as_read');
    t.same((await unreadOf(other)).streams, []);
  });

  await t.test('a copy that came with a move and was marked as unread becomes read with its stream', async (t) => {
    await subscribe(owner, 'before', { principals: [owner, guest] });
    await subscribe(owner, 'vault', {
      ...{ invite_only: true, history_public_to_subscribers: false },
      principals: [owner, other],
    });
    const vault = await streamIdOf(owner, 'vault');
    // The first message gets a historical copy before the move; the copies of the others come with it.
    const [history, gained, untouched] = [
      await say(owner, 'before', 'keys'),
      await say(owner, 'before', 'keys'),
      await say(owner, 'before', 'keys'),
    ];
    await subscribe(other, 'before');
    await setFlag(other, 'remove', 'read', [history]);
    await other.api.ok('DELETE /users/me/subscriptions', { subscriptions: ['before'] });
    await owner.api.ok('PATCH /messages/{message_id}', {
      ...{ message_id: untouched, stream_id: vault, propagate_mode: 'change_all' },
      ...{ send_notification_to_new_thread: false, send_notification_to_old_thread: false },
    });
    const marks: [string, () => Promise<unknown>][] = [
      ['stream', () => other.api.ok('POST /mark_stream_as_read', { stream_id: vault })],
      ['topic', () => other.api.ok('POST /mark_topic_as_read', { stream_id: vault, topic_name: 'keys' })],
      ['leaving', () => other.api.ok('DELETE /users/me/subscriptions', { subscriptions: ['vault'] })],
    ];
    await other.api.ok('POST /mark_all_as_read');
    const queue = await flagQueue(other);
    for (const [what, mark] of marks) {
      await setFlag(other, 'remove', 'read', [history, gained]);
      await flagEvents(queue);
      await mark();
      // Leaving the stream is answered before the messages are marked.
      await until('the copies are read', async () => (await flagsOf(other, gained)).includes('read'));
      t.match(await flagEvents(queue), [{ op: 'add', flag: 'read', messages: [history, gained] }], what);
      t.same(
        (await unreadOf(other)).streams.filter(({ stream_id }) => stream_id === vault),
        [],
        what,
      );
    }
    await queue.delete();
  });

  await t.test('mark_topic_as_read finds topics in which the user only starred or reacted', async (t) => {
    await subscribe(member, 'orchard');
    const orchard = await streamIdOf(member, 'orchard');
    const call = (topic_name: string, by = other) =>
      by.api.call('POST /mark_topic_as_read', { stream_id: orchard, topic_name });
    const [apples, pears] = [await say(member, 'orchard', 'apples'), await say(member, 'orchard', 'pears')];
    for (const topic of ['apples', 'pears']) await refused(t, call(topic), bad(`No such topic '${topic}'`));
    await other.api.ok('POST /messages/flags', { messages: [apples], op: 'add', flag: 'starred' });
    await other.api.ok('POST /messages/{message_id}/reactions', { message_id: pears, emoji_name: 'tada' });
    const queue = await flagQueue(other);
    t.equal((await call('Apples')).status, 200);
    await until('the copy of the reaction is there', async () => (await call('pears')).status === 200);
    t.same(await flagEvents(queue), [], 'what is read already is not told again');
    await verifyAction(t, 'a topic of a starred message is marked', [other, member], () => call('apples'));
    await refused(t, call('apples', guest), bad('Invalid stream ID'));
    await refused(t, call('apples', moderator), bad("No such topic 'apples'"), 'of others it says nothing');
    await queue.delete();
  });

  await t.test('unread_msgs groups messages by conversation, and lists mentions', async (t) => {
    await guest.api.ok('POST /mark_all_as_read');
    const one = await say(member, 'square', 'x');
    const spelled = await say(member, 'square', 'X', `hello @**${guest.name}**`);
    const all = await say(member, 'garden', 'x', '@**everyone**');
    const direct = await tell(member, [guest]);
    const note = await tell(guest, [guest]);
    const group = await tell(owner, [guest, member]);
    t.same(await unreadOf(guest), {
      pms: [
        { other_user_id: member.id, sender_id: member.id, unread_message_ids: [direct] },
        { other_user_id: guest.id, sender_id: guest.id, unread_message_ids: [note] },
      ].sort((a, b) => a.other_user_id - b.other_user_id),
      streams: [
        { stream_id: square, topic: 'X', unread_message_ids: [spelled] },
        { stream_id: square, topic: 'x', unread_message_ids: [one] },
        { stream_id: garden, topic: 'x', unread_message_ids: [all] },
      ],
      huddles: [
        {
          user_ids_string: [owner.id, member.id, guest.id].sort((a, b) => a - b).join(','),
          unread_message_ids: [group],
        },
      ],
      mentions: [spelled, all],
      count: 6,
      old_unreads_missing: false,
    });
  });

  await t.test('flags by narrow change a window of the narrow, and the answer describes the window', async (t) => {
    const ids: number[] = [];
    for (let i = 0; i < 5; i++) ids.push(await say(member, 'garden', 'window'));
    const narrow = [
      { operator: 'stream', operand: 'garden' },
      { operator: 'topic', operand: 'window' },
    ];
    const call = (params: Params) =>
      other.api.ok('POST /messages/flags/narrow', { narrow, op: 'add', flag: 'read', ...params });
    const first = await call({ anchor: 'oldest', num_before: 0, num_after: 1 });
    t.match(first, {
      processed_count: 1,
      updated_count: 1,
      first_processed_id: ids[0],
      last_processed_id: ids[0],
      found_oldest: true,
      found_newest: false,
    });
    const rest = await call({ anchor: String(ids[0]), include_anchor: false, num_before: 0, num_after: 10 });
    t.match(rest, { processed_count: 4, updated_count: 4, found_newest: true });
    const again = await call({ anchor: 'newest', num_before: 4_000, num_after: 4_000 });
    t.match(again, { processed_count: 5, updated_count: 0 });
    const none = await call({
      anchor: 'oldest',
      num_before: 0,
      num_after: 5,
      narrow: [{ operator: 'topic', operand: 'nothing' }],
    });
    t.match(none, { processed_count: 0, first_processed_id: null, last_processed_id: null });
    const fine = { anchor: 'oldest', num_before: 0, num_after: 5, narrow, op: 'add', flag: 'read' };
    const refuse = (params: Params) => other.api.call('POST /messages/flags/narrow', { ...fine, ...params });
    await refused(t, refuse({ anchor: 'soon' }), bad('Invalid anchor'));
    await refused(t, refuse({ anchor: undefined }), missing('anchor'));
    await refused(
      t,
      refuse({ include_anchor: false, num_before: 1, num_after: 1 }),
      bad('The anchor can only be excluded at an end of the range'),
    );
    await refused(t, refuse({ flag: 'nice' }), bad("Invalid flag: 'nice'"));
    await refused(t, refuse({ flag: 'historical' }), bad("Flag not editable: 'historical'"));
    await refused(t, refuse({ op: 'x' }), bad("Invalid message flag operation: 'x'"));
    await refused(t, refuse({ narrow: undefined }), missing('narrow'));
  });

  await t.test('snapshot and events agree', async (t) => {
    const people = [member, other, guest];
    const id = await say(owner, 'square', 'state');
    const more = [await say(owner, 'square', 'state'), await say(owner, 'garden', 'state'), await tell(owner, [other])];
    const verify = (title: string, action: () => Promise<unknown>) =>
      t.test(title, (t) => verifyAction(t, title, people, action));
    await verify('a message is read', () => setFlag(other, 'add', 'read', [id]));
    await verify('and unread again', () => setFlag(other, 'remove', 'read', [id]));
    await verify('messages are starred', () => setFlag(other, 'add', 'starred', more));
    await verify('and not any more', () => setFlag(other, 'remove', 'starred', more.slice(1)));
    await verify('a topic is read', () =>
      other.api.ok('POST /mark_topic_as_read', { stream_id: square, topic_name: 'state' }),
    );
    await verify('a stream is read', () => other.api.ok('POST /mark_stream_as_read', { stream_id: garden }));
    await verify('a narrow is read', () =>
      guest.api.ok('POST /messages/flags/narrow', { ...NEWEST, narrow: [], op: 'add', flag: 'read' }),
    );
    await verify('everything is read', () => other.api.ok('POST /mark_all_as_read'));
  });
};
