/** /realm/profile_fields: realm.md § Custom profile fields. */

import { refused } from '../../harness.js';
import { bad, missing, type Params } from '../../support/client.js';
import { makeOrganization } from '../../support/organization.js';
import { Queue, settled } from '../../support/queue.js';
import type { Fields } from '../../support/types.js';
import type { Facts } from '../facts.js';
import { OPTIONS, profileTools } from './profile-tools.js';

const NOT_ADMIN = { code: 'UNAUTHORIZED_PRINCIPAL', msg: 'Must be an organization administrator' };

export const profileFields: Facts = async (t, server) => {
  const org = await makeOrganization(server);
  const elsewhere = await makeOrganization(server, []);
  const { owner, admin, moderator, member, guest } = org;
  const { add, made, change, remove, reorder, list, find, clear } = profileTools(org);

  await t.test('a field of each type is listed for all users, and the whole list is published to all', async (t) => {
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

  await t.test('wrong fields are refused, in this order, and change nothing', async (t) => {
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

  await t.test('administrators change fields, all users of the organization see them', async (t) => {
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
};
