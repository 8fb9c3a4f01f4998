/** Visibility by role: streams.md § Who may see a stream, messages.md § Access to a message, narrow.md § Base set. */

import { refused } from '../../harness.js';
import { bad } from '../../support/client.js';
import {
  makeOrganization,
  type Organization,
  type Person,
  say,
  streamIdOf,
  subscribe,
  tell,
  withoutNotices,
} from '../../support/organization.js';
import type { ApiMessage, ApiStream } from '../../support/types.js';
import type { Facts } from '../facts.js';

type Reader = 'owner' | 'admin' | 'moderator' | 'member' | 'other' | 'guest';

const all = { anchor: 'oldest', num_before: 0, num_after: 1000 };

async function ids(person: Person, narrow: unknown): Promise<number[]> {
  const { messages } = await person.api.ok<{ messages: ApiMessage[] }>('GET /messages', { ...all, narrow });
  return withoutNotices(messages).map((message) => message.id);
}

async function mayFetch(person: Person, id: number): Promise<boolean> {
  const answer = await person.api.call('GET /messages/{message_id}', { message_id: id });
  if (answer.status !== 200 && answer.body.msg !== 'Invalid message(s)') throw new Error(JSON.stringify(answer.body));
  return answer.status === 200;
}

/** Streams with their subscribers, with one message before and one after a user joined. */
async function streams(org: Organization) {
  const { owner, member, other, guest } = org;
  const kinds = {
    open: {},
    shared: { invite_only: true, history_public_to_subscribers: true },
    closed: { invite_only: true },
  };
  const made: Record<string, { id: number; before: number; after: number }> = {};
  for (const [name, params] of Object.entries(kinds)) {
    await subscribe(member, name, params);
    const before = await say(member, name, 'topic');
    await subscribe(member, name, { principals: [guest, other] });
    const after = await say(member, name, 'topic');
    made[name] = { id: await streamIdOf(member, name), before, after };
  }
  await subscribe(owner, 'unrelated');
  return made as Record<keyof typeof kinds, { id: number; before: number; after: number }>;
}

export const visibility: Facts = async (t, server) => {
  const org = await makeOrganization(server);
  const elsewhere = await makeOrganization(server, ['member']);
  const made = await streams(org);
  const { owner, admin, moderator, member, other, guest } = org;
  const everybody = { owner, admin, moderator, member, other, guest };

  await t.test('messages of streams are readable by the same users by narrow and by id', async (t) => {
    const { open, shared, closed } = made;
    /** With a narrow to the stream, so that history counts: [before, after] joining. */
    const history: Record<Reader, Record<keyof typeof made, number[]>> = {
      member: {
        open: [open.before, open.after],
        shared: [shared.before, shared.after],
        closed: [closed.before, closed.after],
      },
      other: { open: [open.before, open.after], shared: [shared.before, shared.after], closed: [closed.after] },
      guest: { open: [open.before, open.after], shared: [shared.before, shared.after], closed: [closed.after] },
      owner: { open: [open.before, open.after], shared: [], closed: [] },
      admin: { open: [open.before, open.after], shared: [], closed: [] },
      moderator: { open: [open.before, open.after], shared: [], closed: [] },
    };
    // A guest in a public stream reads as much as a subscriber; only public access adds to it.
    history.guest.open = await ids(guest, [['stream', 'open']]);
    t.ok(history.guest.open.includes(open.after));
    for (const [role, person] of Object.entries(everybody)) {
      for (const name of ['open', 'shared', 'closed'] as const) {
        const may = history[role as Reader][name];
        t.same(await ids(person, [['stream', name]]), may, `${role} in ${name}, by name`);
        t.same(await ids(person, [{ operator: 'stream', operand: made[name].id }]), may, `${role} in ${name}, by id`);
        t.same(
          await ids(person, [
            ['stream', name],
            ['topic', 'TOPIC'],
          ]),
          may,
          `${role} in ${name}, by topic`,
        );
        for (const id of [made[name].before, made[name].after]) {
          t.equal(await mayFetch(person, id), may.includes(id), `${role} in ${name}, message ${id}`);
        }
      }
    }
  });

  await t.test('without a narrow to a stream only own copies are found', async (t) => {
    const { open, shared, closed } = made;
    const copies = (joined: readonly { after: number }[]) => joined.map((one) => one.after).sort((a, b) => a - b);
    const fromStreams = async (person: Person, narrow: unknown) => {
      const { messages } = await person.api.ok<{ messages: ApiMessage[] }>('GET /messages', { ...all, narrow });
      return withoutNotices(messages)
        .filter((message) => message.type === 'stream')
        .map((message) => message.id);
    };
    for (const person of [other, guest]) {
      for (const narrow of [[], [['topic', 'topic']], [['sender', member.email]]]) {
        t.same(
          await fromStreams(person, narrow),
          copies([open, shared, closed]),
          `${person.role} ${JSON.stringify(narrow)}`,
        );
      }
    }
    for (const person of [owner, admin, moderator]) t.same(await fromStreams(person, []), [], person.role);
  });

  await t.test('streams:public is the history of all public streams, for all but guests', async (t) => {
    const narrow = [['streams', 'public']];
    for (const person of [owner, moderator, member, other]) {
      const found = await ids(person, narrow);
      t.ok(found.includes(made.open.before) && found.includes(made.open.after), person.role);
      for (const { before, after } of [made.shared, made.closed]) {
        t.notOk(found.includes(before) || found.includes(after), `${person.role}: nothing private`);
      }
    }
    t.same(await ids(guest, narrow), [made.open.after], 'a guest has copies only');
    t.same(await ids(owner, [...narrow, ['is', 'resolved']]), [], 'nor with an is: term');
  });

  await t.test('any user may name a private stream in a narrow, and non-subscribers find nothing', async (t) => {
    for (const person of [owner, admin, moderator]) t.same(await ids(person, [['stream', 'closed']]), [], person.role);
  });

  await t.test('direct messages are visible to their participants only', async (t) => {
    const pair = await tell(member, [other]);
    const self = await tell(member, [member]);
    const group = await tell(member, [other, guest]);
    const may: Record<number, Person[]> = {
      [pair]: [member, other],
      [self]: [member],
      [group]: [member, other, guest],
    };
    for (const [id, readers] of Object.entries(may)) {
      for (const person of Object.values(everybody)) {
        const expected = readers.includes(person);
        t.equal(await mayFetch(person, Number(id)), expected, `${person.role}, by id`);
        for (const narrow of [[], [['is', 'dm']], [['sender', member.email]], [['id', id]]]) {
          t.equal(
            (await ids(person, narrow)).includes(Number(id)),
            expected,
            `${person.role} ${JSON.stringify(narrow)}`,
          );
        }
      }
    }
    for (const person of [owner, admin]) {
      t.same(
        await ids(person, [{ operator: 'dm', operand: [member.id, other.id] }]),
        [],
        'the narrow always includes the caller',
      );
      t.notOk((await ids(person, [{ operator: 'dm-including', operand: member.id }])).includes(pair));
    }
  });

  await t.test('another organization sees nothing, though ids coincide', async (t) => {
    await subscribe(elsewhere.owner, 'open');
    const theirs = await say(elsewhere.owner, 'open', 'topic', 'theirs');
    t.same(await ids(elsewhere.member, [['streams', 'public']]), [theirs]);
    t.same(await ids(elsewhere.member, []), []);
    const answer = await elsewhere.owner.api.ok<{ raw_content: string }>('GET /messages/{message_id}', {
      message_id: theirs,
    });
    t.equal(answer.raw_content, 'theirs');
    for (const id of [made.open.after, made.shared.after, made.closed.after]) {
      if (id !== theirs) t.notOk(await mayFetch(elsewhere.owner, id), `message ${id}`);
    }
    const call = elsewhere.owner.api.call('GET /messages', { ...all, narrow: [['sender', member.email]] });
    await refused(t, call, {
      code: 'BAD_NARROW',
      msg: `Invalid narrow operator: unknown user ${member.email}`,
      extra: { desc: `unknown user ${member.email}` },
    });
  });

  await t.test(
    'GET /streams lists public streams for all but guests, and private ones for their subscribers',
    async (t) => {
      const names = async (person: Person, params = {}) =>
        (await person.api.ok<{ streams: ApiStream[] }>('GET /streams', params)).streams.map((one) => one.name);
      for (const person of [owner, admin, moderator]) t.same(await names(person), ['open', 'unrelated'], person.role);
      for (const person of [member, other])
        t.same(await names(person), ['closed', 'open', 'shared', 'unrelated'], person.role);
      t.same(await names(guest), ['closed', 'open', 'shared'], 'guest');
      t.same(await names(member, { include_subscribed: false }), ['open', 'unrelated']);
      t.same(await names(other, { include_public: false }), ['closed', 'open', 'shared']);
      t.same(await names(guest, { include_subscribed: false }), [], 'a guest has no public streams');
      t.same(await names(member, { include_subscribed: false, include_public: false, include_web_public: true }), []);
      for (const person of [owner, admin]) {
        t.same(
          await names(person, { include_all_active: true }),
          ['closed', 'open', 'shared', 'unrelated'],
          person.role,
        );
      }
      for (const person of [moderator, member, guest]) {
        const call = person.api.call('GET /streams', { include_all_active: true });
        await refused(t, call, bad('User not authorized for this query'), person.role);
      }
      const { streams: shown } = await member.api.ok<{ streams: ApiStream[] }>('GET /streams', {
        include_default: true,
      });
      t.ok(shown.every((one) => one.is_default === false));
      await refused(
        t,
        member.api.call('GET /streams', { include_public: 'x' }),
        bad('Argument "include_public" is not valid JSON.'),
      );
    },
  );

  await t.test('the state names the streams that each user may see', async (t) => {
    const state = async (person: Person) => {
      const of = await person.api.ok<
        Record<'subscriptions' | 'unsubscribed' | 'never_subscribed' | 'streams', ApiStream[]>
      >('POST /register', {
        fetch_event_types: ['subscription', 'stream'],
        include_subscribers: true,
      });
      return (['subscriptions', 'unsubscribed', 'never_subscribed', 'streams'] as const).map((section) =>
        of[section].map((one) => one.name),
      );
    };
    const everything = ['closed', 'open', 'shared', 'unrelated'];
    t.same(await state(owner), [['unrelated'], [], ['closed', 'open', 'shared'], everything]);
    t.same(await state(admin), [[], [], everything, everything]);
    t.same(await state(moderator), [[], [], ['open', 'unrelated'], ['open', 'unrelated']]);
    t.same(await state(other), [['closed', 'open', 'shared'], [], ['unrelated'], everything]);
    t.same(await state(guest), [['closed', 'open', 'shared'], [], [], ['closed', 'open', 'shared']]);
  });
};
