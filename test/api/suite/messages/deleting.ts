/**
 * Deleting messages and topics, and the list of topics: messages.md § DELETE /messages/{id},
 * streams.md § GET /users/me/{stream_id}/topics and § POST /streams/{stream_id}/delete_topic.
 */

import { refused } from '../../harness.js';
import { bad, missing, type Params, type Refusal } from '../../support/client.js';
import { makeOrganization, type Person, say, streamIdOf, subscribe, tell } from '../../support/organization.js';
import { Queue, settled } from '../../support/queue.js';
import { verifyAction } from '../../support/verify-action.js';
import type { Facts } from '../facts.js';

interface Topic {
  readonly name: string;
  readonly max_id: number;
}

export const deleting: Facts = async (t, server) => {
  const org = await makeOrganization(server);
  const elsewhere = await makeOrganization(server, ['admin']);
  const { owner, admin, moderator, member, other, guest } = org;
  await subscribe(owner, 'square', { principals: [...org.people] });
  await subscribe(member, 'den', { invite_only: true, principals: [member, other] });
  const [square, den] = [await streamIdOf(owner, 'square'), await streamIdOf(member, 'den')];
  const remove = (by: Person, message_id: number) => by.api.call('DELETE /messages/{message_id}', { message_id });
  const exists = async (by: Person, message_id: number): Promise<boolean> =>
    (await by.api.call('GET /messages/{message_id}', { message_id })).status === 200;
  const capable = { client_capabilities: { notification_settings_null: true, bulk_message_deletion: true } };
  const watch = (by: Person, params: Params = capable) =>
    Queue.register(by, { fetch_event_types: [], event_types: ['message', 'delete_message'], ...params });
  const topics = async (by: Person, stream_id = square): Promise<Topic[]> =>
    (await by.api.ok<{ topics: Topic[] }>('GET /users/me/{stream_id}/topics', { stream_id })).topics.filter(
      ({ name }) => name !== 'stream events',
    );
  const deleteTopic = (by: Person, params: Params) => by.api.call('POST /streams/{stream_id}/delete_topic', params);
  const set = (params: Params) => owner.api.ok('PATCH /realm', params);
  const bare = (events: readonly object[]): object[] =>
    events.map((event) => Object.fromEntries(Object.entries(event).filter(([name]) => name !== 'id')));
  const notAllowed = bad("You don't have permission to delete this message");

  await t.test('subscribers get the event of a deletion, each in the form of the client', async (t) => {
    const id = await say(member, 'square', 'gone', 'x');
    const queues = await Promise.all([watch(member), watch(guest, {})]);
    t.equal((await remove(admin, id)).status, 200);
    const event = { type: 'delete_message', message_type: 'stream', stream_id: square, topic: 'gone' };
    t.same(bare(await settled(queues[0])), [{ ...event, message_ids: [id] }]);
    t.same(bare(await settled(queues[1])), [{ ...event, message_id: id }]);
    for (const by of org.people) t.notOk(await exists(by, id), by.role);
    await refused(t, remove(admin, id), bad('Invalid message(s)'), 'only once');
  });

  await t.test(
    'a deleted message disappears for users who left its stream with a copy, and only for these',
    async (t) => {
      await subscribe(owner, ['left', 'closed'], { principals: [owner, member, other] });
      const closed = await streamIdOf(owner, 'closed');
      await owner.api.ok('PATCH /streams/{stream_id}', { stream_id: closed, is_private: true });
      const held: number[] = [];
      for (const name of ['left', 'left', 'closed', 'closed', 'closed']) held.push(await say(owner, name, 'gone', 'x'));
      const leave = (by: Person) => by.api.ok('DELETE /users/me/subscriptions', { subscriptions: ['left', 'closed'] });
      await member.api.ok('POST /messages/flags', { messages: held, op: 'add', flag: 'starred' });
      await leave(member);
      const later = await say(owner, 'closed', 'gone', 'after the leave of one');
      await leave(other);
      await verifyAction(t, 'one of a public stream', [member, other], () => remove(owner, held[0]!));
      await verifyAction(t, 'one of a private stream', [member, other], () => remove(owner, held[2]!));
      const forms = [
        { by: member, params: capable },
        { by: member, params: {} },
        { by: admin, params: capable },
      ];
      const queues = await Promise.all(forms.map(({ by, params }) => watch(by, params)));
      const ids = async () =>
        (await Promise.all(queues.map(settled))).map((events) =>
          events
            .filter(({ type }) => type === 'delete_message')
            .flatMap(({ message_ids, message_id }) => message_ids ?? message_id),
        );
      await remove(owner, held[1]!);
      t.same(await ids(), [[held[1]], [held[1]], []]);
      await deleteTopic(owner, { stream_id: closed, topic_name: 'gone' });
      t.same(await ids(), [[later, held[4], held[3]], [held[4], held[3]], []]);
      const { starred_messages } = await member.api.ok('POST /register', { fetch_event_types: ['starred_messages'] });
      t.same(starred_messages, []);
    },
  );

  await t.test('only users who still read a message of an archived stream can delete it', async (t) => {
    await subscribe(admin, 'shut', { principals: [admin, member, other] });
    const shut = await streamIdOf(admin, 'shut');
    const [first, second] = [await say(member, 'shut', 'gone', 'x'), await say(member, 'shut', 'gone', 'y')];
    await admin.api.ok('DELETE /streams/{stream_id}', { stream_id: shut });
    const queue = await watch(other);
    await refused(t, remove(owner, first), bad('Invalid message(s)'), 'an owner without a copy');
    await refused(t, remove(other, first), notAllowed);
    t.equal((await remove(admin, first)).status, 200);
    await set({ delete_own_message_policy: 1 });
    t.equal((await remove(member, second)).status, 200);
    await set({ delete_own_message_policy: 2 });
    for (const id of [first, second]) for (const by of [admin, member, other]) t.notOk(await exists(by, id), by.role);
    t.match(await settled(queue), [{ message_ids: [first] }, { message_ids: [second] }]);
  });

  await t.test('the deletion of a direct message is published to its participants only', async (t) => {
    await set({ delete_own_message_policy: 5 });
    const id = await tell(member, [other, guest]);
    const queues = await Promise.all([watch(other), watch(guest, {}), watch(admin)]);
    t.equal((await remove(member, id)).status, 200);
    const event = { type: 'delete_message', message_type: 'private' };
    t.same(bare(await settled(queues[0])), [{ ...event, message_ids: [id] }]);
    t.same(bare(await settled(queues[1])), [{ ...event, message_id: id }]);
    t.same(await settled(queues[2]), []);
    await set({ delete_own_message_policy: 2 });
  });

  await t.test(
    'a policy says which roles delete own messages; only administrators delete those of others',
    async (t) => {
      const expected: Record<number, readonly string[]> = {
        1: ['owner', 'admin', 'moderator', 'member'],
        2: ['owner', 'admin'],
        4: ['owner', 'admin', 'moderator'],
        5: ['owner', 'admin', 'moderator', 'member', 'guest'],
      };
      for (const [policy, who] of Object.entries(expected)) {
        await set({ delete_own_message_policy: Number(policy) });
        for (const by of [owner, admin, moderator, member, guest]) {
          const own = await say(by, 'square', 'own', 'x');
          if (who.includes(by.role)) t.equal((await remove(by, own)).status, 200, `${by.role}, policy ${policy}`);
          else await refused(t, remove(by, own), notAllowed, `${by.role}, policy ${policy}`);
        }
      }
      const id = await say(other, 'square', 'theirs', 'x');
      for (const by of [moderator, member, guest]) await refused(t, remove(by, id), notAllowed, by.role);
      await set({ delete_own_message_policy: 2 });
    },
  );

  await t.test("a message out of the caller's sight cannot be deleted by the caller", async (t) => {
    const id = await say(member, 'den', 'secret', 'x');
    const direct = await tell(member, [other]);
    const no = bad('Invalid message(s)');
    for (const by of [owner, admin, guest, elsewhere.admin]) {
      await refused(t, remove(by, id), no, `${by.role}, stream`);
      await refused(t, remove(by, direct), no, `${by.role}, direct`);
    }
    for (const what of [0, 999_999, 4_294_967_295]) await refused(t, remove(admin, what), no, String(what));
    t.equal((await org.nobody.call('DELETE /messages/{message_id}', { message_id: id })).status, 401);
    t.ok(await exists(member, id));
  });

  await t.test('a message deleted by many concurrent calls is deleted once', async (t) => {
    // On a busy machine the calls for one message often find it gone before they reach its stream.
    const ids = await Promise.all([1, 2, 3, 4].map(() => say(member, 'square', 'race', 'x')));
    const queue = await watch(other);
    const calls = (id: number) => Array.from({ length: 8 }, (_, i) => remove(i % 2 === 0 ? admin : owner, id));
    for (const answers of await Promise.all(ids.map((id) => Promise.all(calls(id))))) {
      t.equal(answers.filter(({ status }) => status === 200).length, 1);
      for (const { status, body } of answers) {
        if (status !== 200) t.ok(['Invalid message(s)', 'Message already deleted'].includes(body.msg as string));
      }
    }
    t.equal((await settled(queue)).length, ids.length);
  });

  await t.test('a topic is listed with its newest message, and not at all without messages', async (t) => {
    const [a, b, c] = [
      await say(member, 'square', 'list', 'a'),
      await say(member, 'square', 'List', 'b'),
      await say(other, 'square', 'LIST', 'c'),
    ];
    t.same((await topics(guest))[0], { name: 'LIST', max_id: c });
    await remove(admin, c);
    t.same((await topics(guest))[0], { name: 'List', max_id: b });
    await remove(admin, a);
    t.same((await topics(guest))[0], { name: 'List', max_id: b });
    await remove(admin, b);
    t.notOk((await topics(guest)).some(({ name }) => name.toLowerCase() === 'list'));
  });

  await t.test('in a stream with protected history a user sees only topics of messages received', async (t) => {
    const early = await say(member, 'den', 'early', 'x');
    const both = await say(member, 'den', 'both', 'x');
    await subscribe(member, 'den', { principals: [guest] });
    t.same(await topics(guest, den), []);
    const late = await say(other, 'den', 'Both', 'x');
    t.same(await topics(guest, den), [{ name: 'Both', max_id: late }]);
    t.same((await topics(member, den)).slice(0, 2), [
      { name: 'Both', max_id: late },
      { name: 'early', max_id: early },
    ]);
    await set({ delete_own_message_policy: 5 });
    await remove(other, late);
    await set({ delete_own_message_policy: 2 });
    t.same(await topics(guest, den), []);
    t.same((await topics(member, den))[0], { name: 'both', max_id: both });
  });

  await t.test('topics are listed only of streams that the caller may see', async (t) => {
    const no = bad('Invalid stream ID');
    const of = (by: Person, stream_id: number) => by.api.call('GET /users/me/{stream_id}/topics', { stream_id });
    for (const by of [owner, admin, elsewhere.admin]) await refused(t, of(by, den), no, by.role);
    await refused(t, of(member, 999_999), no);
    t.equal((await org.nobody.call('GET /users/me/{stream_id}/topics', { stream_id: square })).status, 401);
    await subscribe(owner, 'not for guests');
    const stream = await streamIdOf(owner, 'not for guests');
    await refused(t, of(guest, stream), no, 'a guest who is not subscribed');
    t.same(await topics(member, stream), [], 'a stream without messages has none');
    t.equal((await member.api.call('GET /users/me/{stream_id}/topics', { stream_id: 'x' })).status, 404);
  });

  await t.test('a topic is deleted whole, in any case of its letters, newest messages first', async (t) => {
    const ids: number[] = [];
    for (const topic of ['Del', 'del', 'DEL']) ids.push(await say(member, 'square', topic, 'x'));
    const kept = await say(member, 'square', 'kept', 'x');
    const queues = await Promise.all([watch(member), watch(other, {})]);
    t.equal((await deleteTopic(admin, { stream_id: square, topic_name: 'dEl' })).status, 200);
    const newest = [...ids].reverse();
    const bulk = await settled(queues[0]);
    t.same(
      bulk.map((event) => event.message_ids),
      [newest],
    );
    t.same(
      (await settled(queues[1])).map((event) => event.message_id),
      newest,
    );
    for (const id of ids) t.notOk(await exists(member, id));
    t.ok(await exists(member, kept));
    t.notOk((await topics(member)).some(({ name }) => name.toLowerCase() === 'del'));
    t.equal((await deleteTopic(admin, { stream_id: square, topic_name: 'never was' })).status, 200);
  });

  await t.test('more messages than one batch', async (t) => {
    for (let i = 0; i < 11; i++) {
      await Promise.all(Array.from({ length: 100 }, () => say(member, 'square', 'many', 'x')));
    }
    const queue = await watch(member);
    t.equal((await deleteTopic(owner, { stream_id: square, topic_name: 'many' })).status, 200);
    const events = await settled(queue);
    const ids = events.flatMap((event) => event.message_ids as number[]);
    t.same([ids.length, new Set(ids).size], [1_100, 1_100]);
    t.same(
      ids,
      [...ids].sort((a, b) => b - a),
      'from the newest',
    );
    t.notOk((await topics(member)).some(({ name }) => name === 'many'));
  });

  await t.test('deleting a topic of a protected history deletes only what the administrator received', async (t) => {
    const before = await say(member, 'den', 'partly', 'x');
    await subscribe(member, 'den', { principals: [admin] });
    const after = await say(member, 'den', 'partly', 'x');
    t.equal((await deleteTopic(admin, { stream_id: den, topic_name: 'partly' })).status, 200);
    t.same([await exists(member, before), await exists(member, after)], [true, false]);
    t.same((await topics(member, den))[0], { name: 'partly', max_id: before });
  });

  await t.test('refusals of deleting a topic', async (t) => {
    const admins: Refusal = { code: 'UNAUTHORIZED_PRINCIPAL', msg: 'Must be an organization administrator' };
    for (const by of [moderator, member, guest]) {
      await refused(t, deleteTopic(by, { stream_id: square, topic_name: 'x' }), admins, by.role);
    }
    await refused(t, deleteTopic(admin, { stream_id: square }), missing('topic_name'));
    await refused(t, deleteTopic(admin, { stream_id: 999_999, topic_name: 'x' }), bad('Invalid stream ID'));
    await refused(
      t,
      deleteTopic(owner, { stream_id: den, topic_name: 'x' }),
      bad('Invalid stream ID'),
      'no member of it',
    );
    await refused(t, deleteTopic(elsewhere.admin, { stream_id: den, topic_name: 'x' }), bad('Invalid stream ID'));
    const nobody = org.nobody.call('POST /streams/{stream_id}/delete_topic', { stream_id: square, topic_name: 'x' });
    t.equal((await nobody).status, 401);
  });
};
