/** Values of custom profile fields: users.md § Custom profile data, events.md § realm_user variants. */

import { refused } from '../../harness.js';
import { bad, missing, type Params } from '../../support/client.js';
import { crowd, makeOrganization, type Person } from '../../support/organization.js';
import { Queue, settled } from '../../support/queue.js';
import type { ApiEvent, ApiUser, Fields } from '../../support/types.js';
import { verifyAction } from '../../support/verify-action.js';
import type { Facts } from '../facts.js';

const OPTIONS = { a: { text: 'Ash', order: '1' }, b: { text: 'Birch', order: '2' } };
const TYPES = ['short', 'long', 'tree', 'day', 'page', 'mentor', 'account', 'pronouns'] as const;
type Name = (typeof TYPES)[number];

const CUSTOM = { subtype: 'custom', url_pattern: 'https://example.com/%(username)s' };

export const profileData: Facts = async (t, server) => {
  const org = await makeOrganization(server);
  const elsewhere = await makeOrganization(server, []);
  const { owner, admin, member, other, guest } = org;
  const field = {} as Record<Name, number>;
  for (const [i, name] of TYPES.entries()) {
    const field_data = name === 'tree' ? OPTIONS : name === 'account' ? CUSTOM : {};
    const { id } = await admin.api.ok<{ id: number }>('POST /realm/profile_fields', {
      name,
      field_type: i + 1,
      field_data,
    });
    field[name] = id;
  }
  const put = (data: unknown, by: Person = member) => by.api.call('PATCH /users/me/profile_data', { data });
  const set = (values: Partial<Record<Name, unknown>>, by: Person = member) =>
    put(
      Object.entries(values).map(([name, value]) => ({ id: field[name as Name], value })),
      by,
    );
  const empty = (data: unknown, by: Person = member) => by.api.call('DELETE /users/me/profile_data', { data });
  const shape = { client_gravatar: false, include_custom_profile_fields: true };
  /** The profile of one user as another sees it, by each operation. */
  const seen = async (of: Person, by: Person = guest): Promise<Fields[]> => {
    const { members } = await by.api.ok<{ members: ApiUser[] }>('GET /users', shape);
    const { user } = await by.api.ok<{ user: ApiUser }>('GET /users/{user_id}', { user_id: of.id, ...shape });
    const named = await by.api.ok<{ user: ApiUser }>('GET /users/{email}', { email: of.email, ...shape });
    const state = await by.api.ok<{ realm_users: ApiUser[] }>('POST /register', { fetch_event_types: ['realm_user'] });
    const find = (list: ApiUser[]) => list.find(({ user_id }) => user_id === of.id)!;
    const all = [find(members), user, named.user, find(state.realm_users), await of.api.ok('GET /users/me')];
    return all.map((one) => one.profile_data as Fields);
  };
  const shownAs = async (of: Person, values: Partial<Record<Name, Fields>>, title: string) => {
    const expected = Object.fromEntries(Object.entries(values).map(([name, value]) => [field[name as Name], value]));
    for (const one of await seen(of)) t.same(one, expected, title);
  };
  const told = (events: readonly ApiEvent[]) => events.map(({ person }) => person);

  const ALL = {
    short: '+1 **234**',
    long: 'a\nb',
    tree: 'a',
    day: '2000-02-29',
    page: 'https://example.com/~me',
    mentor: [other.id, owner.id],
    account: 'me',
    pronouns: 'they/them',
  };
  const SHOWN = {
    short: { value: ALL.short, rendered_value: '<p>+1 <strong>234</strong></p>' },
    long: { value: ALL.long, rendered_value: '<p>a<br>\nb</p>' },
    tree: { value: 'a' },
    day: { value: ALL.day },
    page: { value: ALL.page },
    mentor: { value: `[${other.id},${owner.id}]` },
    account: { value: 'me' },
    pronouns: { value: 'they/them' },
  };

  await t.test(
    'values of all types are shown wherever users are, and published to all, one event for each',
    async (t) => {
      const queues = await Promise.all([owner, member, guest].map((by) => Queue.register(by)));
      t.same((await set(ALL)).body, { result: 'success', msg: '' });
      const expected = TYPES.map((name) => ({
        user_id: member.id,
        custom_profile_field: { id: field[name], ...SHOWN[name] },
      }));
      for (const queue of queues) {
        const events = await settled(queue);
        t.same(told(events), expected);
        t.ok(events.every(({ type, op }) => type === 'realm_user' && op === 'update'));
      }
      await shownAs(member, SHOWN, 'in all answers');
      await shownAs(other, {}, 'nobody else has any');
      const { members } = await guest.api.ok<{ members: ApiUser[] }>('GET /users');
      t.notOk(
        members.some((user) => 'profile_data' in user),
        'only where it is asked for',
      );
      t.notOk(
        'profile_data' in (await guest.api.ok<{ user: ApiUser }>('GET /users/{user_id}', { user_id: member.id })).user,
      );
    },
  );

  await t.test('an unchanged value is not published', async (t) => {
    const queue = await Queue.register(guest);
    await set(ALL);
    t.same(await settled(queue), []);
    await set({ ...ALL, day: '2001-01-01', mentor: [owner.id, owner.id] });
    const of = (id: number, value: unknown) => ({ user_id: member.id, custom_profile_field: { id, value } });
    t.same(told(await settled(queue)), [of(field.day, '2001-01-01'), of(field.mentor, `[${owner.id}]`)]);
    await put([
      { id: field.account, value: 'x' },
      { id: field.account, value: 'y' },
    ]);
    t.same(told(await settled(queue)), [of(field.account, 'y')], 'the last of several counts');
    await put([]);
    t.same(await settled(queue), []);
  });

  await t.test('wrong values of each type are refused, with all others of the call', async (t) => {
    const queue = await Queue.register(guest);
    const before = await seen(member);
    const wrong: [Name, unknown, string][] = [
      ['short', '🎣'.repeat(51), 'short is too long (limit: 50 characters)'],
      ['short', [], 'short is not a string'],
      ['long', '🎣'.repeat(501), 'long is too long (limit: 500 characters)'],
      ['long', [1], 'long is not a string'],
      ['tree', 'c', "'c' is not a valid choice for 'tree'."],
      ['tree', '', "'' is not a valid choice for 'tree'."],
      ['tree', [1, 2], "'[1, 2]' is not a valid choice for 'tree'."],
      ['tree', 'constructor', "'constructor' is not a valid choice for 'tree'."],
      ['day', [1], 'day is not a string'],
      ...['', 'x', '2000-2-3', '2001-02-29', '2000-01-01T00:00:00Z', '20000-01-01', ' 2000-01-01'].map(
        (value): [Name, unknown, string] => ['day', value, 'day is not a date'],
      ),
      ['page', [1], 'page is not a string'],
      ...['', 'x', 'example.com', '//example.com', 'javascript:alert(1)', 'https://x.y', 'https://a b.com'].map(
        (value): [Name, unknown, string] => ['page', value, 'page is not a URL'],
      ),
      ['mentor', 'x', 'User IDs is not a list'],
      ['mentor', '[8]', 'User IDs is not a list'],
      ['mentor', [999_999], 'Invalid user ID: 999999'],
      ['mentor', [member.id, 0], 'Invalid user ID: 0'],
      ['mentor', [1], 'Invalid user ID: 1'],
      ['account', 'x'.repeat(51), 'account is too long (limit: 50 characters)'],
      ['account', [1], 'account is not a string'],
      ['pronouns', 'x'.repeat(51), 'pronouns is too long (limit: 50 characters)'],
    ];
    for (const [name, value, msg] of wrong) {
      const short = name === 'short' ? {} : { short: 'new' };
      await refused(t, set({ ...short, [name]: value }), bad(msg), `${name} ${JSON.stringify(value)}`);
    }
    await refused(t, put([{ id: 999_999, value: '' }]), bad('Field id 999999 not found.'));
    const foreign = await elsewhere.owner.api.ok<{ id: number }>('POST /realm/profile_fields', {
      name: 'x',
      field_type: 1,
    });
    await refused(
      t,
      put([{ id: field.pronouns, value: 'x' }], elsewhere.owner),
      bad(`Field id ${field.pronouns} not found.`),
    );
    t.ok(foreign.id, 'which has fields of its own');
    const shapes: [unknown, string][] = [
      ['x', 'Argument "data" is not valid JSON.'],
      [{}, 'data is not a list'],
      [['x'], 'data[0] is not a dict'],
      [[{ value: 'x' }], 'id key is missing from data[0]'],
      [[{ id: field.short }], 'value key is missing from data[0]'],
      [[{ id: 'x', value: 'x' }], 'data[0]["id"] is not an integer'],
      [[{ id: field.short, value: 'x', extra: 1 }], 'Unexpected arguments: extra'],
    ];
    for (const [data, msg] of shapes) await refused(t, put(data), bad(msg));
    for (const value of [null, 1, {}, ['x'], [[]], [null]]) {
      const message = bad('data[0]["value"] is not an allowed_type');
      await refused(t, put([{ id: field.mentor, value }]), message, `value ${JSON.stringify(value)}`);
    }
    await refused(t, put(undefined), missing('data'));
    t.same(await seen(member), before);
    t.same(await settled(queue), []);
  });

  await t.test('texts may be empty or of the maximum length; lists of people may be empty', async (t) => {
    t.equal((await set({ short: '', long: 'é'.repeat(500), account: '🎣'.repeat(50), mentor: [] })).status, 200);
    const [shown] = await seen(member);
    t.same(shown![field.short], { value: '' }, 'nothing is rendered');
    t.same(shown![field.mentor], { value: '[]' });
    t.match(shown![field.long], { rendered_value: `<p>${'é'.repeat(500)}</p>` });
  });

  await t.test('texts are rendered like descriptions: no mentions, no previews, no hostile markup', async (t) => {
    const text = `@**${owner.name}** <script>x</script> https://example.com/a.png`;
    await set({ long: text });
    const [shown] = await seen(member);
    const { rendered_value: html } = shown![field.long] as { rendered_value: string };
    t.match(html, /&lt;script&gt;/);
    t.notMatch(html, /user-mention|<script|<img/);
  });

  await t.test('an emptied value is published as null, only if it was set; all or nothing', async (t) => {
    const queue = await Queue.register(guest);
    await refused(t, empty([field.day, 999_999]), bad('Field id 999999 not found.'));
    await refused(t, empty([field.day], elsewhere.owner), bad(`Field id ${field.day} not found.`));
    await refused(t, empty('x'), bad('Argument "data" is not valid JSON.'));
    await refused(t, empty(['x']), bad('data[0] is not an integer'));
    await refused(t, empty({}), bad('data is not a list'));
    await refused(t, empty(undefined), missing('data'));
    t.same(await settled(queue), []);
    t.same((await empty([field.tree, field.day, field.tree])).body, { result: 'success', msg: '' });
    const gone = (id: number) => ({ user_id: member.id, custom_profile_field: { id, value: null } });
    t.same(told(await settled(queue)), [gone(field.tree), gone(field.day)]);
    t.equal((await empty([field.tree])).status, 200, 'what is empty already');
    t.same(await settled(queue), []);
    const [shown] = await seen(member);
    t.notOk(field.tree in shown! || field.day in shown!);
    await empty(Object.values(field));
    await shownAs(member, {}, 'nothing is left');
  });

  await t.test('a new account has an empty profile, also in its event', async (t) => {
    const queue = await Queue.register(guest, { event_types: ['realm_user'] });
    const [id] = await crowd(org, 1);
    const [event] = await queue.take(1);
    t.match(event, { op: 'add', person: { user_id: id, profile_data: {} } });
  });

  await t.test('two concurrent changes are both kept', async (t) => {
    const values = Array.from({ length: 12 }, (_, i) => `v${i}`);
    await Promise.all(values.map((value, i) => set({ [i % 2 ? 'short' : 'account']: value, pronouns: value })));
    const [shown] = await seen(member);
    t.equal(Object.keys(shown!).length, 3);
    await verifyAction(t, 'while others write', [member, guest], () =>
      Promise.all(values.map((value) => set({ short: value, page: `https://example.com/${value}` }))),
    );
  });

  await t.test('every role fills in the own profile; snapshot and events agree', async (t) => {
    for (const by of org.people) {
      const params: Params = { data: [{ id: field.short, value: `by ${by.role}` }] };
      t.equal((await by.api.call('PATCH /users/me/profile_data', params)).status, 200, by.role);
      t.equal((await empty([field.short], by)).status, 200, by.role);
    }
    await verifyAction(t, 'filled in', [member, guest], () => set(ALL));
    await verifyAction(t, 'emptied', [member, guest], () => empty(Object.values(field)));
  });
};
