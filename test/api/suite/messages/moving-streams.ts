/** Moving messages between streams: users who keep, lose and gain them (messages.md § PATCH /messages/{id}). */

import { refused } from '../../harness.js';
import { bad, type Params } from '../../support/client.js';
import { makeOrganization, type Person, say, streamIdOf, subscribe } from '../../support/organization.js';
import { Queue, settled } from '../../support/queue.js';
import type { Facts } from '../facts.js';

export const movingStreams: Facts = async (t, server) => {
  const org = await makeOrganization(server);
  const { owner, admin, moderator, member, other, guest } = org;
  await subscribe(owner, 'old', { principals: [...org.people] });
  await subscribe(owner, 'open', { principals: [owner, admin] });
  await subscribe(owner, 'secret', { invite_only: true, principals: [owner, admin, member] });
  await subscribe(owner, 'shared', {
    invite_only: true,
    history_public_to_subscribers: true,
    principals: [owner, admin, member, moderator],
  });
  const id = Object.fromEntries(
    await Promise.all(['old', 'open', 'secret', 'shared'].map(async (name) => [name, await streamIdOf(owner, name)])),
  ) as Record<string, number>;
  const silent = { send_notification_to_new_thread: false };
  const call = (by: Person, message_id: number, params: Params) =>
    by.api.call('PATCH /messages/{message_id}', { message_id, ...params });
  const move = (by: Person, message_id: number, params: Params) =>
    by.api.ok('PATCH /messages/{message_id}', { message_id, ...params });
  const types = ['message', 'update_message', 'delete_message', 'reaction'];
  const watch = (by: Person, params: Params = {}) =>
    Queue.register(by, {
      fetch_event_types: [],
      event_types: types,
      client_capabilities: { notification_settings_null: true, bulk_message_deletion: true },
      ...params,
    });
  const flagsOf = async (by: Person, message_id: number): Promise<string[] | undefined> => {
    const answer = await by.api.call('GET /messages/{message_id}', { message_id });
    return answer.status === 200 ? (answer.body.message as { flags: string[] }).flags : undefined;
  };
  const seenBy = async (message_id: number): Promise<Record<string, string[] | undefined>> =>
    Object.fromEntries(await Promise.all(org.people.map(async (one) => [one.role, await flagsOf(one, message_id)])));
  const topicsOf = async (stream: string, by = owner) =>
    (
      await by.api.ok<{ topics: { name: string; max_id: number }[] }>('GET /users/me/{stream_id}/topics', {
        stream_id: id[stream],
      })
    ).topics.filter(({ name }) => name !== 'stream events');

  await t.test('a move to a public stream leaves members the message as history, and guests nothing', async (t) => {
    const a = await say(member, 'old', 'trip', 'a');
    const b = await say(member, 'old', 'trip', 'b');
    const bulk = await watch(guest);
    const single = await watch(guest, { client_capabilities: { notification_settings_null: true } });
    const keeps = await watch(other);
    await move(owner, a, {
      stream_id: id.open,
      topic: 'voyage',
      propagate_mode: 'change_all',
      send_notification_to_old_thread: true,
    });
    const [event] = await keeps.take(1);
    t.match(event, {
      type: 'update_message',
      message_id: a,
      message_ids: [a, b],
      stream_id: id.old,
      stream_name: 'old',
      new_stream_id: id.open,
      orig_subject: 'trip',
      subject: 'voyage',
      propagate_mode: 'change_all',
    });
    const [gone] = await bulk.take(1);
    const { id: _, ...rest } = gone!;
    t.same(rest, {
      type: 'delete_message',
      message_ids: [a, b],
      stream_id: id.old,
      topic: 'trip',
      message_type: 'stream',
    });
    t.same(
      (await single.take(2)).slice(0, 2).map(({ id: __, ...one }) => one),
      [a, b].map((message_id) => ({
        type: 'delete_message',
        stream_id: id.old,
        topic: 'trip',
        message_type: 'stream',
        message_id,
      })),
    );
    t.same(await seenBy(a), {
      owner: [],
      admin: [],
      moderator: ['read', 'historical'],
      member: ['read', 'historical'],
      other: ['read', 'historical'],
      guest: undefined,
    });
    const told = `#**old>trip** by @_**${owner.name}|${owner.id}**.`;
    t.match(
      (await topicsOf('open')).map(({ name }) => name),
      ['voyage'],
    );
    const narrow = (stream: string, topic: string) => [
      { operator: 'stream', operand: stream },
      { operator: 'topic', operand: topic },
    ];
    const rows = async (stream: string, topic: string) =>
      (
        await owner.api.ok<{
          messages: { id: number; content: string; display_recipient: string; recipient_id: number }[];
        }>('GET /messages', {
          anchor: 'newest',
          num_before: 10,
          num_after: 0,
          narrow: narrow(stream, topic),
          apply_markdown: false,
        })
      ).messages;
    const there = await rows('open', 'voyage');
    t.same(
      there.map(({ content }) => content),
      ['a', 'b', `This topic was moved here from ${told}`],
    );
    t.equal(new Set(there.map(({ recipient_id }) => recipient_id)).size, 1, 'they have the recipient of their stream');
    t.same(
      (await rows('old', 'trip')).map(({ content }) => content),
      [`This topic was moved to #**open>voyage** by @_**${owner.name}|${owner.id}**.`],
    );
  });

  await t.test(
    'after a move to a private stream with protected history only its subscribers have the message',
    async (t) => {
      const early = await say(other, 'old', 'private', 'x');
      const losing = await watch(other);
      await move(owner, early, { stream_id: id.secret, ...silent });
      t.match(await losing.take(1), [{ type: 'delete_message', message_ids: [early] }]);
      const nobody = { moderator: undefined, other: undefined, guest: undefined };
      t.same(await seenBy(early), { owner: [], admin: [], member: [], ...nobody });
      await subscribe(owner, 'secret', { principals: [moderator] });
      t.equal(await flagsOf(moderator, early), undefined, 'nor those who come later');
      t.same((await topicsOf('secret', member)).map(({ name }) => name).sort(), ['private']);
      t.same(
        (await topicsOf('secret', moderator)).map(({ name }) => name),
        [],
      );
    },
  );

  await t.test(
    'subscribers of the new stream only gain copies, as read ones where its history is protected',
    async (t) => {
      await subscribe(owner, 'few', { principals: [owner, other] });
      const a = await say(other, 'few', 'gain', 'a');
      await move(owner, a, { stream_id: id.secret, ...silent });
      t.same(await seenBy(a), {
        owner: [],
        admin: ['read'],
        member: ['read'],
        moderator: ['read'],
        other: undefined,
        guest: undefined,
      });
      const b = await say(other, 'few', 'gain', 'b');
      await move(owner, b, { stream_id: id.shared, ...silent });
      t.same(await seenBy(b), {
        owner: [],
        admin: ['read', 'historical'],
        member: ['read', 'historical'],
        moderator: ['read', 'historical'],
        other: undefined,
        guest: undefined,
      });
    },
  );

  await t.test(
    'a star on a message whose copy a move has taken makes a new copy, until another move takes it',
    async (t) => {
      const a = await say(member, 'old', 'stars', 'a');
      const star = () => other.api.ok('POST /messages/flags', { messages: [a], op: 'add', flag: 'starred' });
      const isListed = async (): Promise<readonly boolean[]> => {
        const { starred_messages } = await other.api.ok<{ starred_messages: number[] }>('POST /register', {
          fetch_event_types: ['starred_messages'],
        });
        const { messages } = await other.api.ok<{ messages: { id: number }[] }>('GET /messages', {
          ...{ anchor: 'newest', num_before: 10, num_after: 0 },
          narrow: [{ operator: 'is', operand: 'starred' }],
        });
        return [starred_messages.includes(a), messages.some(({ id }) => id === a)];
      };
      await star();
      t.strictSame(await flagsOf(other, a), ['starred']);
      t.strictSame(await isListed(), [true, true]);
      await move(owner, a, { stream_id: id.open, propagate_mode: 'change_all' });
      t.strictSame(await flagsOf(other, a), ['read', 'historical']);
      t.strictSame(await isListed(), [false, false], 'the star went with the copy');
      const queue = await watch(other, { event_types: ['update_message_flags'] });
      await star();
      t.match(await queue.take(1), [{ flag: 'starred', op: 'add', messages: [a] }]);
      t.strictSame(await flagsOf(other, a), ['read', 'starred', 'historical']);
      t.strictSame(await isListed(), [true, true]);
      await subscribe(owner, 'open', { principals: [other] });
      await move(owner, a, { stream_id: id.secret, propagate_mode: 'change_all' });
      t.equal(await flagsOf(other, a), undefined);
      await move(owner, a, { stream_id: id.old, propagate_mode: 'change_all' });
      t.notOk((await flagsOf(other, a))?.includes('starred'));
      t.strictSame(await isListed(), [false, false]);
      await other.api.ok('DELETE /users/me/subscriptions', { subscriptions: ['open'] });
    },
  );

  await t.test('a reaction to a message whose copy a move has taken makes a new copy', async (t) => {
    const a = await say(member, 'old', 'reactions', 'a');
    const isInCombinedView = async (): Promise<boolean> => {
      const around = { anchor: String(a), num_before: 0, num_after: 0 };
      const { messages } = await other.api.ok<{ messages: { id: number }[] }>('GET /messages', around);
      return messages.some(({ id }) => id === a);
    };
    t.ok(await isInCombinedView());
    await move(owner, a, { stream_id: id.open, propagate_mode: 'change_all' });
    t.notOk(await isInCombinedView(), 'the move has taken the copy');
    await other.api.ok('POST /messages/{message_id}/reactions', { message_id: a, emoji_name: 'tada' });
    t.ok(await isInCombinedView());
    t.strictSame(await flagsOf(other, a), ['read', 'historical']);
    const queue = await watch(other, { event_types: ['update_message'] });
    await member.api.ok('PATCH /messages/{message_id}', { message_id: a, content: 'b' });
    t.match(await queue.take(1), [{ type: 'update_message', message_id: a }], 'later changes are told');
  });

  await t.test('a topic stays listed for its old messages, after a newcomer has moved all later ones', async (t) => {
    await subscribe(owner, 'veiled', { invite_only: true, principals: [owner] });
    id.veiled = await streamIdOf(owner, 'veiled');
    const early = await say(owner, 'veiled', 'long', 'from before');
    await subscribe(owner, 'veiled', { principals: [admin] });
    const later = await Promise.all(Array.from({ length: 64 }, (_, n) => say(owner, 'veiled', 'long', `later ${n}`)));
    await move(admin, later[0]!, { stream_id: id.secret, propagate_mode: 'change_all', ...silent });
    t.same(await topicsOf('veiled'), [{ name: 'long', max_id: early }]);
  });

  await t.test('after a move there and back, lost copies stay lost', async (t) => {
    const a = await say(member, 'old', 'back', 'x');
    await move(owner, a, { stream_id: id.secret, ...silent });
    await move(owner, a, { stream_id: id.old, ...silent });
    t.same(await seenBy(a), {
      owner: [],
      admin: [],
      member: [],
      moderator: [],
      other: ['read', 'historical'],
      guest: ['read', 'historical'],
    });
  });

  await t.test(
    'a user who left the stream before the move keeps the copy until a move to a private stream',
    async (t) => {
      await subscribe(owner, 'left', { invite_only: true, principals: [owner, guest, member] });
      const a = await say(member, 'left', 'x', 'x');
      await guest.api.ok('DELETE /users/me/subscriptions', { subscriptions: ['left'] });
      await move(owner, a, { stream_id: id.open, ...silent });
      t.ok(await flagsOf(guest, a));
      const former = await watch(guest);
      await move(member, a, { content: 'edited' });
      await owner.api.ok('POST /messages/{message_id}/reactions', { message_id: a, emoji_name: 'smile' });
      await move(owner, a, { topic: 'y', ...silent });
      await move(owner, a, { stream_id: id.secret, ...silent });
      await move(member, a, { content: 'edited again' });
      t.match(await settled(former), [
        { type: 'update_message' },
        { type: 'reaction' },
        { type: 'update_message' },
        { type: 'delete_message', message_ids: [a], stream_id: id.open, topic: 'y' },
      ]);
      t.equal(await flagsOf(guest, a), undefined);
    },
  );

  await t.test('a move to a private stream takes copies from passers-by and former subscribers', async (t) => {
    await subscribe(owner, 'plaza', { principals: [owner, member, guest] });
    await subscribe(owner, 'vault', { invite_only: true, principals: [owner, member] });
    const vault = await streamIdOf(owner, 'vault');
    const early = await say(member, 'plaza', 'x', 'before the guest left');
    await guest.api.ok('DELETE /users/me/subscriptions', { subscriptions: ['plaza'] });
    const late = await say(member, 'plaza', 'x', 'after it');
    await other.api.ok('POST /messages/flags', { messages: [late], op: 'add', flag: 'starred' });
    await moderator.api.ok('POST /messages/{message_id}/reactions', { message_id: late, emoji_name: 'smile' });
    const queues = await Promise.all([other, moderator, guest].map((one) => watch(one)));
    await move(owner, late, { stream_id: vault, propagate_mode: 'change_all', ...silent });
    await move(member, late, { content: 'for few' });
    await member.api.ok('POST /messages/{message_id}/reactions', { message_id: late, emoji_name: 'tada' });
    await move(owner, early, { topic: 'hidden', ...silent });
    for (const queue of queues)
      t.match(await settled(queue), [{ type: 'delete_message', message_ids: [late, early], topic: 'x' }]);
    for (const one of [other, moderator, guest])
      for (const message of [early, late]) t.equal(await flagsOf(one, message), undefined, one.role);
    const starred = { narrow: [{ operator: 'is', operand: 'starred' }], anchor: 'newest', num_before: 9, num_after: 0 };
    t.same((await other.api.ok('GET /messages', starred)).messages, []);
    t.same((await other.api.ok('POST /register', { fetch_event_types: ['starred_messages'] })).starred_messages, []);
    t.same(await flagsOf(member, late), []);
  });

  await t.test(
    'a user who lost a message gets no more of its events, even after making a copy by a reaction',
    async (t) => {
      await subscribe(owner, 'past', { principals: [owner, member] });
      const a = await say(member, 'past', 'x', 'x');
      await subscribe(owner, 'past', { principals: [other] });
      await other.api.ok('POST /messages/{message_id}/reactions', { message_id: a, emoji_name: 'smile' });
      const queue = await watch(other);
      await move(owner, a, { stream_id: id.secret, ...silent });
      await move(member, a, { content: 'edited' });
      t.same(
        (await settled(queue)).map(({ type }) => type),
        ['delete_message'],
      );
    },
  );

  await t.test('a former history reader who left gets no more of its events', async (t) => {
    const a = await say(owner, 'few', 'late', 'x');
    await move(owner, a, { stream_id: id.shared, ...silent });
    const [gone, there] = [await watch(moderator), await watch(member)];
    await moderator.api.ok('DELETE /users/me/subscriptions', { subscriptions: ['shared'] });
    await move(owner, a, { content: 'edited' });
    t.same(
      (await there.take(1)).map(({ type }) => type),
      ['update_message'],
    );
    t.same(await settled(gone), []);
  });

  await t.test('commands on a moved message reach it from every user who has it', async (t) => {
    const a = await say(member, 'old', 'owned', 'x');
    await move(owner, a, { stream_id: id.secret, topic: 'mine', ...silent });
    const queue = await watch(admin);
    await member.api.ok('POST /messages/{message_id}/reactions', { message_id: a, emoji_name: 'smile' });
    await move(member, a, { content: `edited @**${admin.name}**` });
    await move(member, a, { topic: 'ours', ...silent });
    const events = await queue.take(3);
    t.same(
      events.map(({ type }) => type),
      ['reaction', 'update_message', 'update_message'],
    );
    t.match(events[1], { stream_id: id.secret, flags: ['mentioned'] });
    t.same(await flagsOf(admin, a), ['mentioned']);
    const { message } = await admin.api.ok<{
      message: { reactions: unknown[]; edit_history: unknown[]; subject: string };
    }>('GET /messages/{message_id}', { message_id: a });
    t.same([message.reactions.length, message.edit_history.length, message.subject], [1, 3, 'ours']);
    await admin.api.ok('DELETE /messages/{message_id}', { message_id: a });
    t.match(await queue.take(1), [{ type: 'delete_message', stream_id: id.secret, message_ids: [a] }]);
    t.equal(await flagsOf(member, a), undefined);
  });

  await t.test('reactions and edits during moves all take effect', async (t) => {
    const a = await say(member, 'old', 'rush', 'v0');
    const names = ['smile', 'heart', 'tada', 'rocket', 'eyes', 'wave'];
    const route = ['shared', 'secret', 'old', 'shared', 'old', 'secret'];
    await Promise.all([
      (async () => {
        for (const to of route) await move(owner, a, { stream_id: id[to], ...silent });
      })(),
      (async () => {
        for (const emoji_name of names)
          await member.api.ok('POST /messages/{message_id}/reactions', { message_id: a, emoji_name });
      })(),
      (async () => {
        for (let i = 1; i < 7; i++) await move(member, a, { content: `v${i}` });
      })(),
    ]);
    const { message, raw_content } = await owner.api.ok<{
      raw_content: string;
      message: { reactions: { emoji_name: string }[]; edit_history: Record<string, unknown>[]; stream_id: number };
    }>('GET /messages/{message_id}', { message_id: a });
    t.same(
      message.reactions.map(({ emoji_name }) => emoji_name),
      names,
    );
    t.equal(raw_content, 'v6');
    t.equal(message.stream_id, id.secret);
    const history = message.edit_history;
    t.same(
      history
        .filter((one) => 'stream' in one)
        .map((one) => one.stream)
        .reverse(),
      route.map((name) => id[name]),
    );
    t.same(
      history
        .filter((one) => 'prev_content' in one)
        .map((one) => one.prev_content)
        .reverse(),
      ['v0', 'v1', 'v2', 'v3', 'v4', 'v5'],
    );
  });

  await t.test('a stream keeps the id of its first message', async (t) => {
    const first = await say(owner, 'open', 'first', 'x');
    const streams = async () =>
      (await owner.api.ok<{ streams: { name: string; first_message_id: number }[] }>('GET /streams')).streams;
    const before = await streams();
    await move(owner, first, { stream_id: id.old, ...silent });
    t.same(await streams(), before);
  });

  await t.test('a move is refused in this order', async (t) => {
    const a = await say(member, 'old', 'refused', 'x');
    const no = bad("You don't have permission to move this message");
    for (const by of [member, moderator, guest]) await refused(t, call(by, a, { stream_id: id.open }), no, by.role);
    await refused(t, call(member, a, { stream_id: 999_999 }), no, 'before the target is looked at');
    await owner.api.ok('PATCH /realm', { move_messages_between_streams_policy: 1 });
    await refused(t, call(guest, a, { stream_id: id.open }), no, 'guests never');
    await refused(t, call(other, a, { stream_id: 999_999 }), bad('Invalid stream ID'));
    await refused(t, call(other, a, { stream_id: id.secret }), bad('Invalid stream ID'), 'a stream of others');
    await owner.api.ok('PATCH /streams/{stream_id}', { stream_id: id.open, stream_post_policy: 2 });
    await refused(
      t,
      call(other, a, { stream_id: id.open }),
      bad('Only organization administrators can send to this stream.'),
    );
    await owner.api.ok('PATCH /realm', { waiting_period_threshold: 100 });
    await owner.api.ok('PATCH /streams/{stream_id}', { stream_id: id.open, stream_post_policy: 3 });
    await refused(t, call(other, a, { stream_id: id.open }), bad('New members cannot send to this stream.'));
    await owner.api.ok('PATCH /realm', { waiting_period_threshold: 0 });
    await owner.api.ok('PATCH /streams/{stream_id}', { stream_id: id.open, stream_post_policy: 4 });
    await refused(
      t,
      call(other, a, { stream_id: id.open }),
      bad('Only organization administrators and moderators can send to this stream.'),
    );
    t.equal((await call(moderator, a, { stream_id: id.open, ...silent })).status, 200);
    const b = await say(other, 'left behind', 't', 'x').catch(() => 0);
    t.equal(b, 0);
    await subscribe(owner, 'gone', { invite_only: true, principals: [owner, other] });
    const c = await say(other, 'gone', 't', 'x');
    await other.api.ok('DELETE /users/me/subscriptions', { subscriptions: ['gone'] });
    await refused(
      t,
      call(other, c, { stream_id: id.old }),
      bad("You don't have permission to move this message due to missing access to its stream"),
    );
    await owner.api.ok('PATCH /realm', { move_messages_between_streams_policy: 2 });
    t.same(await settled(await watch(guest)), []);
  });
};
