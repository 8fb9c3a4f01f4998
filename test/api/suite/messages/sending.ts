/** POST /messages: messages.md § POST /messages, in the order of its checks. */

import type { Params } from '../../support/client.js';
import { makeOrganization, say, streamIdOf, subscribe, tell } from '../../support/organization.js';
import { Queue } from '../../support/queue.js';
import type { ApiMessage } from '../../support/types.js';
import type { Facts } from '../facts.js';

export const sending: Facts = async (t, server) => {
  const org = await makeOrganization(server);
  const { owner, admin, moderator, member, other, guest } = org;
  await subscribe(owner, 'square', { principals: [...org.people] });
  const square = await streamIdOf(owner, 'square');
  const stream = { type: 'stream', to: 'square', topic: 'talk', content: 'hello' };
  const direct = { type: 'direct', to: [other.id], content: 'hello' };
  const fetch = async (id: number, by = member, params: Params = {}) =>
    (await by.api.ok<{ message: ApiMessage; raw_content: string }>('GET /messages/{message_id}', {
      message_id: id,
      ...params,
    })) as {
      message: ApiMessage;
      raw_content: string;
    };
  const sent = async (params: Params, by = member) => Number((await by.api.ok('POST /messages', params)).id);

  await t.test('a stream is named by name in any case, JSON name, id, or list of one', async (t) => {
    for (const to of ['square', ' SQUARE ', '"square"', String(square), '["square"]', `[${square}]`]) {
      const { message } = await fetch(await sent({ ...stream, to }));
      t.same([message.type, message.stream_id, message.display_recipient], ['stream', square, 'square'], to);
    }
  });

  await t.test(
    'recipients are named by ids or addresses, as JSON or with commas; blanks and repeats do not count',
    async (t) => {
      const forms: unknown[] = [
        [other.id],
        [other.email],
        other.email,
        `"${other.email}"`,
        ` ${other.email.toUpperCase()} , ,${other.email}`,
        [other.id, other.id, member.id],
      ];
      for (const to of forms) {
        for (const type of ['direct', 'private']) {
          const { message } = await fetch(await sent({ ...direct, type, to }));
          t.equal(message.type, 'private');
          const people = message.display_recipient as { id: number }[];
          t.same(people.map((one) => one.id).sort(), [member.id, other.id].sort(), JSON.stringify(to));
        }
      }
    },
  );

  await t.test('a direct message shows its recipients: one by address, oneself alone, or a group by id', async (t) => {
    const shown = async (id: number) =>
      (await fetch(id)).message.display_recipient as { id: number; email: string; full_name: string }[];
    const pair = await shown(await tell(member, [other]));
    t.same(
      pair.map((one) => one.email),
      [member.email, other.email].sort(),
    );
    t.equal(pair.find((one) => one.id === other.id)?.full_name, other.name);
    t.same(
      (await shown(await tell(member, [member]))).map((one) => one.id),
      [member.id],
    );
    const group = await shown(await tell(member, [owner, other, guest]));
    const ids = [owner.id, member.id, other.id, guest.id].sort((a, b) => a - b);
    t.same(
      group.map((one) => one.id),
      ids,
    );
  });

  await t.test("recipient_id is one per stream, one per group, and the receiver's for a direct message", async (t) => {
    const recipient = async (id: number) => (await fetch(id, owner)).message.recipient_id;
    t.equal(await recipient(await say(member, 'square', 'a')), await recipient(await say(other, 'square', 'b')));
    t.equal(await recipient(await tell(owner, [member, other])), await recipient(await tell(member, [owner, other])));
    const toMember = await recipient(await tell(owner, [member]));
    t.equal(await recipient(await tell(owner, [member])), toMember);
    t.not(await recipient(await tell(member, [owner])), toMember);
    t.not(await recipient(await tell(owner, [member, guest])), await recipient(await tell(owner, [member, other])));
  });

  await t.test('message ids increase within the organization, across conversations', async (t) => {
    const ids = [
      await say(member, 'square', 'a'),
      await tell(member, [other]),
      await say(other, 'square', 'b'),
      await tell(other, [other]),
    ];
    t.same(
      ids,
      [...ids].sort((a, b) => a - b),
    );
    t.equal(new Set(ids).size, ids.length);
  });

  await t.test('content is stripped of blanks at its end and newlines at its start, and otherwise kept', async (t) => {
    t.equal((await fetch(await sent({ ...stream, content: '\n\n  two \n lines \t\n' }))).raw_content, '  two \n lines');
  });

  await t.test('content over 10,000 characters (code points) is cut, and the answer says so', async (t) => {
    const exact = '😀'.repeat(10_000);
    t.equal((await fetch(await sent({ ...stream, content: exact }))).raw_content, exact);
    const { raw_content } = await fetch(await sent({ ...stream, content: `${exact}x` }));
    t.equal(raw_content, `${'😀'.repeat(9_980)}\n[message truncated]`);
  });

  await t.test('a topic is trimmed and cut to 60 characters', async (t) => {
    const topicOf = async (topic: string) => (await fetch(await sent({ ...stream, topic }))).message.subject;
    t.equal(await topicOf('  spaced  '), 'spaced');
    t.equal(await topicOf('é'.repeat(60)), 'é'.repeat(60));
    t.equal(await topicOf('é'.repeat(61)), `${'é'.repeat(57)}...`);
    t.equal(await topicOf('x'.repeat(100_000)), `${'x'.repeat(57)}...`);
  });

  await t.test('/me with a blank makes a message about its sender', async (t) => {
    const isMe = async (content: string) => (await fetch(await sent({ ...stream, content }))).message.is_me_message;
    t.same(
      [await isMe('/me waves'), await isMe('/me'), await isMe('/ME waves'), await isMe(' /me waves')],
      [true, false, false, false],
    );
  });

  await t.test('a message sent by a script is unread for its sender, one sent by a person read', async (t) => {
    const flags = async (client: string, params: Params = stream) =>
      (await fetch(await sent({ ...params, client }))).message.flags;
    for (const params of [stream, direct]) {
      t.same(await flags('ZulipPython', params), []);
      for (const human of ['website', 'ZulipMobile', 'ios', 'My Desktop App'])
        t.same(await flags(human, params), ['read'], human);
    }
  });

  await t.test('the echo comes with local_id only on the queue that it names', async (t) => {
    const [mine, second, theirs] = [
      await Queue.register(member),
      await Queue.register(member),
      await Queue.register(other),
    ];
    await sent({ ...stream, content: 'echo', queue_id: mine.id, local_id: '12.001' });
    const local = async (queue: Queue) => (await queue.take(1))[0]?.local_message_id;
    t.same([await local(mine), await local(second), await local(theirs)], ['12.001', undefined, undefined]);
    await sent({ ...stream, content: 'no echo', local_id: '13.001' });
    t.same([await local(mine), await local(second)], [undefined, undefined], 'not without queue_id');
    await sent({ ...stream, content: 'not theirs', queue_id: theirs.id, local_id: '14.001' });
    t.equal(await local(theirs), undefined, "somebody else's queue is not told");
  });

  await t.test('the first message of a stream stays the first', async (t) => {
    await subscribe(member, 'fresh');
    const firstId = async () =>
      (
        await member.api.ok<{ streams: { name: string; first_message_id: number | null }[] }>('GET /streams')
      ).streams.find((one) => one.name === 'fresh')!.first_message_id;
    // The id of the notice about the new stream.
    const { messages } = await member.api.ok<{ messages: ApiMessage[] }>('GET /messages', {
      narrow: [['stream', 'fresh']],
      anchor: 'oldest',
      num_before: 0,
      num_after: 10,
    });
    const [{ id: first, subject }] = messages as [ApiMessage];
    t.same([messages.length, subject], [1, 'stream events']);
    await say(member, 'fresh', 'b');
    // The directory learns of it after the sender has the answer.
    for (let i = 0; (await firstId()) === null && i < 200; i++) await Queue.register(member, { fetch_event_types: [] });
    t.equal(await firstId(), first);
  });

  await t.test('concurrent messages all arrive, each once, in the order of their ids', async (t) => {
    const queue = await Queue.register(other, { event_types: ['message'] });
    const people = [owner, admin, moderator, member, other, guest];
    const ids = await Promise.all(
      Array.from({ length: 60 }, (_, i) => say(people[i % people.length]!, 'square', `rush ${i % 3}`)),
    );
    const got = (await queue.take(60)).map((event) => (event.message as ApiMessage).id);
    t.same(
      [...got].sort((a, b) => a - b),
      [...ids].sort((a, b) => a - b),
    );
    t.same(
      got,
      [...got].sort((a, b) => a - b),
      'one stream, one order',
    );
  });
};
