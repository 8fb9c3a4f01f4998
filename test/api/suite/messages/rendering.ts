/** The effects of markup in messages: mentions and their flags, links to streams, topic links, `has:` narrows. */

import { refused } from '../../harness.js';
import { bad } from '../../support/client.js';
import { crowd, makeOrganization, say, streamIdOf, subscribe, tell } from '../../support/organization.js';
import { Queue } from '../../support/queue.js';
import type { ApiMessage } from '../../support/types.js';
import type { Facts } from '../facts.js';

export const rendering: Facts = async (t, server) => {
  const org = await makeOrganization(server);
  const { owner, member, other, guest } = org;
  await subscribe(owner, 'hall', { principals: [owner, member] });
  const hall = await streamIdOf(owner, 'hall');
  const fetch = async (by: typeof owner, id: number): Promise<ApiMessage> =>
    (await by.api.ok<{ message: ApiMessage }>('GET /messages/{message_id}', { message_id: id })).message;

  await t.test('a mention shows the name, and flags the copies of mentioned users', async (t) => {
    const queue = await Queue.register(member, { event_types: ['message'] });
    const id = await say(owner, 'hall', 'names', `@**${member.name}** and @_**${owner.name}** and @**${other.name}**`);
    const { content } = await fetch(owner, id);
    t.match(content, `<span class="user-mention" data-user-id="${member.id}">@${member.name}</span>`);
    t.match(content, `<span class="user-mention silent" data-user-id="${owner.id}">${owner.name}</span>`);
    t.same((await fetch(member, id)).flags, ['mentioned']);
    t.same((await fetch(owner, id)).flags, [], 'a silent mention tells nobody');
    t.same((await fetch(other, id)).flags, ['read', 'historical'], 'who has no copy gets no flag');
    const [event] = await queue.take(1);
    t.same(event?.flags, ['mentioned']);
  });

  await t.test('a wildcard mention flags every copy', async (t) => {
    const queue = await Queue.register(member, { event_types: ['message'] });
    const id = await say(owner, 'hall', 'names', '@**all** hear');
    for (const by of [owner, member]) t.same((await fetch(by, id)).flags, ['wildcard_mentioned']);
    t.same((await fetch(other, id)).flags, ['read', 'historical']);
    t.same((await queue.take(1))[0]?.flags, ['wildcard_mentioned']);
    const direct = await tell(owner, [member], '@**everyone** and @**member**');
    t.same((await fetch(member, direct)).flags?.includes('wildcard_mentioned'), true);
  });

  await t.test('above 15 subscribers a policy decides which roles may use a wildcard', async (t) => {
    await subscribe(owner, 'crowd', { principals: [owner, member] });
    const principals = await crowd(org, 14);
    await owner.api.ok('POST /users/me/subscriptions', {
      subscriptions: [{ name: 'crowd' }],
      principals: principals.slice(0, 13),
    });
    await say(member, 'crowd', 'x', '@**all** fifteen are few');
    await owner.api.ok('POST /users/me/subscriptions', {
      subscriptions: [{ name: 'crowd' }],
      principals: principals.slice(13),
    });
    const loud = { type: 'stream', to: 'crowd', topic: 'x', content: '@**all** sixteen are many' };
    const refusal = bad('You do not have permission to use wildcard mentions in this stream.');
    await refused(t, member.api.call('POST /messages', loud), refusal);
    const edit = (by: typeof owner, message_id: number) =>
      by.api.call('PATCH /messages/{message_id}', { message_id, content: loud.content });
    const quiet = await say(member, 'crowd', 'x', 'before');
    await refused(t, edit(member, quiet), refusal, 'nor by an edit');
    t.equal((await fetch(member, quiet)).content, '<p>before</p>');
    t.equal((await edit(owner, await say(owner, 'crowd', 'x'))).status, 200, 'an administrator may, by an edit, too');
    await say(owner, 'crowd', 'x', '@**all** an administrator may');
    await say(member, 'crowd', 'x', '@_**all** a silent one wakes nobody');
  });

  await t.test('streams are linked by name, and topics have the links of the addresses in them', async (t) => {
    const id = await say(owner, 'hall', 'see https://example.com/a now', 'in #**hall** it is');
    const message = await fetch(owner, id);
    t.match(message.content, `data-stream-id="${hall}"`);
    t.same(message.topic_links, [{ text: 'https://example.com/a', url: 'https://example.com/a' }]);
  });

  await t.test('has:link and has:image find rendered links and images', async (t) => {
    const link = await say(owner, 'hall', 'has', 'https://example.com/page');
    const image = await say(owner, 'hall', 'has', 'https://example.com/cat.png');
    const plain = await say(owner, 'hall', 'has', 'nothing');
    const found = async (narrow: unknown[]): Promise<number[]> => {
      const answer = await owner.api.ok<{ messages: ApiMessage[] }>('GET /messages', {
        anchor: 'newest',
        num_before: 10,
        num_after: 0,
        narrow: JSON.stringify([{ operator: 'topic', operand: 'has' }, ...narrow]),
      });
      return answer.messages.map((message) => message.id);
    };
    t.same(await found([{ operator: 'has', operand: 'link' }]), [link, image]);
    t.same(await found([{ operator: 'has', operand: 'image' }]), [image]);
    t.same(await found([{ operator: 'has', operand: 'link', negated: true }]), [plain]);
  });

  await t.test('hostile markup is shown as text', async (t) => {
    const id = await tell(guest, [owner], '<script>alert(1)</script>');
    const { content } = await fetch(owner, id);
    t.notMatch(content, '<script>');
    t.match(content, '&lt;script&gt;');
  });
};
