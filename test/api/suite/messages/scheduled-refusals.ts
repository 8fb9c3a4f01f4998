/**
 * Refusals of sending apply at once to scheduling, and to edits of scheduled messages (messages.md § POST /messages).
 */

import { refused } from '../../harness.js';
import { bad, type Params, type Refusal } from '../../support/client.js';
import { crowd, makeOrganization, type Person, streamIdOf, subscribe } from '../../support/organization.js';
import type { Facts } from '../facts.js';

const EDIT = 'PATCH /scheduled_messages/{scheduled_message_id}';
const ADMINS = bad('Only organization administrators can send to this stream.');
const MODERATORS = bad('Only organization administrators and moderators can send to this stream.');
const GUESTS = bad('Guests cannot send to this stream.');
const WILDCARD = bad('You do not have permission to use wildcard mentions in this stream.');

export const scheduledRefusals: Facts = async (t, server) => {
  const org = await makeOrganization(server);
  const { owner, moderator, member, other, guest } = org;
  await subscribe(owner, 'dock', { principals: [...org.people] });
  const dock = await streamIdOf(owner, 'dock');
  const later = Math.floor(server.clock.now() / 1000) + 86_400;
  const toStream = { type: 'stream', to: dock, topic: 'tides', content: 'x', scheduled_delivery_timestamp: later };
  const direct = { type: 'direct', to: [other.id], content: 'x', scheduled_delivery_timestamp: later };
  const create = (params: Params, by: Person) => by.api.call('POST /scheduled_messages', params);
  const made = async (params: Params, by: Person): Promise<number> =>
    (await by.api.ok<{ scheduled_message_id: number }>('POST /scheduled_messages', params)).scheduled_message_id;
  const list = async (by: Person) => (await by.api.ok('GET /scheduled_messages')).scheduled_messages;
  const edit = (id: number, params: Params, by: Person) => by.api.call(EDIT, { scheduled_message_id: id, ...params });

  await t.test('scheduling checks posting policies', async (t) => {
    const refusals: readonly (readonly [number, ReadonlyMap<Person, Refusal>])[] = [
      [
        2,
        new Map([
          [moderator, ADMINS],
          [member, ADMINS],
          [guest, ADMINS],
        ]),
      ],
      [3, new Map([[guest, GUESTS]])],
      [
        4,
        new Map([
          [member, MODERATORS],
          [guest, MODERATORS],
        ]),
      ],
    ];
    for (const [stream_post_policy, refusal] of refusals) {
      const name = `policy ${stream_post_policy}`;
      await subscribe(owner, name, { stream_post_policy, principals: [...org.people] });
      const to = await streamIdOf(owner, name);
      for (const by of [owner, moderator, member, guest]) {
        const id = await made(toStream, by);
        const before = await list(by);
        const expected = refusal.get(by);
        if (expected) {
          await refused(t, create({ ...toStream, to }, by), expected, `${name}, ${by.role}`);
          await refused(t, edit(id, { to }, by), expected, `${name}, ${by.role} edits`);
          t.same(await list(by), before, 'and nothing changes');
        } else {
          t.ok(await made({ ...toStream, to }, by), `${name}, ${by.role}`);
          t.equal((await edit(id, { to }, by)).status, 200, `${name}, ${by.role} edits`);
        }
      }
    }
  });

  await t.test('scheduling needs a topic where the organization requires one', async (t) => {
    const id = await made(toStream, member);
    const none = { topic: '(no topic)' };
    t.ok(await made({ ...toStream, ...none }, member), 'not before');
    await owner.api.ok('PATCH /realm', { mandatory_topics: true });
    const required = bad('Topics are required in this organization');
    await refused(t, create({ ...toStream, ...none }, member), required);
    await refused(t, edit(id, { ...none, content: 'y' }, member), required);
    await refused(t, create({ ...toStream, ...none }, owner), required, 'owners are no exception');
    t.ok(await made(toStream, member));
    await owner.api.ok('PATCH /realm', { mandatory_topics: false });
    t.equal((await edit(id, { ...none, content: 'y' }, member)).status, 200);
  });

  await t.test('scheduling direct messages is refused where the organization disables them', async (t) => {
    const id = await made(direct, member);
    await owner.api.ok('PATCH /realm', { private_message_policy: 2 });
    const disabled = bad('Direct messages are disabled in this organization.');
    await refused(t, create(direct, member), disabled);
    await refused(t, create({ ...direct, to: [owner.id] }, owner), disabled, 'not to oneself either');
    await refused(t, edit(id, { content: 'y' }, member), disabled);
    t.equal((await edit(id, { type: 'stream', to: dock, topic: 'tides' }, member)).status, 200);
    await owner.api.ok('PATCH /realm', { private_message_policy: 1 });
    t.ok(await made(direct, member));
  });

  await t.test('scheduling a wildcard mention is refused where it would reach too many', async (t) => {
    await subscribe(owner, 'harbour', { principals: [owner, member] });
    const harbour = await streamIdOf(owner, 'harbour');
    const principals = await crowd(org, 14);
    const subscriptions = [{ name: 'harbour' }];
    await owner.api.ok('POST /users/me/subscriptions', { subscriptions, principals: principals.slice(1) });
    const loud = { ...toStream, to: harbour, content: '@**all** ahoy' };
    t.ok(await made(loud, member), 'fifteen are few');
    const quiet = await made({ ...loud, content: 'ahoy' }, member);
    const elsewhere = await made({ ...loud, to: dock }, member);
    await owner.api.ok('POST /users/me/subscriptions', { subscriptions, principals: principals.slice(0, 1) });
    await refused(t, create(loud, member), WILDCARD);
    await refused(t, edit(quiet, { content: loud.content }, member), WILDCARD, 'a text that has one');
    await refused(t, edit(elsewhere, { to: harbour }, member), WILDCARD, 'a stream that has many');
    t.equal((await edit(quiet, { content: '@_**all** ahoy' }, member)).status, 200, 'a silent one wakes nobody');
    t.ok(await made(loud, owner), 'an administrator may');
    await owner.api.ok('PATCH /realm', { wildcard_mention_policy: 1 });
    t.ok(await made(loud, member), 'and so may everybody, where the organization wants it');
  });

  await t.test('edits check recipients and texts', async (t) => {
    const id = await made(direct, member);
    const before = await list(member);
    await refused(
      t,
      edit(id, { type: 'direct', to: [other.email] }, member),
      bad('Recipient list may only contain user IDs'),
    );
    await refused(t, edit(id, { type: 'direct', to: [] }, member), bad('Message must have recipients'));
    await refused(t, edit(id, { to: [] }, member), bad('Message must have recipients'), 'of the type that it has');
    await refused(t, edit(id, { content: 'a\0b' }, member), bad('Message must not contain null bytes'));
    t.same(await list(member), before);
  });
};
