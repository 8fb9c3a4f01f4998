/** Flags on messages that the user picks (messages.md § Flags). */

import { refused } from '../../harness.js';
import { bad, missing, type Params } from '../../support/client.js';
import { makeOrganization, say, streamIdOf, subscribe, tell } from '../../support/organization.js';
import { Queue, settled } from '../../support/queue.js';
import { flagEvents, flagQueue, flagsOf, setFlag } from '../../support/reading.js';
import type { ApiMessage } from '../../support/types.js';
import type { Facts } from '../facts.js';

const NEWEST = { anchor: 'newest', num_before: 100, num_after: 0 };

export const reading: Facts = async (t, server) => {
  const org = await makeOrganization(server);
  const { owner, member, other, guest, admin } = org;
  await subscribe(owner, ['square', 'garden'], { principals: [owner, member, other, guest] });
  const square = await streamIdOf(owner, 'square');

  await t.test('messages sent by scripts are unread, also for their sender, until they are marked', async (t) => {
    const id = await say(member, 'square', 'a');
    t.same(await flagsOf(member, id), []);
    t.same(await flagsOf(other, id), []);
    const answer = await setFlag(other, 'add', 'read', [id]);
    t.same(answer.messages, [id]);
    t.same(await flagsOf(other, id), ['read']);
    t.same(await flagsOf(member, id), []);
    await setFlag(other, 'remove', 'read', [id]);
    t.same(await flagsOf(other, id), []);
  });

  await t.test('flags are listed in a fixed order', async (t) => {
    const id = await say(owner, 'square', 'a', `@**${other.name}** @**all** look`);
    await setFlag(other, 'add', 'collapsed', [id]);
    await setFlag(other, 'add', 'starred', [id]);
    await setFlag(other, 'add', 'read', [id]);
    t.same(await flagsOf(other, id), ['read', 'starred', 'collapsed', 'mentioned', 'wildcard_mentioned']);
    await setFlag(other, 'remove', 'starred', [id]);
    await setFlag(other, 'remove', 'collapsed', [id]);
    t.same(await flagsOf(other, id), ['read', 'mentioned', 'wildcard_mentioned']);
  });

  await t.test('flag events list the messages that really changed, and come even with an empty list', async (t) => {
    const [a, b] = [await say(member, 'square', 'a'), await say(member, 'square', 'a')];
    await setFlag(other, 'add', 'read', [a]);
    const queue = await flagQueue(other, { event_types: ['update_message_flags', 'message'] });
    await setFlag(other, 'add', 'read', [b, a, 999_999]);
    const [first] = await flagEvents(queue);
    const body = { type: 'update_message_flags', op: 'add', operation: 'add', flag: 'read', all: false };
    t.match(first, { ...body, messages: [b] });
    await setFlag(other, 'add', 'read', [a, b]);
    t.match(await flagEvents(queue), [{ ...body, messages: [] }]);
    await setFlag(other, 'remove', 'read', [a]);
    t.match(await flagEvents(queue), [
      {
        op: 'remove',
        operation: 'remove',
        messages: [a],
        message_details: {
          [a]: { type: 'stream', stream_id: square, topic: 'a', unmuted_stream_msg: true },
        },
      },
    ]);
    const direct = await tell(member, [other, guest]);
    const note = await tell(other, [other]);
    await setFlag(other, 'add', 'read', [direct, note]);
    await setFlag(other, 'remove', 'read', [direct, note]);
    const events = await flagEvents(queue);
    t.same(events.at(-1)?.message_details, {
      [direct]: { type: 'private', user_ids: [member.id, guest.id].sort((x, y) => x - y) },
      [note]: { type: 'private', user_ids: [] },
    });
    await queue.delete();
  });

  await t.test('unpolled flag events are coalesced, except for "unread" and "all"', async (t) => {
    const ids = [await say(member, 'square', 'a'), await say(member, 'square', 'a'), await say(member, 'square', 'a')];
    const queue = await flagQueue(other, { event_types: ['update_message_flags'] });
    for (const id of ids) await setFlag(other, 'add', 'read', [id]);
    await setFlag(other, 'add', 'starred', [ids[0]!]);
    for (const id of ids) await setFlag(other, 'remove', 'read', [id]);
    const seen: unknown[] = [];
    while (seen.length < 5) {
      seen.push(...(await queue.now()).map(({ op, flag, messages }) => [op, flag, messages]));
    }
    t.same(seen, [['add', 'read', ids], ['add', 'starred', [ids[0]]], ...ids.map((id) => ['remove', 'read', [id]])]);
    await setFlag(other, 'remove', 'starred', [ids[0]!]);
    await queue.delete();
  });

  await t.test('a message without a copy counts as read and historical; marking it makes a copy', async (t) => {
    const id = await say(member, 'square', 'old');
    t.same(await flagsOf(admin, id), ['read', 'historical']);
    await setFlag(admin, 'add', 'read', [id]);
    t.same(await flagsOf(admin, id), ['read', 'historical']);
    await setFlag(admin, 'add', 'starred', [id]);
    t.same(await flagsOf(admin, id), ['read', 'starred', 'historical']);
    const { messages } = await admin.api.ok<{ messages: ApiMessage[] }>('GET /messages', NEWEST);
    t.same(
      messages.map((message) => message.id),
      [id],
      'it is among the own ones now',
    );
    await setFlag(admin, 'remove', 'starred', [id]);
    t.same(await flagsOf(admin, id), ['read', 'historical']);
    await setFlag(admin, 'remove', 'read', [id]);
    t.same(await flagsOf(admin, id), ['read', 'historical'], 'not subscribed: passed over');
  });

  await t.test('a user who made a copy gets changes once, also after subscribing', async (t) => {
    const id = await say(member, 'square', 'old');
    await setFlag(admin, 'add', 'starred', [id]);
    const queue = await Queue.register(admin, { event_types: ['reaction', 'message'], fetch_event_types: [] });
    const react = (emoji_name: string) =>
      member.api.ok('POST /messages/{message_id}/reactions', { message_id: id, emoji_name });
    await react('smile');
    t.match(await settled(queue), [{ type: 'reaction', message_id: id }]);
    await subscribe(admin, 'square');
    await react('heart');
    const reactions = (await settled(queue)).filter((event) => event.type === 'reaction');
    t.equal(reactions.length, 1);
    await queue.delete();
    await admin.api.ok('DELETE /users/me/subscriptions', { subscriptions: ['square'] });
  });

  await t.test('a refused flag change changes nothing', async (t) => {
    const id = await say(member, 'square', 'a');
    const secret = await tell(owner, [member]);
    const call = (params: Params, by = other) => by.api.call('POST /messages/flags', params);
    const fine = { messages: [id], op: 'add', flag: 'starred' };
    await refused(t, call({ op: 'add', flag: 'read' }), missing('messages'));
    await refused(t, call({ messages: [id], flag: 'read' }), missing('op'));
    await refused(t, call({ messages: [id], op: 'add' }), missing('flag'));
    await refused(t, call({ ...fine, messages: id }), bad('messages is not a list'));
    await refused(t, call({ ...fine, messages: ['x'] }), bad('messages[0] is not an integer'));
    await refused(t, call({ ...fine, flag: 'nice' }), bad("Invalid flag: 'nice'"));
    for (const flag of ['mentioned', 'wildcard_mentioned', 'has_alert_word', 'historical']) {
      await refused(t, call({ ...fine, flag }), bad(`Flag not editable: '${flag}'`));
    }
    await refused(t, call({ ...fine, op: 'toggle' }), bad("Invalid message flag operation: 'toggle'"));
    for (const messages of [
      [id, secret],
      [id, 999_999],
      [-1, id],
    ]) {
      await refused(t, call({ ...fine, messages }), bad('Invalid message(s)'));
    }
    await refused(t, call({ ...fine, messages: [id, 2 ** 53] }), bad('messages[1] is too large'));
    t.same(await flagsOf(other, id), []);
    await setFlag(other, 'add', 'read', [secret]);
    await setFlag(
      other,
      'add',
      'read',
      Array.from({ length: 10_000 }, (_, i) => 10_000_000 + i),
    );
  });
};
