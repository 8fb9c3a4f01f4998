/**
 * The results of single operators by user: narrow.md § Operators, § Base set. Windows and search have families of their
 * own.
 */

import { upload } from '../../support/files.js';
import {
  makeOrganization,
  NOTIFICATION_BOT,
  type Person,
  say,
  streamIdOf,
  subscribe,
  tell,
} from '../../support/organization.js';
import type { ApiMessage } from '../../support/types.js';
import type { Facts } from '../facts.js';

const all = { anchor: 'oldest', num_before: 0, num_after: 1000 };
const term = (operator: string, operand: unknown, negated = false) => ({ operator, operand, negated });

/** Leaves out the notices of subscriptions. */
async function ids(person: Person, ...narrow: unknown[]): Promise<number[]> {
  const { messages } = await person.api.ok<{ messages: ApiMessage[] }>('GET /messages', { ...all, narrow });
  return messages.filter((message) => message.sender_id !== NOTIFICATION_BOT).map((message) => message.id);
}

async function anchorOf(person: Person, ...narrow: unknown[]): Promise<number> {
  const params = { anchor: 'first_unread', num_before: 0, num_after: 0, narrow };
  return (await person.api.ok<{ anchor: number }>('GET /messages', params)).anchor;
}

const flag = (person: Person, op: string, name: string, ...messages: number[]) =>
  person.api.ok('POST /messages/flags', { messages, op, flag: name });

export const narrows: Facts = async (t, server) => {
  const org = await makeOrganization(server);
  const { owner, member, other, guest } = org;
  await subscribe(owner, ['plaza', 'past']);
  await subscribe(owner, 'vault', { invite_only: true });
  await subscribe(owner, 'plaza', { principals: [member, guest] });
  const before = await say(owner, 'past', 'old', 'before anybody came');
  await subscribe(owner, 'past', { principals: [member] });
  for (const person of [owner, member, guest]) await person.api.ok('POST /mark_all_as_read');
  await member.api.ok('POST /users/me/alert_words', { alert_words: ['fire'] });
  const plain = await say(owner, 'plaza', 'Plain', 'nothing here');
  const link = await say(owner, 'plaza', 'plain', 'see https://example.com');
  const image = await say(owner, 'plaza', 'plain', 'https://example.com/cat.png');
  const alert = await say(owner, 'plaza', 'plain', 'there is a fire');
  const named = await say(owner, 'past', 'names', `@**${member.name}** look`);
  const everybody = await say(owner, 'plaza', 'names', '@**all** look');
  const solved = await say(owner, 'past', '✔ names', 'done');
  const hidden = await say(owner, 'vault', 'names', '@**all** in private');
  const pair = await tell(owner, [member], `@**${member.name}** in private`);
  const group = await tell(owner, [member, guest]);
  const mine = [plain, link, image, alert, named, everybody, solved, pair, group];
  const without = (...gone: number[]) => mine.filter((id) => !gone.includes(id));

  await t.test('has: finds messages by what they contain', async (t) => {
    t.same(await ids(member, term('has', 'link')), [link, image]);
    t.same(await ids(member, term('has', 'image')), [image]);
    t.same(await ids(member, term('has', 'attachment')), []);
    t.same(await ids(member, term('has', 'link', true)), without(link, image));
    t.same(await ids(member, term('has', 'image', true)), without(image));
    t.same(await ids(member, term('has', 'attachment', true)), mine);
    t.same(await ids(other, term('stream', 'plaza'), term('has', 'link')), [link, image], 'in history, too');
    t.same(await ids(member, term('has', 'link'), term('has', 'image', true)), [link]);
  });

  await t.test('is:mentioned finds personal and wildcard mentions in messages that the user has', async (t) => {
    t.same(await ids(member, term('is', 'mentioned')), [named, everybody, pair]);
    t.same(await ids(member, term('is', 'mentioned', true)), without(named, everybody, pair));
    t.same(await ids(member, term('is', 'mentioned'), term('is', 'dm')), [pair]);
    t.same(await ids(member, term('is', 'mentioned'), term('stream', 'plaza')), [everybody]);
    t.same(await ids(guest, term('is', 'mentioned')), [everybody]);
    t.same(await ids(owner, term('is', 'mentioned')), [everybody, hidden]);
    t.same(await ids(other, term('is', 'mentioned'), term('stream', 'plaza')), [], 'an is: term leaves out history');
  });

  await t.test('is:alerted finds own alert words only', async (t) => {
    t.same(await ids(member, term('is', 'alerted')), [alert]);
    t.same(await ids(member, term('is', 'alerted', true)), without(alert));
    t.same(await ids(guest, term('is', 'alerted')), []);
  });

  await t.test('is:resolved finds topics with the mark', async (t) => {
    t.same(await ids(member, term('is', 'resolved')), [solved]);
    t.same(await ids(member, term('is', 'resolved', true)), without(solved));
    t.same(await ids(other, term('streams', 'public'), term('is', 'resolved', true)), [], 'negated, it is an is: term');
  });

  await t.test('is:starred follows the stars, and a star on history makes a copy', async (t) => {
    t.same(await ids(member, term('is', 'starred')), []);
    await flag(member, 'add', 'starred', link, pair, before);
    t.same(await ids(member, term('is', 'starred')), [before, link, pair]);
    t.same(await ids(member, term('is', 'starred'), term('stream', 'past')), [before]);
    t.same(await ids(member, term('is', 'starred'), term('is', 'dm')), [pair]);
    t.same(await ids(member), [before, ...mine]);
    t.same(await ids(member, term('is', 'starred', true)), without(link, pair));
    t.same(await ids(guest, term('is', 'starred')), [], 'nobody else sees them');
    await flag(member, 'remove', 'starred', link, pair, before);
    t.same(await ids(member, term('is', 'starred')), []);
    t.same(await ids(member), [before, ...mine], 'the copy stays');
  });

  await t.test('is:unread loses messages that are read, and gains those marked unread again', async (t) => {
    t.same(await ids(member, term('is', 'unread')), mine);
    await flag(member, 'add', 'read', plain, named, pair);
    t.same(await ids(member, term('is', 'unread')), without(plain, named, pair));
    t.same(await ids(member, term('is', 'unread', true)), [before, plain, named, pair]);
    t.same(await ids(member, term('is', 'unread'), term('is', 'dm')), [group]);
    t.same(await ids(member, term('is', 'unread'), term('is', 'mentioned')), [everybody]);
    t.equal(await anchorOf(member), link);
    t.equal(await anchorOf(member, term('is', 'dm')), group);
    t.equal(await anchorOf(member, term('dm', [owner.id])), 10_000_000_000_000_000, 'nothing unread: the newest');
    await member.api.ok('POST /mark_all_as_read');
    t.same(await ids(member, term('is', 'unread')), []);
    t.equal(await anchorOf(member), 10_000_000_000_000_000);
    await flag(member, 'remove', 'read', plain, group);
    t.same(await ids(member, term('is', 'unread')), [plain, group]);
    t.same(await ids(member, term('is', 'unread'), term('sender', owner.id), term('topic', 'PLAIN')), [plain]);
    t.equal(await anchorOf(member), plain);
    t.same(await ids(guest, term('is', 'unread')), [plain, link, image, alert, everybody, group]);
    t.equal(await anchorOf(other, term('stream', 'plaza')), 10_000_000_000_000_000, 'history is read');
  });

  await t.test('in:home and the first unread anchor leave out muted topics; negation changes nothing', async (t) => {
    const muted = [plain, link, image, alert];
    t.same(await ids(guest, term('in', 'home')), [...muted, everybody, group]);
    await guest.api.ok('PATCH /users/me/subscriptions/muted_topics', { stream: 'plaza', topic: 'plain', op: 'add' });
    t.same(await ids(guest, term('in', 'home')), [everybody, group]);
    t.same(await ids(guest, term('in', 'home', true)), [everybody, group]);
    t.same(await ids(guest, term('in', 'all')), [...muted, everybody, group]);
    t.equal(await anchorOf(guest), everybody);
    t.equal(await anchorOf(guest, term('stream', 'plaza')), everybody, 'also where the stream is named');
    t.same(await ids(guest, term('in', 'home'), term('stream', 'plaza')), [everybody]);
  });

  await t.test('streams:web-public finds messages of web-public streams that the user has', async (t) => {
    t.same(await ids(member, term('streams', 'web-public')), []);
    t.same(await ids(member, term('streams', 'web-public', true)), [before, ...mine]);
  });

  await t.test('the terms of a narrow are joined by "and"', async (t) => {
    const plaza = await streamIdOf(owner, 'plaza');
    t.same(await ids(member, term('stream', plaza), term('stream', 'past')), []);
    t.same(await ids(member, term('topic', 'plain'), term('topic', 'names')), []);
    t.same(await ids(member, term('topic', 'names'), term('topic', 'NAMES')), [named, everybody]);
    t.same(await ids(member, term('sender', owner.id), term('sender', member.id)), []);
    t.same(await ids(member, term('is', 'dm'), term('stream', 'plaza')), []);
    t.same(await ids(member, term('is', 'dm'), term('topic', 'plain')), []);
    t.same(await ids(member, term('id', String(link)), term('stream', 'plaza')), [link]);
    t.same(await ids(member, term('id', String(link)), term('stream', 'past')), []);
    t.same(await ids(member, term('id', String(link)), term('id', String(plain))), []);
    t.same(await ids(member, term('id', '99999999999999999999')), []);
    t.same(await ids(member, term('id', String(hidden))), [], 'what nobody gave the user stays hidden');
    t.same(await ids(member, term('dm-including', guest.id), term('dm', [owner.id])), []);
    t.same(await ids(member, term('group-pm-with', guest.id), term('sender', owner.id)), [group]);
    t.same(await ids(member, term('near', String(link)), term('stream', plaza)), [
      plain,
      link,
      image,
      alert,
      everybody,
    ]);
    t.same(await ids(member, term('topic', 'plain', true), term('stream', plaza)), [everybody]);
    t.same(await ids(member, term('stream', 'past', true), term('is', 'dm', true)), [
      plain,
      link,
      image,
      alert,
      everybody,
    ]);
  });

  await t.test('a term repeated two hundred times finds the same as one', async (t) => {
    const many = Array.from({ length: 200 }, () => term('has', 'link'));
    t.same(await ids(member, ...many), [link, image]);
    t.same(await ids(member, ...many, ...Array.from({ length: 100 }, () => term('is', 'unread', true))), [link, image]);
  });

  await t.test('a moved message is found in its new place, by users who have it', async (t) => {
    const reader = org.moderator;
    await subscribe(owner, ['source', 'target']);
    await subscribe(owner, 'source', { principals: [reader] });
    const sent = await say(owner, 'source', 'moving', 'wanderer');
    const stay = await say(owner, 'source', 'staying', 'homebody');
    const target = await streamIdOf(owner, 'target');
    await owner.api.ok('PATCH /messages/{message_id}', {
      message_id: sent,
      stream_id: target,
      send_notification_to_new_thread: false,
    });
    t.ok((await ids(owner)).includes(sent), 'its sender is in both');
    t.same(await ids(owner, term('stream', 'target'), term('topic', 'moving')), [sent]);
    t.notOk((await ids(owner, term('stream', 'source'))).includes(sent));
    const after = await ids(reader);
    t.ok(after.includes(stay));
    t.notOk(after.includes(sent), 'who is not in the new stream has lost the copy');
    t.same(await ids(reader, term('stream', 'target'), term('topic', 'moving')), [sent], 'but reads its history');
  });

  await t.test('has:attachment finds messages while they link a file', async (t) => {
    const uri = await upload(owner);
    const linking = await say(owner, 'plaza', 'files', `[x](${uri})`);
    const direct = await tell(owner, [member], `see [x](${uri})`);
    const none = await say(owner, 'plaza', 'files', '[x](/user_uploads/1/ab/nothing/there.txt)');
    const files = (...more: unknown[]) => ids(member, term('has', 'attachment'), ...more);
    t.same(await files(), [linking, direct]);
    t.same(await files(term('stream', 'plaza')), [linking]);
    t.same(await ids(other, term('stream', 'plaza'), term('has', 'attachment')), [linking], 'in history, too');
    const [negated, all] = [await ids(member, term('has', 'attachment', true)), await ids(member)];
    t.same(
      negated,
      all.filter((id) => id !== linking && id !== direct),
    );
    t.ok(negated.includes(none), 'a link to no file is none');
    await owner.api.ok('PATCH /messages/{message_id}', { message_id: linking, content: 'no more' });
    t.same(await files(), [direct]);
  });

  await t.test('in:home leaves out muted streams; the first unread anchor does so without a stream term', async (t) => {
    await member.api.ok('POST /mark_all_as_read');
    const stream_id = await streamIdOf(member, 'plaza');
    const mute = (value: boolean) =>
      member.api.ok('POST /users/me/subscriptions/properties', {
        subscription_data: [{ stream_id, property: 'is_muted', value }],
      });
    await mute(true);
    const loud = await say(owner, 'plaza', 'loud');
    const quiet = await tell(owner, [member]);
    t.same(await ids(member, term('in', 'home')), await ids(member, term('stream', 'plaza', true)));
    t.same(await ids(member, term('in', 'home'), term('stream', 'plaza')), []);
    t.same(await ids(member, term('in', 'all')), await ids(member));
    t.ok((await ids(member)).includes(loud));
    t.equal(await anchorOf(member), quiet);
    t.equal(await anchorOf(member, term('stream', 'plaza')), loud);
    t.ok((await ids(owner, term('in', 'home'))).includes(loud), 'for others it is as before');
    await mute(false);
    t.same(await ids(member, term('in', 'home')), await ids(member));
    t.equal(await anchorOf(member), loud);
  });

  await t.test('streams:web-public follows the web access of streams', async (t) => {
    await owner.api.ok('PATCH /realm', { enable_spectator_access: true });
    await subscribe(owner, 'window', { is_web_public: true, principals: [owner, member] });
    const open = await say(owner, 'window', 'view');
    const stream_id = await streamIdOf(owner, 'window');
    t.same(await ids(member, term('streams', 'web-public')), [open]);
    const negated = await ids(member, term('streams', 'web-public', true));
    const all = await ids(member);
    t.same(
      negated,
      all.filter((id) => id !== open),
    );
    t.ok((await ids(other, term('streams', 'public'))).includes(open), 'it is public, too');
    for (const by of [other, guest]) {
      t.same(await ids(by, term('streams', 'web-public')), [], 'it is looked for among own messages');
      t.same(await ids(by, term('streams', 'web-public'), term('stream', 'window')), [open], 'or in the stream named');
    }
    await owner.api.ok('PATCH /streams/{stream_id}', { stream_id, is_web_public: false });
    t.same(await ids(member, term('streams', 'web-public')), []);
    t.same(await ids(guest, term('stream', 'window')), []);
  });

  await t.test('is:mentioned finds a mention of everybody in a copy of history', async (t) => {
    t.same(await ids(other, term('is', 'mentioned')), []);
    await flag(other, 'add', 'starred', everybody);
    t.same(await ids(other, term('is', 'mentioned')), [everybody]);
    t.same(await ids(other, term('is', 'mentioned'), term('stream', 'plaza')), [everybody]);
  });
};
