/** Mentions of everybody and of a topic by clients of newer levels: docs/api/markdown.md § Mentions. */
import { refused } from '../../harness.js';
import type { Params } from '../../support/client.js';
import { atLevel } from '../../support/levels.js';
import {
  addPerson,
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

const TOPIC_MENTION = '<p><span class="topic-mention">@topic</span></p>';

export const newerMentions: Facts = async (t, server) => {
  const org = await makeOrganization(server);
  const { owner, admin, member, other, guest } = org;
  const modern = atLevel(member);
  await subscribe(owner, 'square', { principals: [owner, admin, member, other, guest] });
  const square = await streamIdOf(owner, 'square');
  const message = async (id: number, by: Person = member, params: Params = {}) =>
    (await by.api.ok<{ message: ApiMessage }>('GET /messages/{message_id}', { message_id: id, ...params })).message;
  const mentions = async (by: Person) => {
    const narrow = [{ operator: 'is', operand: 'mentioned' }];
    const params = { narrow, anchor: 'newest', num_before: 100, num_after: 0 };
    return (await by.api.ok<{ messages: ApiMessage[] }>('GET /messages', params)).messages.map(({ id }) => id);
  };
  const wildcard = async (id: number) => {
    const flagged: string[] = [];
    for (const person of org.people) {
      const { messages } = await person.api.ok<{ messages: ApiMessage[] }>('GET /messages', {
        anchor: id,
        num_before: 0,
        num_after: 0,
      });
      if (messages[0]?.flags.includes('wildcard_mentioned')) flagged.push(person.role);
    }
    return flagged;
  };

  await t.test('@**channel** mentions everybody in the channel', async (t) => {
    const id = await say(modern, 'square', 'noise', '@**channel**');
    const { content, flags } = await message(id, other);
    t.equal(content, '<p><span class="user-mention" data-user-id="*">@channel</span></p>');
    t.same(flags, ['wildcard_mentioned']);
    const silent = await say(modern, 'square', 'noise', '@_**channel**');
    t.same((await message(silent, other)).flags, []);
  });

  await t.test('@**topic** mentions those who wrote or reacted in the topic', async (t) => {
    await say(admin, 'square', 'plans', 'first');
    const second = await say(member, 'square', 'Plans', 'second');
    await guest.api.ok('POST /messages/{message_id}/reactions', { message_id: second, emoji_name: 'smile' });
    await say(owner, 'square', 'elsewhere', 'not here');
    const queues = await Promise.all(
      [admin, guest, other].map((by) => Queue.register(by, { event_types: ['message'] })),
    );
    const id = await say(modern, 'square', 'plans', '@**topic**');
    const heard = await Promise.all(queues.map(settled));
    t.same(
      heard.map(([event]) => event?.flags),
      [['wildcard_mentioned'], ['wildcard_mentioned'], []],
    );
    t.equal((await message(id)).content, TOPIC_MENTION);
    t.same(await wildcard(id), ['admin', 'member', 'guest']);
    t.ok((await mentions(admin)).includes(id));
    t.notOk((await mentions(other)).includes(id));
    const { unread_msgs } = await guest.api.ok<{ unread_msgs: { mentions: number[] } }>('POST /register');
    t.ok(unread_msgs.mentions.includes(id), 'unread mentions of the state');
    t.same(await wildcard(await say(modern, 'square', 'plans', '@_**topic**')), [], 'a silent mention');
    const quote = '```quote\n@**topic**\n```';
    t.same(await wildcard(await say(modern, 'square', 'plans', quote)), [], 'in a quote');
    t.same(await wildcard(await say(modern, 'square', 'brand new', '@**topic**')), ['member'], 'alone in the topic');
  });

  await t.test('an edit adds and removes such mentions', async (t) => {
    const id = await say(member, 'square', 'edits', 'quiet');
    await say(other, 'square', 'edits', 'here');
    const edit = (content: string, by: Person = modern) =>
      by.api.ok('PATCH /messages/{message_id}', { message_id: id, content });
    await edit('@**topic**');
    t.same(await wildcard(id), ['member', 'other']);
    const queue = await Queue.register(other, { event_types: ['update_message', 'message'] });
    await edit('@**channel**');
    t.same(
      await wildcard(id),
      org.people.map(({ role }) => role).filter((role) => role !== 'moderator'),
    );
    t.match(await settled(queue), [{ type: 'update_message', flags: ['wildcard_mentioned'] }]);
    await edit('quiet again');
    t.same(await wildcard(id), []);
  });

  await t.test('in direct messages a topic mentions no one', async (t) => {
    const id = await tell(modern, [other], '@**topic**');
    t.same(await wildcard(id), []);
  });

  await t.test('scheduled messages have the mentions of the client that wrote the text', async (t) => {
    const at = 4_000_000_000;
    const text = '@**channel** @**topic**';
    const params = { type: 'stream', to: square, topic: 'later', content: text, scheduled_delivery_timestamp: at };
    const newer = `<p><span class="user-mention" data-user-id="*">@channel</span> ${TOPIC_MENTION.slice(3)}`;
    const older = '<p>@<strong>channel</strong> @<strong>topic</strong></p>';
    const rendered = async (id: unknown) => {
      const { scheduled_messages } = await member.api.ok<{ scheduled_messages: Params[] }>('GET /scheduled_messages');
      return scheduled_messages.find(({ scheduled_message_id }) => scheduled_message_id === id)?.rendered_content;
    };
    for (const [by, html] of [
      [modern, newer],
      [member, older],
    ] as const) {
      const { scheduled_message_id: id } = await by.api.ok('POST /scheduled_messages', params);
      t.equal(await rendered(id), html);
      const edit = (editor: Person, change: Params) =>
        editor.api.ok('PATCH /scheduled_messages/{scheduled_message_id}', { scheduled_message_id: id, ...change });
      await edit(member, { scheduled_delivery_timestamp: at + 1, topic: 'even later' });
      t.equal(await rendered(id), html, 'an edit without a text changes nothing');
      await edit(modern, { content: text });
      t.equal(await rendered(id), newer);
      await edit(member, { content: text });
      t.equal(await rendered(id), older);
      await member.api.ok('DELETE /scheduled_messages/{scheduled_message_id}', { scheduled_message_id: id });
    }
  });

  await t.test('clients of the base level write neither', async (t) => {
    const id = await say(member, 'square', 'plans', '@**channel** @**topic**');
    t.equal((await message(id)).content, '<p>@<strong>channel</strong> @<strong>topic</strong></p>');
    t.same(await wildcard(id), []);
    const someone = await addPerson(org, 'channel');
    await subscribe(owner, 'square', { principals: [someone] });
    const named = await say(member, 'square', 'plans', '@**channel**');
    t.match((await message(named)).content, `data-user-id="${someone.id}"`, 'a user may have the name');
    t.same((await message(named, someone)).flags, ['mentioned']);
  });

  await t.test('the preview shows what would be sent', async (t) => {
    const render = async (by: Person) =>
      (await by.api.ok<{ rendered: string }>('POST /messages/render', { content: '@**topic**' })).rendered;
    t.equal(await render(modern), TOPIC_MENTION);
    t.equal(await render(member), '<p>@<strong>topic</strong></p>');
  });

  await t.test('the right to mention many is needed for topics, too', async (t) => {
    const many: Person[] = [];
    for (let i = 0; i < 16; i++) many.push(await addPerson(org, `writer ${i}`));
    await subscribe(owner, 'square', { principals: many });
    await owner.api.ok('PATCH /realm', { wildcard_mention_policy: 5 });
    const refusal = {
      code: 'BAD_REQUEST',
      msg: 'You do not have permission to use wildcard mentions in this stream.',
    };
    const send = (topic: string, content: string, by: Person) =>
      by.api.call('POST /messages', { type: 'stream', to: square, topic, content });
    await refused(t, send('plans', '@**channel**', modern), refusal);
    t.equal((await send('plans', '@**topic**', modern)).status, 200, 'few take part');
    for (const person of many) await say(person, 'square', 'crowded', 'me');
    await refused(t, send('crowded', '@**topic**', modern), refusal);
    const id = await say(member, 'square', 'crowded', 'x');
    const edit = (by: Person) => by.api.call('PATCH /messages/{message_id}', { message_id: id, content: '@**topic**' });
    await refused(t, edit(modern), refusal, 'by an edit');
    t.equal((await send('crowded', '@**topic**', atLevel(owner))).status, 200, 'an administrator may');
  });
};
