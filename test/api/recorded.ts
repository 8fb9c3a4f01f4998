/**
 * Compares refusals with those that the peer gave to the same requests, and prints where status, code or message differ.
 * No test: `node dist/test/api/recorded.js FOLDER` (default: ../shared/api/recorded of the repository), on the embedded
 * face. Differences that the contract decides against the peer show up, too, and are for a person to judge.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createUser, findRealm, userApiKey } from '../../src/admin/index.js';
import { basic, exchange, repositoryRoot, startEmbedded, type TestServer, wire } from './harness.js';

interface Entry {
  readonly n: number;
  readonly op: string | null;
  readonly role: string | null;
  readonly method: string;
  readonly path: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly request_headers?: Readonly<Record<string, string>>;
  readonly raw_body?: string;
  readonly files?: unknown;
  readonly label: string;
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

const OPERATIONS = [
  'POST /register',
  'GET /events',
  'DELETE /events',
  'POST /messages',
  'GET /messages',
  'GET /messages/{message_id}',
  'POST /users',
  'GET /users',
  'GET /users/me',
  'POST /users/me/subscriptions',
  'GET /users/me/subscriptions',
  'GET /streams',
  'POST /fetch_api_key',
].map((name) => wire.operations[name]!.operationId);

/** Recorded role → id and role number; ids as in the recording, so that parameters can be sent as they are. */
const PEOPLE: Readonly<Record<string, readonly [number, number]>> = {
  member4: [24, 400],
  member5: [25, 400],
  member2: [26, 400],
  owner: [27, 100],
  member: [28, 400],
  admin: [29, 200],
  member3: [30, 400],
  guest: [31, 600],
  member6: [32, 400],
  moderator: [33, 300],
};
const PASSWORD = '8r8gyiDEKaqpcX7-abc';
/** By id, from 7 on. */
const STREAMS = ['Verona', 'core team', 'Denmark', 'Rome', 'Scotland', 'Venice', 'announce'];

async function organization(server: TestServer): Promise<Map<string, string>> {
  const { actors, secrets } = server;
  // The one of the first start; its owner has the first id.
  const realm = await findRealm(actors, undefined);
  const first = 'owner@localhost';
  const ownerKey = await userApiKey(actors, secrets, realm, first);
  const byId = new Map(Object.entries(PEOPLE).map(([role, [id, number]]) => [id, { role, number }]));
  const credentials = new Map<string, string>();
  for (let id = 9; id <= 33; id++) {
    const email = `user${id}@zulipdev.com`;
    const person = byId.get(id);
    const made = await createUser(actors, realm, {
      email,
      name: `User ${id}`,
      password: PASSWORD,
      role: person?.number ?? 400,
    });
    if (made !== id) throw new Error(`user ${id} got the id ${made}`);
    if (person) credentials.set(person.role, basic(email, await userApiKey(actors, secrets, realm, email)));
  }
  const subscribe = async (name: string, params: Record<string, unknown>): Promise<void> => {
    const form = { subscriptions: [{ name }], ...params };
    const answer = await send(server, 'POST', '/api/v1/users/me/subscriptions', form, {
      authorization: basic(first, ownerKey),
    });
    if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
  };
  for (let id = 1; id < 7; id++) await subscribe(`filler ${id}`, { invite_only: true });
  for (const name of STREAMS) {
    const secret = name === 'core team';
    await subscribe(name, {
      principals: secret ? [27, 29] : [24, 25, 26, 27, 28, 29, 30, 32, 33],
      ...(secret ? { invite_only: true } : {}),
      ...(name === 'announce' ? { stream_post_policy: 2 } : {}),
    });
  }
  return credentials;
}

/** With blanks after commas and colons, as the recording client wrote it: refusals quote the text. */
function jsonText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(jsonText).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([name, item]) => `${JSON.stringify(name)}: ${jsonText(item)}`)
    .join(', ')}}`;
}

function send(
  server: TestServer,
  method: string,
  path: string,
  params: Readonly<Record<string, unknown>>,
  headers: Readonly<Record<string, string>>,
) {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(params))
    form.append(name, typeof value === 'string' ? value : jsonText(value));
  const text = form.toString();
  const type = { 'content-type': 'application/x-www-form-urlencoded' };
  if (method === 'GET') {
    // Where the peer refuses a poll without queue_id, the seed has it wait.
    const signal = AbortSignal.timeout(3_000);
    return exchange(server.nextPort(), { method, path: text ? `${path}?${text}` : path, headers, signal });
  }
  return exchange(server.nextPort(), { method, path, body: text, headers: { ...type, ...headers } });
}

const folder = process.argv[2] ?? join(repositoryRoot(), '../shared/api/recorded');
const entries = readdirSync(folder)
  .filter((name) => name.endsWith('.json') && !name.startsWith('2'))
  .flatMap((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as Entry[])
  .filter((entry) => entry.status >= 400 && OPERATIONS.includes(entry.op ?? '') && !entry.raw_body && !entry.files);

const server = await startEmbedded();
const shape = (status: number, body: Entry['body']): string => `${status} ${body.code} ${body.msg}`;
let agree = 0;
let tried = 0;
try {
  const credentials = await organization(server);
  for (const { n, label, role, method, path, params, request_headers, status, body } of entries) {
    const authorization = role === null ? undefined : credentials.get(role);
    if (role !== null && authorization === undefined) continue;
    tried++;
    const headers = { ...(authorization ? { authorization } : {}), ...request_headers };
    const answer = await send(server, method, path, params, headers).catch(() => ({
      status: 0,
      body: { msg: 'held' },
    }));
    const [expected, got] = [shape(status, body).replaceAll('Zulip', 'Conclave'), shape(answer.status, answer.body)];
    if (expected === got) agree++;
    else
      process.stdout.write(
        `${n} ${method} ${path} ${role} "${label}" ${JSON.stringify(params).slice(0, 160)}\n  peer ${expected}\n  ours ${got}\n`,
      );
  }
} finally {
  await server.close();
}
process.stdout.write(`${agree} of ${tried} refusals agree with the peer in status, code and message\n`);
process.exit(0);
