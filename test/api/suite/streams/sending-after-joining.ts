/** A user who learned of the right to post to a stream may send and react at once, through any frontend. */

import { refused } from '../../harness.js';
import { bad, type Params } from '../../support/client.js';
import { makeBot, makeOrganization, type Person, say, streamIdOf, subscribe } from '../../support/organization.js';
import { Queue } from '../../support/queue.js';
import type { Facts } from '../facts.js';

const TIMES = 12;

export const sendingAfterJoining: Facts = async (t, server) => {
  const org = await makeOrganization(server);
  const { owner, admin, member, other, guest } = org;
  let n = 0;
  const made = async (by: Person, params: Params = {}): Promise<string> => {
    const name = `closed ${++n}`;
    await subscribe(by, name, { invite_only: true, ...params });
    return name;
  };
  const sends = (by: Person, to: string | number, content: string) =>
    by.api.call('POST /messages', { type: 'stream', to, topic: 'at once', content });
  const isJoiningOf = (one: { op?: unknown; subscriptions?: unknown }, name: string): boolean =>
    one.op === 'add' && (one.subscriptions as { name: string }[]).some((of) => of.name === name);
  const into = (name: string, whom: Person) =>
    owner.api.call('POST /users/me/subscriptions', { subscriptions: [{ name }], principals: [whom.id] });

  await t.test('a user subscribed by somebody else may send as soon as that call is answered', async (t) => {
    for (let i = 0; i < TIMES; i++) {
      const name = await made(owner);
      await refused(t, sends(guest, name, 'before'), bad(`Not authorized to send to stream '${name}'`));
      t.equal((await into(name, guest)).status, 200);
      t.equal((await sends(guest, name, 'after')).status, 200, `time ${i}`);
    }
  });

  await t.test('a user may send as soon as the subscription event arrives', async (t) => {
    const queue = await Queue.register(other, { event_types: ['subscription'] });
    for (let i = 0; i < TIMES; i++) {
      const name = await made(owner);
      const joining = into(name, other);
      await queue.until((events) => events.some((one) => isJoiningOf(one, name)));
      t.equal((await sends(other, name, 'told')).status, 200, `time ${i}`);
      t.equal((await joining).status, 200);
    }
  });

  await t.test('a user may react to a message as soon as the subscription event arrives', async (t) => {
    const queue = await Queue.register(other, { event_types: ['subscription'] });
    for (let i = 0; i < TIMES; i++) {
      const name = await made(owner, { history_public_to_subscribers: true });
      const message_id = await say(owner, name, 'earlier', 'welcome');
      const joining = into(name, other);
      await queue.until((events) => events.some((one) => isJoiningOf(one, name)));
      const reacting = other.api.call('POST /messages/{message_id}/reactions', { message_id, emoji_name: 'wave' });
      t.equal((await reacting).status, 200, `time ${i}`);
      t.equal((await joining).status, 200);
    }
  });

  await t.test('a bot may send as soon as its owner is subscribed', async (t) => {
    const bot = await makeBot(member, { bot_type: 1 });
    for (let i = 0; i < TIMES; i++) {
      const name = await made(owner);
      await refused(t, sends(bot, name, 'before'), bad(`Not authorized to send to stream '${name}'`));
      t.equal((await into(name, member)).status, 200);
      t.equal((await sends(bot, name, 'after')).status, 200, `time ${i}`);
    }
  });

  await t.test('a user admitted by a change of the stream may send at once', async (t) => {
    for (let i = 0; i < TIMES; i++) {
      const name = await made(admin);
      const stream_id = await streamIdOf(admin, name);
      await admin.api.ok('PATCH /streams/{stream_id}', { stream_id, is_private: false });
      t.equal((await sends(member, stream_id, 'open')).status, 200, `time ${i}`);
      await admin.api.ok('PATCH /streams/{stream_id}', { stream_id, stream_post_policy: 2 });
      await admin.api.ok('PATCH /streams/{stream_id}', { stream_id, stream_post_policy: 1 });
      t.equal((await sends(member, stream_id, 'for all')).status, 200, `time ${i}`);
    }
  });

  await t.test('a user who left is refused', async (t) => {
    const name = await made(owner);
    await into(name, other);
    await other.api.ok('DELETE /users/me/subscriptions', { subscriptions: [name] });
    await refused(t, sends(other, name, 'gone'), bad(`Not authorized to send to stream '${name}'`));
  });
};
