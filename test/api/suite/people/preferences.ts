/** Alert words and muted users (users.md), and their effects on messages (messages.md § Flags at creation). */

import { refused } from '../../harness.js';
import { bad, missing } from '../../support/client.js';
import { makeOrganization, type Person, say, subscribe, tell } from '../../support/organization.js';
import { Queue, settled } from '../../support/queue.js';
import type { ApiEvent, ApiMessage } from '../../support/types.js';
import { verifyAction } from '../../support/verify-action.js';
import type { Facts } from '../facts.js';

export const preferences: Facts = async (t, server) => {
  const org = await makeOrganization(server);
  const elsewhere = await makeOrganization(server, []);
  const { owner, member, other, guest } = org;
  await subscribe(owner, 'talk', { principals: [owner, member, other] });
  const words = (method: string, alert_words: unknown, by: Person = member) =>
    by.api.call(`${method} /users/me/alert_words`, { alert_words });
  const list = async (by: Person) => (await by.api.ok('GET /users/me/alert_words')).alert_words;
  const flagsOf = async (by: Person, id: number) => {
    const { message } = await by.api.ok('GET /messages/{message_id}', { message_id: id });
    return (message as ApiMessage).flags;
  };
  const mute = (method: string, id: number, by: Person = member) =>
    by.api.call(`${method} /users/me/muted_users/{muted_user_id}`, { muted_user_id: id });
  const mutes = async (by: Person) => {
    const { muted_users } = await by.api.ok('POST /register', { fetch_event_types: ['muted_users'] });
    return (muted_users as { id: number }[]).map(({ id }) => id);
  };
  const flagsIn = (events: readonly ApiEvent[]) => events.map(({ flags }) => flags);

  await t.test(
    'alert words are trimmed, without blanks, unique ignoring case; the answer is the whole list',
    async (t) => {
      const queue = await Queue.register(member, { event_types: ['alert_words'] });
      const others = await Queue.register(other, { event_types: ['alert_words'] });
      t.same((await words('POST', [' Ship ', 'sea state', '', '  ', 'ship', 'SHIP'])).body.alert_words, [
        'SHIP',
        'sea state',
      ]);
      t.same((await words('POST', ['Sea State', 'ship', 'anchor'])).body.alert_words, ['SHIP', 'sea state', 'anchor']);
      t.same((await words('POST', [])).body.alert_words, ['SHIP', 'sea state', 'anchor']);
      t.same((await words('DELETE', ['SEA state', 'nothing'])).body.alert_words, ['SHIP', 'anchor']);
      t.same(await list(member), ['SHIP', 'anchor']);
      t.same((await member.api.ok('POST /register', { fetch_event_types: ['alert_words'] })).alert_words, [
        'SHIP',
        'anchor',
      ]);
      t.same(
        (await queue.take(4)).map(({ alert_words }) => (alert_words as string[]).length),
        [2, 3, 3, 2],
        'told even where nothing changes',
      );
      t.same(await list(other), []);
      t.same(await others.now(), []);
    },
  );

  await t.test('wrong alert words are refused', async (t) => {
    await refused(t, words('POST', undefined), missing('alert_words'));
    await refused(t, words('DELETE', undefined), missing('alert_words'));
    for (const method of ['POST', 'DELETE']) {
      await refused(t, words(method, 'x'), bad('Argument "alert_words" is not valid JSON.'));
      await refused(t, words(method, {}), bad('alert_words is not a list'));
      await refused(t, words(method, ['x', 1]), bad('alert_words[1] is not a string'));
    }
    await refused(t, words('POST', ['x'.repeat(101)]), bad('alert_words[0] is too long (limit: 100 characters)'));
    t.equal((await words('DELETE', ['x'.repeat(101)])).status, 200);
    const many = Array.from({ length: 999 }, (_, i) => `word ${i}`);
    await refused(
      t,
      words('POST', many),
      bad('alert_words has too many items (limit: 1000)'),
      'with those that are there',
    );
    t.same(await list(member), ['SHIP', 'anchor']);
  });

  await t.test('a message with an alert word is flagged for users who have a copy', async (t) => {
    await words('POST', ['anchor', 'c++', '\u0000 odd'], other);
    await words('POST', ['anchor'], guest);
    const queues = await Promise.all(
      [member, other, owner].map((of) => Queue.register(of, { event_types: ['message'] })),
    );
    const id = await say(owner, 'talk', 'alerts', 'drop the ANCHOR!');
    const seen = await Promise.all(queues.map((queue) => queue.take(1)));
    t.same(seen.map(flagsIn), [[['has_alert_word']], [['has_alert_word']], [[]]]);
    t.same(await flagsOf(member, id), ['has_alert_word']);
    t.same(await flagsOf(owner, id), []);
    for (const [content, flagged] of [
      ['anchors aweigh', false],
      ['reanchor', false],
      ['`anchor`', true],
      ['```\nanchor\n```', true],
      ['"anchor"', true],
      ['we use c++, really', true],
    ] as const) {
      const direct = await tell(owner, [other], content);
      t.equal((await flagsOf(other, direct)).includes('has_alert_word'), flagged, content);
    }
    await words('DELETE', ['anchor'], other);
    t.notOk((await flagsOf(other, await tell(owner, [other], 'anchor'))).includes('has_alert_word'));
    t.ok((await flagsOf(other, id)).includes('has_alert_word'), 'what was flagged stays');
  });

  await t.test('messages of a muted user arrive read, until the user is unmuted', async (t) => {
    const queue = await Queue.register(member, { event_types: ['muted_users', 'message'] });
    t.same((await mute('POST', other.id)).body, { result: 'success', msg: '' });
    const id = await say(other, 'talk', 'muted', 'psst');
    const direct = await tell(other, [member], 'psst');
    t.same(await flagsOf(member, id), ['read']);
    t.same(await flagsOf(member, direct), ['read']);
    t.same(await flagsOf(owner, id), [], 'for others nothing changes');
    await mute('POST', guest.id);
    t.same(await mutes(member), [other.id, guest.id]);
    await mute('DELETE', other.id);
    t.same(await flagsOf(member, await say(other, 'talk', 'muted', 'heard')), []);
    const events = await queue.take(6);
    t.same(
      events.map(({ type, muted_users, flags }) =>
        type === 'message' ? flags : (muted_users as { id: number }[]).map((of) => of.id),
      ),
      [[other.id], ['read'], ['read'], [other.id, guest.id], [guest.id], []],
    );
    t.same(await mutes(member), [guest.id]);
    t.same(await mutes(other), []);
  });

  await t.test('muting a user marks their unread messages read, and publishes the mute first', async (t) => {
    const before = [await say(other, 'talk', 'old', 'one'), await tell(other, [member], 'two')];
    const kept = await say(owner, 'talk', 'old', 'three');
    await member.api.ok('POST /messages/flags', { messages: [before[0]!], op: 'add', flag: 'read' });
    before.push(await say(other, 'talk', 'old', 'four'));
    await member.api.ok('POST /messages/flags', { messages: [before[0]!], op: 'remove', flag: 'read' });
    const queue = await Queue.register(member, { event_types: ['update_message_flags', 'muted_users'] });
    await mute('POST', other.id);
    const events = await queue.take(2);
    t.same(
      events.map(({ type, op, flag }) => [type, op, flag]),
      [
        ['update_message_flags', 'add', 'read'],
        ['muted_users', undefined, undefined],
      ],
    );
    const told = events[0]!.messages as number[];
    t.same(
      before.filter((id) => !told.includes(id)),
      [],
      'all of them',
    );
    t.notOk(told.includes(kept));
    for (const id of before) t.ok((await flagsOf(member, id)).includes('read'));
    t.notOk((await flagsOf(member, kept)).includes('read'));
    await mute('DELETE', other.id);
    for (const id of before) t.ok((await flagsOf(member, id)).includes('read'), 'unmuting does not restore');
    await mute('POST', other.id);
    await mute('DELETE', other.id);
    t.same(
      (await queue.take(3)).map(({ type }) => type),
      ['muted_users', 'muted_users', 'muted_users'],
      'nothing to read',
    );
  });

  await t.test('muting oneself, an unknown user or a muted user is refused', async (t) => {
    await refused(t, mute('POST', member.id), bad('Cannot mute self'));
    await refused(t, mute('POST', guest.id), bad('User already muted'));
    await refused(t, mute('DELETE', other.id), bad('User is not muted'));
    await refused(t, mute('DELETE', member.id), bad('User is not muted'));
    for (const id of [987_654, 0, 1, 2, 3]) {
      await refused(t, mute('POST', id), bad('No such user'), `POST ${id}`);
      await refused(t, mute('DELETE', id), bad('No such user'), `DELETE ${id}`);
    }
    await refused(t, mute('POST', member.id, elsewhere.owner), bad('No such user'), 'a user of another organization');
    t.same(await mutes(member), [guest.id]);
  });

  await t.test('every role has alert words and mutes of its own', async (t) => {
    for (const person of org.people) {
      t.equal((await words('POST', ['mine'], person)).status, 200, person.role);
      t.equal((await words('DELETE', ['mine'], person)).status, 200, person.role);
      const target = person === owner ? other.id : owner.id;
      t.equal((await mute('POST', target, person)).status, 200, person.role);
      t.equal((await mute('DELETE', target, person)).status, 200, person.role);
    }
    const foreign = await Queue.register(elsewhere.owner, { event_types: ['alert_words', 'muted_users', 'message'] });
    await words('POST', ['x'], owner);
    t.same(await settled(foreign), []);
  });

  await t.test('the state after the change equals snapshot + events', async (t) => {
    const people = [owner, member, guest];
    await verifyAction(t, 'words', people, () => words('POST', ['Boat', 'buoy']));
    await verifyAction(t, 'fewer words', people, () => words('DELETE', ['boat']));
    await say(owner, 'talk', 'before', 'unread');
    await verifyAction(t, 'a mute', people, () => mute('POST', owner.id));
    await verifyAction(t, 'messages of a muted user', people, () => say(owner, 'talk', 'muted', 'Boat! buoy!'));
    await verifyAction(t, 'an unmute', people, () => mute('DELETE', owner.id));
  });
};
