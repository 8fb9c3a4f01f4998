/** Health, metrics and logs of real processes, on both faces. */
import t, { type Test } from 'tap';
import { METRIC_DECLARATIONS } from '#base/metrics';
import { API_OPERATIONS } from '#frontend/api';
import type { Account } from '../support/credentials.js';
import { natsServerBinary, OwnNats } from '../support/nats.js';
import type { Api } from './support/api.js';
import { Cluster, Embedded, PASSWORD } from './support/face.js';
import { services } from './support/missing.js';
import { type Child, WITH_WORKERS } from './support/process.js';
import { TcpProxy } from './support/proxy.js';
import { healthOf, scrape, scrapeAll } from './support/scrape.js';
import { until } from './support/wait.js';

const STREAM = 'general';
const DEBUG = ['--log-level', 'debug'];

interface Seen {
  readonly site: string;
  readonly api: Api;
  readonly account: Account;
  /** Processes, with those that serve HTTP first. */
  readonly children: readonly Child[];
}

async function showsMetrics(test: Test, { site, api, children }: Seen): Promise<void> {
  const ops = await Promise.all(children.map((child) => child.ops()));
  const now = () => scrapeAll(ops);
  for (const address of ops) {
    const { types } = await scrape(address);
    const missing = Object.entries(METRIC_DECLARATIONS).filter(([name, { type }]) => types.get(name) !== type);
    test.strictSame(missing, [], 'every declared metric is exported with its type');
  }
  await until('each partition has one owner', async () => (await now()).sum('conclave_partitions_owned') === 256);
  test.ok((await now()).sum('conclave_lease_valid_seconds') > 0);
  test.equal((await now()).sum('conclave_partitions_unowned'), 0);
  test.equal((await fetch(`${site}/metrics`)).status, 404, 'metrics are not served on the port for clients');

  await api.subscribe(STREAM);
  const before = await now();
  for (let i = 0; i < 3; i++) await api.send(STREAM, `counted ${i}`);
  test.equal((await api.call('GET', '/users/1234567')).status, 400);
  const { queue_id, last_event_id } = await api.register();
  const held = api.events(queue_id, last_event_id);
  await until('the poll is waiting', async () => (await now()).sum('conclave_queues', { phase: 'polling' }) === 1);
  const during = await now();
  test.equal(during.sum('conclave_http_held_polls'), 1);
  await api.send(STREAM, 'counted 3');
  test.equal((await held).length, 1);
  test.equal((await api.call('DELETE', '/events', { queue_id })).status, 200);
  test.equal((await api.call('GET', '/events', { queue_id, last_event_id })).body.code, 'BAD_EVENT_QUEUE_ID');
  const ended = async () => (await now()).sum('conclave_queue_ends_total', { reason: 'deleted' });
  await until('the end is written', async () => (await ended()) === 1);

  const after = await now();
  const grown = (name: string, labels?: Record<string, string>) => after.sum(name, labels) - before.sum(name, labels);
  const requests = (operation: string, status: string) => grown('conclave_http_requests_total', { operation, status });
  test.equal(requests('send-message', '200'), 4);
  test.equal(requests('get-user', '400'), 1);
  test.equal(requests('get-events', '200'), 1);
  test.equal(requests('get-events', '400'), 1);
  test.equal(grown('conclave_http_request_seconds_count', { operation: 'send-message' }), 4);
  test.equal(grown('conclave_http_poll_seconds_count'), 2, 'polls are counted separately');
  test.equal(after.sum('conclave_http_request_seconds_count', { operation: 'get-events' }), 0);
  test.ok(grown('conclave_commands_total', { kind: 'stream' }) >= 4);
  test.ok(grown('conclave_commit_commands_sum', { kind: 'stream' }) >= 4, 'each commit counts its commands');
  test.equal(
    grown('conclave_commit_seconds_count', { kind: 'stream' }),
    grown('conclave_commit_commands_count', { kind: 'stream' }),
  );
  test.ok(grown('conclave_log_appends_total', { result: 'done' }) >= 4);
  test.ok(grown('conclave_log_entries_total') >= 4);
  test.equal(grown('conclave_actor_stops_total', { kind: 'queue', reason: 'ended' }), 1);
  test.equal(after.sum('conclave_http_held_polls'), 0);
  test.equal(after.sum('conclave_queues', { phase: 'polling' }), 0);
  test.equal(after.sum('conclave_log_lag_seconds'), 0);
}

/** Checks that requests for unknown paths add no series to the metrics. */
async function hostilePaths(test: Test, { site, children, account }: Seen): Promise<void> {
  const ops = await Promise.all(children.map((child) => child.ops()));
  const authorization = `Basic ${Buffer.from(`${account.email}:${account.key}`).toString('base64')}`;
  for (let i = 0; i < 150; i++) {
    const path = [`/api/v1/made-up-${i}`, `/api/v1/users/${i}x`, `/${'%00'.repeat(i)}`, `/metrics?x="${i}"`][i % 4];
    const method = ['GET', 'POST', 'DELETE', `MADE${i}`][i % 3] ?? 'GET';
    await fetch(`${site}${path}`, { method, headers: { authorization, 'x-request-id': `"${i}"}\t` } });
  }
  const known = new Set(['none', ...API_OPERATIONS.map(({ id }) => id)]);
  for (const address of ops) {
    const { samples } = await scrape(address);
    const strange = samples.filter(({ labels: { operation } }) => operation !== undefined && !known.has(operation));
    test.strictSame(strange, []);
    const total = samples.filter(({ name }) => name === 'conclave_http_requests_total').length;
    test.ok(total < 40, `${total} series of requests`);
  }
}

async function healthy(test: Test, { site, children }: Seen): Promise<void> {
  for (const address of [site, ...(await Promise.all(children.map((child) => child.ops())))]) {
    test.match(await healthOf(address, 'live'), { status: 200, body: { status: 'live' } });
    const { status, body } = await healthOf(address, 'ready');
    test.equal(status, 200, JSON.stringify(body));
    test.same(
      Object.values(body.checks!).map(({ ok }) => ok),
      Object.values(body.checks!).map(() => true),
    );
  }
}

interface Line {
  readonly level: number;
  readonly msg: string;
  readonly host: string;
  readonly role: string;
  readonly requestId?: string;
  readonly requestIds?: readonly string[];
  readonly actor?: string;
  readonly version?: number;
  readonly versions?: readonly number[];
  readonly operation?: string;
  readonly status?: number;
}

const linesOf = (child: Child): Line[] =>
  child.stderr
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Line);

async function oneRequest(test: Test, { site, children, account }: Seen): Promise<void> {
  const authorization = `Basic ${Buffer.from(`${account.email}:${account.key}`).toString('base64')}`;
  const body = new URLSearchParams({
    type: 'stream',
    to: STREAM,
    topic: 'traced',
    content: 'nobody else may read this',
  });
  const send = (id: string) =>
    fetch(`${site}/api/v1/messages`, { method: 'POST', headers: { authorization, 'x-request-id': id }, body });
  const id = 'trace-0123456789.abc';
  test.equal((await send(id)).headers.get('x-request-id'), id, 'a valid request id is kept');
  for (const bad of ['short', 'x'.repeat(65), 'with space 0123', 'semi;colon0123']) {
    test.match((await send(bad)).headers.get('x-request-id'), /^[0-9a-f]{24}-[0-9a-z]+$/, `not ${bad}`);
  }
  const all = () => children.flatMap(linesOf);
  const about = () => all().filter(({ requestId, requestIds }) => requestId === id || requestIds?.includes(id));
  await until('the request id is in two log lines', () => about().length >= 2);
  const answered = about().find(({ msg }) => msg === 'answered');
  test.match(answered, { level: 20, operation: 'send-message', status: 200, host: /\/\d+$/, role: /^(all|http)$/ });
  const committed = about().find(({ msg }) => msg === 'committed');
  test.match(committed, { actor: /^stream\//, role: /^(all|actors)$/ }, "the actor's log line has the request id");
  const logged = () =>
    all().find(
      (l) => l.msg === 'in the log' && l.actor === committed?.actor && l.versions?.includes(committed?.version ?? 0),
    );
  await until('the entry is in the event log', () => logged() !== undefined);
  const texts = children.map(({ stderr }) => stderr).join('');
  for (const secret of [account.key, account.email, PASSWORD, 'nobody else may read this', authorization.slice(6)]) {
    test.notOk(texts.includes(secret), 'no log contains secrets or personal data');
  }
}

async function facts(test: Test, seen: Seen): Promise<void> {
  await test.test('every process reports that it is alive and ready', (part) => healthy(part, seen));
  await test.test('metrics count requests, commands, commits and events', (part) => showsMetrics(part, seen));
  await test.test('unknown paths add no series', (part) => hostilePaths(part, seen));
  await test.test('one request id appears in the response and in the log lines of frontend, actor and commit', (part) =>
    oneRequest(part, seen),
  );
}

t.test('embedded', async (test) => {
  const face = await Embedded.start([...DEBUG, ...WITH_WORKERS]);
  test.teardown(() => face.stop());
  await facts(test, { site: face.site, api: face.api(), account: face.owner, children: [face.server] });
});

t.test('embedded, on node:http', async (test) => {
  const face = await Embedded.start([...DEBUG, '--http-adapter', 'node']);
  test.teardown(() => face.stop());
  await facts(test, { site: face.site, api: face.api(), account: face.owner, children: [face.server] });
});

const cluster = services();
if (cluster) {
  t.test('cluster', async (test) => {
    const face = await Cluster.start({ ...cluster, options: DEBUG }, 1, []);
    test.teardown(() => face.stop());
    await facts(test, { site: face.site(0), api: face.api(0), account: face.owner, children: face.children });
    const { sum } = await scrape(await face.frontends[0]!.child.ops());
    test.ok(sum('conclave_bus_frames_total', { direction: 'out' }) > 0);
    test.ok(sum('conclave_bus_bytes_total', { direction: 'in' }) > 0);
    test.equal(sum('conclave_bus_connected'), 1);
  });
}

const binary = natsServerBinary();
if (cluster && binary) {
  t.test(
    'without NATS or MongoDB a process is alive but not ready, answers probes at once, and recovers by itself',
    async (test) => {
      const own = await OwnNats.start(binary);
      test.teardown(() => own.stop());
      const proxy = await TcpProxy.start(cluster.mongodb);
      test.teardown(() => proxy.cut());
      const mongodb = `${proxy.through(cluster.mongodb).replace(/\/$/, '')}`;
      const face = await Cluster.start({ nats: own.url, mongodb }, 1, []);
      test.teardown(() => face.stop());
      const frontend = await face.frontends[0]!.child.ops();
      const host = await face.hosts[0]!.ops();
      const readyAgain = (address: string) =>
        until('ready again', async () => (await healthOf(address, 'ready')).status === 200);

      await own.kill();
      for (const address of [frontend, face.site(0), host]) {
        await until('not ready', async () => (await healthOf(address, 'ready')).status === 503);
        const { body, ms } = await healthOf(address, 'ready');
        test.notOk(body.checks!.bus!.ok);
        test.notOk(body.checks!.log!.ok);
        test.comment(`answered in ${Math.round(ms)} ms`);
        test.equal((await healthOf(address, 'live')).status, 200);
        test.ok((await scrape(host)).types.size > 0, 'metrics are served during the outage');
      }
      await own.up();
      await readyAgain(frontend);
      await readyAgain(host);

      await proxy.cut();
      await until('not ready', async () => (await healthOf(host, 'ready')).status === 503);
      test.match((await healthOf(host, 'ready')).body.checks, { store: { ok: false }, bus: { ok: true } });
      test.equal((await healthOf(host, 'live')).status, 200);
      test.equal((await healthOf(frontend, 'ready')).status, 200, 'a frontend is ready, as it uses no Store');
      await proxy.restore();
      await readyAgain(host);
    },
  );
}
