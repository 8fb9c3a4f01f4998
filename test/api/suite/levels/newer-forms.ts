/** Requests of clients of newer levels: sending, typing, editing, registering (docs/api/messages.md, register.md). */
import { createHash } from 'node:crypto';
import { refused } from '../../harness.js';
import { bad, type Params } from '../../support/client.js';
import { atLevel } from '../../support/levels.js';
import {
  makeBot,
  makeOrganization,
  type Person,
  say,
  streamIdOf,
  subscribe,
  tell,
} from '../../support/organization.js';
import { Queue, settled } from '../../support/queue.js';
import type { ApiMessage } from '../../support/types.js';
import type { Facts } from '../facts.js';

export const newerForms: Facts = async (t, server) => {
  const org = await makeOrganization(server);
  const elsewhere = await makeOrganization(server, ['member']);
  const owner = atLevel(org.owner);
  const member = atLevel(org.member);
  const other = atLevel(org.other);
  const guest = atLevel(org.guest);
  await subscribe(owner, 'pier', { principals: [owner, member, guest] });
  await subscribe(owner, 'vault', { invite_only: true });
  const [pier, vault] = [await streamIdOf(owner, 'pier'), await streamIdOf(owner, 'vault')];
  const message = async (id: number, by: Person = member) =>
    (await by.api.ok<{ message: ApiMessage }>('GET /messages/{message_id}', { message_id: id })).message;

  await t.test('a bot that is deactivated and reactivated is updated, not removed and added', async (t) => {
    const bot = await makeBot(member);
    const queue = await Queue.register(member, { event_types: ['realm_bot', 'message'] });
    await owner.api.ok('DELETE /bots/{bot_id}', { bot_id: bot.id });
    await owner.api.ok('POST /users/{user_id}/reactivate', { user_id: bot.id });
    t.same(
      (await settled(queue)).map(({ op, bot: shown }) => [op, shown]),
      [false, true].map((is_active) => ['update', { user_id: bot.id, is_active }]),
    );
  });

  await t.test('messages go to a channel, by id or name', async (t) => {
    for (const to of [pier, 'Pier']) {
      const params = { type: 'channel', to, topic: 'boats', content: 'ahoy' };
      const { id } = await member.api.ok<{ id: number }>('POST /messages', params);
      t.match(await message(id, owner), { type: 'stream', stream_id: pier, subject: 'boats' });
    }
    const params = { type: 'channel', to: vault, topic: 'x', content: 'x' };
    await refused(t, member.api.call('POST /messages', params), {
      code: 'BAD_REQUEST',
      msg: "Not authorized to send to stream 'vault'",
    });
    t.equal((await atLevel(elsewhere.member).api.call('POST /messages', { ...params, to: pier })).status, 400);
    t.equal((await org.nobody.call('POST /messages', params)).status, 401);
    await refused(t, org.member.api.call('POST /messages', params), bad('Invalid type'), 'at the base level');
    const between = atLevel(org.member, 277);
    const { id } = await between.api.ok<{ id: number }>('POST /messages', {
      ...params,
      to: pier,
      read_by_sender: true,
    });
    t.match(await message(id), { stream_id: pier, flags: ['read'] }, 'at the lowest newer level');
    await between.api.ok('POST /typing', { type: 'channel', op: 'start', stream_id: pier, topic: 'x' });
    const narrow = [
      { operator: 'channel', operand: pier },
      { operator: 'with', operand: id },
    ];
    const { messages } = await between.api.ok<{ messages: ApiMessage[] }>('GET /messages', {
      narrow,
      anchor: id,
      num_before: 0,
      num_after: 0,
    });
    t.same(
      messages.map((one) => one.id),
      [id],
    );
  });

  await t.test('direct messages name all participants, the sender too', async (t) => {
    const params = { type: 'direct', to: [other.id, member.id], content: 'us two' };
    const { id } = await member.api.ok<{ id: number }>('POST /messages', params);
    const { display_recipient } = await message(id);
    t.same(
      (display_recipient as unknown as { id: number }[]).map((one) => one.id).sort(),
      [member.id, other.id].sort(),
    );
    await member.api.ok('POST /messages', { ...params, to: [member.id] });
  });

  await t.test('read_by_sender decides whether the sender has read the message; else the client name', async (t) => {
    const flagsOf = async (params: Params, by: Person = member) => {
      const sent = { type: 'stream', to: pier, topic: 'marks', content: 'x', ...params };
      const { id } = await by.api.ok<{ id: number }>('POST /messages', sent);
      return (await message(id)).flags;
    };
    t.same(await flagsOf({ read_by_sender: true }), ['read']);
    t.same(await flagsOf({ read_by_sender: false }), []);
    t.same(await flagsOf({}), [], 'a client without a known name');
    t.same(await flagsOf({ client: 'ZulipFlutter' }), ['read'], 'the mobile client is one that people use');
    t.same(await flagsOf({ client: 'ZulipFlutter', read_by_sender: false }), []);
    const old = { type: 'stream', to: pier, topic: 'marks', content: 'x', read_by_sender: true };
    const { id, ignored_parameters_unsupported } = await org.member.api.ok<{
      id: number;
      ignored_parameters_unsupported: string[];
    }>('POST /messages', old);
    t.same(ignored_parameters_unsupported, ['read_by_sender'], 'unknown at the base level');
    t.same((await message(id)).flags, []);
    for (const value of ['yes', '1', '{}', '"true"']) {
      const answer = await member.api.call('POST /messages', { ...old, read_by_sender: value });
      t.equal(answer.status, 400, value);
    }
  });

  await t.test('typing in a channel names the stream in stream_id', async (t) => {
    const listen = async (by: Person) => {
      const queue = await Queue.register(by, {
        event_types: ['typing', 'message'],
        fetch_event_types: [],
        client_capabilities: { notification_settings_null: true, stream_typing_notifications: true },
      });
      await queue.now();
      return queue;
    };
    const [theirs, outside] = [await listen(org.guest), await listen(org.other)];
    const type = (params: Params, by: Person = member) =>
      by.api.call('POST /typing', { type: 'channel', op: 'start', topic: 'boats', ...params });
    t.equal((await type({ stream_id: pier })).status, 200);
    t.equal((await type({ stream_id: pier, op: 'stop', type: 'stream' })).status, 200);
    t.equal((await type({ to: [pier] })).status, 200, 'in `to`, as before');
    t.match(await theirs.take(3), [
      { type: 'typing', op: 'start', stream_id: pier, topic: 'boats', sender: { user_id: member.id } },
      { type: 'typing', op: 'stop', stream_id: pier },
      { type: 'typing', op: 'start', stream_id: pier },
    ]);
    t.same(await settled(outside), []);
    t.equal((await type({ type: 'direct', to: [member.id, other.id] })).status, 200, 'direct, with oneself');
    await refused(t, type({ stream_id: 999_999 }), bad('Invalid stream ID'));
    await refused(t, type({ stream_id: vault }), bad('Invalid stream ID'), 'a private stream');
    t.equal((await type({ stream_id: pier }, atLevel(elsewhere.member))).status, 400, 'foreign');
    await refused(t, type({ stream_id: 'x' }), bad('Argument "stream_id" is not valid JSON.'));
    await refused(t, type({ stream_id: [pier] }), bad('stream_id is not an integer'));
    await refused(t, type({ to: [] }), bad("Empty 'to' list"));
    await refused(t, type({ to: [pier] }, org.member), bad('Invalid type'), 'at the base level');
  });

  await t.test('an edit may name the text that it replaces', async (t) => {
    const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
    const id = await say(org.member, 'pier', 'edits', 'first');
    const edit = (params: Params, by: Person = member) =>
      by.api.call('PATCH /messages/{message_id}', { message_id: id, ...params });
    const mismatch = {
      code: 'EXPECTATION_MISMATCH',
      msg: "'prev_content_sha256' value does not match the expected value.",
    };
    t.equal((await edit({ content: 'second', prev_content_sha256: sha256('first') })).status, 200);
    await refused(t, edit({ content: 'third', prev_content_sha256: sha256('first') }), mismatch);
    for (const hash of ['', 'x', sha256('second').slice(1), '\u{1F600}'])
      await refused(t, edit({ content: 'third', prev_content_sha256: hash }), mismatch, hash);
    t.equal((await message(id)).content, '<p>second</p>', 'nothing has changed');
    t.equal((await edit({ topic: 'moved', prev_content_sha256: sha256('other') })).status, 200, 'a move has no text');
    await refused(
      t,
      edit({ content: 'x', prev_content_sha256: sha256('first') }, owner),
      bad("You don't have permission to edit this message"),
      'the right comes first',
    );
    t.equal((await edit({ content: 'third', prev_content_sha256: sha256('second').toUpperCase() })).status, 200);
    t.equal((await edit({ content: 'old', prev_content_sha256: 'x' }, org.member)).status, 200, 'at the base level');
  });

  await t.test('who deletes a message without being subscribed gets the event, at newer levels', async (t) => {
    const admin = org.admin;
    const id = await say(org.member, 'pier', 'gone', 'soon');
    const options = {
      event_types: ['delete_message', 'message'],
      client_capabilities: { bulk_message_deletion: true },
    };
    const [newer, older, subscriber] = await Promise.all(
      [atLevel(admin), admin, atLevel(org.guest)].map((by) => Queue.register(by, options)),
    );
    await admin.api.ok('DELETE /messages/{message_id}', { message_id: id });
    const event = { type: 'delete_message', message_ids: [id], message_type: 'stream', stream_id: pier, topic: 'gone' };
    const heard = async (queue: Queue | undefined) =>
      (await settled(queue!)).filter(({ type }) => type === 'delete_message');
    t.match(await heard(newer), [event]);
    t.same(await heard(older), [], 'not at the base level');
    t.match(await heard(subscriber), [event], 'once');
    const direct = await tell(org.owner, [org.other], 'x');
    await org.owner.api.ok('DELETE /messages/{message_id}', { message_id: direct });
    const hidden = await say(org.owner, 'vault', 'x', 'x');
    await org.owner.api.ok('DELETE /messages/{message_id}', { message_id: hidden });
    t.same(await heard(newer), [], 'nothing of others');

    const many = [await say(org.member, 'pier', 'gone', 'one'), await say(org.guest, 'pier', 'Gone', 'two')];
    await admin.api.ok('POST /streams/{stream_id}/delete_topic', { stream_id: pier, topic_name: 'gone' });
    const removed = (await heard(newer)).flatMap(({ message_ids }) => message_ids as number[]);
    t.same(removed.sort(), many, 'a whole topic');
    t.same(await heard(older), []);

    await org.owner.api.ok('PATCH /realm', { delete_own_message_policy: 5 });
    const own = await say(org.member, 'pier', 'gone', 'mine');
    await member.api.ok('DELETE /users/me/subscriptions', { subscriptions: ['pier'] });
    const [bulk, single] = await Promise.all(
      [options, { event_types: options.event_types }].map((of) => Queue.register(member, of)),
    );
    await member.api.ok('DELETE /messages/{message_id}', { message_id: own });
    t.match(await heard(bulk), [{ ...event, message_ids: [own] }], 'the author has left the stream');
    t.match(await heard(single), [{ message_id: own, message_type: 'stream', stream_id: pier, topic: 'gone' }]);
    await subscribe(owner, 'pier', { principals: [member] });
  });

  await t.test('a status loses its emoji by empty texts, all three', async (t) => {
    const smile = { emoji_name: 'smile', emoji_code: '1f642', reaction_type: 'unicode_emoji' };
    const queue = await Queue.register(member, { event_types: ['user_status'] });
    await member.api.ok('POST /users/me/status', { status_text: 'here', ...smile });
    await member.api.ok('POST /users/me/status', {
      status_text: '',
      emoji_name: '',
      emoji_code: '',
      reaction_type: '',
    });
    t.match(await queue.take(2), [
      { status_text: 'here', ...smile },
      { status_text: '', emoji_name: '' },
    ]);
  });

  await t.test('narrows of queues name a channel', async (t) => {
    const narrowed = (by: Person) =>
      by.api.call('POST /register', { event_types: ['message'], narrow: [['channel', 'pier']] });
    const queue = await Queue.register(member, { event_types: ['message'], narrow: [['channel', 'pier']] });
    await subscribe(owner, 'dock', { principals: [owner, member] });
    await say(owner, 'dock', 'boats', 'not here');
    const id = await say(owner, 'pier', 'boats', 'here');
    const [event] = await queue.take(1);
    t.equal((event!.message as ApiMessage).id, id, 'the message of the other channel is left out');
    await refused(t, narrowed(org.member), bad('Operator channel not supported.'), 'at the base level');
    t.equal((await narrowed(atLevel(org.member, 277))).status, 200);
  });

  await t.test('the lifetime of a queue', async (t) => {
    const register = (idle_queue_timeout: unknown, by: Person = member) =>
      by.api.call('POST /register', { event_types: ['message'], fetch_event_types: [], idle_queue_timeout });
    for (const value of ['"mobile"', 900, 0, 10 ** 9]) t.equal((await register(value)).status, 200, String(value));
    await refused(t, register(-1), bad('idle_queue_timeout is too small'));
    for (const value of ['mobile', 'null', '"desktop"', '1.5', '[]', '{}'])
      t.equal((await register(value)).status, 400, value);
    t.match((await register('"mobile"', org.member)).body, { ignored_parameters_unsupported: ['idle_queue_timeout'] });
  });
};
