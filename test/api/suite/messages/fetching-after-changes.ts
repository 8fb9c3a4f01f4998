/**
 * Messages fetched before are given as they are now, and only to users who may read them now, from any cache of the
 * server.
 */

import { refused } from '../../harness.js';
import { bad, type Params } from '../../support/client.js';
import { makeOrganization, type Person, say, streamIdOf, subscribe, tell } from '../../support/organization.js';
import type { Facts } from '../facts.js';

interface Shown {
  readonly id: number;
  readonly content: string;
  readonly content_type: string;
  readonly subject: string;
  readonly sender_full_name: string;
  readonly display_recipient: unknown;
  readonly avatar_url: string | null;
  readonly reactions: readonly { readonly user: { readonly full_name: string } }[];
  readonly edit_history?: unknown;
  readonly flags: readonly string[];
}

export const fetchingAfterChanges: Facts = async (t, server) => {
  const org = await makeOrganization(server);
  const elsewhere = await makeOrganization(server, ['member']);
  const { owner, member, other, guest } = org;
  await subscribe(owner, ['square', 'market'], { principals: [owner, member, other] });
  await subscribe(owner, 'den', {
    invite_only: true,
    history_public_to_subscribers: false,
    principals: [owner, member],
  });
  const window = { anchor: 'newest', num_before: 50, num_after: 0 };
  const fetch = async (by: Person, narrow: unknown, params: Params = {}): Promise<Shown[]> =>
    (await by.api.ok<{ messages: Shown[] }>('GET /messages', { ...window, narrow, ...params })).messages;
  const ids = async (by: Person, narrow: unknown): Promise<number[]> => (await fetch(by, narrow)).map(({ id }) => id);
  /** Fetches often enough that the message is cached. */
  const again = async (by: Person, narrow: unknown, params: Params = {}): Promise<Shown[]> => {
    for (let i = 0; i < 3; i++) await fetch(by, narrow, params);
    return fetch(by, narrow, params);
  };
  const stream = (name: string) => [{ operator: 'stream', operand: name }];
  const one = async (by: Person, narrow: unknown, id: number, params: Params = {}): Promise<Shown> =>
    (await again(by, narrow, params)).find((message) => message.id === id)!;

  const now = async (by: Person, narrow: unknown, id: number): Promise<Shown | undefined> =>
    (await fetch(by, narrow)).find((message) => message.id === id);

  await t.test('an edit, a reaction, a move and a deletion show as soon as they are acknowledged', async (t) => {
    const square = stream('square');
    const id = await say(member, 'square', 'talk', 'first');
    t.match(await one(owner, square, id), { content: '<p>first</p>', reactions: [] });
    await member.api.ok('PATCH /messages/{message_id}', { message_id: id, content: 'second' });
    t.match(await now(owner, square, id), { content: '<p>second</p>' });
    t.same(await ids(owner, square), await ids(member, square));
    t.match(await one(owner, square, id), { content: '<p>second</p>', edit_history: [{}] });
    await other.api.ok('POST /messages/{message_id}/reactions', { message_id: id, emoji_name: 'tada' });
    t.match((await fetch(owner, square)).at(-1), { id, reactions: [{ user: { full_name: other.name } }] });
    await other.api.ok('DELETE /messages/{message_id}/reactions', { message_id: id, emoji_name: 'tada' });
    t.match((await fetch(owner, square)).at(-1), { id, reactions: [] });
    await owner.api.ok('PATCH /messages/{message_id}', { message_id: id, topic: 'moved' });
    t.match(await now(owner, square, id), { subject: 'moved' });
    t.equal((await ids(owner, stream('market'))).includes(id), false);
    const stream_id = await streamIdOf(owner, 'market');
    await owner.api.ok('PATCH /messages/{message_id}', { message_id: id, stream_id });
    t.equal((await ids(member, square)).includes(id), false);
    t.match(await now(member, stream('market'), id), { display_recipient: 'market' });
    await owner.api.ok('DELETE /messages/{message_id}', { message_id: id });
    t.equal((await ids(member, stream('market'))).includes(id), false);
    t.equal((await ids(member, [])).includes(id), false);
  });

  await t.test('a message sent, starred or read shows as soon as that is acknowledged', async (t) => {
    const square = stream('square');
    for (let i = 0; i < 5; i++) {
      await again(other, square);
      const id = await say(member, 'square', 'talk', `number ${i}`);
      t.match((await fetch(other, square)).at(-1), { id, flags: [] });
      await other.api.ok('POST /messages/flags', { messages: [id], op: 'add', flag: 'starred' });
      t.match((await fetch(other, square)).at(-1), { id, flags: ['starred'] });
      t.match((await fetch(member, square)).at(-1), { id, flags: [] });
      await other.api.ok('POST /messages/flags', { messages: [id], op: 'add', flag: 'read' });
      t.match((await fetch(other, square)).at(-1), { id, flags: ['read', 'starred'] });
    }
  });

  await t.test('changes of users, of the stream and of the organization show in messages fetched before', async (t) => {
    const id = await say(member, 'square', 'talk', 'old');
    await member.api.ok('PATCH /messages/{message_id}', { message_id: id, content: 'new' });
    const pair = await tell(member, [owner]);
    const direct = [{ operator: 'dm', operand: [member.id] }];
    await other.api.ok('POST /messages/{message_id}/reactions', { message_id: id, emoji_name: 'tada' });
    t.match(await one(owner, stream('square'), id), { sender_full_name: member.name, edit_history: [{}] });
    t.match(await one(owner, direct, pair), { id: pair });
    await owner.api.ok('PATCH /users/{user_id}', { user_id: member.id, full_name: 'Somebody Else' });
    await owner.api.ok('PATCH /users/{user_id}', { user_id: other.id, full_name: 'Who Reacts' });
    t.match((await fetch(owner, stream('square'))).at(-1), {
      sender_full_name: 'Somebody Else',
      reactions: [{ user: { full_name: 'Who Reacts' } }],
    });
    const [shown] = (await fetch(owner, direct)).filter((message) => message.id === pair);
    const people = shown!.display_recipient as readonly { readonly id: number; readonly full_name: string }[];
    t.equal(people.find((person) => person.id === member.id)!.full_name, 'Somebody Else');
    await owner.api.ok('PATCH /streams/{stream_id}', {
      stream_id: await streamIdOf(owner, 'square'),
      new_name: 'plaza',
    });
    t.match(await now(owner, stream('plaza'), id), { display_recipient: 'plaza' });
    await owner.api.ok('PATCH /realm', { allow_edit_history: false });
    t.equal('edit_history' in (await now(owner, stream('plaza'), id))!, false);
    await owner.api.ok('PATCH /realm', { allow_edit_history: true });
    t.match(await now(owner, stream('plaza'), id), { edit_history: [{}] });
    await owner.api.ok('PATCH /streams/{stream_id}', {
      stream_id: await streamIdOf(owner, 'plaza'),
      new_name: 'square',
    });
  });

  await t.test('each kind of client gets its own form, in any order', async (t) => {
    const id = await say(member, 'market', 'talk', '*word*');
    const market = stream('market');
    for (let i = 0; i < 3; i++) {
      for (const apply_markdown of [true, false]) {
        for (const client_gravatar of [true, false]) {
          const shown = await one(owner, market, id, { apply_markdown, client_gravatar });
          t.match(shown, apply_markdown ? { content: '<p><em>word</em></p>' } : { content: '*word*' });
          t.equal(shown.content_type, apply_markdown ? 'text/html' : 'text/x-markdown');
          t.equal(shown.avatar_url === null, client_gravatar);
        }
      }
    }
    const [found] = await again(owner, [...market, { operator: 'search', operand: 'word' }]);
    t.match(found, { id, match_content: /highlight/ });
    t.equal('match_content' in (await one(owner, market, id)), false);
  });

  await t.test('a cached message is never given to a user who may not read it', async (t) => {
    const secret = await say(owner, 'den', 'talk', 'secret');
    const pair = await tell(owner, [member]);
    t.match(await one(member, stream('den'), secret), { content: '<p>secret</p>' });
    t.match(await one(member, [], pair), { id: pair });
    for (const by of [other, guest]) {
      const everything = await ids(by, []);
      t.same([everything.includes(secret), everything.includes(pair)], [false, false]);
      t.same(await ids(by, [{ operator: 'id', operand: String(secret) }]), []);
      await refused(t, by.api.call('GET /messages/{message_id}', { message_id: secret }), bad('Invalid message(s)'));
    }
    t.same(await ids(elsewhere.member, [{ operator: 'id', operand: String(secret) }]), []);
    await owner.api.ok('DELETE /users/me/subscriptions', { subscriptions: ['den'], principals: [member.id] });
    const later = await say(owner, 'den', 'talk', 'later');
    await again(owner, stream('den'));
    t.same(
      (await ids(member, [])).filter((id) => id === secret || id === later),
      [secret],
      'copies stay',
    );
    await owner.api.ok('DELETE /users/{user_id}', { user_id: member.id });
    t.equal((await member.api.call('GET /messages', { ...window, narrow: [] })).status, 401);
    await owner.api.ok('POST /users/{user_id}/reactivate', { user_id: member.id });
  });

  await t.test('organizations with equal message ids each see their own messages', async (t) => {
    await subscribe(elsewhere.owner, 'square', { principals: [elsewhere.member] });
    const said = await say(elsewhere.owner, 'square', 'talk', 'elsewhere');
    for (const message of await again(elsewhere.member, [])) t.notMatch(message.content, /number|old|secret/);
    t.match((await fetch(elsewhere.member, stream('square'))).at(-1), { id: said, content: '<p>elsewhere</p>' });
  });
};
