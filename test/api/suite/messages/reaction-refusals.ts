/** Refusals of reactions, in the order of their checks (messages.md § Reactions). */
import sharp from 'sharp';
import { refused } from '../../harness.js';
import { bad, missing, type Params } from '../../support/client.js';
import { makeOrganization, type Person, say, subscribe, tell } from '../../support/organization.js';
import { Queue, settled } from '../../support/queue.js';
import type { Facts } from '../facts.js';

const NO_MESSAGE = bad('Invalid message(s)');

export const reactionRefusals: Facts = async (t, server) => {
  const org = await makeOrganization(server);
  const elsewhere = await makeOrganization(server, ['member']);
  const { owner, admin, member, other, guest } = org;
  await subscribe(owner, 'square', { principals: [owner, member] });
  await subscribe(owner, 'closed', { invite_only: true, principals: [owner] });
  const id = await say(owner, 'square', 'refusals');
  await member.api.ok('POST /messages/{message_id}/reactions', { message_id: id, emoji_name: 'smile' });
  const add = (params: Params, by: Person = member, message_id = id) =>
    by.api.call('POST /messages/{message_id}/reactions', { message_id, ...params });
  const remove = (params: Params, by: Person = member, message_id = id) =>
    by.api.call('DELETE /messages/{message_id}/reactions', { message_id, ...params });

  await t.test('the message must be one that the caller may read', async (t) => {
    const closed = await say(owner, 'closed', 'refusals');
    const direct = await tell(owner, [owner, member]);
    const calls: [Person, number, string][] = [
      [member, 987_654, 'unknown'],
      [member, 0, 'zero'],
      [member, closed, 'in a private stream'],
      [admin, closed, 'in a private stream, for administrators'],
      [admin, direct, 'a direct message of others'],
      [guest, id, 'in a public stream, for a guest who is not in it'],
      [elsewhere.member, id, 'of another organization'],
    ];
    for (const [by, message, title] of calls) {
      await refused(t, add({ emoji_name: 'smile' }, by, message), NO_MESSAGE, title);
      await refused(t, add({ emoji_name: 'no such emoji' }, by, message), NO_MESSAGE, `${title}, before the emoji`);
      await refused(t, remove({ emoji_name: 'smile' }, by, message), NO_MESSAGE, `${title}, taking back`);
      await refused(t, remove({}, by, message), NO_MESSAGE, `${title}, before the arguments`);
    }
    const notLoggedIn = { status: 401, msg: 'Not logged in: API authentication or user session required' };
    for (const method of ['POST', 'DELETE']) {
      const call = org.nobody.call(`${method} /messages/{message_id}/reactions`, {
        message_id: id,
        emoji_name: 'smile',
      });
      await refused(t, call, notLoggedIn, `${method} without credentials`);
    }
  });

  await t.test('a new reaction must name an existing emoji', async (t) => {
    await refused(t, add({}), missing('emoji_name'));
    await refused(t, add({ emoji_name: 'nosuch' }), bad("Emoji 'nosuch' does not exist"));
    await refused(
      t,
      add({ emoji_name: 'nosuch', emoji_code: '1f642' }),
      bad("Emoji 'nosuch' does not exist"),
      'no type',
    );
    await refused(t, add({ emoji_name: '', emoji_code: '1f642' }), bad("Emoji '' does not exist"), 'empty');
    const of = (emoji_name: string, emoji_code: string, reaction_type: string) =>
      add({ emoji_name, emoji_code, reaction_type });
    await refused(t, of('smile', 'zzz', 'unicode_emoji'), bad('Invalid emoji code.'));
    await refused(t, of('smile', '1F642', 'unicode_emoji'), bad('Invalid emoji code.'), 'codes are lower-case');
    await refused(t, of('smile', '1f44d', 'unicode_emoji'), bad('Invalid emoji name.'));
    await refused(t, of('smile', 'smile', 'service_extra_emoji'), bad('Invalid emoji code.'), 'another extra emoji');
    await refused(t, of('smile', 'zulip', 'zulip_extra_emoji'), bad('Invalid emoji name.'), 'name of the extra emoji');
    await refused(t, of('green_tick', '99', 'realm_emoji'), bad('Invalid custom emoji.'));
    for (const type of ['bogus', '', 'extra', 'constructor']) {
      await refused(t, of('smile', '1f604', type), bad('Invalid emoji type.'), `type '${type}'`);
    }
  });

  await t.test('a custom emoji is named by its present name, and only while it is active', async (t) => {
    const picture = await sharp({ create: { width: 8, height: 8, channels: 3, background: 'red' } })
      .png()
      .toBuffer();
    const own = { emoji_name: 'own' };
    await member.api.upload('POST /realm/emoji/{emoji_name}', [{ name: 'a.png', bytes: picture }], own);
    const { emoji } = await member.api.ok<{ emoji: Record<string, unknown> }>('GET /realm/emoji');
    const [emoji_code] = Object.keys(emoji);
    const custom = { ...own, emoji_code, reaction_type: 'realm_emoji' };
    await refused(t, add({ ...custom, emoji_name: 'other' }), bad('Invalid custom emoji name.'));
    t.equal((await add(custom)).status, 200);
    await member.api.ok('DELETE /realm/emoji/{emoji_name}', own);
    const later = await say(owner, 'square', 'refusals');
    await refused(t, add(custom, member, later), bad('This custom emoji has been deactivated.'));
    await refused(t, add({ ...custom, emoji_name: 'other' }, member, later), bad('Invalid custom emoji name.'));
    await refused(t, add(own, member, later), bad("Emoji 'own' does not exist"), 'nor by its name alone');
    t.equal((await add(custom, owner)).status, 200, 'whoever joins a reaction uses it still');
    for (const by of [owner, member]) t.equal((await remove(custom, by)).status, 200, 'and it can be taken back');
  });

  await t.test('a user cannot react twice with one emoji', async (t) => {
    for (const params of [
      { emoji_name: 'smile' },
      { emoji_name: 'slight_smile' },
      { emoji_name: 'nosuch', emoji_code: '1f642', reaction_type: 'unicode_emoji' },
    ]) {
      await refused(t, add(params), bad('Reaction already exists.'), JSON.stringify(params));
    }
  });

  await t.test('a removed reaction must exist', async (t) => {
    const none = bad("Reaction doesn't exist.");
    await refused(
      t,
      remove({}),
      bad('At least one of the following arguments must be present: emoji_name, emoji_code'),
    );
    await refused(
      t,
      remove({ reaction_type: 'unicode_emoji' }),
      bad('At least one of the following arguments must be present: emoji_name, emoji_code'),
      'a type is not enough',
    );
    await refused(t, remove({ emoji_name: 'nosuch' }), bad("Emoji 'nosuch' does not exist"));
    await refused(
      t,
      remove({ emoji_name: 'nosuch', emoji_code: '1f642' }),
      bad("Emoji 'nosuch' does not exist"),
      'type from the name',
    );
    await refused(t, remove({ emoji_name: 'tada' }), none);
    await refused(t, remove({ emoji_name: 'smile' }, owner), none, 'of somebody else');
    for (const params of [
      { emoji_code: '1f389' },
      { emoji_code: '1f389', reaction_type: 'unicode_emoji' },
      { emoji_code: 'zulip', reaction_type: 'service_extra_emoji' },
      { emoji_code: 'conclave' },
    ]) {
      await refused(t, remove(params), none, JSON.stringify(params));
    }
    for (const params of [
      { emoji_code: 'zzz' },
      { emoji_code: 'zzz', reaction_type: 'unicode_emoji' },
      { emoji_code: '1f642', reaction_type: 'realm_emoji' },
      { emoji_code: '1f642', reaction_type: 'bogus' },
      { emoji_code: '', emoji_name: 'smile' },
    ]) {
      await refused(t, remove(params), NO_MESSAGE, JSON.stringify(params));
    }
  });

  await t.test('a refused reaction publishes nothing and changes nothing', async (t) => {
    const queue = await Queue.register(owner, { event_types: ['reaction', 'message'] });
    await add({ emoji_name: 'nosuch' });
    await add({ emoji_name: 'smile' });
    await add({ emoji_name: 'smile' }, guest);
    await remove({ emoji_name: 'tada' });
    await add({ emoji_name: 'nosuch' }, other);
    t.same(await settled(queue), []);
    const { message } = await other.api.ok<{ message: { reactions: unknown[] } }>('GET /messages/{message_id}', {
      message_id: id,
    });
    t.equal(message.reactions.length, 1);
    const { messages } = await other.api.ok<{ messages: unknown[] }>('GET /messages', {
      anchor: id,
      num_before: 0,
      num_after: 0,
    });
    t.same(messages, [], 'a refused reaction makes no copy');
  });
};
