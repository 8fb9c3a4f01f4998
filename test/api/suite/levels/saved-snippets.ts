/** Saved snippets, which newer levels alone have (docs/api/messages.md § Saved snippets). */
import { refused } from '../../harness.js';
import { bad, missing, type Params, type Refusal } from '../../support/client.js';
import { atLevel } from '../../support/levels.js';
import { makeBot, makeOrganization, type Person, subscribe } from '../../support/organization.js';
import { Queue, settled } from '../../support/queue.js';
import type { Fields } from '../../support/types.js';
import { Follower } from '../../support/verify-action.js';
import type { Facts } from '../facts.js';

interface Snippet extends Fields {
  readonly id: number;
  readonly title: string;
  readonly content: string;
  readonly date_created: number;
}

const ONE = '/{saved_snippet_id}';
const NO_SUCH: Refusal = { status: 404, code: 'BAD_REQUEST', msg: 'Saved snippet does not exist.' };

const listOf = async (by: Person): Promise<Snippet[]> =>
  (await by.api.ok<{ saved_snippets: Snippet[] }>('GET /saved_snippets')).saved_snippets;
const make = async (by: Person, params: Params = {}): Promise<number> => {
  const given = { title: 'Greeting', content: '**Welcome** here.', ...params };
  return (await by.api.ok<{ saved_snippet_id: number }>('POST /saved_snippets', given)).saved_snippet_id;
};

export const savedSnippets: Facts = async (t, server) => {
  const org = await makeOrganization(server);
  const elsewhere = await makeOrganization(server, ['member']);
  const member = atLevel(org.member);
  const other = atLevel(org.other);

  await t.test('a user makes, lists, edits and deletes snippets', async (t) => {
    const begun = Math.floor((await member.api.ok<{ server_timestamp: number }>('POST /register')).server_timestamp);
    const [first, second] = [await make(member), await make(member, { title: ' Ж☕ ', content: '\n  two\nlines \n' })];
    const list = await listOf(member);
    t.same(
      list.map(({ date_created: _, ...rest }) => rest),
      [
        { id: first, title: 'Greeting', content: '**Welcome** here.' },
        { id: second, title: 'Ж☕', content: 'two\nlines' },
      ],
      'oldest first, without blanks around',
    );
    for (const { date_created } of list) t.ok(date_created >= begun && date_created < begun + 3600, `${date_created}`);
    const edit = (params: Params) =>
      member.api.ok(`PATCH /saved_snippets${ONE}`, { saved_snippet_id: first, ...params });
    await edit({ title: 'Farewell' });
    await edit({ content: 'Bye.' });
    await edit({});
    t.same(await listOf(member), [{ ...list[0], title: 'Farewell', content: 'Bye.' }, list[1]]);
    await member.api.ok(`DELETE /saved_snippets${ONE}`, { saved_snippet_id: second });
    t.same(
      (await listOf(member)).map(({ id }) => id),
      [first],
    );
    const third = await make(member);
    t.ok(third > second, 'ids are not used again');
    for (const saved_snippet_id of [first, third])
      await member.api.ok(`DELETE /saved_snippets${ONE}`, { saved_snippet_id });
    t.same(await listOf(member), []);
  });

  await t.test('texts have the bounds of titles and messages', async (t) => {
    const id = await make(member, { title: '☕'.repeat(60), content: '☕'.repeat(10_000) });
    const before = await listOf(member);
    const queue = await Queue.register(member);
    const attempts: [Params, Refusal][] = [
      [{ title: '☕'.repeat(61) }, bad('title is too long (limit: 60 characters)')],
      [{ content: 'x'.repeat(10_001) }, bad('content is too long (limit: 10000 characters)')],
      [{ title: ' \n ' }, bad('title cannot be blank.')],
      [{ content: '' }, bad('content cannot be blank.')],
      [{ title: 'a\0b' }, bad('Invalid title')],
      [{ content: 'a\0b' }, bad('Invalid content')],
    ];
    for (const [params, refusal] of attempts) {
      const whole = { title: 'x', content: 'x', ...params };
      await refused(t, member.api.call('POST /saved_snippets', whole), refusal);
      const edited = { saved_snippet_id: id, ...whole };
      await refused(t, member.api.call(`PATCH /saved_snippets${ONE}`, edited), refusal, `edit: ${refusal.msg}`);
    }
    await refused(t, member.api.call('POST /saved_snippets', { content: 'x' }), missing('title'));
    await refused(t, member.api.call('POST /saved_snippets', { title: 'x' }), missing('content'));
    t.same(await listOf(member), before, 'refusals change nothing');
    t.same(await settled(queue), [], 'and tell nothing');
    await member.api.ok(`DELETE /saved_snippets${ONE}`, { saved_snippet_id: id });
  });

  await t.test('snippets are seen by their owner alone', async (t) => {
    const id = await make(member);
    const bot = atLevel(await makeBot(org.member));
    const queues = await Promise.all([other, atLevel(org.owner)].map((by) => Queue.register(by)));
    for (const by of [other, atLevel(org.owner), atLevel(elsewhere.member), bot]) {
      const edit = { saved_snippet_id: id, title: 'x' };
      await refused(t, by.api.call(`PATCH /saved_snippets${ONE}`, edit), NO_SUCH, `edited by ${by.role}`);
      const remove = by.api.call(`DELETE /saved_snippets${ONE}`, { saved_snippet_id: id });
      await refused(t, remove, NO_SUCH, `deleted by ${by.role}`);
      t.same(await listOf(by), [], `listed by ${by.role}`);
    }
    await member.api.ok(`PATCH /saved_snippets${ONE}`, { saved_snippet_id: id, title: 'mine' });
    await member.api.ok(`DELETE /saved_snippets${ONE}`, { saved_snippet_id: id });
    for (const queue of queues) t.same(await settled(queue), [], 'no events for others');
    await refused(t, member.api.call(`DELETE /saved_snippets${ONE}`, { saved_snippet_id: id }), NO_SUCH, 'twice');
    await refused(t, member.api.call(`PATCH /saved_snippets${ONE}`, { saved_snippet_id: id }), NO_SUCH, 'deleted');
  });

  await t.test('every role has snippets, and bots have them', async (t) => {
    for (const person of [...org.people, await makeBot(org.member)]) {
      const by = atLevel(person);
      const id = await make(by, { title: by.role });
      t.match(await listOf(by), [{ id, title: by.role }], by.role);
      await by.api.ok(`PATCH /saved_snippets${ONE}`, { saved_snippet_id: id, content: 'edited' });
      await by.api.ok(`DELETE /saved_snippets${ONE}`, { saved_snippet_id: id });
    }
  });

  await t.test('clients follow snippets by events', async (t) => {
    await make(member, { title: 'before' });
    const follower = await Follower.start(member, 'mobile client of today');
    const queue = await Queue.register(member, { event_types: ['saved_snippets'] });
    t.match(queue.state.saved_snippets, [{ title: 'before' }]);
    t.same((queue.state.saved_snippets as Snippet[]).length, 1);
    const id = await make(member);
    await follower.verify(t, 'a new snippet');
    await member.api.ok(`PATCH /saved_snippets${ONE}`, { saved_snippet_id: id, content: 'changed' });
    await follower.verify(t, 'an edited snippet');
    await member.api.ok(`PATCH /saved_snippets${ONE}`, { saved_snippet_id: id, content: 'changed' });
    await member.api.ok(`DELETE /saved_snippets${ONE}`, { saved_snippet_id: id });
    await follower.verify(t, 'a deleted snippet');
    const [added, edited, removed] = await queue.take(3);
    t.match(added, { op: 'add', saved_snippet: { id, title: 'Greeting', content: '**Welcome** here.' } });
    t.match(edited, { op: 'update', saved_snippet: { id, title: 'Greeting', content: 'changed' } });
    t.match(removed, { op: 'remove', saved_snippet_id: id }, 'an edit that changes nothing has no event');
  });

  await t.test('clients of lower levels do not know them', async (t) => {
    const id = await make(member);
    const header = (level: string) => ({ 'x-conclave-api-level': level });
    const requests = [
      ['GET', ''],
      ['HEAD', ''],
      ['POST', '', 'title=x&content=x'],
      ['PATCH', `/${id}`, 'title=x'],
      ['DELETE', `/${id}`],
      ['PUT', ''],
      ['OPTIONS', ''],
    ] as const;
    for (const level of ['184', '277', 'nonsense']) {
      for (const [method, rest, body] of requests) {
        const answerOf = async (path: string) => {
          const headers = { ...header(level), 'content-type': 'application/x-www-form-urlencoded' };
          const answer = await org.member.api.raw({ method, path, headers, ...(body === undefined ? {} : { body }) });
          const { 'x-request-id': _, date: __, ...others } = answer.headers;
          return [answer.status, answer.text, others];
        };
        const known = await answerOf(`/api/v1/saved_snippets${rest}`);
        t.same(known, await answerOf(`/api/v1/no_such_path${rest}`), `${method} at ${level}: as any unknown path`);
        t.equal(known[0], 404);
      }
    }
    // Answers at the levels in between have no schema.
    const get = (level: number, path: string) => atLevel(org.member, level).api.raw({ method: 'GET', path });
    const registered = (level: number, params: Fields) =>
      atLevel(org.member, level).api.raw({
        method: 'POST',
        path: '/api/v1/register',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams(
          Object.entries(params).map(([name, value]) => [name, JSON.stringify(value)]),
        ).toString(),
      });
    const states: Fields[] = [];
    const all = [184, 277].flatMap((level) =>
      [{}, { fetch_event_types: ['saved_snippets', 'drafts'] }, { event_types: ['message', 'saved_snippets'] }].map(
        async (params) => {
          const { body } = await registered(level, params);
          states.push(body);
          return `/api/v1/events?queue_id=${body.queue_id}&last_event_id=${body.last_event_id}&dont_block=true`;
        },
      ),
    );
    const polls = await Promise.all(all);
    t.equal(states.filter((state) => 'drafts' in state).length, 4);
    t.equal(states.filter((state) => 'saved_snippets' in state).length, 0);
    const last = await Queue.register(org.member);
    await member.api.ok(`PATCH /saved_snippets${ONE}`, { saved_snippet_id: id, title: 'seen at 371 alone' });
    await member.api.ok(`DELETE /saved_snippets${ONE}`, { saved_snippet_id: id });
    t.same(await settled(last), []);
    for (const [i, path] of polls.entries()) {
      const { body } = await get(i < 3 ? 184 : 277, path);
      t.same(
        (body.events as Fields[]).map(({ type }) => type),
        ['message'],
        'only the message by which the test knows that no more events come',
      );
    }
  });

  await t.test('visitors have no snippets, and no list of them in the state', async (t) => {
    await org.owner.api.ok('PATCH /realm', { enable_spectator_access: true });
    await subscribe(org.owner, 'open to the web', { is_web_public: true });
    const visitor = atLevel({ ...org.member, api: org.nobody });
    const path = '/api/v1/register';
    const { status, body } = await visitor.api.raw({ method: 'POST', path });
    t.same([status, body.queue_id, (body.saved_snippets as unknown[] | undefined)?.length ?? 0], [200, null, 0]);
    t.equal((await visitor.api.call('GET /saved_snippets')).status, 401);
    await org.owner.api.ok('PATCH /realm', { enable_spectator_access: false });
  });

  await t.test('methods that the path does not have are refused as elsewhere', async (t) => {
    const { status, body } = await member.api.raw({ method: 'PUT', path: '/api/v1/saved_snippets' });
    t.same([status, body.allowed_methods, body.code], [405, ['GET', 'POST'], 'BAD_REQUEST']);
    const posted = { method: 'PATCH', title: 'by POST', saved_snippet_id: await make(member) };
    await member.api.ok(`POST /saved_snippets${ONE}`, posted);
    t.same((await listOf(member)).at(-1)?.title, 'by POST');
    const tail = `/api/v1/saved_snippets/${posted.saved_snippet_id}x`;
    t.equal((await member.api.raw({ method: 'DELETE', path: tail })).status, 404);
  });
};
