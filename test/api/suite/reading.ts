/** Read state: flags, marks, unread_msgs and starred messages (messages.md § Flags, register.md § unread_msgs). */
import {
  type ApiMessage,
  bad,
  makeOrganization,
  missing,
  type Params,
  type Person,
  Queue,
  refused,
  say,
  settled,
  streamIdOf,
  subscribe,
  tell,
  verifyAction,
} from '../harness.js';
import type { Facts } from './facts.js';

const NEWEST = { anchor: 'newest', num_before: 100, num_after: 0 };

interface UnreadSection {
  readonly pms: readonly { other_user_id: number; unread_message_ids: number[] }[];
  readonly streams: readonly { stream_id: number; topic: string; unread_message_ids: number[] }[];
  readonly huddles: readonly { user_ids_string: string; unread_message_ids: number[] }[];
  readonly mentions: readonly number[];
  readonly count: number;
}

export const reading: Facts = async (t, server) => {
  const org = await makeOrganization(server);
  const { owner, member, other, guest, admin } = org;
  await subscribe(owner, ['square', 'garden'], { principals: [owner, member, other, guest] });
  const square = await streamIdOf(owner, 'square');
  const garden = await streamIdOf(owner, 'garden');

  const flagsOf = async (by: Person, id: number): Promise<readonly string[]> => {
    const { message } = await by.api.ok<{ message: ApiMessage }>('GET /messages/{message_id}', { message_id: id });
    return message.flags;
  };
  const set = (by: Person, op: string, flag: string, messages: readonly number[]) =>
    by.api.ok('POST /messages/flags', { op, flag, messages });
  const unreadOf = async (by: Person): Promise<UnreadSection> => {
    const { unread_msgs, queue_id } = await by.api.ok('POST /register', {
      fetch_event_types: ['message', 'update_message_flags'],
      event_types: ['heartbeat'],
    });
    await by.api.ok('DELETE /events', { queue_id });
    return unread_msgs as UnreadSection;
  };
  const eventsOf = (by: Person, params: Params = {}) =>
    Queue.register(by, { event_types: ['update_message_flags', 'message'], fetch_event_types: [], ...params });
  const flagEvents = async (queue: Queue) =>
    (await settled(queue)).filter((event) => event.type === 'update_message_flags');

  await t.test('what scripts send is unread, also for themselves, until it is marked', async (t) => {
    const id = await say(member, 'square', 'a');
    t.same(await flagsOf(member, id), []);
    t.same(await flagsOf(other, id), []);
    const answer = await set(other, 'add', 'read', [id]);
    t.same(answer.messages, [id]);
    t.same(await flagsOf(other, id), ['read']);
    t.same(await flagsOf(member, id), []);
    await set(other, 'remove', 'read', [id]);
    t.same(await flagsOf(other, id), []);
  });

  await t.test('flags are listed in their order', async (t) => {
    const id = await say(owner, 'square', 'a', `@**${other.name}** @**all** look`);
    await set(other, 'add', 'collapsed', [id]);
    await set(other, 'add', 'starred', [id]);
    await set(other, 'add', 'read', [id]);
    t.same(await flagsOf(other, id), ['read', 'starred', 'collapsed', 'mentioned', 'wildcard_mentioned']);
    await set(other, 'remove', 'starred', [id]);
    await set(other, 'remove', 'collapsed', [id]);
    t.same(await flagsOf(other, id), ['read', 'mentioned', 'wildcard_mentioned']);
  });

  await t.test('events list what really changed, and come even when nothing did', async (t) => {
    const [a, b] = [await say(member, 'square', 'a'), await say(member, 'square', 'a')];
    await set(other, 'add', 'read', [a]);
    const queue = await eventsOf(other, { event_types: ['update_message_flags', 'message'] });
    await set(other, 'add', 'read', [b, a, 999_999]);
    const [first] = await flagEvents(queue);
    const body = { type: 'update_message_flags', op: 'add', operation: 'add', flag: 'read', all: false };
    t.match(first, { ...body, messages: [b] });
    await set(other, 'add', 'read', [a, b]);
    t.match(await flagEvents(queue), [{ ...body, messages: [] }]);
    await set(other, 'remove', 'read', [a]);
    t.match(await flagEvents(queue), [
      {
        op: 'remove',
        operation: 'remove',
        messages: [a],
        message_details: {
          [a]: { type: 'stream', stream_id: square, topic: 'a', unmuted_stream_msg: true },
        },
      },
    ]);
    const direct = await tell(member, [other, guest]);
    const note = await tell(other, [other]);
    await set(other, 'add', 'read', [direct, note]);
    await set(other, 'remove', 'read', [direct, note]);
    const events = await flagEvents(queue);
    t.same(events.at(-1)?.message_details, {
      [direct]: { type: 'private', user_ids: [member.id, guest.id].sort((x, y) => x - y) },
      [note]: { type: 'private', user_ids: [] },
    });
    await queue.delete();
  });

  await t.test('events that nobody has read yet are told as one, but for unread and all', async (t) => {
    const ids = [await say(member, 'square', 'a'), await say(member, 'square', 'a'), await say(member, 'square', 'a')];
    const queue = await eventsOf(other, { event_types: ['update_message_flags'] });
    for (const id of ids) await set(other, 'add', 'read', [id]);
    await set(other, 'add', 'starred', [ids[0]!]);
    for (const id of ids) await set(other, 'remove', 'read', [id]);
    const seen: unknown[] = [];
    while (seen.length < 5) {
      seen.push(...(await queue.now()).map(({ op, flag, messages }) => [op, flag, messages]));
    }
    t.same(seen, [['add', 'read', ids], ['add', 'starred', [ids[0]]], ...ids.map((id) => ['remove', 'read', [id]])]);
    await set(other, 'remove', 'starred', [ids[0]!]);
    await queue.delete();
  });

  await t.test('a message without a copy counts as read and historical; marking it makes a copy', async (t) => {
    const id = await say(member, 'square', 'old');
    t.same(await flagsOf(admin, id), ['read', 'historical']);
    await set(admin, 'add', 'read', [id]);
    t.same(await flagsOf(admin, id), ['read', 'historical']);
    await set(admin, 'add', 'starred', [id]);
    t.same(await flagsOf(admin, id), ['read', 'starred', 'historical']);
    const { messages } = await admin.api.ok<{ messages: ApiMessage[] }>('GET /messages', NEWEST);
    t.same(
      messages.map((message) => message.id),
      [id],
      'it is among the own ones now',
    );
    await set(admin, 'remove', 'starred', [id]);
    t.same(await flagsOf(admin, id), ['read', 'historical']);
    await set(admin, 'remove', 'read', [id]);
    t.same(await flagsOf(admin, id), ['read', 'historical'], 'not subscribed: passed over');
  });

  await t.test('who made a copy hears of changes, once, also after subscribing', async (t) => {
    const id = await say(member, 'square', 'old');
    await set(admin, 'add', 'starred', [id]);
    const queue = await Queue.register(admin, { event_types: ['reaction', 'message'], fetch_event_types: [] });
    const react = (emoji_name: string) =>
      member.api.ok('POST /messages/{message_id}/reactions', { message_id: id, emoji_name });
    await react('smile');
    t.match(await settled(queue), [{ type: 'reaction', message_id: id }]);
    await subscribe(admin, 'square');
    await react('heart');
    const reactions = (await settled(queue)).filter((event) => event.type === 'reaction');
    t.equal(reactions.length, 1);
    await queue.delete();
    await admin.api.ok('DELETE /users/me/subscriptions', { subscriptions: ['square'] });
  });

  await t.test('refusals change nothing', async (t) => {
    const id = await say(member, 'square', 'a');
    const secret = await tell(owner, [member]);
    const call = (params: Params, by = other) => by.api.call('POST /messages/flags', params);
    const fine = { messages: [id], op: 'add', flag: 'starred' };
    await refused(t, call({ op: 'add', flag: 'read' }), missing('messages'));
    await refused(t, call({ messages: [id], flag: 'read' }), missing('op'));
    await refused(t, call({ messages: [id], op: 'add' }), missing('flag'));
    await refused(t, call({ ...fine, messages: id }), bad('messages is not a list'));
    await refused(t, call({ ...fine, messages: ['x'] }), bad('messages[0] is not an integer'));
    await refused(t, call({ ...fine, flag: 'nice' }), bad("Invalid flag: 'nice'"));
    for (const flag of ['mentioned', 'wildcard_mentioned', 'has_alert_word', 'historical']) {
      await refused(t, call({ ...fine, flag }), bad(`Flag not editable: '${flag}'`));
    }
    await refused(t, call({ ...fine, op: 'toggle' }), bad("Invalid message flag operation: 'toggle'"));
    for (const messages of [
      [id, secret],
      [id, 999_999],
      [-1, id],
    ]) {
      await refused(t, call({ ...fine, messages }), bad('Invalid message(s)'));
    }
    await refused(t, call({ ...fine, messages: [id, 2 ** 53] }), bad('messages[1] is too large'));
    t.same(await flagsOf(other, id), []);
    await set(other, 'add', 'read', [secret]);
    await set(
      other,
      'add',
      'read',
      Array.from({ length: 10_000 }, (_, i) => 10_000_000 + i),
    );
  });

  await t.test('mark_all_as_read: one event for everything, and what comes later is unread', async (t) => {
    await say(member, 'square', 'a');
    await tell(member, [other]);
    await tell(member, [other, guest]);
    t.ok((await unreadOf(other)).count > 0);
    const queue = await eventsOf(other);
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

  await t.test('mark_stream_as_read lists what it was, and only that', async (t) => {
    await other.api.ok('POST /mark_all_as_read');
    const [a, b] = [await say(member, 'square', 'a'), await say(member, 'square', 'b')];
    const away = await say(member, 'garden', 'a');
    await set(other, 'add', 'read', [a]);
    const kept = await say(member, 'square', 'b');
    const queue = await eventsOf(other);
    await other.api.ok('POST /mark_stream_as_read', { stream_id: square });
    t.match(await flagEvents(queue), [{ op: 'add', flag: 'read', messages: [b, kept], all: false }]);
    t.same(await flagsOf(other, away), []);
    await other.api.ok('POST /mark_stream_as_read', { stream_id: square });
    t.same(await flagEvents(queue), [], 'nothing was unread');
    await set(other, 'remove', 'read', [a]);
    await flagEvents(queue);
    await other.api.ok('POST /mark_stream_as_read', { stream_id: square });
    t.match(await flagEvents(queue), [{ messages: [a] }]);
    await queue.delete();
  });

  await t.test('mark_topic_as_read ignores case; without a topic it is the whole stream', async (t) => {
    await other.api.ok('POST /mark_all_as_read');
    const [a, b] = [await say(member, 'garden', 'Roses'), await say(member, 'garden', 'trees')];
    const again = await say(member, 'garden', 'roses');
    const queue = await eventsOf(other);
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

  await t.test('unread_msgs groups by conversation; mentions are told apart', async (t) => {
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

  await t.test('flags by narrow: a window of it, and what was done', async (t) => {
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
    await verify('a message is read', () => set(other, 'add', 'read', [id]));
    await verify('and unread again', () => set(other, 'remove', 'read', [id]));
    await verify('messages are starred', () => set(other, 'add', 'starred', more));
    await verify('and not any more', () => set(other, 'remove', 'starred', more.slice(1)));
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
