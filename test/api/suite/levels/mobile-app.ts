/**
 * Today's official mobile app: its requests in the form in which it sends them, and the events by which it keeps its
 * state (docs/api/mobile-client.md). Each answer and event is also checked by its schemas (current-client.json).
 */

import { CURRENT_CLIENT_HEADERS, CURRENT_CLIENT_REGISTRATION } from '../../support/current-client-requests.js';
import { Hook } from '../../support/hook.js';
import {
  addPerson,
  makeBot,
  makeOrganization,
  type Person,
  say,
  streamIdOf,
  subscribe,
  userGroup,
} from '../../support/organization.js';
import { picture } from '../../support/pictures.js';
import { Queue, settled } from '../../support/queue.js';
import type { ApiEvent, ApiMessage, ApiUser, Fields } from '../../support/types.js';
import type { Facts } from '../facts.js';

const onPhone = (of: Person): Person => ({ ...of, api: of.api.with(CURRENT_CLIENT_HEADERS) });

const registerPhone = (of: Person): Promise<Queue> => Queue.register(onPhone(of), CURRENT_CLIENT_REGISTRATION);

const kindOf = ({ type, op }: ApiEvent): string => (op === undefined ? type : `${type}/${String(op)}`);

/** The events of these types, without their ids. */
const eventsOfTypes = (events: readonly ApiEvent[], ...types: string[]): Fields[] =>
  events.filter(({ type }) => types.includes(type)).map(({ id: _, ...event }) => event);

export const mobileApp: Facts = async (t, server) => {
  const org = await makeOrganization(server);
  const elsewhere = await makeOrganization(server, ['member']);
  const { owner, admin, member, other, guest } = org;
  await subscribe(owner, 'harbor', { principals: [owner, member, guest] });
  const harbor = await streamIdOf(owner, 'harbor');
  const phone = onPhone(member).api;

  /** The events that an action causes on the phone of each of these people, by role. */
  const eventsOfAction = async (
    people: readonly Person[],
    action: () => Promise<unknown>,
    ...types: string[]
  ): Promise<Readonly<Record<string, Fields[]>>> => {
    const queues = await Promise.all(people.map(registerPhone));
    await action();
    const events = await Promise.all(queues.map(settled));
    await Promise.all(queues.map((queue) => queue.delete()));
    return Object.fromEntries(people.map(({ role }, i) => [role, eventsOfTypes(events[i]!, ...types)]));
  };

  await t.test('the app subscribes, pins and leaves by form bodies', async (t) => {
    await subscribe(owner, 'quay');
    const quay = await streamIdOf(owner, 'quay');
    const queue = await registerPhone(member);
    const name = 'quay';
    const joined = await phone.ok('POST /users/me/subscriptions', { subscriptions: [{ name }] });
    t.same([joined.subscribed, joined.already_subscribed], [{ [member.email]: [name] }, {}]);
    const again = await phone.ok('POST /users/me/subscriptions', { subscriptions: [{ name }] });
    t.same([again.subscribed, again.already_subscribed], [{}, { [member.email]: [name] }]);
    await phone.ok('POST /users/me/subscriptions/properties', {
      subscription_data: [{ stream_id: quay, property: 'pin_to_top', value: true }],
    });
    const left = await phone.ok('DELETE /users/me/subscriptions', { subscriptions: [name] });
    t.same([left.removed, left.not_removed], [[name], []]);
    const gone = await phone.ok('DELETE /users/me/subscriptions', { subscriptions: [name] });
    t.same([gone.removed, gone.not_removed], [[], [name]]);
    const events = eventsOfTypes(await settled(queue), 'subscription');
    t.match(events, [
      { op: 'add', subscriptions: [{ stream_id: quay, pin_to_top: false, color: /^#[0-9a-f]{6}$/ }] },
      { op: 'update', stream_id: quay, property: 'pin_to_top', value: true },
      { op: 'remove', subscriptions: [{ stream_id: quay }] },
    ]);
    t.equal(events.length, 3, 'nothing else, and nothing for what changed nothing');
    const refusals = [
      phone.call('POST /users/me/subscriptions', { subscriptions: ['quay'] }),
      phone.call('DELETE /users/me/subscriptions', { subscriptions: ['no such channel'] }),
      phone.call('POST /users/me/subscriptions/properties', {
        subscription_data: [{ stream_id: 999_999, property: 'pin_to_top', value: true }],
      }),
      onPhone(elsewhere.member).api.call('POST /users/me/subscriptions/properties', {
        subscription_data: [{ stream_id: harbor, property: 'pin_to_top', value: true }],
      }),
    ];
    for (const { status, body } of await Promise.all(refusals))
      t.match([status, body], [400, { result: 'error', code: /./ }], String(body.msg));
    t.same(eventsOfTypes(await settled(queue), 'subscription'), [], 'refusals change nothing');
  });

  await t.test('typing in a channel and in direct messages, with oneself among the recipients', async (t) => {
    const queues = await Promise.all([owner, guest, other, admin, elsewhere.member].map(registerPhone));
    for (const queue of queues) await queue.now();
    for (const op of ['start', 'stop'])
      await phone.ok('POST /typing', { op, type: 'channel', stream_id: harbor, topic: 'boats' });
    for (const op of ['start', 'stop'])
      await phone.ok('POST /typing', { op, type: 'direct', to: [member.id, other.id] });
    const events = await Promise.all(queues.map(async (queue) => eventsOfTypes(await settled(queue), 'typing')));
    const inChannel = ['start', 'stop'].map((op) => ({
      ...{ type: 'typing', op, message_type: 'stream', stream_id: harbor, topic: 'boats' },
      sender: { user_id: member.id, email: member.email },
    }));
    t.match(events.slice(0, 2), [inChannel, inChannel], 'subscribers');
    t.match(
      events[2],
      ['start', 'stop'].map((op) => ({
        op,
        sender: { user_id: member.id },
        recipients: [{ user_id: member.id }, { user_id: other.id }],
      })),
    );
    t.same(
      events.map(({ length }) => length),
      [2, 2, 2, 0, 0],
    );
  });

  await t.test('presence: a switch of the settings, and the complete map in each answer', async (t) => {
    const report = { status: 'active', new_user_input: true, ping_only: false, slim_presence: true };
    await onPhone(owner).api.ok('POST /users/me/presence', report);
    const { presences } = await phone.ok<{ presences: Record<string, Fields> }>('POST /users/me/presence', report);
    t.same(Object.keys(presences).sort(), [owner.id, member.id].map(String).sort());
    const queue = await registerPhone(member);
    t.same(Object.keys(queue.state.presences as object).sort(), Object.keys(presences).sort(), 'as in the state');
    const others = await eventsOfAction(
      [other, guest],
      () => onPhone(admin).api.ok('POST /users/me/presence', report),
      'presence',
    );
    for (const events of Object.values(others))
      t.match(events, [{ user_id: admin.id, presence: { website: { status: 'active', client: 'website' } } }]);
    for (const presence_enabled of [false, true]) {
      await phone.ok('PATCH /settings', { presence_enabled });
      t.match(eventsOfTypes(await settled(queue), 'user_settings'), [
        { op: 'update', property: 'presence_enabled', value: presence_enabled },
      ]);
      const { state } = await registerPhone(member);
      t.equal((state.user_settings as Fields).presence_enabled, presence_enabled);
    }
    t.equal((await phone.call('PATCH /settings', { presence_enabled: 'maybe' })).status, 400);
    t.equal(
      (await org.nobody.with(CURRENT_CLIENT_HEADERS).call('PATCH /settings', { presence_enabled: true })).status,
      401,
    );
  });

  await t.test('the settings that the app reads, in the state and in events', async (t) => {
    const settings = [
      ['starred_message_counts', true, false],
      ['display_emoji_reaction_users', true, false],
      ['presence_enabled', true, false],
      ['twenty_four_hour_time', false, true],
      ['emojiset', 'google', 'text'],
    ] as const;
    const queue = await registerPhone(other);
    const shown = queue.state.user_settings as Fields;
    t.match(shown, Object.fromEntries(settings.map(([name, initial]) => [name, initial])));
    for (const [property, initial, value] of settings)
      for (const next of [value, initial]) {
        await other.api.ok('PATCH /settings', { [property]: next });
        t.match(
          eventsOfTypes(await settled(queue), 'user_settings'),
          [{ op: 'update', property, value: next }],
          property,
        );
      }
  });

  await t.test('pictures of other hosts are shown also to requests with credentials', async (t) => {
    const host = await Hook.start();
    t.teardown(() => host.close());
    const png = await picture('navy');
    host.answer = (response) => void response.writeHead(200, { 'content-type': 'image/png' }).end(png);
    const id = await say(owner, 'harbor', 'pictures', new URL('/boat.png', host.url).href);
    const { message } = await phone.ok<{ message: ApiMessage }>('GET /messages/{message_id}', { message_id: id });
    const [, path = ''] = /<img src="(\/external_content\/[^"]+)">/.exec(message.content) ?? [];
    const { status, headers, bytes } = await phone.raw({ method: 'GET', path });
    t.same([status, headers['content-type'], bytes], [200, 'image/png', png]);
    t.equal(host.calls[0]?.headers.authorization, undefined, 'the other host gets no credentials');
  });

  await t.test('a channel comes before its subscription, once, to those who may see it', async (t) => {
    const everybody = [...org.people, elsewhere.member].map((of) =>
      of === elsewhere.member ? { ...of, role: 'foreigner' } : of,
    );
    const kindsOf = (events: Readonly<Record<string, Fields[]>>) =>
      Object.fromEntries(
        Object.entries(events).map(([role, list]) => [role, list.map((of) => kindOf(of as ApiEvent))]),
      );
    const [made, changed, deleted] = ['stream/create', 'stream/update', 'stream/delete'];
    const [joined, left] = ['subscription/add', 'subscription/remove'];
    const [peer, peerLeft] = ['subscription/peer_add', 'subscription/peer_remove'];
    const watch = async (action: () => Promise<unknown>) =>
      kindsOf(await eventsOfAction(everybody, action, 'stream', 'subscription'));
    const make = (name: string, params: Fields) => () =>
      subscribe(owner, name, { principals: [owner, member, guest], ...params });
    const whole = { owner: [made, joined], member: [made, joined], guest: [made, joined], foreigner: [] };
    t.same(
      await watch(make('public', {})),
      { ...whole, admin: [made, peer], moderator: [made, peer], other: [made, peer] },
      'a public one',
    );
    t.same(
      await watch(make('private', { invite_only: true })),
      { ...whole, admin: [made, peer], moderator: [], other: [] },
      'a private one',
    );
    const join = (name: string, who: Person) => () => subscribe(owner, name, { principals: [who] });
    const end = (name: string, who: Person) => () =>
      owner.api.ok('DELETE /users/me/subscriptions', { subscriptions: [name], principals: [who.id] });
    const everybodyGets = (kind: string) =>
      Object.fromEntries([...org.people.map(({ role }) => [role, [kind]]), ['foreigner', []]]);
    t.same(
      await watch(join('public', other)),
      { ...everybodyGets(peer), other: [joined] },
      'one more in the public one',
    );
    const inPrivate = { ...everybodyGets(peer), moderator: [], other: [] };
    t.same(await watch(join('private', other)), { ...inPrivate, other: [made, joined] }, 'one more in the private one');
    const leaving = { ...everybodyGets(peerLeft), other: [left] };
    t.same(await watch(end('public', other)), leaving, 'one less in the public one');
    const leavingPrivate = { ...everybodyGets(peerLeft), moderator: [], other: [left, deleted] };
    t.same(await watch(end('private', other)), leavingPrivate, 'one less in the private one');
    t.same((await watch(join('public', guest))).guest, [], 'subscribed already');

    const ids = { open: await streamIdOf(owner, 'public'), hidden: await streamIdOf(owner, 'private') };
    const edit = (stream_id: number, change: Fields) => () =>
      owner.api.ok('PATCH /streams/{stream_id}', { stream_id, ...change });
    const inform = await eventsOfAction([member, other], edit(ids.open, { description: '**new**' }), 'stream');
    const description = {
      ...{ type: 'stream', op: 'update', stream_id: ids.open, name: 'public', property: 'description' },
      ...{ value: '**new**', rendered_description: '<p><strong>new</strong></p>' },
    };
    t.same(inform, { member: [description], other: [description] });
    const ofHidden = await watch(edit(ids.hidden, { description: 'new' }));
    t.same(ofHidden, { ...everybodyGets(changed), moderator: [], other: [] }, 'the users who see it');
    t.same(
      await watch(edit(ids.open, { is_private: true, history_public_to_subscribers: true })),
      { ...everybodyGets(changed), moderator: [deleted], other: [deleted] },
      'users who may not see it any more lose it, also one who had left it',
    );
    t.same(
      await watch(edit(ids.open, { is_private: false })),
      { ...everybodyGets(changed), moderator: [made, peer, changed], other: [made, peer, changed] },
      'and get it again',
    );
    t.same((await watch(end('public', guest))).guest, [left, deleted], 'a guest who leaves a public one');

    const withRole = (role: number) => () => owner.api.ok('PATCH /users/{user_id}', { user_id: other.id, role });
    const leftChannels = async () => {
      const queue = await registerPhone(other);
      await queue.delete();
      const listOf = (name: string) => (queue.state[name] as { stream_id: number }[]).map(({ stream_id }) => stream_id);
      return { left: listOf('unsubscribed').includes(ids.hidden), listed: listOf('streams').includes(ids.hidden) };
    };
    t.same(await leftChannels(), { left: false, listed: false }, 'a private one that was left is in no list');
    const created = [{ op: 'create', streams: [{ stream_id: ids.hidden, name: 'private', invite_only: true }] }];
    t.match((await eventsOfAction([other], withRole(200), 'stream')).other, created, 'an administrator sees it again');
    t.same(await leftChannels(), { left: true, listed: true });
    const lost = [{ op: 'delete', streams: [{ stream_id: ids.hidden }] }];
    t.match((await eventsOfAction([other], withRole(400), 'stream')).other, lost, 'and not as a member');
    t.same(await leftChannels(), { left: false, listed: false });
    const gone = await watch(() => owner.api.ok('DELETE /streams/{stream_id}', { stream_id: ids.hidden }));
    t.same(gone, { ...everybodyGets(deleted), moderator: [], other: [] }, 'an archived private one');

    const archived = await watch(() => owner.api.ok('DELETE /streams/{stream_id}', { stream_id: ids.open }));
    t.same(archived, { ...everybodyGets(deleted), guest: [] }, 'an archived public one');
  });

  await t.test('groups: each change of their members and names, for all', async (t) => {
    const readers = [owner, guest];
    const events = async (action: () => Promise<unknown>) => {
      const heard = await eventsOfAction(
        [...readers, { ...elsewhere.member, role: 'foreigner' }],
        action,
        'user_group',
      );
      t.same(heard.foreigner, []);
      t.same(heard.guest, heard.owner);
      return heard.owner!;
    };
    const made = await events(() => userGroup(owner, 'crew', [owner, member]));
    const group = made.map((of) => (of.group as Fields).id)[0] as number;
    const user_group_id = group;
    t.match(made, [
      {
        op: 'add',
        group: {
          id: group,
          name: 'crew',
          description: '',
          is_system_group: false,
          deactivated: false,
          direct_subgroup_ids: [],
        },
      },
    ]);
    t.same(((made[0]!.group as Fields).members as number[]).sort(), [owner.id, member.id].sort());
    const mates = await userGroup(owner, 'mates', [other]);
    const act = (operation: string, params: Fields) => () => owner.api.ok(operation, { user_group_id, ...params });
    const group_id = group;
    for (const [action, event] of [
      [act('PATCH /user_groups/{user_group_id}', { name: 'sailors', description: 'All' }), undefined],
      [
        act('POST /user_groups/{user_group_id}/members', { add: [guest.id] }),
        { op: 'add_members', user_ids: [guest.id] },
      ],
      [
        act('POST /user_groups/{user_group_id}/members', { delete: [guest.id] }),
        { op: 'remove_members', user_ids: [guest.id] },
      ],
      [
        act('POST /user_groups/{user_group_id}/subgroups', { add: [mates] }),
        { op: 'add_subgroups', direct_subgroup_ids: [mates] },
      ],
      [
        act('POST /user_groups/{user_group_id}/subgroups', { delete: [mates] }),
        { op: 'remove_subgroups', direct_subgroup_ids: [mates] },
      ],
      [act('DELETE /user_groups/{user_group_id}', {}), { op: 'remove' }],
    ] as const) {
      const heard = await events(action);
      if (event) t.same(heard, [{ type: 'user_group', group_id, ...event }]);
      else {
        t.ok(heard.every((of) => of.op === 'update' && of.group_id === group_id));
        t.match(Object.assign({}, ...heard.map(({ data }) => data as object)), { name: 'sailors', description: 'All' });
      }
    }
    const { state } = await registerPhone(guest);
    const groups = state.realm_user_groups as {
      id: number;
      name: string;
      members: number[];
      direct_subgroup_ids: number[];
    }[];
    t.notOk(groups.some(({ id }) => id === group));
    t.match(
      groups.find(({ id }) => id === mates),
      { name: 'mates', members: [other.id], direct_subgroup_ids: [] },
    );
    const ofRole = (role: string) => groups.find(({ name }) => name === `role:${role}`)!;
    t.ok(ofRole('everyone').direct_subgroup_ids.includes(ofRole('members').id), 'roles are members of each other');
    t.same(ofRole('owners').members, [owner.id]);
  });

  await t.test('custom emoji come as the whole list, also those that are gone', async (t) => {
    const png = await picture('maroon');
    const heard = await eventsOfAction(
      [member, guest, { ...elsewhere.member, role: 'foreigner' }],
      async () => {
        await owner.api.upload('POST /realm/emoji/{emoji_name}', [{ name: 'a.png', bytes: png }], {
          emoji_name: 'anchor',
        });
        await owner.api.ok('DELETE /realm/emoji/{emoji_name}', { emoji_name: 'anchor' });
      },
      'realm_emoji',
    );
    t.same(heard.foreigner, []);
    t.same(heard.guest, heard.member);
    const lists = heard.member!.map(({ realm_emoji }) => Object.entries(realm_emoji as Record<string, Fields>));
    t.match(
      lists.map((list) =>
        list.filter(([, { name }]) => name === 'anchor').map(([id, of]) => [id === of.id, of.deactivated]),
      ),
      [[[true, false]], [[true, true]]],
    );
    const { state } = await registerPhone(member);
    t.same(Object.entries(state.realm_emoji as object), lists.at(-1));
  });

  await t.test('muted users and alert words, in events to the clients of the same user only', async (t) => {
    const heard = await eventsOfAction(
      [member, other],
      async () => {
        await member.api.ok('POST /users/me/muted_users/{muted_user_id}', { muted_user_id: guest.id });
        await member.api.ok('POST /users/me/alert_words', { alert_words: ['storm', 'reef'] });
        await member.api.ok('DELETE /users/me/alert_words', { alert_words: ['storm'] });
        await member.api.ok('DELETE /users/me/muted_users/{muted_user_id}', { muted_user_id: guest.id });
      },
      'muted_users',
      'alert_words',
    );
    t.same(heard.other, []);
    t.match(heard.member, [
      { type: 'muted_users', muted_users: [{ id: guest.id }] },
      { type: 'alert_words' },
      { type: 'alert_words', alert_words: ['reef'] },
      { type: 'muted_users' },
    ]);
    t.same([...(heard.member![1]!.alert_words as string[])].sort(), ['reef', 'storm']);
    t.same(heard.member![3]!.muted_users, []);
    const { state } = await registerPhone(member);
    t.same([state.muted_users, state.alert_words], [[], ['reef']]);
  });

  await t.test('profile fields and their values, in the state and in events', async (t) => {
    let field = 0;
    const listed = await eventsOfAction(
      [guest, { ...elsewhere.member, role: 'foreigner' }],
      async () => {
        const made = { name: 'Ship', hint: 'Its *name*', field_type: 1 };
        field = (await owner.api.ok<{ id: number }>('POST /realm/profile_fields', made)).id;
        await owner.api.ok('PATCH /realm/profile_fields/{field_id}', { field_id: field, name: 'Boat' });
      },
      'custom_profile_fields',
    );
    t.same(listed.foreigner, []);
    const of = (fields: unknown) => (fields as Fields[]).find(({ id }) => id === field);
    const [made, renamed] = listed.guest!.map(({ fields }) => of(fields));
    t.match(made, { type: 1, name: 'Ship', hint: 'Its *name*', field_data: '' });
    t.match(renamed, { type: 1, name: 'Boat', hint: '' });
    for (const { order } of [made!, renamed!]) t.ok(Number.isInteger(order));
    const person = { user_id: member.id };
    const filled = await eventsOfAction(
      [other],
      () => member.api.ok('PATCH /users/me/profile_data', { data: [{ id: field, value: 'the *Ark*' }] }),
      'realm_user',
    );
    const value = { value: 'the *Ark*', rendered_value: '<p>the <em>Ark</em></p>' };
    t.same(filled.other, [
      { type: 'realm_user', op: 'update', person: { ...person, custom_profile_field: { id: field, ...value } } },
    ]);
    const profile = async () => {
      const { state } = await registerPhone(other);
      t.match(of(state.custom_profile_fields), { name: 'Boat' });
      return (state.realm_users as ApiUser[]).find(({ user_id }) => user_id === member.id)!.profile_data;
    };
    t.same(await profile(), { [field]: value });
    const emptied = await eventsOfAction(
      [other],
      () => member.api.ok('DELETE /users/me/profile_data', { data: [field] }),
      'realm_user',
    );
    t.match(emptied.other, [{ person: { ...person, custom_profile_field: { id: field, value: null } } }]);
    t.same(await profile(), {});
    const gone = await eventsOfAction(
      [guest],
      () => owner.api.ok('DELETE /realm/profile_fields/{field_id}', { field_id: field }),
      'custom_profile_fields',
    );
    t.equal(of(gone.guest![0]!.fields), undefined);
  });

  await t.test('users: every field that the app reads, and each of its changes', async (t) => {
    const bot = await makeBot(member);
    const { state } = await registerPhone(other);
    const users = [state.realm_users, state.cross_realm_bots].flat() as (ApiUser & Fields)[];
    const user = (id: number) => users.find(({ user_id }) => user_id === id)!;
    t.match(user(member.id), { is_bot: false, role: 400, bot_type: null, bot_owner_id: null, profile_data: {} });
    t.match(user(bot.id), { is_bot: true, role: 400, bot_type: 1, bot_owner_id: member.id });
    for (const { user_id, date_joined, timezone, avatar_version, avatar_url, email, full_name } of users) {
      t.ok(Date.parse(String(date_joined)) > 0, `${user_id} joined`);
      t.same([typeof timezone, typeof avatar_url, typeof email, typeof full_name], Array(4).fill('string'));
      t.ok(Number.isInteger(avatar_version), `${user_id} has a version of the picture`);
    }
    const someone = await addPerson(org, 'changing');
    const user_id = someone.id;
    const mine = someone.api;
    const png = await picture('gold');
    for (const [what, action, person] of [
      ['name', () => mine.ok('PATCH /settings', { full_name: 'Changed' }), { full_name: 'Changed' }],
      ['zone', () => mine.ok('PATCH /settings', { timezone: 'Asia/Tokyo' }), { timezone: 'Asia/Tokyo' }],
      [
        'picture',
        () => mine.upload('POST /users/me/avatar', [{ name: 'a.png', bytes: png }]),
        { avatar_version: 2, avatar_url: /\.png/ },
      ],
      ['role', () => owner.api.ok('PATCH /users/{user_id}', { user_id, role: 300 }), { role: 300 }],
      ['hidden address', () => mine.ok('PATCH /settings', { email_address_visibility: 4 }), { delivery_email: null }],
      [
        'shown address',
        () => mine.ok('PATCH /settings', { email_address_visibility: 1 }),
        { delivery_email: someone.email },
      ],
    ] as const) {
      const heard = await eventsOfAction([other, { ...elsewhere.member, role: 'foreigner' }], action, 'realm_user');
      t.same(heard.foreigner, [], what);
      t.ok(
        heard.other!.every((of) => of.op === 'update' && (of.person as Fields).user_id === user_id),
        what,
      );
      const merged = Object.assign({}, ...heard.other!.map(({ person: of }) => of as object)) as Fields;
      t.match(merged, person, what);
    }
    const owned = await eventsOfAction(
      [other],
      () => member.api.ok('PATCH /bots/{bot_id}', { bot_id: bot.id, bot_owner_id: admin.id }),
      'realm_user',
    );
    t.match(owned.other, [{ op: 'update', person: { user_id: bot.id, bot_owner_id: admin.id } }]);
  });
};
