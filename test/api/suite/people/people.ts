/** POST and GET /users, GET /users/me, POST /fetch_api_key, GET /server_settings (users.md, realm.md). */

import { refused } from '../../harness.js';
import { bad, basic, Client, missing, type Params, type Refusal } from '../../support/client.js';
import { makeOrganization, PASSWORD } from '../../support/organization.js';
import { Queue } from '../../support/queue.js';
import type { ApiUser } from '../../support/types.js';
import type { Facts } from '../facts.js';

const WRONG: Refusal = {
  status: 401,
  code: 'AUTHENTICATION_FAILED',
  msg: 'Your username or password is incorrect',
};

export const people: Facts = async (t, server) => {
  const org = await makeOrganization(server);
  const elsewhere = await makeOrganization(server, []);
  const { owner, admin, member, guest } = org;
  const at = { host: `${org.subdomain}.localhost:1234` };
  const login = (username: string, password: string, headers = at) =>
    org.nobody.with(headers).call('POST /fetch_api_key', { username, password });
  const account = (email: string, more: Params = {}): Params => ({
    email,
    password: PASSWORD,
    full_name: 'Somebody New',
    ...more,
  });
  const create = (params: Params, by = owner) => by.api.call('POST /users', params);

  await t.test('a new account is a member that can log in, and is published to all users', async (t) => {
    const queues = await Promise.all(
      [owner, member, guest].map((person) => Queue.register(person, { event_types: ['realm_user'] })),
    );
    const email = `newcomer@${org.subdomain}.example.com`;
    const { user_id } = await admin.api.ok<{ user_id: number }>(
      'POST /users',
      account(email, { full_name: '  New Comer ' }),
    );
    const { members } = await member.api.ok<{ members: ApiUser[] }>('GET /users', {
      client_gravatar: false,
      include_custom_profile_fields: true,
    });
    const shown = members.find((user) => user.user_id === user_id);
    for (const queue of queues) {
      const [event] = await queue.take(1);
      t.same(event, { id: event!.id, type: 'realm_user', op: 'add', person: shown }, `for ${queue.of.role}`);
    }
    const { api_key } = (await login(email, PASSWORD)).body as { api_key: string };
    const me = await new Client(server, 'newcomer', { authorization: basic(email, api_key) }).ok('GET /users/me');
    t.same([me.user_id, me.full_name, me.role, me.email], [user_id, 'New Comer', 400, email]);
    const { members: foreign } = await elsewhere.owner.api.ok<{ members: ApiUser[] }>('GET /users');
    t.same(
      foreign.map((user) => user.email),
      [elsewhere.owner.email],
      'another organization does not',
    );
  });

  await t.test('account data is checked in this order: name, address, duplicate address, password', async (t) => {
    const email = `checked@${org.subdomain}.example.com`;
    const before = (await owner.api.ok<{ members: ApiUser[] }>('GET /users')).members.length;
    await refused(t, create({}), missing('email'));
    await refused(t, create({ email }), missing('password'));
    await refused(t, create({ email, password: PASSWORD }), missing('full_name'));
    const rest = { email: 'nonsense', password: '1' };
    await refused(t, create({ ...rest, full_name: 'x'.repeat(101) }), bad('Name too long!'));
    for (const full_name of ['', 'x', '   y '])
      await refused(t, create({ ...rest, full_name }), bad('Name too short!'));
    for (const char of ['*', '`', '\\', '>', '"', '@', '\u{7}', '\u{200b}']) {
      await refused(t, create({ ...rest, full_name: `So ${char} what` }), bad('Invalid characters in name!'), char);
    }
    await refused(t, create({ ...rest, full_name: 'Ann|25' }), bad('Invalid format!'));
    for (const wrong of ['nonsense', '', 'a@b@c', 'a b@c.example', '@c.example']) {
      await refused(t, create(account(wrong, { password: '1' })), bad('Bad name or username'), `address '${wrong}'`);
    }
    const taken = member.email.toUpperCase();
    await refused(t, create(account(taken, { password: '1' })), bad(`Email '${taken}' already in use`));
    for (const password of ['', '12345', 'password', 'qwerty1', 'somebody new']) {
      await refused(
        t,
        create(account(email, { password })),
        bad('The password is too weak.'),
        `password '${password}'`,
      );
    }
    t.equal((await owner.api.ok<{ members: ApiUser[] }>('GET /users')).members.length, before, 'nothing was made');
    t.equal(
      (await create(account(elsewhere.owner.email))).status,
      200,
      'the address may be taken in another organization',
    );
  });

  await t.test('one of two concurrent accounts with one address is made', async (t) => {
    const email = `race@${org.subdomain}.example.com`;
    const answers = await Promise.all([owner, admin, owner, admin].map((by) => create(account(email), by)));
    t.same(answers.map((answer) => answer.status).sort(), [200, 400, 400, 400]);
    for (const { status, body } of answers) if (status !== 200) t.equal(body.msg, `Email '${email}' already in use`);
  });

  await t.test('every role sees all users, with avatars and profile data as asked for', async (t) => {
    for (const person of org.people) {
      const { members } = await person.api.ok<{ members: ApiUser[] }>('GET /users');
      for (const one of org.people)
        t.ok(
          members.some((user) => user.user_id === one.id),
          `${person.role} sees ${one.role}`,
        );
      t.same(new Set(members.map((user) => user.avatar_url)), new Set([null]));
      t.ok(members.every((user) => !('profile_data' in user) && user.bot_type === null && user.bot_owner_id === null));
    }
    const { members } = await guest.api.ok<{ members: ApiUser[] }>('GET /users', {
      client_gravatar: false,
      include_custom_profile_fields: true,
    });
    t.ok(members.every((user) => typeof user.avatar_url === 'string' && JSON.stringify(user.profile_data) === '{}'));
    await refused(
      t,
      member.api.call('GET /users', { include_custom_profile_fields: 2 }),
      bad('include_custom_profile_fields is not a boolean'),
    );
  });

  await t.test('the own account has role flags, an avatar address and the newest message id', async (t) => {
    for (const [person, role] of [
      [owner, 100],
      [admin, 200],
      [org.moderator, 300],
      [member, 400],
      [guest, 600],
    ] as const) {
      const me = await person.api.ok('GET /users/me');
      t.same(
        [me.user_id, me.role, me.is_owner, me.is_admin, me.is_guest],
        [person.id, role, role === 100, role <= 200, role === 600],
      );
      t.same(
        [me.email, me.delivery_email, me.full_name, me.profile_data],
        [person.email, person.email, person.name, {}],
      );
      t.type(me.avatar_url, 'string');
      t.notOk('bot_type' in me || 'bot_owner_id' in me);
    }
    const { id } = await guest.api.ok('POST /messages', { type: 'direct', to: [owner.id], content: 'x' });
    t.equal((await guest.api.ok('GET /users/me')).max_message_id, id);
    t.equal((await elsewhere.owner.api.ok('GET /users/me')).max_message_id, -1);
  });

  await t.test('the key is given for address and password', async (t) => {
    for (const username of [member.email, ` ${member.email.toUpperCase()} `]) {
      const { status, body } = await login(username, PASSWORD);
      t.same(
        [status, body],
        [200, { result: 'success', msg: '', api_key: member.key, email: member.email, user_id: member.id }],
      );
    }
    for (const [username, password] of [
      [member.email, 'wrong'],
      [member.email, ''],
      [`nobody@${org.subdomain}.example.com`, PASSWORD],
    ] as const) {
      await refused(t, login(username, password), WRONG, `${username} / ${password}`);
    }
    await refused(t, login('not an address', PASSWORD), bad('Enter a valid email address.'));
    await refused(t, org.nobody.with(at).call('POST /fetch_api_key', { password: 'x' }), missing('username'));
    await refused(t, org.nobody.with(at).call('POST /fetch_api_key', { username: 'x' }), missing('password'));
    const nowhere: Refusal = { status: 404, code: 'NONEXISTENT_SUBDOMAIN', msg: 'Invalid subdomain' };
    await refused(t, login(member.email, PASSWORD, { host: 'nowhere.localhost' }), nowhere);
    await refused(
      t,
      login(member.email, PASSWORD, { host: `${elsewhere.subdomain}.localhost` }),
      WRONG,
      'in another organization',
    );
  });

  await t.test('the server settings describe the organization of the host, without credentials', async (t) => {
    for (const [caller, name] of [
      [org.nobody, org.subdomain],
      [elsewhere.nobody, elsewhere.subdomain],
    ] as const) {
      const settings = await caller.with({ host: `${name}.localhost:80` }).ok('GET /server_settings');
      t.same([settings.realm_name, settings.realm_uri], [`The ${name}`, `http://${name}.localhost:80`]);
      t.same(
        [settings.service_feature_level, settings.is_incompatible, settings.email_auth_enabled],
        [184, false, true],
      );
      t.equal((settings.authentication_methods as Record<string, boolean>).password, true);
    }
    const nowhere = org.nobody.with({ host: 'nowhere.localhost' }).call('GET /server_settings');
    await refused(t, nowhere, bad('Invalid subdomain'));
  });
};
