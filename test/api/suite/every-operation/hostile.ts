/**
 * Input that no client should send, for every operation and each of its parameters: every call is answered, never with
 * an internal error, and a refused call changes nothing.
 */
import type { Test } from 'tap';
import { API_LEVELS, type ApiLevel, BASE_API_LEVEL, translatorOfLevel } from '#domain/levels';
import {
  API_OPERATIONS,
  type ApiOperation,
  apiOperationsOfLevel,
  hasParametersOfHigherLevels,
  knownParametersOfLevel,
  type ParameterDeclaration,
} from '#frontend/api';
import { picked } from '../../../support/rounds.js';
import { anyValueOf } from '../../support/any-value.js';
import type { TestServer } from '../../support/faces.js';
import { type HostileValue, hostileValues } from '../../support/hostile-values.js';
import { atLevel, NEWEST_API_LEVEL } from '../../support/levels.js';
import { makeOrganization, type Organization, say, streamIdOf, subscribe } from '../../support/organization.js';
import { Queue, settled } from '../../support/queue.js';
import type { Answer, Fields } from '../../support/types.js';
import type { Facts } from '../facts.js';

/** Usual values with which operations succeed, by the name of the parameter. */
async function usualValues(org: Organization): Promise<Fields> {
  const { owner, member, other } = org;
  await subscribe(owner, 'square', { principals: [owner, member, other] });
  const message = await say(owner, 'square', 'usual', '/poll What?');
  const { ids } = await owner.api.ok<{ ids: number[] }>('POST /drafts', {
    drafts: [{ type: '', to: [], topic: '', content: 'draft' }],
  });
  const snippet = { title: 'usual', content: 'usual' };
  const { saved_snippet_id } = await atLevel(owner).api.ok('POST /saved_snippets', snippet);
  const profileField = await owner.api.ok('POST /realm/profile_fields', { name: 'usual', field_type: 1 });
  return {
    field_id: profileField.id,
    data: [{ id: profileField.id, value: 'usual' }],
    order: [profileField.id],
    message_id: message,
    stream_id: await streamIdOf(owner, 'square'),
    user_id: member.id,
    email: member.email,
    draft_id: ids[0],
    saved_snippet_id,
    title: 'usual',
    queue_id: (await Queue.register(owner, { fetch_event_types: [] })).id,
    dont_block: true,
    type: 'stream',
    to: 'square',
    topic: 'usual',
    topic_name: 'usual',
    stream: 'square',
    content: '{"type":"vote","key":"1,1","vote":1}',
    msg_type: 'widget',
    emoji_name: 'smile',
    messages: [message],
    flag: 'starred',
    op: 'add',
    anchor: 'newest',
    num_before: 5,
    num_after: 5,
    narrow: [['stream', 'square']],
    subscriptions: [{ name: 'another' }],
    principals: [member.id],
    drafts: [{ type: '', to: [], topic: '', content: 'more' }],
    draft: { type: '', to: [], topic: '', content: 'other' },
    alert_words: ['word'],
    muted_user_id: other.id,
    scheduled_delivery_timestamp: 4_000_000_000,
    stream_ids: [],
    members: [member.id],
    new_name: 'new',
  };
}

const isSmall = ({ schema }: ParameterDeclaration): boolean =>
  ['integer', 'number', 'boolean'].includes((schema as { type?: string }).type ?? '');

const asText = (value: unknown): string =>
  encodeURIComponent(typeof value === 'string' ? value : JSON.stringify(value));

interface Attempt {
  readonly title: string;
  readonly send: () => Promise<Answer>;
}

/** One request for each hostile value of each parameter; the others have usual values. */
function attempts({ api }: Organization['owner'], usual: Fields, operation: ApiOperation): Attempt[] {
  const { method, path, parameters } = operation;
  const usually = (name: string, of: ParameterDeclaration): unknown => usual[name] ?? of.default ?? anyValueOf(of);
  const request = (parameter: string, hostile: HostileValue): Attempt => {
    const encoded = (name: string, of: ParameterDeclaration): string =>
      name === parameter ? hostile.encoded : asText(usually(name, of));
    const sent = Object.entries(parameters).filter(
      ([name, of]) => of.in !== 'path' && (of.required || name in usual || name === parameter),
    );
    const send = (): Promise<Answer> => {
      const form = sent.map(([name, of]) => `${name}=${encoded(name, of)}`).join('&');
      const target = path.replace(/\{(\w+)\}/g, (_, name: string) => encoded(name, parameters[name]!));
      const inQuery = method === 'GET' && form !== '' ? `?${form}` : '';
      return api.raw({
        method,
        path: `/api/v1${target}${inQuery}`,
        ...(method === 'GET' ? {} : { headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: form }),
      });
    };
    return { title: `${parameter} is ${hostile.title}`, send };
  };
  /** Parameter forms already tried with large values: the same lines would refuse a second number or boolean. */
  const tried = new Set<string>();
  return Object.entries(parameters).flatMap(([name, of]) => {
    const form = JSON.stringify(of.schema);
    const large = !isSmall(of) || !tried.has(form);
    tried.add(form);
    return hostileValues(name, of, method, usually(name, of), large).map((value) => request(name, value));
  });
}

/** Bodies that are refused on arrival, before any parameter is read. */
function forms({ api }: Organization['owner'], usual: Fields, { method, path, parameters }: ApiOperation): Attempt[] {
  if (method === 'GET') return [];
  const target = path.replace(/\{(\w+)\}/g, (_, name: string) => asText(usual[name] ?? anyValueOf(parameters[name]!)));
  const send = (title: string, type: string, body: string): Attempt => ({
    title,
    send: () => api.raw({ method, path: `/api/v1${target}`, headers: { 'content-type': type }, body }),
  });
  return [
    send('50,000 boundaries', 'multipart/form-data; boundary=x', '--x\r\n'.repeat(50_000)),
    send('1,001 fields', 'application/x-www-form-urlencoded', 'a&'.repeat(1_001)),
  ];
}

/** The state as the callers see it, without the fields that differ between any two looks. */
async function stateOf({ owner, member }: Organization): Promise<unknown> {
  const looks = [owner, member].map(async ({ api }) => {
    const { queue_id, last_event_id: _, server_timestamp: __, ...state } = await api.ok('POST /register');
    const { status, body } = await api.call('DELETE /events', { queue_id });
    // A repeat after a lost answer between frontend and actor finds its work done.
    if (status !== 200 && body.code !== 'BAD_EVENT_QUEUE_ID') throw new Error(`${status} ${JSON.stringify(body)}`);
    return [state, await api.ok('GET /messages', { anchor: 'newest', num_before: 1000, num_after: 0 })];
  });
  return Promise.all(looks);
}

const AT_ONCE = 8;

/** Sends the attempts in groups, so that they meet in the actors. @returns the refused ones */
async function answered(t: Test, tries: readonly Attempt[]): Promise<Attempt[]> {
  const refused: Attempt[] = [];
  for (let i = 0; i < tries.length; i += AT_ONCE) {
    const group = tries.slice(i, i + AT_ONCE);
    const answers = await Promise.all(group.map(({ send }) => send()));
    answers.forEach(({ status, body }, n) => {
      const { title } = group[n]!;
      // An address that names no file is answered with a page.
      // A redirect has no body at all.
      const isPage = (status === 404 || status === 302) && Object.keys(body).length === 0;
      const isAnswer = isPage || (typeof body.msg === 'string' && (status === 200) === (body.result !== 'error'));
      if (status >= 500 || !isAnswer) t.fail(`${title}: ${status} ${JSON.stringify(body).slice(0, 300)}`);
      if (status >= 400) refused.push(group[n]!);
    });
  }
  return refused;
}

/** Some refused attempts may succeed later, because other attempts succeeded in between: these are left out. */
async function refusedAlways(t: Test, tries: readonly Attempt[], org: Organization): Promise<void> {
  let candidates = tries;
  for (let round = 0; round < 4; round++) {
    const queue = await Queue.register(org.owner, { include_subscribers: true });
    // Events of successful attempts may still be on their way.
    await settled(queue);
    const before = await stateOf(org);
    const refused = await answered(t, candidates);
    if (refused.length < candidates.length) {
      candidates = refused;
      continue;
    }
    t.same(await stateOf(org), before, `${refused.length} refusals changed nothing`);
    t.same(await settled(queue), [], 'and told nothing');
    return;
  }
  t.fail('the same requests are refused and taken in turn');
}

/** Operations that keep the entries before the refused one (streams.md). */
const APPLIED_IN_ORDER = new Set(['PATCH /streams/{stream_id}', 'POST /users/me/subscriptions/properties']);

/** Attempts per operation in a short run; each face picks its own. */
const MIN_PICKED = 8;
const PICKED_SHARE = 1 / 20;

/**
 * A short run tries a fifth of the operations, and one in fifteen on the cluster: the frontend, which is the same
 * there, refuses most values.
 */
const SHARES = { embedded: 5, cluster: 15 } as const;

async function attack(
  t: Test,
  server: TestServer,
  operation: ApiOperation,
  level: ApiLevel = BASE_API_LEVEL,
): Promise<void> {
  const org = await makeOrganization(server, ['member', 'other']);
  // A deactivated user can't look at the state afterwards, so the operation gets another user.
  const leaves = operation.id === 'deactivate-user' ? { user_id: org.other.id } : {};
  const usual = { ...(await usualValues(org)), ...leaves };
  const attacker = level === BASE_API_LEVEL ? org.owner : atLevel(org.owner, level);
  const parameters = knownParametersOfLevel(operation.parameters, level);
  const all = attempts(attacker, usual, { ...operation, parameters });
  const count = Math.max(MIN_PICKED, Math.ceil(all.length * PICKED_SHARE));
  const some = picked(all, count, ({ title }) => `${server.kind} ${operation.id} ${title}`);
  const tries = [...some, ...forms(attacker, usual, operation)];
  // The seed may pick none of the refused values; then all values are tried.
  const first = await answered(t, tries);
  const refused = first.length > 0 ? first : await answered(t, all);
  t.ok(refused.length > 0, `${refused.length} of ${tries.length} were refused`);
  if (!APPLIED_IN_ORDER.has(`${operation.method} ${operation.path}`))
    await refusedAlways(t, refused, { ...org, owner: attacker });
}

export const hostile: Facts = async (t, server) => {
  const all = API_OPERATIONS.filter(({ parameters }) => Object.keys(parameters).length > 0);
  for (const operation of picked(all, all.length / SHARES[server.kind], ({ id }) => `${server.kind} ${id}`)) {
    await t.test(`${operation.method} ${operation.path}`, (t) => attack(t, server, operation));
  }
};

/** Operations that have another form at a newer level than at the base level, or none there. */
const hasNewerForm = ({ id, parameters, since }: ApiOperation): boolean =>
  since !== undefined ||
  hasParametersOfHigherLevels(parameters) ||
  API_LEVELS.some(({ level }) => {
    const translator = translatorOfLevel(level);
    return translator?.changesRequestsOf(id) || translator?.changesAnswersOf(id);
  });

/** The same at the newest API level, for operations that differ there. */
export const hostileAtNewestLevel: Facts = async (t, server) => {
  const operations = apiOperationsOfLevel(NEWEST_API_LEVEL);
  const all = operations.filter((of) => Object.keys(of.parameters).length > 0 && hasNewerForm(of));
  t.ok(all.length > 10, `${all.length} operations have newer forms`);
  for (const operation of picked(all, all.length / SHARES[server.kind], ({ id }) => `newest ${server.kind} ${id}`)) {
    await t.test(`${operation.method} ${operation.path}`, (t) => attack(t, server, operation, NEWEST_API_LEVEL));
  }
};
