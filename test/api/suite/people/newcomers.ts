/** The effects of a new account: streams and their latest past, settings, a welcome (users.md § POST /users). */

import { refused } from '../../harness.js';
import { bad, basic, Client, type Params } from '../../support/client.js';
import { mailed, mailsTo } from '../../support/mails.js';
import {
  makeOrganization,
  type Organization,
  PASSWORD,
  type Person,
  say,
  streamIdOf,
  subscribe,
} from '../../support/organization.js';
import { Queue } from '../../support/queue.js';
import type { ApiEvent, ApiMessage, ApiUser, Fields } from '../../support/types.js';
import { verifyAction } from '../../support/verify-action.js';
import type { Facts } from '../facts.js';

const WELCOME_BOT = 2;
const ADMIN_ONLY = { code: 'UNAUTHORIZED_PRINCIPAL', msg: 'Must be an organization administrator' };
let made = 0;

/** A user made through the API, and logged in. */
async function newcomer(org: Organization, by: Person = org.owner): Promise<Person> {
  const name = `Newcomer ${++made}`;
  const email = `newcomer${made}@${org.subdomain}.example.com`;
  const { user_id } = await by.api.ok<{ user_id: number }>('POST /users', {
    email,
    password: PASSWORD,
    full_name: name,
  });
  const { api_key } = await org.nobody
    .with({ host: `${org.subdomain}.localhost` })
    .ok<{ api_key: string }>('POST /fetch_api_key', { username: email, password: PASSWORD });
  const api = new Client(org.server, 'newcomer', { authorization: basic(email, api_key) });
  return { role: 'newcomer', id: user_id, email, name, key: api_key, api };
}

const all = async (by: Person, narrow: readonly unknown[] = []): Promise<ApiMessage[]> =>
  (
    await by.api.ok<{ messages: ApiMessage[] }>('GET /messages', {
      anchor: 'newest',
      num_before: 2_000,
      num_after: 0,
      narrow,
    })
  ).messages;

export const newcomers: Facts = async (t, server) => {
  await t.test(
    'a new user is in the default streams, with their latest messages: 20 unread, the rest read',
    async (t) => {
      const org = await makeOrganization(server, ['member']);
      const { owner, member } = org;
      await subscribe(owner, ['first default', 'second default', 'elsewhere'], { principals: [owner, member] });
      await subscribe(owner, 'closed', { invite_only: true, principals: [owner, member] });
      for (const name of ['first default', 'second default']) {
        await owner.api.ok('POST /default_streams', { stream_id: await streamIdOf(owner, name) });
      }
      const closed = await streamIdOf(owner, 'closed');
      const away = await say(owner, 'first default', 'to be closed', 'a secret by now');
      await owner.api.ok('PATCH /messages/{message_id}', {
        message_id: away,
        stream_id: closed,
        propagate_mode: 'change_one',
        send_notification_to_old_thread: false,
        send_notification_to_new_thread: false,
      });
      const sent: number[] = [];
      for (let i = 0; i < 26; i++) sent.push(await say(member, i % 2 ? 'first default' : 'second default', 'past'));
      await say(member, 'elsewhere', 'past', 'none of his');
      await say(member, 'closed', 'past', 'a secret');

      const fresh = await newcomer(org);
      const state = await fresh.api.ok('POST /register', { client_gravatar: true });
      t.same((state.subscriptions as { name: string; color: string }[]).map(({ name }) => name).sort(), [
        'first default',
        'second default',
      ]);
      t.equal(
        new Set((state.subscriptions as { color: string }[]).map(({ color }) => color)).size,
        2,
        'in two colours',
      );
      const check = async (): Promise<void> => {
        const messages = await all(fresh);
        const past = messages.filter(({ id }) => sent.includes(id));
        t.same(
          past.map(({ id }) => id),
          sent,
        );
        t.notOk(
          messages.some(({ content }) => /secret|none of his/.test(content)),
          'not what is in other streams',
        );
        const unread = messages.filter((message) => !message.flags!.includes('read')).map(({ id }) => id);
        const [welcome] = messages.filter(({ sender_id }) => sender_id === WELCOME_BOT).map(({ id }) => id);
        t.same(unread, [...sent.slice(-20), welcome]);
        t.notOk(past.some(({ flags }) => flags!.includes('historical')));
        const { unread_msgs } = await fresh.api.ok('POST /register', {
          fetch_event_types: ['message', 'update_message_flags'],
        });
        t.equal((unread_msgs as Fields).count, 21);
      };
      await check();
      await server.restart();
      await check();
      await refused(t, fresh.api.call('GET /messages/{message_id}', { message_id: away }), bad('Invalid message(s)'));

      const queue = await Queue.register(fresh, { event_types: ['update_message', 'update_message_flags', 'message'] });
      await member.api.ok('PATCH /messages/{message_id}', { message_id: sent[0], content: 'edited' });
      const [edited] = await queue.take(1);
      t.same([edited!.type, edited!.message_id], ['update_message', sent[0]], 'he hears of changes to it');
      await fresh.api.ok('POST /messages/flags', { messages: sent, op: 'add', flag: 'read' });
      t.same((await queue.take(1))[0]!.messages, sent.slice(-20), 'and marks it as read');
      await verifyAction(t, 'a message of the past is deleted', [fresh, owner], () =>
        owner.api.ok('DELETE /messages/{message_id}', { message_id: sent.at(-1) }),
      );
    },
  );

  await t.test(
    'a new user gets a welcome message and, where wanted, a mail; the organization gets a notice',
    async (t) => {
      const org = await makeOrganization(server, ['admin', 'guest']);
      const { owner, admin } = org;
      await subscribe(owner, 'signups here');
      const stream = await streamIdOf(owner, 'signups here');
      await owner.api.ok('PATCH /realm', { signup_notifications_stream_id: stream });
      const fresh = await newcomer(org, admin);
      const [greeting, ...more] = await all(fresh, [{ operator: 'is', operand: 'dm' }]);
      t.same([greeting!.sender_id, greeting!.type, more], [WELCOME_BOT, 'private', []]);
      t.match(greeting!.content, fresh.name);
      const told = async () => (await all(owner, [{ operator: 'topic', operand: 'signups' }])).map((of) => of.content);
      const notice = (of: Person, total: number): RegExp =>
        new RegExp(`${of.name}</span> just signed up for \\w+\\. \\(total: ${total}\\)`);
      t.match((await told())[0], notice(fresh, 4));
      const [letter] = await mailed(server, fresh.email);
      t.match(letter!.headers.get('subject'), `Welcome to The ${org.subdomain}`);
      await owner.api.ok('PATCH /realm', { send_welcome_emails: false });
      const second = await newcomer(org);
      t.match((await told())[1], notice(second, 5));
      t.same(mailsTo(server, second.email), []);
    },
  );

  await t.test("a new user has the organization's default settings, except for a few fixed ones", async (t) => {
    const org = await makeOrganization(server, ['admin', 'moderator', 'member', 'guest']);
    const { owner, admin, moderator, member, guest } = org;
    await owner.api.ok('PATCH /realm/user_settings_defaults', {
      twenty_four_hour_time: true,
      emojiset: 'twitter',
      enable_sounds: false,
      email_address_visibility: 3,
    });
    await owner.api.ok('PATCH /realm', { default_language: 'de' });
    const seeing = [owner, admin];
    const people = [...seeing, moderator, member, guest];
    const queues = await Promise.all(people.map((by) => Queue.register(by, { event_types: ['realm_user'] })));
    let fresh: Person | undefined;
    await verifyAction(t, 'a new account', [owner, guest], async () => {
      fresh = await newcomer(org);
    });
    const hidden = `user${fresh!.id}@conclave.invalid`;
    for (const queue of queues) {
      const [event, ...more] = await queue.take(1);
      const { email, delivery_email } = event!.person as ApiUser;
      const address = seeing.includes(queue.of) ? fresh!.email : null;
      t.same([email, delivery_email, more], [hidden, address, []], queue.of.role);
    }
    const { user_settings } = await fresh!.api.ok('POST /register', { fetch_event_types: ['user_settings'] });
    t.match(user_settings, {
      twenty_four_hour_time: true,
      emojiset: 'twitter',
      enable_sounds: false,
      email_address_visibility: 3,
      default_language: 'de',
      enable_login_emails: true,
      dense_mode: true,
    });
  });

  await t.test('an address is checked before it is looked up among the accounts', async (t) => {
    const org = await makeOrganization(server, ['admin', 'member']);
    const { owner, member, subdomain } = org;
    const create = (email: string, more: Params = {}, by = owner) =>
      by.api.call('POST /users', { email, password: PASSWORD, full_name: 'Some Body', ...more });
    const disposable = bad('Disposable email addresses are not allowed in this organization');
    await refused(t, create('a@thrown-away.example', { password: 'x' }), disposable);
    await refused(t, create('a@mail.Thrown-Away.example'), disposable, 'below such a domain, too');
    await owner.api.ok('PATCH /realm', { disallow_disposable_email_addresses: false });
    t.equal((await create('a@thrown-away.example')).status, 200);
    await owner.api.ok('POST /realm/domains', { domain: 'allowed.example', allow_subdomains: false });
    await owner.api.ok('POST /realm/domains', { domain: 'tree.example', allow_subdomains: true });
    await owner.api.ok('PATCH /realm', { emails_restricted_to_domains: true });
    await refused(t, create(member.email), bad(`Email '${member.email}' not allowed in this organization`));
    for (const email of ['a@sub.allowed.example', 'a@nottree.example', `x@${subdomain}.example.com`]) {
      await refused(t, create(email), bad(`Email '${email}' not allowed in this organization`));
    }
    const plus = bad('Email addresses containing + are not allowed.');
    await refused(t, create('a+b@allowed.example'), plus);
    await refused(t, create('a+b@nowhere.example'), plus, 'before the domain');
    for (const email of ['a@Allowed.example', 'a@tree.example', 'a@deep.sub.tree.example']) {
      t.equal((await create(email)).status, 200, email);
    }
    await refused(t, create('A@allowed.EXAMPLE', { password: 'x' }), bad("Email 'A@allowed.EXAMPLE' already in use"));
    await refused(t, create('b@allowed.example', { password: 'x' }), bad('The password is too weak.'));
  });

  await t.test('the right to create accounts follows the role of administrator', async (t) => {
    const { owner, member, subdomain } = await makeOrganization(server, ['member']);
    const become = (role: number) => owner.api.ok('PATCH /users/{user_id}', { user_id: member.id, role });
    let count = 0;
    const create = () =>
      member.api.call('POST /users', {
        email: `made-${++count}@${subdomain}.example.com`,
        password: PASSWORD,
        full_name: `Made ${count}`,
      });
    await refused(t, create(), ADMIN_ONLY, 'a member');
    for (const role of [200, 100]) {
      await become(role);
      t.equal((await create()).status, 200, `role ${role}`);
      await refused(t, member.api.call('POST /users', {}), {
        code: 'REQUEST_VARIABLE_MISSING',
        msg: "Missing 'email' argument",
        extra: { var_name: 'email' },
      });
    }
    for (const role of [300, 400, 600]) {
      await become(role);
      await refused(t, create(), ADMIN_ONLY, `role ${role}`);
    }
  });

  await t.test('each creation publishes the same few events', async (t) => {
    const org = await makeOrganization(server, []);
    const { owner } = org;
    await subscribe(owner, 'everybody here');
    await owner.api.ok('POST /default_streams', { stream_id: await streamIdOf(owner, 'everybody here') });
    const queue = await Queue.register(owner, {});
    const last = (events: readonly ApiEvent[]): boolean => events.some(({ op }) => op === 'peer_add');
    const counts: number[] = [];
    for (let i = 0; i < 3; i++) {
      await newcomer(org);
      counts.push((await queue.until(last)).length);
    }
    t.same(counts, [counts[0], counts[0], counts[0]]);
  });
};
