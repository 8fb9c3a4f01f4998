/** API levels: which client gets which, and what differs at the newer ones (docs/api/levels.md). */

import { EMOJI_DATA_PATH, EXTRA_EMOJI_PICTURE_PATH } from '../../support/api-levels.js';
import { Client } from '../../support/client.js';
import { CURRENT_CLIENT_HEADERS, CURRENT_CLIENT_REGISTRATION } from '../../support/current-client-requests.js';
import { multipart } from '../../support/multipart.js';
import {
  makeOrganization,
  type Person,
  say,
  streamIdOf,
  subscribe,
  tell,
  userGroup,
} from '../../support/organization.js';
import { picture } from '../../support/pictures.js';
import { Queue, settled } from '../../support/queue.js';
import type { ApiEvent, ApiMessage, ApiUser, Fields } from '../../support/types.js';
import type { Facts } from '../facts.js';

const HEADER = 'x-conclave-api-level';

/** The same person with today's mobile client. */
const onPhone = (of: Person): Person => ({ ...of, api: of.api.with(CURRENT_CLIENT_HEADERS) });

const registerPhone = (of: Person): Promise<Queue> => Queue.register(onPhone(of), CURRENT_CLIENT_REGISTRATION);

export const apiLevels: Facts = async (t, server) => {
  const org = await makeOrganization(server, ['admin', 'member', 'other']);
  const { owner, admin, member, other, nobody } = org;
  await subscribe(owner, 'levels', { principals: [owner, member, other] });
  const stream_id = await streamIdOf(owner, 'levels');

  const levelsOf = async (headers: Record<string, string>): Promise<unknown[]> => {
    const settings = await nobody.with(headers).raw({ method: 'GET', path: '/api/v1/server_settings' });
    const state = await member.api
      .with(headers)
      .raw({ method: 'POST', path: '/api/v1/register?fetch_event_types=%5B%5D' });
    const at = ({ body }: { body: Fields }) => [body.zulip_feature_level, body.service_feature_level];
    t.same(at(settings), at(state), 'the same in both answers');
    t.equal(settings.body.zulip_version, state.body.zulip_version);
    return [settings.body.zulip_feature_level, String(settings.body.zulip_version).split('+')[0]];
  };

  await t.test('the name of the client program chooses the level; everything else gets 184', async (t) => {
    for (const agent of [
      'ZulipFlutter',
      'zulipflutter/30.0.274+274 (iOS 17.4)',
      'ZulipFlutter/1 (Linux; Fedora 40)',
      'ZulipRust/0.0.8',
    ])
      t.same(await levelsOf({ 'user-agent': agent }), [371, '10.0'], agent);
    for (const agent of [
      '',
      'curl/8.1',
      'ZulipMobile/27.1 (Android 13)',
      'ZulipMobile/flutter',
      'Mozilla/5.0 ZulipFlutter/30.0',
      'ZulipFlutterX/30.0',
      'Zulip Flutter/1',
      '__proto__',
    ])
      t.same(await levelsOf({ 'user-agent': agent }), [184, '7.0'], agent);
  });

  await t.test('the header wins: the highest level up to its number', async (t) => {
    for (const [header, level] of [
      ['0', 184],
      ['184', 184],
      ['276', 184],
      ['277', 277],
      ['370', 277],
      ['371', 371],
      ['999999', 371],
    ] as const) {
      t.equal((await levelsOf({ [HEADER]: header }))[0], level, header);
      t.equal((await levelsOf({ ...CURRENT_CLIENT_HEADERS, [HEADER]: header }))[0], level, header);
    }
    for (const wrong of ['x', '-1', '371.0', '1e3', '0x171', '371, 184', '9999999']) {
      const { status, body } = await nobody
        .with({ [HEADER]: wrong })
        .raw({ method: 'GET', path: '/api/v1/server_settings' });
      const msg = 'X-Conclave-Api-Level must be the number of an API level';
      t.same([status, body], [400, { result: 'error', msg, code: 'BAD_REQUEST' }], wrong);
    }
  });

  await t.test('answers of level 184 are the same to the byte, whichever client asks', async (t) => {
    await say(owner, 'levels', '(no topic)', 'no topic');
    const paths = [
      'server_settings',
      'users',
      'user_groups',
      'streams',
      'users/me/subscriptions',
      'unknown',
      'messages',
    ];
    const others = ['messages?anchor=newest&num_before=5&num_after=0', `users/me/${stream_id}/topics`, 'drafts'];
    for (const path of [
      ...paths,
      ...others,
      'messages?anchor=newest&num_before=1&num_after=0&allow_empty_topic_name=true',
    ]) {
      const textFor = async (headers: Record<string, string>): Promise<string> => {
        const { status, text } = await member.api.with(headers).raw({ method: 'GET', path: `/api/v1/${path}` });
        return `${status} ${text}`;
      };
      const plain = await textFor({});
      t.equal(await textFor({ 'user-agent': 'ZulipMobile/27.1 (Android 13)' }), plain, path);
      t.equal(await textFor({ ...CURRENT_CLIENT_HEADERS, [HEADER]: '184' }), plain, path);
      t.notMatch(plain, /"topic":""|general chat/);
    }
  });

  await t.test('a parameter of newer levels is unknown below them', async (t) => {
    for (const [header, unknown] of [
      ['184', ['allow_empty_topic_name']],
      ['277', ['allow_empty_topic_name']],
      ['371', undefined],
    ] as const) {
      const path = `/api/v1/users/me/${stream_id}/topics?allow_empty_topic_name=true`;
      const { body } = await member.api.with({ [HEADER]: header }).raw({ method: 'GET', path });
      t.same(body.ignored_parameters_unsupported, unknown, header);
    }
    const path = `/api/v1/users/me/${stream_id}/topics?allow_empty_topic_name=maybe`;
    const statusAt = async (header: string) =>
      (await member.api.with({ [HEADER]: header }).raw({ method: 'GET', path })).status;
    t.same([await statusAt('184'), await statusAt('371')], [200, 400]);
  });

  await t.test('every refusal has a code, and stays without one at level 184', async (t) => {
    const { method, path } = { method: 'GET', path: '/api/v1/users/me' };
    const anonymous = new Client(server, 'nobody', {});
    for (const [of, status] of [
      [{ method, path }, 401],
      [{ method, path: '/api/v1/no/such/path' }, 404],
      [{ method: 'PUT', path }, 405],
    ] as const) {
      const now = await anonymous.with(CURRENT_CLIENT_HEADERS).raw(of);
      const before = await anonymous.raw(of);
      t.same([now.status, before.status], [status, status]);
      t.equal(before.body.code, undefined, of.path);
      t.same(now.body, { ...before.body, code: 'BAD_REQUEST' }, of.path);
      t.same(now.headers['www-authenticate'], before.headers['www-authenticate']);
    }
    const refused = await member.api
      .with(CURRENT_CLIENT_HEADERS)
      .call('GET /messages/{message_id}', { message_id: 999_999 });
    t.match(refused.body, { result: 'error', code: 'BAD_REQUEST' });
  });

  await t.test('the extra emoji has its older name in messages, events and statuses', async (t) => {
    const queue = await registerPhone(member);
    const plain = await Queue.register(member, { event_types: ['reaction', 'message'] });
    const message_id = await say(owner, 'levels', 'emoji');
    const known = { emoji_name: 'zulip', emoji_code: 'zulip', reaction_type: 'zulip_extra_emoji' };
    await onPhone(member).api.ok('POST /messages/{message_id}/reactions', { message_id, ...known });
    await owner.api.ok('POST /users/me/status', { emoji_name: 'conclave' });
    const { message } = await onPhone(other).api.ok<{ message: ApiMessage }>('GET /messages/{message_id}', {
      message_id,
    });
    t.match(message.reactions, [known]);
    const events = await settled(queue);
    t.match(
      events.filter(({ type }) => type === 'reaction' || type === 'user_status'),
      [known, known],
    );
    const told = (await settled(plain)).filter(({ type }) => type === 'reaction');
    t.match(told, [{ emoji_name: 'conclave', reaction_type: 'service_extra_emoji' }]);
    const { state } = await registerPhone(other);
    t.match((state.user_status as Record<string, Fields>)[owner.id], known);
    await onPhone(member).api.ok('DELETE /messages/{message_id}/reactions', { message_id, ...known });
  });

  await t.test('colors have six digits in lower case', async (t) => {
    const queue = await registerPhone(member);
    for (const [value, shown] of [
      ['#f0A', '#ff00aa'],
      ['#ABCDEF', '#abcdef'],
    ]) {
      await member.api.ok('PATCH /users/me/subscriptions/{stream_id}', { stream_id, property: 'color', value });
      const [event] = await settled(queue);
      t.match(event, { property: 'color', value: shown });
      const { state } = await registerPhone(member);
      t.equal((state.subscriptions as Fields[]).find((of) => of.stream_id === stream_id)!.color, shown);
      const list = await onPhone(member).api.ok<{ subscriptions: Fields[] }>('GET /users/me/subscriptions');
      t.ok(list.subscriptions.some(({ color }) => color === shown));
    }
  });

  await t.test('default streams are lists of ids in the state and in events', async (t) => {
    await owner.api.ok('POST /default_streams', { stream_id });
    const [phone, plain] = await Promise.all([registerPhone(member), Queue.register(member)]);
    t.same(phone.state.realm_default_streams, [stream_id]);
    t.match(plain.state.realm_default_streams, [{ stream_id }]);
    await owner.api.ok('DELETE /default_streams', { stream_id });
    const group = { group_name: 'for levels', description: 'x', stream_names: ['levels 2'] };
    await subscribe(owner, 'levels 2');
    const second = await streamIdOf(owner, 'levels 2');
    await owner.api.ok('POST /default_stream_groups/create', group);
    await owner.api.ok('POST /default_streams', { stream_id: second });
    const lists = (events: ApiEvent[], type: string) => events.filter((event) => event.type === type);
    const [onPhoneEvents, events] = [await settled(phone), await settled(plain)];
    t.same(
      lists(onPhoneEvents, 'default_streams').map(({ default_streams }) => default_streams),
      [[], [second]],
    );
    t.match(lists(onPhoneEvents, 'default_stream_groups'), [
      { default_stream_groups: [{ name: 'for levels', streams: [second] }] },
    ]);
    t.match(lists(events, 'default_stream_groups'), [
      { default_stream_groups: [{ name: 'for levels', streams: [{ stream_id: second }] }] },
    ]);
    const { state } = await registerPhone(member);
    t.match(state.realm_default_stream_groups, [{ name: 'for levels', streams: [second] }]);
  });

  await t.test('the state describes the ways to sign in', async (t) => {
    const [phone, plain] = await Promise.all([registerPhone(member), Queue.register(member)]);
    const methods = plain.state.realm_authentication_methods as Record<string, boolean>;
    t.equal(methods.Email, true);
    t.same(
      phone.state.realm_authentication_methods,
      Object.fromEntries(Object.entries(methods).map(([name, enabled]) => [name, { enabled, available: true }])),
    );
  });

  await t.test('the answer to an upload has url, and the name of the file from 285', async (t) => {
    const bytes = new TextEncoder().encode('notes');
    for (const [header, names] of [
      ['184', ['uri']],
      ['277', ['uri', 'url']],
      ['371', ['filename', 'uri', 'url']],
    ] as const) {
      const { type, body: form } = multipart([{ name: 'my notes.txt', bytes }], {});
      const headers = { [HEADER]: header, 'content-type': type };
      const { body } = await member.api.raw({ method: 'POST', path: '/api/v1/user_uploads', headers, body: form });
      const { result, msg, ...fields } = body;
      t.same(Object.keys(fields).sort(), names, header);
      t.match(fields.uri, /^\/user_uploads\/.*\.txt$/);
      if (header !== '184') t.equal(fields.url, fields.uri);
      if (header === '371') t.equal(fields.filename, 'my notes.txt');
    }
  });

  await t.test('data that no client of a poll could read is left out', async (t) => {
    const queue = await registerPhone(member);
    const message_id = await say(owner, 'levels', 'polls', '/poll Lunch?\nsoup');
    const add = (data: Fields) =>
      owner.api.ok('POST /submessage', { message_id, msg_type: 'widget', content: JSON.stringify(data) });
    await add({ type: 'vote', key: 'canned,0', vote: true });
    await add({ type: 'vote', key: 'canned,0', vote: 1 });
    await add({ type: 'new_option', option: 'salad', idx: 1 });
    await add({ type: 'new_option', option: 'bread', idx: true });
    for (const idx of ['1e3', '1.0', '9'.repeat(20)]) {
      const content = `{"type":"new_option","option":"x","idx":${idx}}`;
      const refused = await owner.api.call('POST /submessage', { message_id, msg_type: 'widget', content });
      t.equal(refused.status, 400, `idx ${idx} is no index`);
    }
    const contents = async (by: Client) =>
      (
        await by.ok<{ message: { submessages: { content: string }[] } }>('GET /messages/{message_id}', { message_id })
      ).message.submessages.map(({ content }) => JSON.parse(content) as Fields);
    t.equal((await contents(member.api)).length, 5, 'level 184 has all of it');
    t.match(await contents(onPhone(member).api), [
      { widget_type: 'poll' },
      { type: 'vote', key: 'canned,0' },
      { type: 'new_option' },
    ]);
    const told = (await settled(queue)).filter(({ type }) => type === 'submessage');
    t.same(
      told.map(({ content }) => (JSON.parse(String(content)) as Fields).type),
      ['vote', 'new_option'],
    );
    const plain = await say(owner, 'levels', 'polls', 'no widget');
    const content = '[1.5]';
    await owner.api.ok('POST /submessage', { message_id: plain, msg_type: 'other', content });
    const whole = { message_id: plain };
    t.match((await member.api.ok('GET /messages/{message_id}', whole)).message, { submessages: [{ content }] });
    t.match((await onPhone(member).api.ok('GET /messages/{message_id}', whole)).message, { submessages: [] });
  });

  await t.test('system groups have names without @, groups of users keep theirs', async (t) => {
    await userGroup(owner, '@role:fans');
    const { state } = await registerPhone(member);
    const names = (state.realm_user_groups as { name: string; is_system_group: boolean }[])
      .filter(({ is_system_group }) => is_system_group)
      .map(({ name }) => name);
    t.ok(names.includes('role:members'));
    t.ok(
      names.every((name) => name.startsWith('role:')),
      names.join(),
    );
    const all = (await member.api.with({ [HEADER]: '277' }).raw({ method: 'GET', path: '/api/v1/user_groups' })).body;
    t.ok((all.user_groups as Fields[]).some(({ name }) => name === '@role:fans'));
  });

  await t.test('an account is updated when it is deactivated and reactivated', async (t) => {
    const group = await userGroup(owner, 'crew', [admin, owner]);
    await userGroup(owner, 'without', [owner]);
    const queue = await registerPhone(member);
    const types = ['realm_user', 'user_group', 'message'];
    const plain = await Queue.register(member, { event_types: types });
    await owner.api.ok('DELETE /users/{user_id}', { user_id: admin.id });
    await owner.api.ok('POST /users/{user_id}/reactivate', { user_id: admin.id });
    const people = (events: ApiEvent[]) => events.filter(({ type }) => type === 'realm_user');
    const events = await settled(queue);
    const told = people(events);
    const groups = (list: ApiEvent[]) =>
      list.filter(({ type }) => type === 'user_group').map(({ op, group_id, user_ids }) => [op, group_id, user_ids]);
    const { state: now } = await registerPhone(member);
    const own = (now.realm_user_groups as { id: number; members: number[] }[])
      .filter(({ members }) => members.includes(admin.id))
      .map(({ id }) => id);
    t.ok(own.includes(group) && own.length === 2, 'the role and the group');
    t.same(
      groups(events),
      own.map((id) => ['add_members', id, [admin.id]]),
      'clients have taken the account out of its groups',
    );
    t.same(
      told.map(({ op, person }) => [op, (person as ApiUser).user_id, (person as ApiUser).is_active]),
      [
        ['update', admin.id, false],
        ['update', admin.id, true],
      ],
    );
    const before184 = await settled(plain);
    t.same(
      people(before184).map(({ op }) => op),
      ['remove', 'add'],
    );
    t.same(groups(before184), []);
    const before = await registerPhone(member);
    const made = { email: `new@${org.subdomain}.example.com`, password: 'brisk-otter-lantern-52', full_name: 'New' };
    await owner.api.ok('POST /users', made);
    t.match(
      people(await settled(before)).map(({ op }) => op),
      ['add'],
      'a new account is added',
    );
  });

  await t.test('a move to where the message is names no move', async (t) => {
    const message_id = await say(owner, 'levels', 'stays');
    const queue = await registerPhone(member);
    await owner.api.ok('PATCH /messages/{message_id}', { message_id, content: 'edited', topic: 'goes' });
    await owner.api.ok('PATCH /messages/{message_id}', { message_id, topic: 'goes on', propagate_mode: 'change_all' });
    await owner.api.ok('PATCH /messages/{message_id}', { message_id, topic: 'goes on', content: 'again' });
    const told = (await settled(queue)).filter(({ type }) => type === 'update_message');
    t.match(told, [
      { subject: 'goes', orig_subject: 'stays', propagate_mode: 'change_one' },
      { subject: 'goes on', orig_subject: 'goes' },
      { content: 'again', propagate_mode: undefined, orig_subject: undefined, subject: undefined },
    ]);
    await owner.api.ok('PATCH /messages/{message_id}', { message_id, stream_id });
    t.same(await settled(queue), [], 'to the same stream');
  });

  const phones = {
    taking: CURRENT_CLIENT_REGISTRATION,
    other: { ...CURRENT_CLIENT_REGISTRATION, client_capabilities: {} },
  };

  await t.test('the topic without a name is empty for clients that take it, and general chat for others', async (t) => {
    const [taking, named, plain] = await Promise.all([
      Queue.register(onPhone(member), phones.taking),
      Queue.register(onPhone(member), phones.other),
      Queue.register(member),
    ]);
    t.equal(taking.state.realm_empty_topic_display_name, 'general chat');
    t.equal(plain.state.realm_empty_topic_display_name, undefined);
    const phone = onPhone(owner);
    const ids = [
      await say(phone, 'levels', '', 'empty'),
      await say(phone, 'levels', 'General Chat', 'by its name'),
      await say(phone, 'levels', '(no topic)', 'by its older name'),
      await say(owner, 'levels', '(no topic)', 'at 184'),
    ];
    const subjects = (events: ApiEvent[]) =>
      events.filter(({ type }) => type === 'message').map(({ message }) => (message as ApiMessage).subject);
    t.same(
      subjects(await settled(taking)),
      ids.map(() => ''),
    );
    t.same(
      subjects(await settled(named)).slice(0, 4),
      ids.map(() => 'general chat'),
    );
    t.same(
      subjects(await settled(plain)).slice(0, 4),
      ids.map(() => '(no topic)'),
    );

    const fetch = async (by: Person, topic: string, params: Fields = {}) => {
      const narrow = [
        { operator: 'stream', operand: 'levels' },
        { operator: 'topic', operand: topic },
      ];
      const window = { narrow, anchor: 'newest', num_before: 4, num_after: 0, ...params };
      return (await by.api.ok<{ messages: ApiMessage[] }>('GET /messages', window)).messages;
    };
    const allow_empty_topic_name = true;
    for (const topic of ['', '(no topic)', 'general chat']) {
      const found = await fetch(onPhone(member), topic, { allow_empty_topic_name });
      t.same(
        found.map(({ id, subject }) => [id, subject]),
        ids.map((id) => [id, '']),
        topic,
      );
    }
    t.same(
      (await fetch(onPhone(member), '')).map(({ subject }) => subject),
      ids.map(() => 'general chat'),
    );
    t.same(
      (await fetch(member, '(no topic)')).map(({ subject }) => subject),
      ids.map(() => '(no topic)'),
    );
    t.same(await fetch(member, 'general chat'), [], 'at 184 that is another topic');

    const topics = async (by: Person, params: Fields) =>
      (
        await by.api.ok<{ topics: { name: string }[] }>('GET /users/me/{stream_id}/topics', { stream_id, ...params })
      ).topics.map(({ name }) => name);
    t.ok((await topics(onPhone(member), { allow_empty_topic_name })).includes(''));
    t.ok((await topics(onPhone(member), {})).includes('general chat'));
    t.ok((await topics(member, {})).includes('(no topic)'));

    await Promise.all([taking, named, plain].map((queue) => settled(queue)));
    const message_id = await say(phone, 'levels', 'a topic', 'will move');
    await phone.api.ok('PATCH /messages/{message_id}', { message_id, topic: '' });
    await phone.api.ok('POST /user_topics', { stream_id, topic: '', visibility_policy: 1 });
    await onPhone(member).api.ok('POST /user_topics', { stream_id, topic: '', visibility_policy: 1 });
    await phone.api.ok('POST /typing', { type: 'stream', op: 'start', to: [stream_id], topic: '' });
    await phone.api.ok('POST /messages/flags', { messages: [message_id], op: 'add', flag: 'read' });
    const named_as = (events: ApiEvent[]) =>
      events.flatMap(
        ({ type, subject, topic, topic_name, orig_subject }) =>
          ({ update_message: [[subject, orig_subject]], user_topic: [topic_name], typing: [topic] })[type] ?? [],
      );
    t.same(named_as(await settled(taking)), [['', 'a topic'], '', '']);
    t.same(named_as(await settled(plain)), [['(no topic)', 'a topic'], '(no topic)']);
    const history = await phone.api.ok<{ message_history: Fields[] }>('GET /messages/{message_id}/history', {
      message_id,
      allow_empty_topic_name,
    });
    t.match(history.message_history.at(-1), { topic: '', prev_topic: 'a topic' });
    const one = async () =>
      (await phone.api.ok<{ message: Fields }>('GET /messages/{message_id}', { message_id, allow_empty_topic_name }))
        .message;
    t.match(await one(), { subject: '', edit_history: [{ topic: '', prev_topic: 'a topic' }] });
    await owner.api.ok('DELETE /messages/{message_id}', { message_id });
    const deleted = (events: ApiEvent[]) =>
      events.filter(({ type }) => type === 'delete_message').map(({ topic }) => topic);
    t.same(deleted(await settled(taking)), ['']);
    const named_later = await say(phone, 'levels', '', 'gets a name');
    await phone.api.ok('PATCH /messages/{message_id}', { message_id: named_later, topic: 'a name' });
    const { messages: renamed } = await phone.api.ok<{ messages: Fields[] }>('GET /messages', {
      ...{ anchor: String(named_later), num_before: 0, num_after: 0, allow_empty_topic_name },
    });
    t.match(renamed, [{ subject: 'a name', edit_history: [{ topic: 'a name', prev_topic: '' }] }]);
    t.same(deleted(await settled(plain)), ['(no topic)']);

    const { state } = await registerPhone(member);
    t.match(state.user_topics, [{ stream_id, topic_name: '' }]);
    const { streams } = state.unread_msgs as { streams: { topic: string }[] };
    t.ok(streams.some(({ topic }) => topic === ''));
    t.notMatch(JSON.stringify(state), /\(no topic\)/);
    await onPhone(member).api.ok('POST /messages/flags', { messages: [ids[0]!], op: 'add', flag: 'read' });
    await onPhone(member).api.ok('POST /messages/flags', { messages: [ids[0]!], op: 'remove', flag: 'read' });
    const [unread] = (await settled(taking)).filter(({ op, flag }) => op === 'remove' && flag === 'read');
    t.match(unread!.message_details, { [ids[0]!]: { topic: '' } });
    const drafts = [{ type: 'stream', to: [stream_id], topic: '', content: 'a draft' }];
    await onPhone(member).api.ok('POST /drafts', { drafts });
    t.match((await onPhone(member).api.ok<{ drafts: Fields[] }>('GET /drafts')).drafts, [{ topic: '' }]);
  });

  await t.test('where topics are mandatory, none stays refused', async (t) => {
    const message_id = await say(owner, 'levels', 'needed', 'x');
    await owner.api.ok('PATCH /realm', { mandatory_topics: true });
    for (const topic of ['', '(no topic)', 'general chat']) {
      const params = { type: 'stream', to: stream_id, topic, content: 'x' };
      const { status, body } = await onPhone(owner).api.call('POST /messages', params);
      t.same([status, body.code], [400, 'BAD_REQUEST'], topic);
      const edit = await onPhone(owner).api.call('PATCH /messages/{message_id}', { message_id, topic });
      t.same([edit.status, edit.body.code], [400, 'BAD_REQUEST'], `${topic} by an edit`);
    }
    await owner.api.ok('PATCH /realm', { mandatory_topics: false });
  });

  await t.test('pictures and files are served to the credentials of the app', async (t) => {
    const bytes = await picture('#00ff00');
    const phone = onPhone(member);
    const look = (path: string) => phone.api.raw({ method: 'GET', path });
    const { uri } = (await phone.api.upload('POST /user_uploads', [{ name: 'a.png', bytes }])).body;
    t.same((await look(String(uri))).bytes, bytes);
    const { avatar_url } = (await phone.api.upload('POST /users/me/avatar', [{ name: 'a.png', bytes }])).body;
    const small = String(avatar_url);
    for (const [path, leads] of [
      [`/avatar/${member.id}`, small],
      [`/avatar/${member.id}/medium`, small.replace('.png', '-medium.png')],
    ] as const) {
      const { status, headers } = await look(path);
      t.same([status, headers.location], [302, leads], path);
      const shown = await look(leads);
      t.same([shown.status, shown.headers['content-type']], [200, 'image/png']);
    }
    await owner.api.upload('POST /realm/emoji/{emoji_name}', [{ name: 'a.png', bytes }], { emoji_name: 'sail' });
    const { state } = await registerPhone(member);
    const [emoji] = Object.values(state.realm_emoji as Record<string, Fields>).filter(({ name }) => name === 'sail');
    const shown = await look(String(emoji!.source_url));
    t.same([shown.status, shown.headers['content-type']], [200, 'image/png'], 'custom emoji');
    const url = new URL(String(state.server_emoji_data_url));
    t.equal(url.pathname, EMOJI_DATA_PATH);
    t.match((await look(url.pathname)).body, { code_to_names: { '1f44b': ['wave'] } });
    const extra = await look(EXTRA_EMOJI_PICTURE_PATH);
    t.same([extra.status, extra.headers['content-type']], [200, 'image/png']);
  });

  await t.test('a queue keeps its level, whichever client polls it', async (t) => {
    const queue = await registerPhone(member);
    await say(owner, 'levels', '(no topic)', 'kept');
    const events = await member.api.raw({
      method: 'GET',
      path: `/api/v1/events?queue_id=${queue.id}&last_event_id=${queue.last}`,
    });
    const messages = (events.body.events as ApiEvent[]).filter(({ type }) => type === 'message');
    t.match(messages, [{ message: { subject: '' } }]);
  });

  await t.test('a queue that a poll makes has the level of the poll', async (t) => {
    const phone = onPhone(member).api;
    const get = (path: string) => phone.raw({ method: 'GET', path: `/api/v1/events?${path}` });
    const { body } = await get('dont_block=true');
    const queue_id = String(body.queue_id);
    await say(owner, 'levels', '(no topic)', 'to a new queue');
    const told = await get(`queue_id=${queue_id}&last_event_id=-1`);
    const messages = (told.body.events as ApiEvent[]).filter(({ type }) => type === 'message');
    t.match(messages, [{ message: { subject: 'general chat' } }], 'without the capability');
  });

  await t.test('visitors get the state and messages at their level, too', async (t) => {
    await owner.api.ok('PATCH /realm', { enable_spectator_access: true });
    await owner.api.ok('PATCH /streams/{stream_id}', { stream_id, is_web_public: true });
    await say(owner, 'levels', '(no topic)', 'for the web');
    const visitor = nobody.with({ [HEADER]: '371' });
    const { status, body } = await visitor.raw({ method: 'POST', path: '/api/v1/register' });
    t.match(
      [status, body],
      [200, { queue_id: null, zulip_feature_level: 371, server_thumbnail_formats: [{ format: 'webp' }] }],
    );
    const narrow = encodeURIComponent('[["streams","web-public"],["topic",""]]');
    const path = `/api/v1/messages?anchor=newest&num_before=1&num_after=0&narrow=${narrow}&client_gravatar=false`;
    const fetched = await visitor.raw({ method: 'GET', path });
    t.match(
      [fetched.status, fetched.body.messages],
      [200, [{ subject: 'general chat', content: '<p>for the web</p>' }]],
    );
  });

  await t.test('direct messages are the same at both levels', async (t) => {
    const [phone, plain] = await Promise.all([
      registerPhone(other),
      Queue.register(other, { ...CURRENT_CLIENT_REGISTRATION }),
    ]);
    await tell(member, [other, owner], 'to both');
    const [first] = await settled(plain);
    t.match(first, { message: { content: '<p>to both</p>' } });
    t.same((await settled(phone))[0], first);
  });
};
