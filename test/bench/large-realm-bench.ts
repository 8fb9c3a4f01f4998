/**
 * Cost of reading a whole large organization: POST /register with every section, and GET /users. `node
 * dist/test/bench/large-realm-bench.js [--users N] [--streams N] [--own N] [--each N] [--runs N]`, embedded face; some
 * two minutes. Times are of whole requests, one at a time, made by the same process: upper bounds of server time. It
 * asserts none.
 */
import http from 'node:http';
import { parseArgs } from 'node:util';
import { startEmbedded, type TestServer } from '../api/support/faces.js';
import { makeOrganization, type Organization, PASSWORD, type Person } from '../api/support/organization.js';
import { BareTools } from './bare.js';
import { Bench } from './case.js';
import type { Face } from './faces.js';
import { median } from './figures.js';
import { measureRate } from './measure.js';
import { type BenchOptions, readOptions } from './options.js';
import { usersText } from './prepare.js';
import { Ceiling, Load } from './processes.js';
import { machine, table } from './report.js';

const { values } = parseArgs({
  options: {
    users: { type: 'string', default: '10000' },
    streams: { type: 'string', default: '1000' },
    own: { type: 'string', default: '100' },
    each: { type: 'string', default: '100' },
    runs: { type: 'string', default: '200' },
  },
});
const USERS = Number(values.users);
const STREAMS = Number(values.streams);
const OWN = Number(values.own);
const EACH = Number(values.each);
const RUNS = Number(values.runs);

const say = (text: string): void => void process.stdout.write(`${text}\n`);
const agent = new http.Agent({ keepAlive: true });

/** Bytes of the answer; its text is not looked at. */
function request({ api }: Person, method: string, path: string, form = ''): Promise<number> {
  const headers = {
    ...api.headers,
    ...(method === 'POST' ? { 'Content-Type': 'application/x-www-form-urlencoded' } : {}),
  };
  return new Promise((resolve, reject) => {
    const port = api.target.nextPort();
    const sent = http.request({ agent, host: '127.0.0.1', port, method, path, headers }, (answer) => {
      let bytes = 0;
      answer.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
      });
      answer.on('end', () => {
        if (answer.statusCode === 200) resolve(bytes);
        else reject(new Error(`${method} ${path}: ${answer.statusCode}`));
      });
    });
    sent.on('error', reject);
    sent.end(form);
  });
}

const AT_ONCE = 32;

async function each(count: number, work: (n: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let n = next++; n < count; n = next++) await work(n);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

const ms = (value: number): string => `${value.toFixed(1)} ms`;

async function defaultStream({ owner }: Organization): Promise<{ readonly id: number }> {
  await owner.api.ok('POST /users/me/subscriptions', { subscriptions: [{ name: 'hall' }] });
  const { stream_id: id } = await owner.api.ok<{ stream_id: number }>('GET /get_stream_id', { stream: 'hall' });
  await owner.api.ok('POST /default_streams', { stream_id: id });
  return { id };
}

/** As in real organizations, each account is in a few of the streams. */
async function fill(server: TestServer, org: Organization): Promise<void> {
  // Making a password's hash is slow on purpose, and is not what is measured here.
  server.secrets.hashPassword = async () => 'none';
  const ids: number[] = [];
  // Every newcomer is subscribed to it, together with all who came before, and told of in it.
  const { id: hall } = await defaultStream(org);
  await org.owner.api.ok('PATCH /realm', { signup_notifications_stream_id: hall });
  const begun = performance.now();
  const marks: number[] = [];
  await each(USERS, async (n) => {
    const of = { email: `user${n}@example.com`, full_name: `User number ${n}`, password: PASSWORD };
    const { user_id } = await org.owner.api.ok<{ user_id: number }>('POST /users', of);
    ids[n] = user_id;
    if ((n + 1) % (USERS / 4) === 0) marks.push(performance.now() - begun);
  });
  const quarters = marks.map((at, i) => ms(at - (marks[i - 1] ?? 0)));
  say(`${USERS} accounts by POST /users (without hashing passwords) | by quarters ${quarters.join(', ')}`);
  const streamsBegun = performance.now();
  await each(STREAMS, (n) =>
    org.owner.api.ok('POST /users/me/subscriptions', {
      subscriptions: [{ name: `stream ${n}`, description: `What belongs to number ${n}.` }],
      principals: [
        ...(n < OWN ? [org.member.id] : []),
        ...Array.from({ length: EACH }, (_, i) => ids[(n * EACH + i * 7) % USERS]!).filter(
          (id, i, list) => list.indexOf(id) === i,
        ),
      ],
    }),
  );
  say(`${STREAMS} streams | ${ms(performance.now() - streamsBegun)}`);
}

/** @param before each request, unmeasured: what makes encoded answers stale */
async function measure(title: string, ask: () => Promise<number>, before?: () => Promise<unknown>): Promise<void> {
  const first = performance.now();
  await ask();
  const cold = performance.now() - first;
  const times: number[] = [];
  let bytes = 0;
  const cpu = process.cpuUsage();
  for (let run = 0; run < RUNS; run++) {
    await before?.();
    const begun = performance.now();
    bytes = await ask();
    times.push(performance.now() - begun);
  }
  const { user, system } = process.cpuUsage(cpu);
  times.sort((a, b) => a - b);
  const memory = process.memoryUsage();
  say(
    `${title} | ${(bytes / 1024).toFixed(0)} KiB | first ${ms(cold)} | median ${ms(median(times))} | p95 ${ms(times[Math.floor(times.length * 0.95)]!)}` +
      ` | CPU ${ms((user + system) / 1000 / RUNS)} each | heap ${(memory.heapUsed / 2 ** 20).toFixed(0)} MiB, rss ${(memory.rss / 2 ** 20).toFixed(0)} MiB`,
  );
}

/**
 * The list of all accounts, beside a bare server that sends the same bytes; the one in this process, the other in its
 * own.
 */
async function besideBare({ owner }: Organization): Promise<void> {
  const ceiling = await Ceiling.start();
  const load = new Load();
  const port = owner.api.target.nextPort();
  const face: Face = {
    name: 'embedded',
    port,
    ports: [port],
    ops: [],
    pids: [process.pid],
    roles: ['embedded'],
    owner: owner.api.headers.authorization!,
    commandEnvironment: {},
    stop: async () => {},
  };
  const options: BenchOptions = { ...readOptions([], {})!, runs: 5, ms: 2_000, warmMs: 300, heatMs: 1_000 };
  try {
    const bench = new Bench(face, ceiling, new BareTools({}), load, options);
    const requests = [usersText(face.owner)];
    say(table(await measureRate(bench, { id: 'users', title: '`GET /users`', requests, connections: 16 }), false));
  } finally {
    await load.stop();
    await ceiling.stop();
  }
}

const server = await startEmbedded();
try {
  const org = await makeOrganization(server, ['member']);
  await fill(server, org);
  const register = (form: string) => () => request(org.member, 'POST', '/api/v1/register', form);
  let turn = 0;
  const rename = (): Promise<unknown> =>
    org.member.api.ok('PATCH /settings', { timezone: ['Europe/Paris', 'Europe/Berlin'][turn++ % 2]! });
  await measure('POST /register, every section', register(''));
  await measure('the same again', register(''));
  await measure('POST /register, after a change of an account', register(''), rename);
  await measure('POST /register with subscribers', register('include_subscribers=true'));
  await measure('GET /users', () => request(org.member, 'GET', '/api/v1/users'));
  await measure('GET /users after a change of an account', () => request(org.member, 'GET', '/api/v1/users'), rename);
  await besideBare(org);
  say(machine());
} finally {
  await server.close();
}
process.exit(0);
