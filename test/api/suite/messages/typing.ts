/** Typing notifications: messages.md § Typing. They are not stored, and a queue holds back at most a hundred. */

import { refused } from '../../harness.js';
import { bad, missing, type Params } from '../../support/client.js';
import { makeOrganization, type Person, say, streamIdOf, subscribe } from '../../support/organization.js';
import { Queue, settled } from '../../support/queue.js';
import type { Facts } from '../facts.js';

export const typing: Facts = async (t, server) => {
  const org = await makeOrganization(server);
  const elsewhere = await makeOrganization(server, ['member']);
  const { owner, admin, member, other, guest } = org;
  await subscribe(owner, 'lawn', { principals: [owner, member, guest] });
  await subscribe(owner, ['vault', 'announced'], { invite_only: true });
  const [lawn, vault] = [await streamIdOf(owner, 'lawn'), await streamIdOf(owner, 'vault')];
  const type = (params: Params, by: Person = member) => by.api.call('POST /typing', params);
  const ok = (params: Params, by: Person = member) => by.api.ok('POST /typing', params);
  /** The client that types also waits for the event, at the same frontend. */
  const listen = async (by: Person, capable = true): Promise<Queue> => {
    const queue = await Queue.register(by, {
      event_types: ['typing', 'message'],
      fetch_event_types: [],
      client_capabilities: { notification_settings_null: true, stream_typing_notifications: capable },
    });
    // The queue answers when it has caught up; typing events before that are lost.
    await queue.now();
    return queue;
  };
  const typings = async (queue: Queue) => (await settled(queue)).filter((event) => event.type === 'typing');
  const as = ({ id, email }: Person) => ({ user_id: id, email });

  await t.test('typing in a direct conversation is published to all participants, the sender too', async (t) => {
    const queues = await Promise.all([member, other, guest, owner].map((person) => listen(person, false)));
    const [mine, others, guests, owners] = queues as [Queue, Queue, Queue, Queue];
    await ok({ op: 'start', to: [other.id] });
    await ok({ op: 'stop', to: [other.id], type: 'private' });
    await ok({ op: 'start', to: [guest.id, other.id, guest.id, member.id], type: 'direct' });
    const events = await mine.take(3);
    t.same(
      events.map(({ id: _, ...event }) => event),
      [
        {
          type: 'typing',
          op: 'start',
          message_type: 'private',
          sender: as(member),
          recipients: [as(other), as(member)],
        },
        {
          type: 'typing',
          op: 'stop',
          message_type: 'private',
          sender: as(member),
          recipients: [as(other), as(member)],
        },
        {
          type: 'typing',
          op: 'start',
          message_type: 'private',
          sender: as(member),
          recipients: [as(guest), as(other), as(member)],
        },
      ],
    );
    t.same(
      (await others.take(3)).map((event) => event.op),
      ['start', 'stop', 'start'],
    );
    t.same(
      (await guests.take(1)).map((event) => event.op),
      ['start'],
    );
    t.same(await typings(owners), [], 'nobody else');
    await ok({ op: 'start', to: [member.id] });
    t.match(await mine.take(1), [{ recipients: [as(member)] }], 'a note to oneself');
  });

  await t.test('typing in a stream is published to subscribers with the capability, the sender too', async (t) => {
    const [mine, owners, guests] = [await listen(member), await listen(owner), await listen(guest)];
    const [incapable, outside] = [await listen(owner, false), await listen(other)];
    await ok({ type: 'stream', op: 'start', to: [lawn], topic: 'Mowing' });
    await ok({ type: 'stream', op: 'stop', to: [lawn], topic: 'x'.repeat(100_000) });
    for (const queue of [mine, owners, guests]) {
      const events = await queue.take(2);
      t.match(events, [
        { op: 'start', message_type: 'stream', sender: as(member), stream_id: lawn, topic: 'Mowing' },
        { op: 'stop', message_type: 'stream', topic: `${'x'.repeat(57)}...` },
      ]);
      t.notOk('recipients' in events[0]!);
    }
    t.same([await typings(incapable), await typings(outside)], [[], []]);
    await subscribe(other, 'lawn');
    await ok({ type: 'stream', op: 'start', to: [lawn], topic: 'later' });
    t.match(await outside.take(1), [{ topic: 'later' }], 'whoever has subscribed since is told');
  });

  await t.test('typing in a public stream needs no subscription', async (t) => {
    const queue = await listen(member);
    await ok({ type: 'stream', op: 'start', to: [lawn], topic: 'passing by' }, admin);
    t.match(await queue.take(1), [{ sender: as(admin), topic: 'passing by' }]);
  });

  await t.test('ids of typing events are in order with those of stored events', async (t) => {
    const queue = await listen(member);
    for (let i = 0; i < 5; i++) {
      await ok({ type: 'stream', op: 'start', to: [lawn], topic: `${i}` });
      await say(member, 'lawn', `${i}`);
    }
    // The queue checks that ids grow.
    const events = await queue.take(10);
    t.same(events.map((event) => event.type).sort(), [...Array(5).fill('message'), ...Array(5).fill('typing')]);
    t.same(await queue.now(), [], 'and can be acknowledged');
  });

  await t.test('a queue holds back no more than the newest hundred', async (t) => {
    const queue = await listen(other);
    await say(owner, 'lawn', 'first');
    for (let i = 0; i < 130; i += 10) {
      await Promise.all(Array.from({ length: 10 }, () => ok({ op: 'start', to: [other.id] })));
    }
    await ok({ op: 'stop', to: [other.id] });
    await say(owner, 'lawn', 'last');
    const seen = await settled(queue);
    const told = seen.filter((event) => event.type === 'typing');
    t.ok(told.length <= 100, `${told.length}`);
    t.equal(told.at(-1)!.op, 'stop', 'the newest are there');
    t.equal(seen.filter((event) => event.type === 'message').length, 2, 'and so is all else');
  });

  await t.test('typing is refused in this order', async (t) => {
    const stream = { type: 'stream', op: 'start', to: [lawn], topic: 'x' };
    await refused(t, type({ to: [other.id] }), missing('op'));
    await refused(t, type({ op: 'start' }), missing('to'));
    await refused(t, type({ op: 'x', type: 'y', to: 'z' }), bad('Invalid type'));
    await refused(t, type({ op: 'x', to: 'z' }), bad('Invalid op'));
    await refused(t, type({ op: 'start', to: 'z' }), bad('Argument "to" is not valid JSON.'));
    await refused(t, type({ op: 'start', to: 5 as unknown as string }), bad('to is not a list'));
    await refused(t, type({ op: 'start', to: [other.email] }), bad('to[0] is not an integer'));
    await refused(t, type({ op: 'start', to: [] }), bad("Empty 'to' list"));
    await refused(t, type({ ...stream, to: [] }), bad("Empty 'to' list"));
    await refused(t, type({ op: 'start', to: [other.id, 99_999] }), bad('Invalid user ID 99999'));
    await refused(t, type({ op: 'start', to: [-1] }), bad('Invalid user ID -1'));
    await refused(t, type({ op: 'start', to: [2 ** 60] }), bad('to[0] is too large'));
    const foreign = elsewhere.member.id + 100;
    await refused(t, type({ op: 'start', to: [foreign] }), bad(`Invalid user ID ${foreign}`));
    await refused(t, type({ ...stream, to: [lawn, vault] }), bad('Cannot send to multiple streams'));
    const { topic: _, ...topicless } = stream;
    await refused(t, type({ ...topicless, to: [99_999] }), bad('Missing topic'));
    await refused(t, type({ ...stream, to: [99_999] }), bad('Invalid stream ID'));
    await refused(t, type({ ...stream, to: [vault] }), bad('Invalid stream ID'), 'a private stream');
    await refused(
      t,
      type({ ...stream, to: [vault] }, admin),
      bad('Invalid stream ID'),
      'administrators are nobody there',
    );
    await subscribe(owner, 'square');
    const square = await streamIdOf(owner, 'square');
    await refused(
      t,
      type({ ...stream, to: [square] }, guest),
      bad('Invalid stream ID'),
      'a guest who is not subscribed',
    );
    await refused(t, org.nobody.call('POST /typing'), {
      status: 401,
      msg: 'Not logged in: API authentication or user session required',
    });
  });

  await t.test('a user who may not post to a stream cannot send typing events there', async (t) => {
    for (const [policy, msg] of [
      [2, 'Only organization administrators can send to this stream.'],
      [4, 'Only organization administrators and moderators can send to this stream.'],
    ] as const) {
      const name = `policy ${policy}`;
      await subscribe(owner, name, { stream_post_policy: policy, principals: [owner, member, guest] });
      const to = [await streamIdOf(owner, name)];
      await refused(t, type({ type: 'stream', op: 'start', to, topic: 'x' }), bad(msg));
      await ok({ type: 'stream', op: 'start', to, topic: 'x' }, owner);
    }
    await subscribe(owner, 'policy 3', { stream_post_policy: 3, principals: [owner, member, guest] });
    const to = [await streamIdOf(owner, 'policy 3')];
    const guests = type({ type: 'stream', op: 'start', to, topic: 'x' }, guest);
    await refused(t, guests, bad('Guests cannot send to this stream.'));
  });

  await t.test('a user who disabled typing notifications gets a refusal', async (t) => {
    const stream = { type: 'stream', op: 'start', to: [lawn], topic: 'x' };
    const direct = { op: 'start', to: [other.id] };
    await guest.api.ok('PATCH /settings', { send_stream_typing_notifications: false });
    const streamOff = bad('User has disabled typing notifications for stream messages');
    await refused(t, type(stream, guest), streamOff);
    await refused(t, type({ ...stream, to: [99_999] }, guest), streamOff, 'before the stream');
    await ok(direct, guest);
    await guest.api.ok('PATCH /settings', {
      send_stream_typing_notifications: true,
      send_private_typing_notifications: false,
    });
    const directOff = bad('User has disabled typing notifications for direct messages');
    await refused(t, type(direct, guest), directOff);
    await refused(t, type({ ...direct, to: [99_999] }, guest), directOff, 'before the recipients');
    await ok(stream, guest);
  });

  await t.test('typing events are not stored', async (t) => {
    const queue = await listen(member);
    await ok({ op: 'start', to: [member.id] });
    await queue.take(1);
    await server.restart();
    t.same(
      (await settled(queue)).filter((event) => event.type === 'typing'),
      [],
    );
    const again = await listen(member);
    await ok({ op: 'stop', to: [member.id] });
    t.match(await again.take(1), [{ op: 'stop' }]);
  });
};
