/** A deactivated account in streams: it is in no list of subscribers, and gets no copies. */

import { until } from '../../../support/until.js';
import { refused } from '../../harness.js';
import { bad } from '../../support/client.js';
import {
  addPerson,
  makeOrganization,
  type Person,
  say,
  streamIdOf,
  subscribe,
  withoutNotices,
} from '../../support/organization.js';
import { Queue } from '../../support/queue.js';
import type { ApiMessage, ApiStream } from '../../support/types.js';
import type { Facts } from '../facts.js';

export const deactivatedStreams: Facts = async (t, server) => {
  const org = await makeOrganization(server, ['admin', 'member', 'guest']);
  const { admin, member, guest } = org;
  const deactivate = ({ id }: Person) => admin.api.ok('DELETE /users/{user_id}', { user_id: id });
  const reactivate = ({ id }: Person) => admin.api.ok('POST /users/{user_id}/reactivate', { user_id: id });
  const subscribersOf = async (stream_id: number) =>
    (await member.api.ok<{ subscribers: number[] }>('GET /streams/{stream_id}/members', { stream_id })).subscribers;
  const namesOf = async ({ api }: Person) =>
    (await api.ok<{ subscriptions: ApiStream[] }>('GET /users/me/subscriptions')).subscriptions.map(({ name }) => name);

  await t.test(
    'a deactivated account is in no list of subscribers; reactivation restores it with colour and switches',
    async (t) => {
      const leaver = await addPerson(org, 'leaver one');
      await subscribe(member, ['open', 'closed'], { principals: [member, leaver, guest], invite_only: true });
      await subscribe(member, 'former', { principals: [member, leaver] });
      await leaver.api.ok('DELETE /users/me/subscriptions', { subscriptions: ['former'] });
      const [open, closed] = [await streamIdOf(member, 'open'), await streamIdOf(member, 'closed')];
      const properties = [{ stream_id: closed, property: 'color', value: '#123456' }];
      await leaver.api.ok('POST /users/me/subscriptions/properties', { subscription_data: properties });
      t.ok((await subscribersOf(open)).includes(leaver.id));
      await deactivate(leaver);
      for (const stream of [open, closed]) t.same(await subscribersOf(stream), [member.id, guest.id]);
      const listed = async (operation: string) =>
        JSON.stringify(await member.api.ok(operation, { include_subscribers: true }));
      t.notMatch(await listed('GET /users/me/subscriptions'), `"subscribers":[^\\]]*\\b${leaver.id}\\b`);
      const status = { user_id: leaver.id, stream_id: open };
      const asked = () => member.api.call('GET /users/{user_id}/subscriptions/{stream_id}', status);
      await refused(t, asked(), bad('User is deactivated'));
      const queue = await Queue.register(guest, { event_types: ['subscription'] });
      await reactivate(leaver);
      const events = await queue.take(2);
      t.same(
        events.map(({ op, stream_ids, user_ids }) => [op, stream_ids, user_ids]).sort(),
        [open, closed].map((id) => ['peer_add', [id], [leaver.id]]).sort(),
      );
      for (const stream of [open, closed]) t.same(await subscribersOf(stream), [member.id, guest.id, leaver.id]);
      t.equal((await asked()).body.is_subscribed, true);
      const { subscriptions } = await leaver.api.ok<{ subscriptions: ApiStream[] }>('GET /users/me/subscriptions');
      t.same(
        subscriptions.map(({ name, color }) => [name, color === '#123456']),
        [
          ['closed', true],
          ['open', false],
        ],
      );
    },
  );

  await t.test(
    'messages of meanwhile are history for a reactivated account, without read receipts by it',
    async (t) => {
      const leaver = await addPerson(org, 'leaver two');
      await subscribe(member, ['seen', 'hidden'], {
        principals: [member, leaver, guest],
        invite_only: true,
        history_public_to_subscribers: false,
      });
      await subscribe(member, 'public', { principals: [member, leaver] });
      await leaver.api.ok('POST /mark_all_as_read');
      const before = await say(member, 'seen', 'talk', `@**${leaver.name}** before`);
      await leaver.api.ok('POST /messages/flags', { messages: [before], op: 'add', flag: 'read' });
      const receipts = async (message_id: number) =>
        (await member.api.ok('GET /messages/{message_id}/read_receipts', { message_id })).user_ids;
      t.same(await receipts(before), [leaver.id]);
      await deactivate(leaver);
      t.same(await receipts(before), []);
      const meanwhile = await say(member, 'seen', 'talk', `@**all** @**${leaver.name}**`);
      const open = await say(member, 'public', 'talk');
      await reactivate(leaver);
      t.same(await receipts(before), [leaver.id]);
      const after = await say(member, 'seen', 'talk', `@**${leaver.name}** after`);
      const all = {
        anchor: 'oldest',
        num_before: 0,
        num_after: 100,
        narrow: [{ operator: 'stream', operand: 'seen' }],
      };
      const { messages } = await leaver.api.ok<{ messages: ApiMessage[] }>('GET /messages', all);
      t.same(
        withoutNotices(messages).map(({ id, flags }) => [id, flags]),
        [
          [before, ['read', 'mentioned']],
          [after, ['mentioned']],
        ],
        'of a stream with protected history: what it was there for',
      );
      t.equal(
        (await leaver.api.call('GET /messages/{message_id}', { message_id: meanwhile })).body.msg,
        'Invalid message(s)',
      );
      const { message } = await leaver.api.ok<{ message: ApiMessage }>('GET /messages/{message_id}', {
        message_id: open,
      });
      t.same(message.flags, ['read', 'historical'], 'of a public one: history');
      const { unread_msgs } = await leaver.api.ok('POST /register', {
        fetch_event_types: ['message', 'update_message_flags'],
      });
      t.equal((unread_msgs as { count: number }).count, 1);
    },
  );

  await t.test('a reactivated account has left the streams archived meanwhile', async (t) => {
    const leaver = await addPerson(org, 'leaver three');
    await subscribe(member, ['stays', 'ends', 'vacated'], { principals: [member, leaver], invite_only: true });
    const ends = await streamIdOf(member, 'ends');
    await deactivate(leaver);
    await admin.api.ok('DELETE /streams/{stream_id}', { stream_id: ends });
    await member.api.ok('DELETE /users/me/subscriptions', { subscriptions: ['vacated'] });
    await reactivate(leaver);
    t.same(await namesOf(leaver), ['stays']);
    const { subscriptions, unsubscribed } = await leaver.api.ok('POST /register', {
      fetch_event_types: ['subscription'],
    });
    t.same([(subscriptions as ApiStream[]).map(({ name }) => name), unsubscribed], [['stays'], []]);
  });

  await t.test('moves to streams without the deactivated account take its copies, as from a subscriber', async (t) => {
    const leaver = await addPerson(org, 'reader of the moved');
    await subscribe(admin, ['origin', 'shared'], { principals: [admin, leaver] });
    await subscribe(admin, ['elsewhere'], { invite_only: true, principals: [admin] });
    const taken = await say(admin, 'origin', 'taken');
    const kept = await say(admin, 'origin', 'kept');
    const later = await say(admin, 'origin', 'later');
    await leaver.api.ok('POST /messages/flags', { messages: [taken, kept, later], op: 'add', flag: 'starred' });
    const move = async (message_id: number, to: string) =>
      admin.api.ok('PATCH /messages/{message_id}', { message_id, stream_id: await streamIdOf(admin, to) });
    await deactivate(leaver);
    await move(taken, 'elsewhere');
    await move(kept, 'shared');
    await reactivate(leaver);
    const shown = async () => {
      const { starred_messages } = await leaver.api.ok('POST /register', { fetch_event_types: ['starred_messages'] });
      return starred_messages;
    };
    t.same(await shown(), [kept, later]);
    await refused(t, leaver.api.call('GET /messages/{message_id}', { message_id: taken }), bad('Invalid message(s)'));
    const queue = await Queue.register(leaver, { event_types: ['reaction'] });
    for (const message_id of [taken, kept])
      await admin.api.ok('POST /messages/{message_id}/reactions', { message_id, emoji_name: 'car' });
    const [reaction] = await queue.take(1);
    t.equal(reaction!.message_id, kept, 'no events of the message that was taken');
    await move(later, 'shared');
    t.same(await shown(), [kept, later], 'a move after the reactivation finds it subscribed to both');
  });

  await t.test('messages of a stream archived meanwhile are read for a reactivated account', async (t) => {
    const leaver = await addPerson(org, 'reader of the closed');
    await subscribe(member, ['closed down'], { principals: [member, leaver] });
    await leaver.api.ok('POST /mark_all_as_read');
    await say(member, 'closed down', 'talk');
    const stream_id = await streamIdOf(member, 'closed down');
    await deactivate(leaver);
    await admin.api.ok('DELETE /streams/{stream_id}', { stream_id });
    await reactivate(leaver);
    const recent = { anchor: 'newest', num_before: 10, num_after: 0, narrow: [['is', 'unread']] };
    await until('the messages are read', async () => {
      const { messages } = await leaver.api.ok<{ messages: ApiMessage[] }>('GET /messages', recent);
      return messages.length === 0;
    });
    const first = { anchor: 'first_unread', num_before: 0, num_after: 0 };
    t.equal((await leaver.api.ok('GET /messages', first)).anchor, 10_000_000_000_000_000);
  });

  await t.test(
    'a private stream whose only subscriber is deactivated exists when the subscriber is reactivated',
    async (t) => {
      const leaver = await addPerson(org, 'leaver four');
      await subscribe(leaver, 'alone', { invite_only: true });
      await deactivate(leaver);
      await reactivate(leaver);
      t.same(await namesOf(leaver), ['alone']);
      await say(leaver, 'alone', 'still here');
    },
  );

  await t.test('a second deactivation or reactivation changes nothing', async (t) => {
    const leaver = await addPerson(org, 'leaver five');
    await subscribe(member, 'again', { principals: [member, leaver] });
    const stream = await streamIdOf(member, 'again');
    for (let i = 0; i < 3; i++) {
      await deactivate(leaver);
      t.same(await subscribersOf(stream), [member.id]);
      await Promise.all([reactivate(leaver), reactivate(leaver)]);
      t.same(await subscribersOf(stream), [member.id, leaver.id]);
    }
  });
};
