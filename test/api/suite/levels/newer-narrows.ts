/** Narrows of clients of newer levels: docs/api/narrow.md § Operators of later levels. */
import { refused } from '../../harness.js';
import { atLevel } from '../../support/levels.js';
import { makeOrganization, type Person, say, streamIdOf, subscribe, tell } from '../../support/organization.js';
import type { ApiMessage } from '../../support/types.js';
import type { Facts } from '../facts.js';

interface Term {
  readonly operator: string;
  readonly operand: unknown;
  readonly negated?: boolean;
}

export const newerNarrows: Facts = async (t, server) => {
  const org = await makeOrganization(server);
  const elsewhere = await makeOrganization(server, ['member']);
  const [owner, member, other, guest] = [org.owner, org.member, org.other, org.guest].map((of) => atLevel(of)) as [
    Person,
    Person,
    Person,
    Person,
  ];
  await subscribe(owner, ['deck', 'hold'], { principals: [owner, member] });
  await subscribe(owner, 'vault', { invite_only: true });
  const [deck, hold] = [await streamIdOf(owner, 'deck'), await streamIdOf(owner, 'hold')];
  const narrow = (terms: readonly Term[], by: Person = member) =>
    by.api.call('GET /messages', { narrow: terms, anchor: 'newest', num_before: 100, num_after: 0 });
  const find = async (terms: readonly Term[], by: Person = member) => {
    const { status, body } = await narrow(terms, by);
    if (status !== 200) return body.msg;
    // Notices of the new streams came before.
    return (body.messages as ApiMessage[]).map(({ id }) => id).filter((id) => id >= ropes[0]!);
  };
  const badNarrow = (desc: string) => ({
    code: 'BAD_NARROW',
    msg: `Invalid narrow operator: ${desc}`,
    extra: { desc },
  });
  const channel = (operand: unknown): Term => ({ operator: 'channel', operand });
  const topic = (operand: string): Term => ({ operator: 'topic', operand });
  const withMessage = (operand: unknown): Term => ({ operator: 'with', operand });

  const ropes = [await say(owner, 'deck', 'ropes', 'one'), await say(member, 'deck', 'ropes', 'two')];
  const sails = [await say(owner, 'deck', 'sails', 'white')];
  const secret = await say(owner, 'vault', 'gold', 'much');
  const direct = await tell(owner, [member], 'just you');

  await t.test('channel and channels are names of stream and streams', async (t) => {
    t.same(await find([channel(deck), topic('Ropes')]), ropes);
    t.same(await find([channel('DECK')], other), [...ropes, ...sails], 'history of a public stream, by name');
    t.same(await find([channel(deck), { operator: 'is', operand: 'unread' }, topic('sails')]), sails);
    t.same(await find([channel(deck), { ...channel(hold), negated: true }]), [...ropes, ...sails]);
    t.same(await find([{ operator: 'channels', operand: 'public' }, topic('sails')], other), sails);
    t.same(await find([channel(deck)], guest), [], 'a guest who is not subscribed');
    await refused(t, narrow([channel(999_999)]), badNarrow('unknown stream 999999'));
    await refused(
      t,
      narrow([channel(deck)], atLevel(elsewhere.member)),
      badNarrow(`unknown stream ${deck}`),
      'foreign',
    );
  });

  await t.test('with follows a message to its present conversation', async (t) => {
    const [first] = ropes as [number, number];
    const link = [channel(deck), topic('ropes'), withMessage(first)];
    t.same(await find(link), ropes);
    await owner.api.ok('PATCH /messages/{message_id}', {
      message_id: first,
      topic: 'knots',
      stream_id: hold,
      propagate_mode: 'change_all',
      send_notification_to_new_thread: false,
    });
    t.same(await find(link), ropes, 'after a move');
    t.same(await find([withMessage(String(first))]), ropes, 'as text, without the old place');
    t.same(await find([...link, { operator: 'sender', operand: owner.id }]), [first], 'other terms stay');
    t.same(await find([withMessage(direct)]), [direct], 'direct messages');
    t.same(await find([withMessage(direct)], owner), [direct]);
    const found = await find([channel(deck), { operator: 'search', operand: 'white' }]);
    t.same(found, sails, 'with a search');
  });

  await t.test('a message that one may not read, or that is unknown, changes nothing', async (t) => {
    const place = [channel(deck), topic('sails')];
    for (const [by, id] of [
      [member, secret],
      [other, direct],
      [guest, ropes[0]],
      [member, 987_654_321],
      [member, 2 ** 53 - 1],
      [member, 0],
    ] as const) {
      const expected = by === guest ? [] : sails;
      t.same(await find([...place, withMessage(id)], by), expected, `${by.role}, ${id}`);
      await refused(t, narrow([withMessage(id)], by), badNarrow("Invalid 'with' operator"), `${by.role}, ${id}`);
    }
    const foreign = atLevel(elsewhere.member);
    await refused(t, narrow([withMessage(sails[0])], foreign), badNarrow("Invalid 'with' operator"), 'foreign');
    t.same(await find([withMessage(secret)], owner), [secret], 'but who may, finds it');
  });

  await t.test('values without sense are refused', async (t) => {
    const refusal = badNarrow("Invalid 'with' operator");
    for (const operand of ['', 'x', '1e3', '-1', -1, '9'.repeat(400)])
      await refused(t, narrow([withMessage(operand)]), refusal, JSON.stringify(operand).slice(0, 20));
    await refused(t, narrow([{ ...withMessage(sails[0]), negated: true }]), refusal, 'negated');
    await refused(t, narrow([withMessage(1), withMessage(2)]), badNarrow("Duplicate 'with' operators"));
    for (const operand of [null, [1], {}, true, 1.5])
      await refused(t, narrow([withMessage(operand)]), {
        code: 'BAD_REQUEST',
        msg: 'elem["operand"] is not a string or integer',
      });
  });

  await t.test('is:followed, has:reaction and integer ids', async (t) => {
    await member.api.ok('POST /user_topics', { stream_id: deck, topic: 'SAILS', visibility_policy: 3 });
    await member.api.ok('POST /messages/{message_id}/reactions', { message_id: sails[0], emoji_name: 'smile' });
    const followed = { operator: 'is', operand: 'followed' };
    const reacted = { operator: 'has', operand: 'reaction' };
    t.same(await find([followed]), sails);
    t.same(await find([followed], owner), [], 'by another user');
    t.same(await find([{ ...followed, negated: true }, channel(deck)]), []);
    t.same(await find([reacted]), sails);
    t.same(await find([reacted, channel(deck), topic('sails')]), sails);
    await member.api.ok('DELETE /messages/{message_id}/reactions', { message_id: sails[0], emoji_name: 'smile' });
    t.same(await find([reacted]), [], 'without the reaction');
    await member.api.ok('POST /messages/{message_id}/reactions', { message_id: sails[0], emoji_name: 'smile' });
    t.same(await find([{ ...reacted, negated: true }, channel(hold)]), ropes);
    t.same(await find([{ operator: 'id', operand: sails[0] }]), sails);
    await member.api.ok('POST /user_topics', { stream_id: deck, topic: 'sails', visibility_policy: 2 });
    t.same(await find([followed]), []);
  });

  await t.test('the other operations with narrows know the operators, too', async (t) => {
    const here = [channel(deck), topic('sails'), withMessage(sails[0])];
    const { messages } = await member.api.ok<{ messages: Record<string, unknown> }>('GET /messages/matches_narrow', {
      msg_ids: [...ropes, ...sails],
      narrow: here,
    });
    t.same(Object.keys(messages), sails.map(String));
    const marked = await member.api.ok('POST /messages/flags/narrow', {
      anchor: 'oldest',
      num_before: 0,
      num_after: 1_000,
      narrow: [withMessage(sails[0]), { operator: 'is', operand: 'unread' }],
      op: 'add',
      flag: 'read',
    });
    t.match(marked, { processed_count: 1, last_processed_id: sails[0] });
    const markRead = (narrow: readonly Term[]) =>
      member.api.ok('POST /messages/flags/narrow', {
        ...{ anchor: 'oldest', num_before: 0, num_after: 1_000, op: 'add', flag: 'read' },
        narrow,
      });
    const unread = { operator: 'is', operand: 'unread' };
    const between = { operator: 'dm', operand: [owner.id, member.id] };
    t.same(await find([between]), [direct], 'with oneself among the users');
    const newer = (
      await owner.api.ok<{ id: number }>('POST /messages', { type: 'direct', to: [member.id], content: 'a' })
    ).id;
    t.match(await markRead([between, unread]), { last_processed_id: newer });
    t.same(await find([between, unread]), []);
    await markRead([unread]);
    t.same(await find([unread]), [], 'all are read');
  });

  await t.test('at the base level all of them are unknown, as before', async (t) => {
    const old = (terms: readonly Term[]) => narrow(terms, org.member);
    for (const operator of ['channel', 'channels', 'with']) {
      await refused(t, old([{ operator, operand: '5' }]), badNarrow(`unknown operator ${operator}`));
      await refused(t, old([{ operator, operand: 5 }]), {
        code: 'BAD_REQUEST',
        msg: 'elem["operand"] is not a string',
      });
    }
    await refused(t, old([{ operator: 'is', operand: 'followed' }]), badNarrow("unknown 'is' operand followed"));
    await refused(t, old([{ operator: 'has', operand: 'reaction' }]), badNarrow("unknown 'has' operand reaction"));
    await refused(t, old([{ operator: 'id', operand: 5 }]), {
      code: 'BAD_REQUEST',
      msg: 'elem["operand"] is not a string',
    });
  });

  await t.test('without an account, only what is open to the web', async (t) => {
    const visitor = atLevel({ ...member, role: 'visitor', api: org.nobody });
    t.equal((await narrow([withMessage(sails[0])], visitor)).status, 401);
    await owner.api.ok('PATCH /realm', { enable_spectator_access: true });
    await owner.api.ok('POST /users/me/subscriptions', { subscriptions: [{ name: 'window' }], is_web_public: true });
    const open = [await say(owner, 'window', 'view', 'sea'), await say(owner, 'window', 'view', 'sky')];
    await say(owner, 'window', 'else', 'wall');
    const web = { operator: 'channels', operand: 'web-public' };
    t.same(await find([web, channel('window'), topic('view')], visitor), open);
    t.same(await find([web, withMessage(open[1])], visitor), open);
    t.same(await find([web, channel('window'), topic('view'), withMessage(secret)], visitor), open);
    for (const id of [secret, direct, sails[0], 987_654_321])
      await refused(t, narrow([web, withMessage(id)], visitor), badNarrow("Invalid 'with' operator"), String(id));
    for (const terms of [[withMessage(open[0])], [web, { operator: 'is', operand: 'followed' }]])
      t.equal((await narrow(terms, visitor)).status, 401, JSON.stringify(terms));
  });
};
