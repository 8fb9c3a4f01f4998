/** GET /messages/{id}/read_receipts (messages.md). Settings, mutes and read state have their unit tests. */

import { refused } from '../../harness.js';
import { bad } from '../../support/client.js';
import { makeOrganization, type Person, say, subscribe, tell } from '../../support/organization.js';
import type { Facts } from '../facts.js';

export const readReceipts: Facts = async (t, server) => {
  const org = await makeOrganization(server);
  const elsewhere = await makeOrganization(server, ['member']);
  const { owner, admin, moderator, member, other, guest } = org;
  await subscribe(owner, 'square', { principals: [owner, member, guest] });
  const receipts = (by: Person, message_id: number | string) =>
    by.api.call('GET /messages/{message_id}/read_receipts', { message_id });
  const readers = async (by: Person, id: number): Promise<number[]> => {
    const answer = await receipts(by, id);
    t.equal(answer.status, 200);
    return [...(answer.body.user_ids as number[])].sort((a, b) => a - b);
  };
  const human = (by: Person) => ({ ...by, api: by.api.with({ 'user-agent': 'ZulipMobile/27' }) });

  await t.test('a new message has no readers; its sender never counts', async (t) => {
    const id = await say(human(owner), 'square', 'receipts');
    t.same(await readers(member, id), []);
    t.same(await readers(owner, id), []);
    t.same(await readers(other, id), [], 'for one who reads without a copy, too');
    const direct = await tell(human(owner), [guest]);
    t.same(await readers(guest, direct), []);
  });

  await t.test('a reader counts, however the message was marked, until it is marked unread', async (t) => {
    const id = await say(owner, 'square', 'receipts');
    const direct = await tell(owner, [member, guest]);
    const flag = (by: Person, op: string) =>
      by.api.ok('POST /messages/flags', { messages: [id, direct], flag: 'read', op });
    await flag(member, 'add');
    await guest.api.ok('POST /mark_all_as_read');
    await flag(other, 'add');
    const both = [member.id, guest.id];
    t.same(await readers(owner, id), both, 'who has no copy has read nothing');
    t.same(await readers(member, direct), both);
    await flag(member, 'remove');
    t.same(await readers(owner, id), [guest.id]);
    t.same(await readers(owner, direct), [guest.id]);
  });

  await t.test('a user who made a copy by reacting counts as a reader', async (t) => {
    const id = await say(owner, 'square', 'receipts');
    for (const by of [moderator, admin, member]) {
      await by.api.ok('POST /messages/{message_id}/reactions', { message_id: id, emoji_name: 'eyes' });
    }
    const expected = [admin.id, moderator.id].sort((a, b) => a - b);
    for (const by of [owner, member, other, admin]) t.same(await readers(by, id), expected, by.role);
  });

  await t.test('an organization may disable read receipts', async (t) => {
    const id = await say(owner, 'square', 'receipts');
    await guest.api.ok('POST /mark_all_as_read');
    await owner.api.ok('PATCH /realm', { enable_read_receipts: false });
    const disabled = bad('Read receipts are disabled in this organization.');
    for (const by of org.people) await refused(t, receipts(by, id), disabled, by.role);
    await owner.api.ok('PATCH /realm', { enable_read_receipts: true });
    t.same(await readers(owner, id), [guest.id], 'what was read meanwhile is known');
  });

  await t.test('the message must be one that the caller may read', async (t) => {
    const id = await say(owner, 'square', 'receipts');
    const direct = await tell(owner, [member]);
    const calls: [Person, number | string, string][] = [
      [member, 987_654, 'unknown'],
      [member, '99999999999999999999', 'larger than any id'],
      [admin, direct, 'a direct message of others'],
      [elsewhere.member, id, 'of another organization'],
    ];
    for (const [by, message, title] of calls) await refused(t, receipts(by, message), bad('Invalid message(s)'), title);
    await refused(t, org.nobody.call('GET /messages/{message_id}/read_receipts', { message_id: id }), {
      status: 401,
      msg: 'Not logged in: API authentication or user session required',
    });
  });
};
