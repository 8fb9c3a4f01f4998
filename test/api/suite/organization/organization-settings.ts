/** PATCH /realm: realm.md § Settings. */

import { refused } from '../../harness.js';
import { bad, invalid, type Params, type Refusal } from '../../support/client.js';
import { makeOrganization, type Person, streamIdOf, subscribe, tell } from '../../support/organization.js';
import { Queue, settled } from '../../support/queue.js';
import type { Fields } from '../../support/types.js';
import { verifyAction } from '../../support/verify-action.js';
import type { Facts } from '../facts.js';

const NOT_ADMIN: Refusal = { code: 'UNAUTHORIZED_PRINCIPAL', msg: 'Must be an organization administrator' };
const NOT_OWNER: Refusal = { code: 'UNAUTHORIZED_PRINCIPAL', msg: 'Must be an organization owner' };

/** Settings that are only stored and published → another value than the default. */
const PLAIN: Readonly<Record<string, unknown>> = {
  name_changes_disabled: true,
  email_changes_disabled: true,
  avatar_changes_disabled: true,
  inline_image_preview: false,
  inline_url_embed_preview: true,
  add_custom_emoji_policy: 2,
  delete_own_message_policy: 5,
  mandatory_topics: true,
  allow_edit_history: false,
  send_welcome_emails: false,
  digest_emails_enabled: true,
  message_content_allowed_in_email_notifications: false,
  bot_creation_policy: 3,
  create_public_stream_policy: 3,
  create_private_stream_policy: 4,
  create_web_public_stream_policy: 6,
  invite_to_stream_policy: 2,
  move_messages_between_streams_policy: 6,
  user_group_edit_policy: 4,
  private_message_policy: 2,
  wildcard_mention_policy: 7,
  video_chat_provider: 0,
  giphy_rating: 5,
  digest_weekday: 6,
  enable_spectator_access: true,
  want_advertise_in_communities_directory: true,
  enable_read_receipts: false,
  message_content_delete_limit_seconds: 60,
  move_messages_within_stream_limit_seconds: 61,
  move_messages_between_streams_limit_seconds: 62,
};

const OWNERS: Readonly<Record<string, unknown>> = {
  emails_restricted_to_domains: true,
  disallow_disposable_email_addresses: false,
  invite_required: false,
  invite_to_realm_policy: 6,
  waiting_period_threshold: 0,
  message_retention_days: 30,
};

export const organizationSettings: Facts = async (t, server) => {
  const org = await makeOrganization(server);
  const elsewhere = await makeOrganization(server, []);
  const { owner, admin, member, other, guest } = org;
  await subscribe(owner, 'news');
  await subscribe(member, 'hidden', { invite_only: true });
  const news = await streamIdOf(owner, 'news');
  const hidden = await streamIdOf(member, 'hidden');
  const patch = (params: Params, by: Person = owner) => by.api.call('PATCH /realm', params);
  const state = (by: Person = guest) => by.api.ok('POST /register', { fetch_event_types: ['realm'] });
  const follow = (by: Person) => Queue.register(by, { event_types: ['realm', 'user_group'] });
  const told = (queue: Queue, count = 1) =>
    queue.take(count).then((all) => all.map(({ id: _, type: __, ...of }) => of));

  await t.test('a setting is stored, echoed and published to all users, once', async (t) => {
    const queue = await follow(guest);
    for (const [name, value] of [...Object.entries(PLAIN), ...Object.entries(OWNERS)]) {
      if (name === 'waiting_period_threshold') continue;
      t.same((await patch({ [name]: value })).body, { result: 'success', msg: '', [name]: value }, name);
      t.same(await told(queue), [{ op: 'update', property: name, value }], name);
      t.same((await state())[`realm_${name}`], value, name);
      t.same((await patch({ [name]: value })).body, { result: 'success', msg: '' }, `${name}, again`);
    }
    t.same(await queue.now(), []);
    await patch({ ...PLAIN, private_message_policy: 1, mandatory_topics: false, user_group_edit_policy: 1 });
    await patch({ create_public_stream_policy: 1, create_private_stream_policy: 1, invite_to_stream_policy: 1 });
    await patch({ invite_to_realm_policy: 1, message_retention_days: '"unlimited"' });
  });

  await t.test('texts are echoed as updated', async (t) => {
    const queue = await follow(member);
    for (const [name, value] of [
      ['name', 'The Crew'],
      ['description', 'All **hands**'],
      ['default_language', 'fr'],
    ] as const) {
      t.same((await patch({ [name]: value }, admin)).body, { result: 'success', msg: '', [name]: 'updated' });
      t.same(await told(queue), [{ op: 'update', property: name, value }]);
      t.equal((await state())[`realm_${name}`], value);
    }
    t.same((await patch({ default_code_block_language: 'rust' })).body.default_code_block_language, 'rust');
    t.same((await patch({ default_code_block_language: '' })).body.default_code_block_language, null);
    t.same(
      (await told(queue, 2)).map(({ value }) => value),
      ['rust', null],
    );
    t.equal((await state()).realm_default_code_block_language, null);
  });

  await t.test('three settings are published in a dict', async (t) => {
    const queue = await follow(member);
    for (const [name, value] of [
      ['allow_message_editing', false],
      ['edit_topic_policy', 6],
      ['message_content_edit_limit_seconds', 90],
    ] as const) {
      t.same((await patch({ [name]: value }, admin)).body, { result: 'success', msg: '', [name]: value });
      t.same(await told(queue), [{ op: 'update_dict', property: 'default', data: { [name]: value } }]);
      t.same((await state())[`realm_${name}`], value);
    }
  });

  await t.test('time limits may be lifted', async (t) => {
    for (const name of [
      'message_content_delete_limit_seconds',
      'message_content_edit_limit_seconds',
      'move_messages_within_stream_limit_seconds',
      'move_messages_between_streams_limit_seconds',
    ]) {
      t.same((await patch({ [name]: '"unlimited"' })).body, { result: 'success', msg: '', [name]: null });
      t.equal((await state())[`realm_${name}`], null);
      for (const value of [0, -5, 2 ** 31])
        await refused(t, patch({ [name]: value }), invalid(name, value), `${name} ${value}`);
      await refused(t, patch({ [name]: '"soon"' }), invalid(name, 'soon'));
      await refused(t, patch({ [name]: 1.5 }), bad(`${name} is not a string or integer`));
      await refused(t, patch({ [name]: 'soon' }), bad(`Argument "${name}" is not valid JSON.`));
    }
    await refused(t, patch({ message_retention_days: 0 }), invalid('message_retention_days', 0));
    await refused(t, patch({ message_retention_days: '"x"' }), invalid('message_retention_days', 'x'));
  });

  await t.test('the type of the organization is echoed and published even when it is unchanged', async (t) => {
    const queue = await follow(member);
    for (const org_type of [10, 10]) {
      t.same((await patch({ org_type })).body, { result: 'success', msg: '', org_type });
      t.same(await told(queue), [{ op: 'update', property: 'org_type', value: 10 }]);
    }
  });

  await t.test('the stream for notices is any live one; a negative number means none', async (t) => {
    for (const name of ['notifications_stream_id', 'signup_notifications_stream_id']) {
      for (const id of [news, hidden]) {
        t.same((await patch({ [name]: id }, admin)).body, { result: 'success', msg: '', [name]: id });
        t.equal((await state())[`realm_${name}`], id);
      }
      for (const id of [987_654, 0]) await refused(t, patch({ [name]: id }, admin), bad('Invalid stream ID'), `${id}`);
      t.same((await patch({ [name]: -7 }, admin)).body, { result: 'success', msg: '', [name]: -1 });
      t.equal((await state())[`realm_${name}`], -1);
    }
  });

  await t.test('the waiting period decides who is a full member', async (t) => {
    const queue = await follow(other);
    const ids = [member.id, other.id];
    t.same((await patch({ waiting_period_threshold: 10 })).body.waiting_period_threshold, 10);
    t.same(await told(queue, 2), [
      { op: 'update', property: 'waiting_period_threshold', value: 10 },
      { op: 'remove_members', group_id: 4, user_ids: ids },
    ]);
    await patch({ waiting_period_threshold: 0 });
    t.same((await told(queue, 2))[1], { op: 'add_members', group_id: 4, user_ids: ids });
    for (const value of ['-1', 'x', '4294967296', '']) {
      await refused(t, patch({ waiting_period_threshold: value }), invalid('waiting_period_threshold', value), value);
    }
  });

  await t.test('one login method exists, and cannot be disabled', async (t) => {
    t.same((await patch({ authentication_methods: { Email: true } })).body, { result: 'success', msg: '' });
    const registered = await member.api.ok('POST /register', { fetch_event_types: ['realm'] });
    t.same(registered.realm_authentication_methods, { Email: true }, 'no provider is configured');
    const { authentication_methods, external_authentication_methods } = await org.nobody.ok('GET /server_settings');
    const on = Object.entries(authentication_methods as Record<string, boolean>).filter(([, is]) => is);
    t.same([on.map(([name]) => name).sort(), external_authentication_methods], [['email', 'password'], []]);
    const queue = await Queue.register(member, { event_types: ['realm'] });
    t.same((await patch({ authentication_methods: { Email: true, 'OpenID Connect': false } })).body, {
      result: 'success',
      msg: '',
      authentication_methods: { Email: true },
    });
    t.match((await queue.take(1))[0], { op: 'update_dict', data: { authentication_methods: { Email: true } } });
    t.equal((await patch({ authentication_methods: { Email: true } })).status, 200);
    t.same((await queue.take(1))[0]!.data, { authentication_methods: { Email: true } });
    const none = bad('At least one authentication method must be enabled.');
    await refused(t, patch({ authentication_methods: { Email: false } }), none);
    await refused(t, patch({ authentication_methods: {} }), none);
    for (const unknown of [{ Bogus: true }, { Email: false, 'OpenID Connect': true }]) {
      await refused(t, patch({ authentication_methods: unknown }), bad('Invalid authentication_methods'));
    }
    await refused(t, patch({ authentication_methods: [] }), bad('authentication_methods is not a dict'));
    const value = bad('authentication_methods contains a value that is not a boolean');
    await refused(t, patch({ authentication_methods: { Email: 1 } }), value);
  });

  await t.test('wrong values are refused, and nothing of the request is stored', async (t) => {
    const before = await state();
    const wrong = (params: Params, msg: string) => refused(t, patch({ name: 'Mutiny', ...params }), bad(msg), msg);
    for (const [name, value] of Object.entries({ ...PLAIN, ...OWNERS })) {
      if (typeof value === 'boolean') await wrong({ [name]: 3 }, `${name} is not a boolean`);
      if (name.endsWith('_policy')) for (const of of [0, 8, -1]) await wrong({ [name]: of }, `Invalid ${name}`);
      if (name.endsWith('_policy')) await wrong({ [name]: 'null' }, `${name} is not an integer`);
    }
    await wrong({ name: 'x'.repeat(41) }, 'name is too long (limit: 40 characters)');
    await wrong({ name: ' ' }, 'name cannot be blank.');
    await wrong({ description: 'x'.repeat(1001) }, 'description is too long (limit: 1000 characters)');
    await wrong({ default_language: 'xx' }, "Invalid language 'xx'");
    await wrong({ video_chat_provider: 3 }, 'Invalid video_chat_provider 3');
    await wrong({ video_chat_provider: 99 }, 'Invalid video_chat_provider 99');
    await wrong({ giphy_rating: 6 }, 'Invalid giphy_rating 6');
    await wrong({ org_type: 7 }, 'Invalid org_type');
    await wrong({ digest_weekday: 7 }, 'Invalid digest_weekday');
    await wrong({ string_id: 'pirates' }, 'Must be a demo organization.');
    await wrong({ notifications_stream_id: 987_654 }, 'Invalid stream ID');
    const fresh = (of: Fields): Fields => ({ ...of, queue_id: '', last_event_id: 0 });
    t.same(fresh(await state()), fresh(before));
    t.same((await patch({ presence_disabled: false })).body.ignored_parameters_unsupported, ['presence_disabled']);
  });

  await t.test('administrators change most settings, owners all, other roles none', async (t) => {
    for (const person of org.people.filter(({ role }) => role !== 'owner' && role !== 'admin')) {
      await refused(t, patch({ name: 'x' }, person), NOT_ADMIN, person.role);
      await refused(t, patch({ name: 'x'.repeat(99) }, person), NOT_ADMIN, `${person.role}, before parameters`);
    }
    await refused(t, org.nobody.call('PATCH /realm', {}), {
      status: 401,
      msg: 'Not logged in: API authentication or user session required',
    });
    for (const [name, value] of Object.entries({
      ...OWNERS,
      authentication_methods: { Email: true },
      string_id: 'x',
    })) {
      await refused(t, patch({ [name]: value }, admin), NOT_OWNER, name);
    }
    t.equal((await patch({ inline_image_preview: true }, admin)).status, 200);
  });

  await t.test('settings take effect, and only in their organization', async (t) => {
    const queue = await Queue.register(elsewhere.owner, { event_types: ['realm', 'message'] });
    await patch({ private_message_policy: 2, mandatory_topics: true });
    const direct = member.api.call('POST /messages', { type: 'direct', to: [other.id], content: 'x' });
    await refused(t, direct, bad('Direct messages are disabled in this organization.'));
    const params = { type: 'stream', to: 'news', topic: '(no topic)', content: 'x' };
    await refused(t, owner.api.call('POST /messages', params), bad('Topics are required in this organization'));
    t.same(await settled(queue), []);
    t.equal((await elsewhere.owner.api.ok('POST /register')).realm_private_message_policy, 1);
    await patch({ private_message_policy: 1, mandatory_topics: false });
    await tell(member, [other]);
  });

  await t.test('the state after the change equals snapshot + events', async (t) => {
    const people = [owner, admin, member, guest];
    const change = (title: string, params: Params) =>
      verifyAction(t, title, people, () => owner.api.ok('PATCH /realm', params));
    await change('all settings', { ...PLAIN, ...OWNERS, private_message_policy: 1, name: 'New name', org_type: 20 });
    await change('dicts and streams', {
      allow_message_editing: true,
      edit_topic_policy: 2,
      notifications_stream_id: news,
    });
    await change('a waiting period', { waiting_period_threshold: 3 });
    await change('none', { waiting_period_threshold: 0 });
  });
};
