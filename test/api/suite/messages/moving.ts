/** Moving messages between topics of a stream (messages.md § PATCH /messages/{id}, § Notices). */

import type { Params } from '../../support/client.js';
import { makeOrganization, type Person, say, streamIdOf, subscribe } from '../../support/organization.js';
import { Queue, settled } from '../../support/queue.js';
import type { Facts } from '../facts.js';

interface Row {
  readonly id: number;
  readonly subject: string;
  readonly content: string;
  readonly sender_email: string;
  readonly flags: string[];
  readonly edit_history?: readonly unknown[];
  readonly topic_links: unknown[];
}

export const moving: Facts = async (t, server) => {
  const org = await makeOrganization(server);
  const { owner, admin, member, other, guest } = org;
  await subscribe(owner, 'square', { principals: [...org.people] });
  const stream = await streamIdOf(owner, 'square');
  const move = (by: Person, message_id: number, params: Params) =>
    by.api.ok('PATCH /messages/{message_id}', { message_id, ...params });
  const rows = async (by: Person, topic: string): Promise<Row[]> => {
    const narrow = [
      { operator: 'stream', operand: 'square' },
      { operator: 'topic', operand: topic },
    ];
    const params = { anchor: 'newest', num_before: 1_000, num_after: 0, narrow, apply_markdown: false };
    return (await by.api.ok<{ messages: Row[] }>('GET /messages', params)).messages;
  };
  const ids = async (by: Person, topic: string): Promise<number[]> => (await rows(by, topic)).map(({ id }) => id);
  const texts = async (by: Person, topic: string): Promise<string[]> =>
    (await rows(by, topic)).map(({ content }) => content);
  const watch = (by: Person) =>
    Queue.register(by, { fetch_event_types: [], event_types: ['message', 'update_message'] });
  const topics = async (by = member) =>
    (
      await by.api.ok<{ topics: { name: string; max_id: number }[] }>('GET /users/me/{stream_id}/topics', {
        stream_id: stream,
      })
    ).topics;
  const silent = { send_notification_to_new_thread: false };
  const mention = ({ name, id }: Person): string => `@_**${name}|${id}**`;
  const some = async (topic: string, count: number): Promise<number[]> => {
    const sent: number[] = [];
    for (let i = 0; i < count; i++) sent.push(await say(member, 'square', topic, `${topic} ${i}`));
    return sent;
  };

  await t.test('one message moves, with a notice in the new topic', async (t) => {
    const [a, b, c] = (await some('one', 3)) as [number, number, number];
    const queue = await watch(guest);
    await move(other, b, { topic: 'single #link https://example.com' });
    const [event, notice] = await queue.take(2);
    const { edit_timestamp: _, id: __, ...rest } = event!;
    const topic = 'single #link https://example.com';
    t.same(rest, {
      type: 'update_message',
      user_id: other.id,
      message_id: b,
      message_ids: [b],
      rendering_only: false,
      stream_name: 'square',
      stream_id: stream,
      propagate_mode: 'change_one',
      orig_subject: 'one',
      subject: topic,
      topic_links: [{ text: 'https://example.com', url: 'https://example.com' }],
      flags: [],
    });
    const near = `http://127.0.0.1/#narrow/stream/${stream}-square/topic/single.20.23link.20https.3A.2F.2Fexample.2Ecom/near/${b}`;
    t.match(notice!.message, { subject: topic, client: 'Internal', stream_id: stream });
    t.same(
      (await texts(guest, topic))[1],
      `[A message](${near}) was moved here from #**square>one** by ${mention(other)}.`,
    );
    t.same(await ids(guest, 'one'), [a, c]);
    const [row] = await rows(guest, topic);
    t.match(row!.edit_history, [{ user_id: other.id, prev_topic: 'one', topic }]);
  });

  await t.test('a message and all later ones move, with notices in both topics', async (t) => {
    const [a, b, c, d] = (await some('later', 4)) as [number, number, number, number];
    await move(other, c, { topic: 'after', propagate_mode: 'change_later', send_notification_to_old_thread: true });
    t.same(
      (await texts(member, 'after')).at(-1),
      `2 messages were moved here from #**square>later** by ${mention(other)}.`,
    );
    t.same(
      (await texts(member, 'later')).at(-1),
      `2 messages were moved from this topic to #**square>after** by ${mention(other)}.`,
    );
    t.same((await ids(member, 'later')).slice(0, 2), [a, b]);
    t.same((await ids(member, 'after')).slice(0, 2), [c, d]);
  });

  await t.test(
    'a whole topic moves, in any case of its letters; the event names the target first, then the newest',
    async (t) => {
      const [a, b, c] = (await some('All of it', 3)) as [number, number, number];
      const lower = await say(other, 'square', 'all OF it');
      const queue = await watch(member);
      await move(other, b, { topic: 'whole', propagate_mode: 'change_all', send_notification_to_old_thread: true });
      const [event] = await queue.take(3);
      t.same(event!.message_ids, [b, lower, c, a]);
      t.equal(event!.orig_subject, 'All of it');
      t.same(await ids(member, 'whole').then((all) => all.slice(0, 4)), [a, b, c, lower]);
      t.same(
        (await texts(member, 'whole')).at(-1),
        `This topic was moved here from #**square>All of it** by ${mention(other)}.`,
      );
      t.same(await texts(member, 'all of it'), [`This topic was moved to #**square>whole** by ${mention(other)}.`]);
    },
  );

  await t.test('a move into an existing topic has a notice that counts the messages', async (t) => {
    await some('host', 1);
    const [a] = await some('visitor', 2);
    await move(other, a!, { topic: 'Host', propagate_mode: 'change_all' });
    t.same(
      (await texts(member, 'host')).at(-1),
      `2 messages were moved here from #**square>visitor** by ${mention(other)}.`,
    );
    t.same(await ids(member, 'visitor'), []);
    t.equal((await topics())[0]!.name, 'Host', 'the newest message spells the topic');
  });

  await t.test('resolving or unresolving a topic has one notice, unread only for participants', async (t) => {
    const [a] = await some('question', 2);
    const message_id = await say(admin, 'square', 'question');
    await other.api.ok('POST /messages/{message_id}/reactions', { message_id, emoji_name: 'smile' });
    const queues = await Promise.all([watch(member), watch(other), watch(guest), watch(admin)]);
    await move(owner, a!, { topic: '✔ question', propagate_mode: 'change_all' });
    const flags = await Promise.all(queues.map(async (queue) => (await queue.take(2))[1]!.flags));
    t.same(flags, [[], [], ['read'], []]);
    t.same((await texts(member, '✔ question')).at(-1), `${mention(owner)} has marked this topic as resolved.`);
    t.equal((await texts(member, '✔ question')).length, 4, 'and that it was moved is not told, too');
    await move(owner, a!, { topic: 'question', propagate_mode: 'change_all' });
    t.same((await texts(member, 'question')).at(-1), `${mention(owner)} has marked this topic as unresolved.`);
    await move(owner, a!, { topic: '✔ answered', propagate_mode: 'change_all' });
    t.same((await texts(member, '✔ answered')).slice(-2), [
      `${mention(owner)} has marked this topic as resolved.`,
      `This topic was moved here from #**square>question** by ${mention(owner)}.`,
    ]);
  });

  await t.test("a change of a topic's spelling moves it", async (t) => {
    const all = await some('speling', 3);
    await move(other, all[1]!, { topic: 'SPELING', propagate_mode: 'change_all', ...silent });
    t.same(
      (await rows(member, 'speling')).map(({ subject }) => subject),
      ['SPELING', 'SPELING', 'SPELING'],
    );
    t.match((await topics())[0], { name: 'SPELING', max_id: all[2] });
  });

  await t.test('topics are listed newest first, and the list follows moves', async (t) => {
    const [a, b] = (await some('from here', 2)) as [number, number];
    const before = await topics();
    t.match(before[0], { name: 'from here', max_id: b });
    await move(other, b, { topic: 'to there', ...silent });
    const after = await topics();
    t.match(
      after.find(({ name }) => name === 'to there'),
      { max_id: b },
    );
    t.match(
      after.find(({ name }) => name === 'from here'),
      { max_id: a },
    );
    t.same(
      after.map(({ max_id }) => max_id),
      after.map(({ max_id }) => max_id).sort((x, y) => y - x),
    );
    await move(other, a, { topic: 'to there', ...silent });
    t.notOk(
      (await topics()).some(({ name }) => name === 'from here'),
      'an empty topic is none',
    );
  });

  await t.test('text and topic change together, without a notice of resolving', async (t) => {
    const [a] = await some('both', 1);
    const queue = await watch(other);
    await member.api.ok('PATCH /messages/{message_id}', { message_id: a, topic: '✔ both', content: 'new', ...silent });
    const [event] = await queue.take(1);
    t.match(event, { content: 'new', orig_content: 'both 0', subject: '✔ both', orig_subject: 'both' });
    t.same(await settled(queue), []);
    t.equal((await rows(other, '✔ both'))[0]!.edit_history!.length, 1);
  });

  await t.test('a request that names the present stream moves nothing to another stream', async (t) => {
    const [a] = await some('unmoved', 1);
    const queue = await watch(other);
    await move(owner, a!, { stream_id: stream, propagate_mode: 'change_all' });
    t.same(await settled(queue), []);
    t.notOk('edit_history' in (await rows(other, 'unmoved'))[0]!);
    await move(owner, a!, { stream_id: stream, topic: 'renamed', propagate_mode: 'change_all' });
    const [event, notice] = await queue.take(2);
    t.match(event, { subject: 'renamed', stream_id: stream });
    t.match(notice, { type: 'message' });
    t.notOk('new_stream_id' in event!);
    const [edit] = (await rows(other, 'renamed'))[0]!.edit_history as Record<string, unknown>[];
    t.match(edit, { prev_topic: 'unmoved', topic: 'renamed' });
    t.notOk('stream' in edit!);
  });

  await t.test("users' topic policies move with the whole topic", async (t) => {
    const policies = async (by: Person): Promise<Record<string, number>> => {
      const { user_topics } = await by.api.ok<{ user_topics: { topic_name: string; visibility_policy: number }[] }>(
        'POST /register',
        { fetch_event_types: ['user_topic'] },
      );
      return Object.fromEntries(user_topics.map((row) => [row.topic_name, row.visibility_policy]));
    };
    const set = (by: Person, topic: string, visibility_policy: number) =>
      by.api.ok('POST /user_topics', { stream_id: stream, topic, visibility_policy });
    const [, b, c] = (await some('followed', 3)) as [number, number, number];
    await some('target', 1);
    await set(other, 'Followed', 3);
    await set(guest, 'followed', 1);
    await set(admin, 'followed', 2);
    await set(admin, 'target', 1);
    await set(owner, 'followed', 2);
    await set(owner, 'target', 3);
    await set(member, 'followed', 1);
    await set(member, 'target', 1);
    await set(other, 'no \0 message \u{d800}', 1);
    await move(other, c, { topic: 'elsewhere', ...silent });
    t.match(await policies(guest), { followed: 1 }, 'a part of it changes nothing');
    await move(owner, b, { topic: '✔ followed', propagate_mode: 'change_all', ...silent });
    t.match(await policies(other), { '✔ followed': 3, Followed: undefined });
    t.match(await policies(guest), { '✔ followed': 1, followed: undefined });
    await move(owner, b, { topic: 'target', propagate_mode: 'change_all', ...silent });
    t.match(await policies(other), { target: undefined, '✔ followed': undefined }, 'followed and nothing: nothing');
    t.match(await policies(owner), { target: 3, '✔ followed': undefined }, 'followed wins over unmuted');
    t.match(await policies(guest), { target: undefined, '✔ followed': undefined });
    t.match(await policies(admin), { target: 2, '✔ followed': undefined }, 'unmuted wins');
    t.match(await policies(member), { target: 1, '✔ followed': undefined }, 'both the same: that');
  });

  await t.test('whoever received some moved message of a protected history hears of the move', async (t) => {
    const closed = { invite_only: true, history_public_to_subscribers: false };
    await subscribe(owner, 'vault', { ...closed, principals: [owner, guest] });
    const first = await say(owner, 'vault', 'plans', 'first');
    await owner.api.ok('DELETE /users/me/subscriptions', { subscriptions: ['vault'], principals: [guest.id] });
    await subscribe(owner, 'vault', { principals: [member] });
    const second = await say(owner, 'vault', 'plans', 'second');
    await subscribe(owner, 'vault', { principals: [other] });
    const all = { propagate_mode: 'change_all', ...silent };
    const queues = await Promise.all([owner, member, guest, other].map(watch));
    const heard = async () =>
      (await Promise.all(queues.map((queue) => settled(queue)))).map((events) =>
        events.map(({ message_ids, subject, content }) => [message_ids, subject, content]),
      );
    await move(owner, first, { topic: 'secret plans', ...all });
    const moved = [[first, second], 'secret plans', undefined];
    t.same(await heard(), [[moved], [moved], [moved], []], 'other received none of them');
    await move(owner, second, { topic: 'plans', ...all });
    const back = [[second, first], 'plans', undefined];
    t.same(await heard(), [[back], [back], [back], []]);
    await move(owner, first, { topic: 'more plans', content: 'changed', ...all });
    const named = [[first, second], 'more plans', 'changed'];
    const unnamed = [[first, second], 'more plans', undefined];
    t.same(await heard(), [[named], [unnamed], [named], []], 'only recipients of the named message get its text');
  });

  await t.test('a topic of thousands of messages moves as one, and concurrent changes are kept', async (t) => {
    const count = 1_300;
    const sent: number[] = [];
    for (let i = 0; i < count; i += 100) {
      const batch = Array.from({ length: 100 }, (_, n) => say(member, 'square', 'big', `big ${i + n}`));
      sent.push(...(await Promise.all(batch)));
    }
    sent.sort((a, b) => a - b);
    const queue = await watch(other);
    const target = sent[700]!;
    const [, , late] = await Promise.all([
      move(owner, target, { topic: 'bigger', propagate_mode: 'change_all', ...silent }),
      member.api.ok('PATCH /messages/{message_id}', { message_id: sent[1_250], content: 'edited meanwhile' }),
      say(other, 'square', 'big', 'late'),
      other.api.ok('POST /messages/{message_id}/reactions', { message_id: sent[1_299], emoji_name: 'smile' }),
      admin.api.ok('DELETE /messages/{message_id}', { message_id: sent[1_000] }),
    ]);
    const there = new Map<number, Row & { reactions?: unknown[] }>();
    for (const anchor of ['newest', sent[600]]) {
      const narrow = [
        { operator: 'stream', operand: 'square' },
        { operator: 'topic', operand: 'bigger' },
      ];
      const params = { anchor, num_before: 1_000, num_after: 0, narrow, apply_markdown: false };
      const { messages } = await other.api.ok<{ messages: Row[] }>('GET /messages', params);
      for (const row of messages) there.set(row.id, row);
    }
    const expected = sent.filter((id) => id !== sent[1_000]);
    t.same(
      [...there.keys()].filter((id) => id !== late).sort((a, b) => a - b),
      expected,
    );
    t.equal(there.get(sent[1_250]!)!.content, 'edited meanwhile');
    t.equal((there.get(sent[1_299]!) as unknown as { reactions: unknown[] }).reactions.length, 1);
    for (const row of there.values()) if (row.subject !== 'bigger') t.fail(`${row.id} is in ${row.subject}`);
    const events = await settled(queue);
    const moved = events.filter((event) => event.type === 'update_message' && event.subject === 'bigger');
    t.equal(moved.length, 1, 'one event tells it');
    t.equal((moved[0]!.message_ids as number[])[0], target);
    const [big, bigger] = ['big', 'bigger'].map((name) => name);
    const listed = (await topics()).filter(({ name }) => name === big || name === bigger);
    t.equal(
      listed.some(({ name }) => name === big),
      !there.has(late),
      'the old topic is there if something is in it',
    );
  });
};
