/** DELETE and PATCH /users/me/subscriptions: streams.md. */

import { refused } from '../../harness.js';
import { bad, missing, type Params, type Refusal } from '../../support/client.js';
import {
  makeBot,
  makeOrganization,
  type Person,
  say,
  streamIdOf,
  subscribe,
  withoutNotices,
} from '../../support/organization.js';
import { Queue, settled } from '../../support/queue.js';
import type { ApiMessage, ApiStream } from '../../support/types.js';
import type { Facts } from '../facts.js';

const unknown = (stream: string): Refusal => ({
  code: 'STREAM_DOES_NOT_EXIST',
  msg: `Stream '${stream}' does not exist`,
  extra: { stream },
});

const notOnBehalf = (principal: string | number): Refusal => ({
  status: 403,
  code: 'UNAUTHORIZED_PRINCIPAL',
  msg: `User not authorized to execute queries on behalf of '${principal}'`,
  extra: { principal },
});

export const leaving: Facts = async (t, server) => {
  const org = await makeOrganization(server);
  const elsewhere = await makeOrganization(server, []);
  const { owner, admin, moderator, member, other, guest } = org;
  const leave = (by: Person, subscriptions: unknown, params: Params = {}) =>
    by.api.call('DELETE /users/me/subscriptions', { subscriptions, ...params });
  const mine = async (by: Person) =>
    (await by.api.ok<{ subscriptions: ApiStream[] }>('GET /users/me/subscriptions')).subscriptions;
  const names = async (by: Person) => (await mine(by)).map((one) => one.name);
  const done = (removed: string[], not_removed: string[] = []) => ({
    result: 'success',
    msg: '',
    removed,
    not_removed,
  });

  await t.test('a user who leaves is no longer subscribed; a non-subscriber has nothing to leave', async (t) => {
    await subscribe(member, ['a', 'b', 'c']);
    t.same((await leave(member, ['A ', 'b'])).body, done(['a', 'b']));
    t.same(await names(member), ['c']);
    t.same((await leave(member, ['b', 'c', 'c'])).body, done(['c'], ['b']));
    t.same((await leave(member, [])).body, done([]));
  });

  await t.test('unknown names, wrong names and wrong lists change nothing', async (t) => {
    await subscribe(member, 'kept');
    await refused(t, leave(member, ['kept', 'nowhere', 'neither']), unknown('nowhere'));
    await refused(t, leave(guest, ['nowhere']), unknown('nowhere'), 'as a guest');
    await refused(t, leave(member, ['kept', ' ']), bad("Stream name can't be empty!"));
    await refused(t, leave(member, ['x'.repeat(61)]), bad('Stream name too long (limit: 60 characters).'));
    await refused(t, leave(member, ['a\u{0}']), bad('Invalid character in stream name, at position 2!'));
    await refused(t, leave(member, 'x'), bad('Argument "subscriptions" is not valid JSON.'));
    await refused(t, leave(member, [1]), bad('subscriptions[0] is not a string'));
    await refused(t, member.api.call('DELETE /users/me/subscriptions', {}), missing('subscriptions'));
    await refused(t, leave(member, ['kept'], { principals: [member.id, 987_654] }), notOnBehalf(987_654));
    await refused(t, leave(owner, ['kept'], { principals: ['x@y.example'] }), notOnBehalf('x@y.example'));
    await refused(
      t,
      leave(owner, ['kept'], { principals: [elsewhere.owner.email] }),
      notOnBehalf(elsewhere.owner.email),
    );
    await refused(t, leave(elsewhere.owner, ['kept']), unknown('kept'), 'in another organization');
    t.ok((await names(member)).includes('kept'));
  });

  await t.test(
    "other users are unsubscribed by users whom the stream's policy admits and who may see it",
    async (t) => {
      await subscribe(member, 'others', { principals: [member, other, guest] });
      for (const by of [moderator, member, other, guest]) {
        const whom = by === other ? member : other;
        await refused(t, leave(by, ['others'], { principals: [whom.id] }), bad('Insufficient permission'), by.role);
        const self = await leave(by, ['others'], { principals: [by.id] });
        t.equal(self.status, 200, `${by.role}, himself by id`);
        await subscribe(owner, 'others', { principals: [by] });
      }
      t.same((await leave(admin, ['others'], { principals: [other.id, guest.id] })).body, done(['others', 'others']));
      t.notOk((await names(guest)).includes('others'));
      await subscribe(member, 'by moderators', { invite_only: true, can_remove_subscribers_group_id: 3 });
      await subscribe(member, 'by moderators', { principals: [other] });
      await refused(t, leave(moderator, ['by moderators'], { principals: [other.id] }), bad('Insufficient permission'));
      t.same((await leave(owner, ['by moderators'], { principals: [other.email] })).body, done(['by moderators']));
      await subscribe(member, 'by moderators', { principals: [other, moderator] });
      t.same((await leave(moderator, ['by moderators'], { principals: [other.id] })).body, done(['by moderators']));
      await subscribe(owner, 'by all members', { can_remove_subscribers_group_id: 5, principals: [other, guest] });
      t.same((await leave(member, ['by all members'], { principals: [other.id] })).body, done(['by all members']));
      await refused(t, leave(guest, ['by all members'], { principals: [owner.id] }), bad('Insufficient permission'));
    },
  );

  await t.test("a bot's owner unsubscribes it from streams that the owner may see", async (t) => {
    const bot = await makeBot(member, { bot_type: 1 });
    await subscribe(admin, 'of bots', { principals: [bot] });
    t.same((await leave(member, ['of bots'], { principals: [bot.id] })).body, done(['of bots']));
    await subscribe(admin, 'hidden', { invite_only: true, principals: [bot, other] });
    for (const by of [member, other]) {
      const reason = by === member ? 'not in the private stream' : 'not the owner';
      await refused(t, leave(by, ['hidden'], { principals: [bot.id] }), bad('Insufficient permission'), reason);
    }
    await subscribe(other, 'hidden', { principals: [member] });
    t.same((await leave(member, ['hidden'], { principals: [bot.id] })).body, done(['hidden']));
  });

  await t.test('received messages stay readable; later ones do not arrive', async (t) => {
    await subscribe(member, 'secret', { invite_only: true, history_public_to_subscribers: true });
    const before = await say(member, 'secret', 'topic', 'before');
    await subscribe(member, 'secret', { principals: [other] });
    const during = await say(member, 'secret', 'topic', 'during');
    const read = async () => {
      const params = { narrow: [['stream', 'secret']], anchor: 'oldest', num_before: 0, num_after: 100 };
      const { messages } = await other.api.ok<{ messages: ApiMessage[] }>('GET /messages', params);
      return withoutNotices(messages).map(({ id }) => id);
    };
    t.same(await read(), [before, during], 'subscribed: with its history');
    const queue = await Queue.register(other, { event_types: ['message', 'subscription'] });
    await leave(other, ['secret']);
    const after = await say(member, 'secret', 'topic', 'after');
    t.same(
      (await settled(queue)).map((event) => [event.type, event.op]),
      [['subscription', 'remove']],
      'told once, and of no message since',
    );
    t.same(await read(), [during], 'only what was received');
    const one = (message_id: number) => other.api.call('GET /messages/{message_id}', { message_id });
    t.equal((await one(during)).status, 200);
    for (const id of [before, after]) await refused(t, one(id), bad('Invalid message(s)'), `message ${id}`);
    await refused(
      t,
      other.api.call('POST /messages', { type: 'stream', to: 'secret', topic: 'x', content: 'x' }),
      bad("Not authorized to send to stream 'secret'"),
    );
    await subscribe(member, 'secret', { principals: [other] });
    t.same(await read(), [before, during, after], 'and back: history again');
    const rejoined = await say(member, 'secret', 'topic', 'back');
    t.same(await read(), [before, during, after, rejoined]);
  });

  await t.test('in a protected history the time of absence is a gap', async (t) => {
    await subscribe(member, 'protected', { invite_only: true });
    const texts: string[] = [];
    for (const step of ['alone', 'together', 'apart', 'again']) {
      if (step === 'together' || step === 'again') await subscribe(member, 'protected', { principals: [other] });
      if (step === 'apart') await leave(other, ['protected']);
      await say(member, 'protected', 'topic', step);
      texts.push(step);
    }
    const params = { narrow: [['stream', 'protected']], anchor: 'oldest', num_before: 0, num_after: 100 };
    const { messages } = await other.api.ok<{ messages: ApiMessage[] }>('GET /messages', {
      ...params,
      apply_markdown: false,
    });
    t.same(
      withoutNotices(messages).map(({ content }) => content),
      ['together', 'again'],
    );
  });

  await t.test('who was removed from a private stream reads old messages there, but changes none', async (t) => {
    await subscribe(owner, 'walled', { invite_only: true, principals: [owner, member, admin] });
    const walled = await streamIdOf(owner, 'walled');
    const own = await say(member, 'walled', 'plans', 'mine');
    const poll = await say(owner, 'walled', 'plans', '/poll When?\nnow\nlater');
    const on = (by: Person, operation: string, message_id: number, params: Params = {}) =>
      by.api.call(operation, { message_id, ...params });
    const vote = { msg_type: 'widget', content: JSON.stringify({ type: 'vote', key: 'canned,0', vote: 1 }) };
    const changes: readonly [string, number, Params][] = [
      ['PATCH /messages/{message_id}', own, { content: 'changed' }],
      ['PATCH /messages/{message_id}', own, { topic: 'changed', propagate_mode: 'change_all' }],
      ['PATCH /messages/{message_id}', own, { topic: 'other', stream_id: walled }],
      ['POST /submessage', poll, vote],
      ['POST /messages/{message_id}/reactions', poll, { emoji_name: 'heart' }],
      ['DELETE /messages/{message_id}', own, {}],
    ];
    const smile = { emoji_name: 'smile' };
    t.equal((await on(member, 'POST /messages/{message_id}/reactions', poll, smile)).status, 200);
    const done = { subscriptions: ['walled'], principals: [member.id, admin.id] };
    await owner.api.ok('DELETE /users/me/subscriptions', done);
    for (const by of [member, admin])
      for (const [operation, id, params] of changes)
        await refused(t, on(by, operation, id, params), bad('Invalid message(s)'), operation);
    t.equal((await on(member, 'GET /messages/{message_id}', own)).status, 200);
    t.equal((await on(member, 'DELETE /messages/{message_id}/reactions', poll, smile)).status, 200);
    await member.api.ok('POST /messages/flags', { messages: [own], op: 'add', flag: 'starred' });
    await subscribe(owner, 'walled', { principals: [member] });
    await owner.api.ok('PATCH /realm', { delete_own_message_policy: 5 });
    for (const [operation, id, params] of changes)
      t.equal((await on(member, operation, id, params)).status, 200, `${operation} after the return`);
  });

  await t.test('colour and switches survive an absence', async (t) => {
    await subscribe(other, 'coloured');
    const stream_id = await streamIdOf(other, 'coloured');
    const data = [
      { stream_id, property: 'color', value: '#abcdef' },
      { stream_id, property: 'pin_to_top', value: true },
    ];
    await other.api.ok('POST /users/me/subscriptions/properties', { subscription_data: data });
    await leave(other, ['coloured']);
    await subscribe(other, 'coloured');
    const back = (await mine(other)).find((one) => one.name === 'coloured')!;
    t.same([back.color, back.pin_to_top], ['#abcdef', true]);
  });

  await t.test('a private stream without subscribers left is archived', async (t) => {
    await subscribe(member, 'vanishing', { invite_only: true, principals: [member, other] });
    const stream_id = await streamIdOf(member, 'vanishing');
    const queue = await Queue.register(admin, { event_types: ['stream', 'subscription', 'message'] });
    await leave(member, ['vanishing']);
    t.same(
      (await settled(queue)).map(({ type, op }) => `${type}/${op}`),
      ['subscription/peer_remove'],
    );
    await leave(other, ['vanishing']);
    t.same(
      (await queue.take(2)).map(({ type, op }) => `${type}/${op}`),
      ['subscription/peer_remove', 'stream/delete'],
    );
    await refused(
      t,
      admin.api.call('DELETE /streams/{stream_id}', { stream_id }),
      bad('Stream is already deactivated'),
    );
    const { streams } = await admin.api.ok<{ streams: ApiStream[] }>('GET /streams', { include_all_active: true });
    t.notOk(streams.some((one) => one.stream_id === stream_id));
    await subscribe(moderator, 'vanishing');
    t.not(await streamIdOf(moderator, 'vanishing'), stream_id, 'its name is free');
  });

  await t.test('PATCH: joining and leaving in one call, all or nothing', async (t) => {
    const patch = (by: Person, params: Params) => by.api.call('PATCH /users/me/subscriptions', params);
    await subscribe(moderator, ['old one', 'old two']);
    const { body } = await patch(moderator, {
      add: [{ name: 'new one', description: 'n' }, { name: 'old one' }],
      delete: ['old two', 'a'],
    });
    t.same(body, {
      result: 'success',
      msg: '',
      subscribed: { [moderator.email]: ['new one'] },
      already_subscribed: { [moderator.email]: ['old one'] },
      removed: ['old two'],
      not_removed: ['a'],
    });
    t.same((await patch(moderator, { add: [{ name: 'both' }], delete: ['both', 'old one'] })).body, {
      result: 'success',
      msg: '',
      subscribed: { [moderator.email]: ['both'] },
      already_subscribed: {},
      removed: ['both', 'old one'],
      not_removed: [],
    });
    t.ok((await names(moderator)).includes('new one'));
    t.notOk((await names(moderator)).includes('both'));
    const before = await names(moderator);
    await refused(t, patch(moderator, { add: [{ name: 'never made' }], delete: ['nowhere'] }), unknown('nowhere'));
    await refused(
      t,
      patch(moderator, { add: [{ name: '' }], delete: ['new one'] }),
      bad("Stream name can't be empty!"),
    );
    await refused(
      t,
      patch(moderator, { add: [{ name: 'y'.repeat(61) }] }),
      bad('Stream name too long (limit: 60 characters).'),
    );
    await refused(
      t,
      patch(moderator, { add: [{ name: 'a\n' + 'b' }] }),
      bad('Invalid character in stream name, at position 2!'),
    );
    await owner.api.ok('PATCH /realm', { create_public_stream_policy: 2 });
    const policy = patch(moderator, { add: [{ name: 'old one' }, { name: 'never made' }], delete: ['new one'] });
    await refused(t, policy, bad('Insufficient permission'), 'who may not make streams');
    await owner.api.ok('PATCH /realm', { create_public_stream_policy: 1 });
    await refused(t, patch(moderator, { add: [{ name: 'secret' }] }), bad('Unable to access stream (secret).'));
    await refused(t, patch(moderator, {}), bad('Nothing to do. Specify at least one of "add" or "delete".'));
    await refused(t, patch(moderator, { add: 'x' }), bad('Argument "add" is not valid JSON.'));
    await refused(t, patch(guest, { delete: ['by all members'] }), bad('Not allowed for guest users'));
    t.same(await names(moderator), before, 'nothing of the refused ones has happened');
    const { streams } = await owner.api.ok<{ streams: ApiStream[] }>('GET /streams');
    t.notOk(streams.some((one) => one.name === 'never made'));
  });

  await t.test('users who may see the subscribers get the event of leaving; no other user does', async (t) => {
    const people = [owner, admin, moderator, member, other, guest];
    await subscribe(member, 'left open', { principals: [member, other, guest] });
    await subscribe(member, 'left closed', { invite_only: true, principals: [member, other, guest] });
    const watchers = await Promise.all(
      people.map((person) => Queue.register(person, { event_types: ['subscription', 'message'] })),
    );
    const heard = async () => {
      const of: Record<string, string> = {};
      for (const queue of watchers) {
        const events = (await settled(queue)).filter((event) => event.type === 'subscription');
        of[queue.of.role] = events.map((event) => `${event.op}`).join(' ');
      }
      return of;
    };
    await leave(other, ['left open']);
    t.same(await heard(), {
      owner: 'peer_remove',
      admin: 'peer_remove',
      moderator: 'peer_remove',
      member: 'peer_remove',
      other: 'remove',
      guest: 'peer_remove',
    });
    await leave(other, ['left closed']);
    t.same(await heard(), {
      owner: 'peer_remove',
      admin: 'peer_remove',
      moderator: '',
      member: 'peer_remove',
      other: 'remove',
      guest: 'peer_remove',
    });
    await leave(guest, ['left open', 'left closed']);
    t.equal((await heard()).guest, 'remove', 'both in one event');
    await leave(member, ['left open']);
    t.equal((await heard()).guest, '', 'who has left hears nothing more');
  });
};
