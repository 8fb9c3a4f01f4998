/** /realm/profile_fields: realm.md § Custom profile fields, register.md § Capability deltas. */
import type { ApiUser, Fields, Person } from '../harness.js';
import { bad, makeOrganization, missing, type Params, Queue, refused, settled, verifyAction } from '../harness.js';
import type { Facts } from './facts.js';

interface Field extends Fields {
  readonly id: number;
  readonly name: string;
}

const NOT_ADMIN = { code: 'UNAUTHORIZED_PRINCIPAL', msg: 'Must be an organization administrator' };
const OPTIONS = { a: { text: 'Ash', order: '1' }, b: { text: 'Birch', order: '2' } };
const OLD_MOBILE = { 'user-agent': 'ZulipMobile/27.191 (Android 13)' };

export const profileFields: Facts = async (t, server) => {
  const org = await makeOrganization(server);
  const elsewhere = await makeOrganization(server, []);
  const { owner, admin, moderator, member, other, guest } = org;
  let named = 0;
  const add = (params: Params, by: Person = admin) =>
    by.api.call('POST /realm/profile_fields', { name: `Field ${++named}`, field_type: 1, ...params });
  const made = async (params: Params = {}): Promise<number> => (await add(params)).body.id as number;
  const change = (field_id: number, params: Params, by: Person = admin) =>
    by.api.call('PATCH /realm/profile_fields/{field_id}', { field_id, ...params });
  const remove = (field_id: number, by: Person = admin) =>
    by.api.call('DELETE /realm/profile_fields/{field_id}', { field_id });
  const reorder = (order: unknown, by: Person = admin) => by.api.call('PATCH /realm/profile_fields', { order });
  const list = async (by: Person = guest) =>
    (await by.api.ok<{ custom_fields: Field[] }>('GET /realm/profile_fields')).custom_fields;
  const find = async (id: number) => (await list()).find((field) => field.id === id);
  const clear = async () => {
    for (const { id } of await list()) await remove(id);
  };
  const fill = (by: Person, data: readonly Params[]) => by.api.ok('PATCH /users/me/profile_data', { data });
  const profileOf = async ({ id }: Person) => {
    const { user } = await guest.api.ok<{ user: ApiUser }>('GET /users/{user_id}', {
      user_id: id,
      include_custom_profile_fields: true,
    });
    return user.profile_data;
  };

  await t.test('a field of each type is listed for everybody, and everybody is told the whole list', async (t) => {
    const queues = await Promise.all([owner, guest].map((by) => Queue.register(by)));
    const pattern = 'https://example.com/~%(username)s/';
    const kinds: [type: number, given: Params, shown: Fields][] = [
      [1, { name: ' Phone ', hint: ' h ' }, { name: 'Phone', hint: ' h ' }],
      [2, { name: 'About', field_data: { ignored: 'x' } }, { name: 'About' }],
      [3, { name: 'Tree', field_data: OPTIONS }, { name: 'Tree', field_data: JSON.stringify(OPTIONS) }],
      [4, { name: 'Birthday' }, { name: 'Birthday' }],
      [5, { name: 'Page', display_in_profile_summary: true }, { name: 'Page', display_in_profile_summary: true }],
      [6, { name: 'Mentor', display_in_profile_summary: false }, { name: 'Mentor' }],
      [
        7,
        { name: 'ignored', hint: 'x'.repeat(100), field_data: { subtype: 'twitter', url_pattern: pattern } },
        { name: 'Twitter username', field_data: '{"subtype":"twitter"}' },
      ],
      [
        7,
        { name: '', field_data: { subtype: 'github' } },
        { name: 'GitHub username', field_data: '{"subtype":"github"}' },
      ],
      [
        7,
        { name: 'Home', field_data: { subtype: 'custom', url_pattern: pattern } },
        { name: 'Home', field_data: JSON.stringify({ subtype: 'custom', url_pattern: pattern }) },
      ],
      [8, { name: 'Pronouns' }, { name: 'Pronouns' }],
    ];
    const expected: Fields[] = [];
    for (const [type, given, shown] of kinds) {
      const { status, body } = await add({ field_type: type, ...given });
      t.equal(status, 200, body.msg as string);
      const id = body.id as number;
      expected.push({ id, name: '', type, hint: '', field_data: '', order: id, ...shown });
      for (const queue of queues) {
        const [event] = await queue.take(1);
        t.same(event, { id: event!.id, type: 'custom_profile_fields', fields: expected });
      }
    }
    for (const by of [owner, guest]) t.same(await list(by), expected);
    const state = await guest.api.ok('POST /register', { fetch_event_types: ['custom_profile_fields'] });
    t.same(state.custom_profile_fields, expected);
    t.same(Object.keys(state.custom_profile_field_types as Fields).length, 9);
    t.same(await list(elsewhere.owner), [], 'not in another organization');
    await clear();
    t.same(await list(), []);
  });

  await t.test('what is refused, in this order, and changes nothing', async (t) => {
    const names = ['one', 'two'];
    for (const name of names) await add({ name, display_in_profile_summary: true });
    const before = await list();
    const queue = await Queue.register(member);
    const summary = bad('Only 2 custom profile fields can be displayed in the profile summary.');
    await refused(t, add({ field_type: 3, name: '', display_in_profile_summary: true }), summary);
    const options = (field_data: unknown) => add({ field_type: 3, name: '', field_data });
    await refused(t, options({}), bad('Field must have at least one choice.'));
    await refused(t, add({ field_type: 3, name: '' }), bad('Field must have at least one choice.'));
    await refused(t, options({ ' ': { text: '' } }), bad("'value' cannot be blank."));
    for (const value of ['x', '[]', '5', '"x"']) {
      const invalid = value === 'x' ? 'Argument "field_data" is not valid JSON.' : 'field_data is not a dict';
      await refused(t, options(value), bad(invalid), `options ${value}`);
    }
    await refused(t, options({ a: 'text' }), bad('field_data is not a dict'));
    for (const value of [1, null, ['x'], { text: 1 }, { text: { a: 'b' } }]) {
      const invalid = bad('field_data contains a value that is not an allowed_type');
      await refused(t, options({ a: value }), invalid, `an option ${JSON.stringify(value)}`);
    }
    await refused(t, options({ a: { order: '1' } }), bad('text key is missing from field_data'));
    await refused(t, options({ a: { text: ' ' } }), bad('field_data["text"] cannot be blank.'));
    await refused(t, options({ a: { text: 'A' } }), bad('order key is missing from field_data'));
    await refused(t, options({ a: { text: 'A', order: '' } }), bad('field_data["order"] cannot be blank.'));
    await refused(t, options({ a: { text: 'A', order: '1', x: '', y: '' } }), bad('Unexpected arguments: x, y'));
    const twice = { a: { text: 'A', order: '1' }, b: { text: 'A', order: '2' } };
    await refused(t, options(twice), bad('Field must not have duplicate choices.'));
    const account = (field_data: unknown) => add({ field_type: 7, name: '', field_data });
    await refused(t, account({}), bad('subtype key is missing from field_data'));
    await refused(t, account({ subtype: { a: 'b' } }), bad('field_data["subtype"] is not a string'));
    await refused(t, account({ subtype: ' ' }), bad('field_data["subtype"] cannot be blank.'));
    await refused(t, account({ subtype: 'custom', x: '1' }), bad('Unexpected arguments: x'));
    for (const subtype of ['nosuch', 'constructor', '__proto__', 'GitHub']) {
      await refused(t, account({ subtype }), bad('Invalid external account type'), subtype);
    }
    await refused(t, account({ subtype: 'custom' }), bad('Custom external account must define URL pattern'));
    const custom = (url_pattern: unknown) => account({ subtype: 'custom', url_pattern });
    for (const pattern of ['', 'https://example.com/', '%(user)s', 'https://%(username)s.example.com/%(username)s']) {
      await refused(t, custom(pattern), bad("URL pattern must contain '%(username)s'."), pattern);
    }
    for (const pattern of [
      '%(username)s',
      'https://x.y/%(username)s',
      'javascript:%(username)s',
      'ftp:/a/%(username)s',
    ]) {
      await refused(t, custom(pattern), bad('field_data["url_pattern"] is not a URL'), pattern);
    }
    await refused(t, custom({ a: 'b' }), bad('field_data["url_pattern"] is not a string'));
    const texts = { hint: 'h'.repeat(81), field_type: 99 };
    await refused(t, add({ ...texts, name: ' ' }), bad('Label cannot be blank.'));
    await refused(t, add({ ...texts, name: undefined }), bad('Label cannot be blank.'));
    await refused(t, add({ ...texts, name: '🎣'.repeat(41) }), bad('name is too long (limit: 40 characters)'));
    await refused(t, add(texts), bad('hint is too long (limit: 80 characters)'));
    for (const field_type of [0, 9, -1, 99]) await refused(t, add({ field_type }), bad('Invalid field type.'));
    await remove((await list())[1]!.id);
    for (const field_type of [2, 6]) {
      const unfit = bad('Field type not supported for display in profile summary.');
      await refused(t, add({ field_type, name: 'one', display_in_profile_summary: true }), unfit);
    }
    await refused(t, add({ name: ' one ' }), bad('A field with that label already exists.'));
    await refused(t, add({ field_type: undefined }), missing('field_type'));
    await refused(t, add({ field_type: 'x' }), bad('Argument "field_type" is not valid JSON.'));
    await refused(t, add({ display_in_profile_summary: 1 }), bad('display_in_profile_summary is not a boolean'));
    t.same(await list(), before.slice(0, 1));
    t.same((await settled(queue)).length, 1, 'only of the one that was removed');
    t.equal((await add({ name: '🎣'.repeat(40), hint: '🎣'.repeat(80) })).status, 200, 'code points are counted');
    t.equal((await add({ name: 'ONE' })).status, 200, 'labels that differ in case');
    await clear();
  });

  await t.test('a change replaces everything but the type', async (t) => {
    const id = await made({ name: 'Old', hint: 'hint', display_in_profile_summary: true });
    t.same((await change(id, { name: ' New ' })).body, { result: 'success', msg: '' });
    t.same(await find(id), { id, name: 'New', type: 1, hint: '', field_data: '', order: id });
    await refused(t, change(id, { hint: 'x' }), bad('Label cannot be blank.'));
    await refused(t, change(id, { name: 'n'.repeat(41) }), bad('name is too long (limit: 40 characters)'));
    await refused(t, change(id, { name: 'n', hint: 'h'.repeat(81) }), bad('hint is too long (limit: 80 characters)'));
    await refused(t, change(999_999, { name: '' }), bad('Field id 999999 not found.'));
    await refused(t, change((await list())[0]!.id, {}, elsewhere.owner), bad(`Field id ${id} not found.`));
    const second = await made({ name: 'Second', display_in_profile_summary: true });
    await refused(t, change(second, { name: 'New' }), bad('A field with that label already exists.'));
    t.equal((await change(second, { name: 'Second', display_in_profile_summary: true })).status, 200, 'its own label');
    await made({ name: 'Third', display_in_profile_summary: true });
    const full = bad('Only 2 custom profile fields can be displayed in the profile summary.');
    await refused(t, change(id, { name: '', display_in_profile_summary: true }), full);
    t.equal(
      (await change(second, { name: 'Second', display_in_profile_summary: true })).status,
      200,
      'it is one of the two',
    );
    await change(second, { name: 'Second' });
    const [text, tree, account] = [
      await made({ field_type: 2 }),
      await made({ field_type: 3, field_data: OPTIONS }),
      await made({ field_type: 7, field_data: { subtype: 'github' } }),
    ];
    const unfit = bad('Field type not supported for display in profile summary.');
    await refused(t, change(text, { name: 'T', display_in_profile_summary: true }), unfit);
    await refused(t, change(tree, { name: 'T' }), bad('Field must have at least one choice.'));
    await refused(t, change(tree, { name: 'T', field_data: { '': {} } }), bad("'value' cannot be blank."));
    const twice = { a: OPTIONS.a, b: OPTIONS.a };
    await refused(t, change(tree, { name: 'T', field_data: twice }), bad('Field must not have duplicate choices.'));
    const name = 'GitHub username';
    const field_data = { subtype: 'github' };
    const fixed = bad('Default custom field cannot be updated.');
    for (const given of [{}, { name }, { name: 'x', field_data }, { name, hint: 'x', field_data }]) {
      await refused(t, change(account, given), fixed, JSON.stringify(given));
    }
    t.equal((await change(account, { name, field_data, display_in_profile_summary: true })).status, 200);
    t.match(await find(account), { name, display_in_profile_summary: true });
    await remove(account);
    const custom = { subtype: 'custom', url_pattern: 'https://example.com/%(username)s' };
    const own = await made({ field_type: 7, field_data: custom });
    const to = (given: unknown) => change(own, { name: 'Own', field_data: given });
    await refused(t, to({ subtype: 'x' }), bad('Invalid external account type'));
    await refused(t, to({ subtype: 'custom' }), bad('Custom external account must define URL pattern'));
    await refused(t, to({ ...custom, url_pattern: 'x' }), bad("URL pattern must contain '%(username)s'."));
    await clear();
  });

  await t.test('order: every field must be named, the last place counts, others do not matter', async (t) => {
    const [a, b, c] = [await made(), await made(), await made()];
    const queue = await Queue.register(guest);
    t.same((await reorder([c, a, b])).body, { result: 'success', msg: '' });
    const placed = async () => (await list()).map(({ id, order }) => [id, order]);
    t.same(await placed(), [
      [c, 0],
      [a, 1],
      [b, 2],
    ]);
    const [event] = await queue.take(1);
    t.same(
      (event!.fields as Field[]).map(({ id }) => id),
      [c, a, b],
    );
    t.equal((await reorder([b, a, 999_999, c, b, -1])).status, 200);
    t.same(await placed(), [
      [a, 1],
      [c, 3],
      [b, 4],
    ]);
    for (const order of [[], [a, b], [c, a, 999_999]]) await refused(t, reorder(order), bad('Invalid order mapping.'));
    await refused(t, reorder('x'), bad('Argument "order" is not valid JSON.'));
    await refused(t, reorder({}), bad('order is not a list'));
    await refused(t, reorder([a, 'b']), bad('order[1] is not an integer'));
    await refused(t, reorder(undefined), missing('order'));
    const last = await made();
    t.same((await placed()).at(-1), [last, last], 'a new field is the last');
    await clear();
    t.equal((await reorder([])).status, 200, 'of no fields');
  });

  await t.test('an option that goes takes with it what was chosen, and does not bring it back', async (t) => {
    const tree = await made({ field_type: 3, field_data: OPTIONS });
    const text = await made();
    const choose = (by: Person, value: string) => fill(by, [{ id: tree, value }]);
    await choose(member, 'a');
    await choose(other, 'b');
    await fill(member, [{ id: text, value: 'stays' }]);
    const stays = { [text]: { value: 'stays', rendered_value: '<p>stays</p>' } };
    t.same(await profileOf(member), { [tree]: { value: 'a' }, ...stays });
    const to = (field_data: Params) => change(tree, { name: 'Tree', field_data });
    const queue = await Queue.register(guest);
    t.equal((await to({ b: OPTIONS.b, c: { text: 'Cedar', order: '1' } })).status, 200);
    t.same(
      (await settled(queue)).map(({ type }) => type),
      ['custom_profile_fields'],
    );
    t.same(await profileOf(member), stays);
    t.same(await profileOf(other), { [tree]: { value: 'b' } });
    t.equal((await to(OPTIONS)).status, 200);
    t.same(await profileOf(member), stays, 'the option that has its key now is another');
    t.same(await profileOf(other), { [tree]: { value: 'b' } });
    await choose(member, 'a');
    t.same(
      (await settled(queue)).map(({ type }) => type),
      ['custom_profile_fields', 'realm_user'],
    );
    t.same(await profileOf(member), { [tree]: { value: 'a' }, ...stays });
    t.same((await remove(tree)).body, { result: 'success', msg: '' });
    t.same([await profileOf(member), await profileOf(other)], [stays, {}]);
    await refused(t, remove(tree), bad(`Field id ${tree} not found.`));
    await clear();
  });

  await t.test('ten thousand options', async (t) => {
    const keys = Array.from({ length: 10_000 }, (_, i) => `o${i}`);
    const field_data = Object.fromEntries(keys.map((key, i) => [key, { text: key, order: String(i) }]));
    const many = await made({ field_type: 3, field_data });
    t.equal((await find(many))!.field_data, JSON.stringify(field_data));
    await fill(member, [{ id: many, value: 'o9999' }]);
    const { status } = await change(many, { name: 'Many', field_data: { ...field_data, o10000: OPTIONS.a } });
    t.equal(status, 200);
    t.same(await profileOf(member), { [many]: { value: 'o9999' } });
    t.equal((await remove(many)).status, 200);
  });

  await t.test('keys that objects have of their own are options like others', async (t) => {
    const text = '{"constructor":{"text":"C","order":"1"},"toString":{"text":"S","order":"2"}}';
    const tree = await made({ field_type: 3, field_data: text });
    t.equal((await find(tree))!.field_data, text);
    await fill(member, [{ id: tree, value: 'toString' }]);
    t.same(await profileOf(member), { [tree]: { value: 'toString' } });
    const data = [{ id: tree, value: 'valueOf' }];
    const name = (await find(tree))!.name;
    const invalid = bad(`'valueOf' is not a valid choice for '${name}'.`);
    await refused(t, member.api.call('PATCH /users/me/profile_data', { data }), invalid);
    await clear();
  });

  await t.test('mobile clients of old see pronouns as a short text', async (t) => {
    const id = await made({ field_type: 8, name: 'Pronouns' });
    const agents: [agent: string, type: number][] = [
      [OLD_MOBILE['user-agent'], 1],
      ['ZulipMobile/26.999 (iOS 16)', 1],
      ['ZulipMobile/27', 1],
      ['ZulipMobile/27.192 (iOS 16)', 8],
      ['ZulipMobile/28.1 (iOS 16)', 8],
      ['ZulipMobile', 8],
      ['ZulipTerminal/0.1', 8],
      ['Mozilla/5.0 ZulipMobile/1.0', 8],
    ];
    for (const [agent, type] of agents) {
      const by = { ...guest, api: guest.api.with({ 'user-agent': agent }) };
      const queue = await Queue.register(by, { event_types: ['custom_profile_fields'] });
      const { custom_profile_fields, custom_profile_field_types } = queue.state;
      t.same(
        (custom_profile_fields as Field[]).map((field) => field.type),
        [type],
        agent,
      );
      t.equal('PRONOUNS' in (custom_profile_field_types as Fields), type === 8, agent);
      await change(id, { name: 'Pronouns', hint: agent });
      const [event] = await queue.take(1);
      t.match(event, { fields: [{ id, hint: agent, type }] });
      t.match(await list(by), [{ type: 8 }], 'where no queue is, nothing is made up');
      await queue.delete();
    }
    for (const pronouns_field_type_supported of [true, false]) {
      const of = { event_types: ['custom_profile_fields'], dont_block: true, pronouns_field_type_supported };
      const { queue_id } = await guest.api.ok('GET /events', of);
      await change(id, { name: 'Pronouns' });
      const { events } = await guest.api.ok('GET /events', { queue_id, last_event_id: -1 });
      t.match(events, [{ fields: [{ id, type: pronouns_field_type_supported ? 8 : 1 }] }]);
    }
    await clear();
  });

  await t.test('administrators change fields, everybody sees them, nobody from elsewhere', async (t) => {
    const id = await made();
    for (const by of [moderator, member, guest]) {
      await refused(t, add({ name: '' }, by), NOT_ADMIN, by.role);
      await refused(t, change(999_999, {}, by), NOT_ADMIN, by.role);
      await refused(t, reorder([], by), NOT_ADMIN, by.role);
      await refused(t, remove(999_999, by), NOT_ADMIN, by.role);
    }
    await refused(t, remove(id, elsewhere.owner), bad(`Field id ${id} not found.`));
    for (const by of org.people) t.equal((await list(by)).length, 1, by.role);
    for (const by of [owner, admin]) {
      const { body } = await add({}, by);
      t.equal((await change(body.id as number, { name: `by ${by.role}` }, by)).status, 200);
      t.equal((await reorder((await list()).map((field) => field.id).reverse(), by)).status, 200);
      t.equal((await remove(body.id as number, by)).status, 200);
    }
    await clear();
  });

  await t.test('snapshot and events, by who changes fields and who has filled them in', async (t) => {
    const tree = await made({ field_type: 3, field_data: OPTIONS, name: 'Watched' });
    await fill(member, [{ id: tree, value: 'a' }]);
    const people = [admin, member];
    let id = 0;
    await verifyAction(t, 'create', people, async () => {
      id = await made({ display_in_profile_summary: true });
    });
    await fill(admin, [{ id, value: '**x**' }]);
    await verifyAction(t, 'change', people, () => change(id, { name: 'Changed' }));
    await verifyAction(t, 'options', people, () => change(tree, { name: 'T', field_data: { b: OPTIONS.b } }));
    await verifyAction(t, 'order', people, () => reorder([id, tree]));
    await verifyAction(t, 'remove', people, () => remove(id));
  });
};
