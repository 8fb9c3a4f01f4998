/** Access without an account: conventions.md § Authentication, narrow.md, register.md. */

import { refused } from '../../harness.js';
import { bad, type Params, type Refusal } from '../../support/client.js';
import { makeOrganization, say, streamIdOf, subscribe, tell } from '../../support/organization.js';
import { Queue, settled } from '../../support/queue.js';
import type { ApiMessage, ApiStream, ApiUser } from '../../support/types.js';
import type { Facts } from '../facts.js';

const NOBODY: Refusal = { status: 401, msg: 'Not logged in: API authentication or user session required' };
const WEB = { operator: 'streams', operand: 'web-public' };

export const visiting: Facts = async (t, server) => {
  const org = await makeOrganization(server);
  const elsewhere = await makeOrganization(server, []);
  const { owner, admin, member, other, guest } = org;
  const at = (subdomain: string) => org.nobody.with({ host: `${subdomain}.localhost` });
  const visitor = at(org.subdomain);
  const window = { anchor: 'oldest', num_before: 0, num_after: 100 };
  const fetch = (narrow: unknown[], params: Params = {}) =>
    visitor.call('GET /messages', { ...window, narrow, ...params });
  const make = (params: Params = {}) =>
    owner.api.call('POST /users/me/subscriptions', {
      subscriptions: [{ name: 'square' }],
      principals: [owner.id, member.id],
      is_web_public: true,
      ...params,
    });
  await subscribe(member, 'indoors');
  const inside = await say(member, 'indoors', 'topic');

  await t.test('without public access every operation needs an account', async (t) => {
    await refused(t, make(), bad('Web-public streams are not enabled.'), 'not before the organization wants it');
    for (const host of [org.subdomain, elsewhere.subdomain, 'nowhere']) {
      await refused(t, at(host).call('POST /register'), NOBODY, host);
      await refused(t, at(host).call('GET /messages', { ...window, narrow: [WEB] }), NOBODY, host);
      await refused(t, at(host).call('GET /messages/{message_id}', { message_id: inside }), NOBODY, host);
    }
    await owner.api.ok('PATCH /realm', { enable_spectator_access: true });
    await refused(t, visitor.call('POST /register'), NOBODY, 'nor without a stream that is open to the web');
  });

  await t.test('streams are opened to the web by the roles that the policy names', async (t) => {
    for (const by of [admin, member]) {
      const call = by.api.call('POST /users/me/subscriptions', {
        subscriptions: [{ name: 'square' }],
        is_web_public: true,
      });
      await refused(t, call, bad('Insufficient permission'), by.role);
    }
    const both = { subscriptions: [{ name: 'both' }], is_web_public: true, invite_only: true };
    await owner.api.ok('POST /users/me/subscriptions', both);
    const { stream } = await owner.api.ok<{ stream: ApiStream }>('GET /streams/{stream_id}', {
      stream_id: await streamIdOf(owner, 'both'),
    });
    t.match(stream, { invite_only: true, is_web_public: false }, 'asked for both, it is private');
    const queue = await Queue.register(guest, { event_types: ['stream', 'message'] });
    t.equal((await make()).status, 200);
    t.same(
      (await settled(queue)).map((event) => [event.type, event.op]),
      [['stream', 'create']],
      'guests may know of it',
    );
    const stream_id = await streamIdOf(owner, 'square');
    t.equal((await guest.api.call('GET /streams/{stream_id}', { stream_id })).status, 200);
    const indoors = await streamIdOf(member, 'indoors');
    const open = (by: typeof admin, is_web_public: boolean) =>
      by.api.call('PATCH /streams/{stream_id}', { stream_id: indoors, is_web_public });
    await refused(t, open(admin, true), bad('Insufficient permission'));
    t.equal((await open(owner, true)).status, 200);
    t.same(
      (await settled(queue)).map((event) => [event.type, event.op]),
      [
        ['stream', 'create'],
        ['stream', 'update'],
      ],
    );
    t.equal((await open(admin, false)).status, 200, 'closing is for administrators');
    t.same(
      (await settled(queue)).map((event) => [event.type, event.op]),
      [['stream', 'delete']],
    );
  });

  const outside = await say(member, 'square', 'Topic', 'hello **web**');
  const direct = await tell(member, [other]);

  await t.test('visitors read web-public content only', async (t) => {
    const { body } = await fetch([WEB]);
    const messages = body.messages as ApiMessage[];
    t.ok(messages.some(({ id }) => id === outside));
    t.ok(messages.every((message) => message.display_recipient === 'square'));
    t.ok(messages.every(({ flags }) => flags.length === 1 && flags[0] === 'read'));
    const ids = async (...narrow: unknown[]) =>
      ((await fetch([WEB, ...narrow])).body.messages as ApiMessage[]).map(({ id }) => id);
    t.same(await ids({ operator: 'stream', operand: 'Square' }, { operator: 'topic', operand: 'topic' }), [outside]);
    t.same(await ids({ operator: 'sender', operand: member.id }), [outside]);
    t.same(await ids({ operator: 'id', operand: String(inside) }), []);
    t.same((await fetch([WEB], { anchor: 'first_unread' })).body.anchor, 10_000_000_000_000_000);
    for (const narrow of [
      [],
      [{ operator: 'stream', operand: 'square' }],
      [{ ...WEB, negated: true }],
      [WEB, { operator: 'is', operand: 'dm' }],
      [WEB, { operator: 'dm', operand: member.email }],
      [{ operator: 'streams', operand: 'public' }],
    ]) {
      await refused(t, fetch(narrow), NOBODY, JSON.stringify(narrow));
    }
    const desc = 'too many search terms (maximum 100)';
    const words = Array.from({ length: 2_000 }, (_, i) => `zq${i}`).join(' ');
    await refused(t, fetch([WEB, { operator: 'search', operand: words }]), {
      code: 'BAD_NARROW',
      msg: `Invalid narrow operator: ${desc}`,
      extra: { desc },
    });
    for (const name of ['indoors', 'nowhere']) {
      const desc = `unknown web-public stream ${name}`;
      const refusal = { code: 'BAD_NARROW', msg: `Invalid narrow operator: ${desc}`, extra: { desc } };
      await refused(t, fetch([WEB, { operator: 'stream', operand: name }]), refusal);
    }
    const one = (message_id: number) => visitor.call('GET /messages/{message_id}', { message_id });
    const { message, raw_content } = (await one(outside)).body as unknown as {
      message: ApiMessage;
      raw_content: string;
    };
    t.same(
      [message.flags, message.content, raw_content],
      [['read'], '<p>hello <strong>web</strong></p>', 'hello **web**'],
    );
    for (const id of [inside, direct, 987_654]) await refused(t, one(id), NOBODY, `message ${id}`);
    const theirs = at(elsewhere.subdomain).call('GET /messages/{message_id}', { message_id: outside });
    await refused(t, theirs, NOBODY, 'an organization without public access');
  });

  await t.test('visitors see the topics of web-public streams', async (t) => {
    const topics = (stream_id: number, by = visitor) => by.call('GET /users/me/{stream_id}/topics', { stream_id });
    const square = await streamIdOf(owner, 'square');
    const { topics: list } = (await topics(square)).body as unknown as { topics: { name: string; max_id: number }[] };
    t.same(
      list.filter(({ name }) => name !== 'stream events'),
      [{ name: 'Topic', max_id: outside }],
    );
    const closed = await streamIdOf(member, 'indoors');
    for (const id of [closed, 987_654]) await refused(t, topics(id), bad('Invalid stream ID'), `stream ${id}`);
    await refused(t, topics(square, at(elsewhere.subdomain)), NOBODY, 'an organization without public access');
  });

  await t.test('visitors get the state of a guest without subscriptions, and no queue', async (t) => {
    const { id } = await owner.api.ok('POST /realm/profile_fields', { name: 'Phone', field_type: 1 });
    await member.api.ok('PATCH /users/me/profile_data', { data: [{ id, value: '123' }] });
    const { body } = await visitor.call('POST /register');
    t.equal(body.queue_id, null);
    t.same(body.custom_profile_fields, [], 'what people tell of themselves is not for the web');
    t.notOk('last_event_id' in body);
    t.notOk('streams' in body);
    t.same([body.subscriptions, body.unsubscribed], [[], []]);
    t.same(
      (body.never_subscribed as ApiStream[]).map((one) => one.name),
      ['square'],
    );
    const users = body.realm_users as ApiUser[];
    t.equal(users.length, org.people.length);
    t.notOk(users.some((user) => 'profile_data' in user));
    t.ok(users.every((user) => user.delivery_email === null && /^\d{4}-\d\d-\d\d$/.test(String(user.date_joined))));
    t.match(body, {
      is_guest: true,
      is_admin: false,
      user_id: 0,
      realm_allow_message_editing: false,
      realm_edit_topic_policy: 2,
      realm_delete_own_message_policy: 2,
      realm_presence_disabled: true,
      max_message_id: -1,
    });
    await refused(
      t,
      visitor.call('POST /register', { client_gravatar: true }),
      bad("Invalid 'client_gravatar' parameter for anonymous request"),
    );
    await refused(
      t,
      visitor.call('POST /register', { include_subscribers: true }),
      bad("Invalid 'include_subscribers' parameter for anonymous request"),
    );
  });

  await t.test('visitors learn neither the time zones of people nor who administers the billing', async (t) => {
    await member.api.ok('PATCH /settings', { timezone: 'Asia/Tokyo' });
    const users = (await visitor.call('POST /register')).body.realm_users as ApiUser[];
    t.same(
      users.filter((user) => 'timezone' in user || 'is_billing_admin' in user),
      [],
    );
  });

  await t.test('all other operations need an account, and wrong credentials are refused', async (t) => {
    for (const operation of ['GET /users', 'GET /streams', 'GET /events', 'GET /users/me/subscriptions']) {
      await refused(t, visitor.call(operation), NOBODY, operation);
    }
    const wrong = visitor.with({ authorization: `Basic ${Buffer.from(`a@b.c:${'x'.repeat(32)}`).toString('base64')}` });
    t.equal((await wrong.call('POST /register')).status, 401);
  });

  await t.test('a stream closed to the web is closed for visitors at once', async (t) => {
    const stream_id = await streamIdOf(owner, 'square');
    await owner.api.ok('PATCH /streams/{stream_id}', { stream_id, is_web_public: false });
    await refused(t, fetch([WEB]), NOBODY, 'no stream is open any more');
    await owner.api.ok('PATCH /streams/{stream_id}', { stream_id, is_web_public: true });
    t.equal((await fetch([WEB])).status, 200);
    const indoors = await streamIdOf(member, 'indoors');
    const topics = () => visitor.call('GET /users/me/{stream_id}/topics', { stream_id: indoors });
    await owner.api.ok('PATCH /streams/{stream_id}', { stream_id: indoors, is_web_public: true });
    t.equal((await topics()).status, 200);
    await owner.api.ok('PATCH /streams/{stream_id}', { stream_id: indoors, is_web_public: false });
    await refused(t, topics(), bad('Invalid stream ID'), 'of another stream, while one is open');
    await owner.api.ok('PATCH /realm', { enable_spectator_access: false });
    await refused(t, fetch([WEB]), NOBODY, 'nor does the organization want visitors');
  });
};
