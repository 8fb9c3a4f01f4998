/** Reactions: the right to react, stored reactions, and recipients of events (messages.md § Reactions). */

import type { Params } from '../../support/client.js';
import { makeOrganization, type Person, say, subscribe, tell } from '../../support/organization.js';
import { Queue, settled } from '../../support/queue.js';
import type { ApiMessage, Fields } from '../../support/types.js';
import { verifyAction } from '../../support/verify-action.js';
import type { Facts } from '../facts.js';

interface Shown extends Fields {
  readonly emoji_name: string;
  readonly emoji_code: string;
  readonly reaction_type: string;
  readonly user_id: number;
}

export const reactions: Facts = async (t, server) => {
  const org = await makeOrganization(server);
  const { owner, member, other, guest } = org;
  await subscribe(owner, 'square', { principals: [owner, member, guest] });
  await subscribe(owner, 'closed', { invite_only: true, principals: [owner, member] });
  const add = (by: Person, message_id: number, params: Params) =>
    by.api.ok('POST /messages/{message_id}/reactions', { message_id, ...params });
  const remove = (by: Person, message_id: number, params: Params) =>
    by.api.ok('DELETE /messages/{message_id}/reactions', { message_id, ...params });
  const message = async (by: Person, message_id: number): Promise<ApiMessage> =>
    (await by.api.ok<{ message: ApiMessage }>('GET /messages/{message_id}', { message_id })).message;
  const on = async (id: number, by = owner): Promise<Shown[]> => (await message(by, id)).reactions as Shown[];
  const short = ({ emoji_name, emoji_code, reaction_type, user_id }: Shown) =>
    [emoji_name, emoji_code, reaction_type, user_id] as const;

  await t.test('a name is enough for a reaction; code and type follow from it', async (t) => {
    const id = await say(owner, 'square', 'names');
    await add(member, id, { emoji_name: 'smile' });
    await add(owner, id, { emoji_name: '+1', emoji_code: '1f44d', reaction_type: 'unicode_emoji' });
    await add(guest, id, { emoji_name: 'tada', emoji_code: '1f389' });
    await add(guest, id, { emoji_name: 'heart', reaction_type: 'unicode_emoji' });
    t.same((await on(id)).map(short), [
      ['smile', '1f642', 'unicode_emoji', member.id],
      ['+1', '1f44d', 'unicode_emoji', owner.id],
      ['tada', '1f389', 'unicode_emoji', guest.id],
      ['heart', '2764', 'unicode_emoji', guest.id],
    ]);
    t.same((await on(id))[0]!.user, {
      id: member.id,
      email: member.email,
      full_name: member.name,
      is_mirror_dummy: false,
    });
    const { messages } = await guest.api.ok<{ messages: ApiMessage[] }>('GET /messages', {
      anchor: id,
      num_before: 0,
      num_after: 0,
    });
    t.same(messages[0]!.reactions, await on(id), 'in lists of messages, too');
  });

  await t.test('names and codes are those of clients; a variation selector makes no other emoji', async (t) => {
    const id = await say(owner, 'square', 'names of clients', ':cat: :flag_åland_islands: :指: ☃ 🪐');
    const { content } = await message(owner, id);
    for (const code of ['1f408', '1f1e6-1f1fd', '1f22f', '2603', '1fa90']) t.match(content, `emoji-${code}"`, code);
    const unicode = (emoji_name: string, emoji_code: string) => ({
      emoji_name,
      emoji_code,
      reaction_type: 'unicode_emoji',
    });
    const detective = '1f575-fe0f-200d-2640-fe0f';
    await add(owner, id, unicode('cat', '1f408'));
    await add(owner, id, unicode('heart', '2764-fe0f'));
    await add(owner, id, unicode('woman_detective', detective));
    await add(member, id, unicode('woman_detective', '1f575-200d-2640'));
    t.same((await on(id)).map(short), [
      ['cat', '1f408', 'unicode_emoji', owner.id],
      ['heart', '2764', 'unicode_emoji', owner.id],
      ['woman_detective', detective, 'unicode_emoji', owner.id],
      ['woman_detective', detective, 'unicode_emoji', member.id],
    ]);
    await remove(owner, id, { emoji_code: '1f575-200d-2640', reaction_type: 'unicode_emoji' });
    await remove(member, id, { emoji_code: detective });
    await remove(owner, id, { emoji_code: '2764-fe0f' });
    t.same((await on(id)).map(short), [['cat', '1f408', 'unicode_emoji', owner.id]]);
  });

  await t.test('a user who joins a reaction takes its name, whatever name was sent', async (t) => {
    const id = await say(owner, 'square', 'joining');
    await add(owner, id, { emoji_name: 'thumbs_up' });
    await add(member, id, { emoji_name: '+1' });
    await add(guest, id, { emoji_name: 'no such emoji', emoji_code: '1f44d', reaction_type: 'unicode_emoji' });
    t.same(
      (await on(id)).map((shown) => [shown.emoji_name, shown.user_id]),
      [owner, member, guest].map(({ id }) => ['thumbs_up', id]),
    );
  });

  await t.test('the extra emoji has two names and is one emoji', async (t) => {
    const id = await say(owner, 'square', 'extra');
    await add(owner, id, { emoji_name: 'zulip', emoji_code: 'zulip', reaction_type: 'zulip_extra_emoji' });
    await add(member, id, { emoji_name: 'conclave' });
    await add(guest, id, { emoji_name: 'zulip', emoji_code: 'conclave', reaction_type: 'service_extra_emoji' });
    t.same(
      (await on(id)).map(short),
      [owner, member, guest].map((person) => ['conclave', 'conclave', 'service_extra_emoji', person.id]),
    );
    await remove(owner, id, { emoji_code: 'conclave' });
    await remove(member, id, { emoji_code: 'zulip', reaction_type: 'service_extra_emoji' });
    await remove(guest, id, { emoji_name: 'zulip' });
    t.same(await on(id), []);
  });

  await t.test('a reaction is removed by name, by code, or by both', async (t) => {
    const id = await say(owner, 'square', 'taking back');
    const ways: Params[] = [
      { emoji_name: '+1' },
      { emoji_name: 'thumbs_up' },
      { emoji_code: '1f44d' },
      { emoji_code: '1f44d', reaction_type: 'unicode_emoji' },
      { emoji_name: 'smile', emoji_code: '1f44d' },
      { emoji_name: 'an older name', emoji_code: '1f44d', reaction_type: 'unicode_emoji' },
      { emoji_name: '+1', reaction_type: 'realm_emoji' },
    ];
    await add(owner, id, { emoji_name: '+1' });
    for (const way of ways) {
      await add(member, id, { emoji_name: '+1' });
      await remove(member, id, way);
      t.same(
        (await on(id)).map((shown) => shown.user_id),
        [owner.id],
        JSON.stringify(way),
      );
    }
  });

  await t.test(
    'users with a copy of the message get the event of a reaction, as do users who may read it',
    async (t) => {
      const before = await say(owner, 'square', 'hearing');
      await subscribe(other, 'square');
      const queues = await Promise.all(
        org.people.map((person) => Queue.register(person, { event_types: ['reaction', 'message'] })),
      );
      await add(member, before, { emoji_name: 'smile' });
      await remove(member, before, { emoji_code: '1f642' });
      const event = (op: string) => ({
        type: 'reaction',
        op,
        message_id: before,
        emoji_name: 'smile',
        emoji_code: '1f642',
        reaction_type: 'unicode_emoji',
        user_id: member.id,
        user: { user_id: member.id, email: member.email, full_name: member.name },
      });
      const heard = await Promise.all(queues.map(settled));
      org.people.forEach((person, i) => {
        const hears = [owner, member, guest, other].includes(person);
        t.same(
          heard[i]!.map(({ id: _, ...rest }) => rest),
          hears ? [event('add'), event('remove')] : [],
          person.role,
        );
      });
    },
  );

  await t.test('a reaction to a direct message is published to its participants only', async (t) => {
    const id = await tell(owner, [guest]);
    const queues = await Promise.all(
      org.people.map((person) => Queue.register(person, { event_types: ['reaction', 'message'] })),
    );
    await add(guest, id, { emoji_name: 'tada' });
    const heard = await Promise.all(queues.map(settled));
    t.same(
      org.people.filter((_, i) => heard[i]!.length > 0).map(({ role }) => role),
      ['owner', 'guest'],
    );
    t.same((await on(id)).map(short), [['tada', '1f389', 'unicode_emoji', guest.id]]);
  });

  await t.test('a user who reacts without a copy gets one, and later events of the message', async (t) => {
    const { moderator } = org;
    const id = await say(owner, 'square', 'from outside');
    const queue = await Queue.register(moderator, { event_types: ['reaction', 'message'] });
    await add(moderator, id, { emoji_name: 'eyes' });
    await add(member, id, { emoji_name: 'tada' });
    t.same(
      (await settled(queue)).map((event) => event.emoji_name),
      ['eyes', 'tada'],
    );
    t.same((await message(moderator, id)).flags, ['read', 'historical']);
    const { messages } = await moderator.api.ok<{ messages: ApiMessage[] }>('GET /messages', {
      anchor: id,
      num_before: 0,
      num_after: 0,
    });
    t.same(
      messages.map((one) => [one.id, one.flags]),
      [[id, ['read', 'historical']]],
      'it is among the own messages',
    );
    await remove(moderator, id, { emoji_name: 'eyes' });
    t.same((await message(moderator, id)).flags, ['read', 'historical'], 'the copy stays');
  });

  await t.test('concurrent reactions all take effect, and none counts twice', async (t) => {
    const id = await say(owner, 'square', 'racing');
    const people = org.people;
    const names = ['smile', 'tada', 'heart', 'eyes', '+1', 'conclave', 'rocket', 'fire'];
    const queue = await Queue.register(owner, { event_types: ['reaction', 'message'] });
    const tries = people.flatMap((person) =>
      names.flatMap((emoji_name) => [
        () => person.api.call('POST /messages/{message_id}/reactions', { message_id: id, emoji_name }),
        () => person.api.call('POST /messages/{message_id}/reactions', { message_id: id, emoji_name }),
      ]),
    );
    const answers = await Promise.all(tries.map((attempt) => attempt()));
    t.equal(answers.filter(({ status }) => status === 200).length, people.length * names.length);
    const key = ({ user_id, emoji_name }: Fields): string => `${user_id} ${emoji_name}`;
    const expected = people.flatMap((person) => names.map((name) => `${person.id} ${name}`)).sort();
    const kept = await on(id);
    t.same(kept.map(key).sort(), expected);
    t.same((await settled(queue)).map(key), kept.map(key), 'events come in the order of the reactions');
    const gone = await Promise.all(
      people.map((person) =>
        person.api.call('DELETE /messages/{message_id}/reactions', { message_id: id, emoji_name: 'tada' }),
      ),
    );
    t.same(new Set(gone.map(({ status }) => status)), new Set([200]));
    t.same(
      (await on(id)).map(key).sort(),
      expected.filter((one) => !one.endsWith(' tada')),
    );
  });

  await t.test('snapshot and events agree', async (t) => {
    const id = await say(owner, 'closed', 'state');
    await verifyAction(t, 'a reaction comes', org.people, () => add(member, id, { emoji_name: 'smile' }));
    await verifyAction(t, 'a reaction goes', org.people, () => remove(member, id, { emoji_name: 'smile' }));
    const open = await say(owner, 'square', 'state');
    await verifyAction(t, 'a reaction makes a copy', org.people, () => add(org.admin, open, { emoji_name: 'smile' }));
  });
};
