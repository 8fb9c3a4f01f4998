/** Linkifiers and code playgrounds (realm.md). */

import { refused } from '../../harness.js';
import { bad, missing, type Params, type Refusal } from '../../support/client.js';
import { makeOrganization, type Person, subscribe } from '../../support/organization.js';
import { Queue, settled } from '../../support/queue.js';
import type { ApiEvent, ApiMessage, Fields } from '../../support/types.js';
import { verifyAction } from '../../support/verify-action.js';
import type { Facts } from '../facts.js';

const NOT_ADMIN: Refusal = { code: 'UNAUTHORIZED_PRINCIPAL', msg: 'Must be an organization administrator' };
const BLANK = 'This field cannot be blank.';
const wrong = (field: string, msg: string): Refusal => ({ ...bad(msg), extra: { errors: { [field]: [msg] } } });

export const linkifiers: Facts = async (t, server) => {
  const org = await makeOrganization(server);
  const elsewhere = await makeOrganization(server, []);
  const { owner, admin, member, guest } = org;
  await subscribe(owner, 'work', { principals: [owner, member] });
  const ids: number[] = [];
  const add = (pattern: unknown, url_template: unknown, by: Person = admin) =>
    by.api.call('POST /realm/filters', { pattern, url_template });
  const change = (filter_id: number, pattern: unknown, url_template: unknown, by: Person = admin) =>
    by.api.call('PATCH /realm/filters/{filter_id}', { filter_id, pattern, url_template });
  const remove = (filter_id: number, by: Person = admin) =>
    by.api.call('DELETE /realm/filters/{filter_id}', { filter_id });
  const list = async (by: Person = guest) => (await by.api.ok('GET /realm/linkifiers')).linkifiers as Fields[];
  const capable = { client_capabilities: { linkifier_url_template: true } };
  const said = async (content: string, topic = 'plain') => {
    const { id } = await member.api.ok('POST /messages', { type: 'stream', to: 'work', topic, content });
    const { message } = await member.api.ok('GET /messages/{message_id}', { message_id: id });
    return message as ApiMessage;
  };

  await t.test('a linkifier is listed, published to clients that know templates, and makes links', async (t) => {
    const [queue, old] = [await Queue.register(guest, { ...capable }), await Queue.register(guest)];
    const { id } = await admin.api.ok<{ id: number }>('POST /realm/filters', {
      pattern: '  #(?P<id>[0-9]{2,8}) ',
      url_template: ' https://tracker.example.com/{id} ',
    });
    ids.push(id);
    const one = { id, pattern: '#(?P<id>[0-9]{2,8})', url_template: 'https://tracker.example.com/{id}' };
    t.same(await list(), [one]);
    t.same(
      (await queue.take(1)).map(({ type, realm_linkifiers }) => [type, realm_linkifiers]),
      [['realm_linkifiers', [one]]],
    );
    t.same(
      (await settled(old)).map(({ type }) => type),
      [],
      'not to others',
    );
    const state = (params: Params) =>
      guest.api.ok('POST /register', { event_types: ['realm_linkifiers', 'realm_filters'], ...params });
    t.same((await state(capable)).realm_linkifiers, [one]);
    t.same([(await state({})).realm_linkifiers, (await state({})).realm_filters], [[], []]);
    const message = await said('see #123', 'about #456');
    t.equal(message.content, '<p>see <a href="https://tracker.example.com/123">#123</a></p>');
    t.same(message.topic_links, [{ text: '#456', url: 'https://tracker.example.com/456' }]);
  });

  await t.test(
    'a linkifier is changed and removed; messages keep their rendering, and ids are not reused',
    async (t) => {
      const before = await said('see #99');
      t.same((await change(ids[0]!, 'T-(?P<n>[0-9]+)', 'https://t.example.com/{?n}')).body, {
        result: 'success',
        msg: '',
      });
      t.equal(
        (await said('see #99 and T-7')).content,
        '<p>see #99 and <a href="https://t.example.com/?n=7">T-7</a></p>',
      );
      const { message } = await member.api.ok('GET /messages/{message_id}', { message_id: before.id });
      t.equal((message as ApiMessage).content, before.content);
      t.equal(
        (await change(ids[0]!, 'T-(?P<n>[0-9]+)', 'https://t.example.com/{n}')).status,
        200,
        'with its own pattern',
      );
      t.equal((await remove(ids[0]!)).status, 200);
      t.same(await list(), []);
      t.equal((await said('T-7')).content, '<p>T-7</p>');
      const second = (await add('nova', 'https://x/')).body.id as number;
      t.ok(second > ids[0]!);
      ids.push(second, (await add('[(]?super(?P<v>x)', 'x/{+v}')).body.id as number);
      t.same(
        (await list()).map(({ id }) => id),
        ids.slice(1),
        'by id',
      );
    },
  );

  await t.test('wrong patterns and templates are refused', async (t) => {
    const cases: [pattern: string, template: string, Refusal][] = [
      ['', 'https://x/', wrong('pattern', BLANK)],
      ['   ', 'https://x/', wrong('pattern', BLANK)],
      ['x', '', wrong('url_template', BLANK)],
      ['(foo', 'https://x/{id}', wrong('__all__', 'Bad regular expression: missing closing ): (foo')],
      ['foo(?P<id>x)', 'https://x/{id', wrong('url_template', 'Invalid URL template.')],
      ['foo(?P<id>x)', 'https://x/{i d}', wrong('url_template', 'Invalid URL template.')],
      ['foo(?P<id>x)', 'https://x/}', wrong('url_template', 'Invalid URL template.')],
      [
        'foo(?P<id>x)',
        'https://x/{z}{other}',
        wrong('__all__', "Group 'other' in URL template is not present in linkifier pattern."),
      ],
      [
        'foo(?P<id>x)(?P<b>y)(?P<c>z)',
        'https://x/{id}',
        wrong('__all__', "Group 'b' in linkifier pattern is not present in URL template."),
      ],
      ['nova', 'https://y/', wrong('__all__', 'Realm filter with this Realm and Pattern already exists.')],
    ];
    for (const [pattern, template, refusal] of cases) {
      await refused(t, add(pattern, template), refusal, `${pattern} ${template}`);
      if (pattern !== 'nova')
        await refused(t, change(ids[2]!, pattern, template), refusal, `change: ${pattern} ${template}`);
    }
    await refused(t, change(ids[2]!, 'nova', 'https://y/'), cases.at(-1)![2]);
    const both: Fields = { pattern: [BLANK], url_template: [BLANK] };
    await refused(t, add('', ''), { ...bad(BLANK), extra: { errors: both } }, 'both');
    for (const pattern of ['(?<!a)m', '(?=a)b', '(a)\\1', `(${'(a{99}){99}'}){9}`]) {
      const { status, body } = await add(pattern, 'https://x/');
      t.same([status, body.code], [400, 'BAD_REQUEST'], pattern);
      t.match(body.msg, /^Bad regular expression: /, pattern);
    }
    await refused(t, add(undefined, 'https://x/'), missing('pattern'));
    await refused(t, add('x', undefined), missing('url_template'));
    await refused(t, change(ids[1]!, 'x', undefined), missing('url_template'));
    for (const id of [987_654, 0, ids[0]!]) {
      await refused(t, change(id, '(', 'x'), bad('Linkifier not found.'), `${id}`);
      await refused(t, remove(id), bad('Linkifier not found.'), `${id}`);
    }
    t.same(
      (await list()).map(({ id }) => id),
      ids.slice(1),
    );
  });

  await t.test('linkifiers are managed by administrators of the same organization only', async (t) => {
    for (const person of org.people.filter(({ role }) => role !== 'owner' && role !== 'admin')) {
      await refused(t, add('(', '', person), NOT_ADMIN, person.role);
      await refused(t, change(ids[1]!, '(', '', person), NOT_ADMIN, person.role);
      await refused(t, remove(ids[1]!, person), NOT_ADMIN, person.role);
      t.equal((await list(person)).length, 2, person.role);
    }
    t.same(await list(elsewhere.owner), []);
    await refused(t, remove(ids[1]!, elsewhere.owner), bad('Linkifier not found.'));
    t.equal((await add('owned', 'https://x/', owner)).status, 200);
  });

  await t.test('playgrounds are added, listed, published and removed', async (t) => {
    const play = (params: Params, by: Person = admin) => by.api.call('POST /realm/playgrounds', params);
    const gone = (playground_id: number, by: Person = admin) =>
      by.api.call('DELETE /realm/playgrounds/{playground_id}', { playground_id });
    const state = async () => {
      const { realm_playgrounds } = await guest.api.ok('POST /register', { fetch_event_types: ['realm_playgrounds'] });
      return realm_playgrounds as Fields[];
    };
    const queue = await Queue.register(guest, { event_types: ['realm_playgrounds'] });
    const python = { name: ' Py ', highlighter_language: ' Python ', url_prefix: ' https://py.example.com/?c= ' };
    const { id } = (await play(python)).body as { id: number };
    const shown = {
      id,
      name: 'Py',
      highlighter_language: 'Python',
      pygments_language: 'Python',
      url_prefix: 'https://py.example.com/?c=',
    };
    t.same(await state(), [shown]);
    const { highlighter_language: language, ...rest } = python;
    const taken = 'Realm playground with this Realm, Pygments language and Name already exists.';
    await refused(t, play({ ...rest, pygments_language: language }), wrong('__all__', taken));
    const second = (await play({ ...rest, name: 'Py 2', pygments_language: 'Python' })).body.id as number;
    t.same(
      (await state()).map((of) => of.id),
      [id, second],
    );
    await refused(t, play({}), missing('url_prefix'));
    await refused(t, play({ url_prefix: 'https://a.bc' }), missing('highlighter_language'));
    await refused(t, play({ url_prefix: 'https://a.bc', highlighter_language: 'x' }), missing('name'));
    await refused(t, play({ ...python, url_prefix: 'nope' }), bad('url_prefix is not a URL'));
    // The check of the address comes first: its host must end in a top-level domain (recorded: n 1404, 1407).
    for (const of of [{ highlighter_language: 'a$b' }, { name: '' }]) {
      await refused(t, play({ ...python, url_prefix: 'https://a.b', ...of }), bad('url_prefix is not a URL'));
    }
    const long = bad('pygments_language is too long (limit: 40 characters)');
    await refused(t, play({ ...python, highlighter_language: 'x'.repeat(41) }), long);
    await refused(t, play({ ...python, highlighter_language: 'a$b' }), bad('Invalid characters in pygments language'));
    await refused(t, play({ ...python, name: ' ' }), wrong('name', BLANK));
    await refused(t, play({ ...python, highlighter_language: '' }), wrong('pygments_language', BLANK));
    await refused(t, play({ ...python, pygments_language: 'x' }), {
      code: 'REQUEST_CONFUSING_VAR',
      msg: "Can't decide between 'highlighter_language' and 'pygments_language' arguments",
      extra: { var_name1: 'highlighter_language', var_name2: 'pygments_language' },
    });
    for (const person of org.people.filter(({ role }) => role !== 'owner' && role !== 'admin')) {
      await refused(t, play({}, person), NOT_ADMIN, person.role);
      await refused(t, gone(id, person), NOT_ADMIN, person.role);
    }
    await refused(t, gone(987_654), bad('Invalid playground'));
    await refused(t, gone(id, elsewhere.owner), bad('Invalid playground'));
    t.equal((await gone(id, owner)).status, 200);
    await refused(t, gone(id), bad('Invalid playground'));
    const told = (events: readonly ApiEvent[]) =>
      events.map(({ realm_playgrounds }) => (realm_playgrounds as Fields[]).map((of) => of.id));
    t.same(told(await queue.take(3)), [[id], [id, second], [second]]);
    await verifyAction(t, 'a playground', [owner, guest], () => play({ ...python, name: 'Py 3' }));
    await verifyAction(t, 'no playground', [owner, guest], () => gone(second));
    await verifyAction(t, 'a linkifier', [owner, guest], () => add('a(?P<x>.)', 'https://x/{x}'));
    await verifyAction(t, 'another linkifier', [owner, guest], () => change(ids[2]!, 'b(?P<x>.)', 'https://x/{x}'));
    await verifyAction(t, 'fewer linkifiers', [owner, guest], () => remove(ids[2]!));
  });
};
