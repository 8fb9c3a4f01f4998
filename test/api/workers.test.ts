/**
 * The embedded face with workers: families that depend on the frontend, every operation once, and the end of workers.
 * The families run with 3 workers; test/clients starts programs with as many as this machine has cores for.
 */
import { Agent, type RequestOptions, request } from 'node:http';
import { createServer } from 'node:net';
import t, { type Test } from 'tap';
import { FakeClock } from '../support/fake-clock.js';
import { parseMetrics } from '../support/metrics-text.js';
import { picked, rounds } from '../support/rounds.js';
import { until } from '../support/until.js';
import { runSuite } from './run.js';
import { startBuiltWorkers } from './support/built-workers.js';
import { startEmbedded, type TestServer } from './support/faces.js';
import { makeOrganization, type Person } from './support/organization.js';
import { Queue } from './support/queue.js';

/** Every operation, bodies and files, connections, polls. */
const ALWAYS = ['the frontend', 'every role', 'queues', 'uploaded files'];
const OTHERS = [
  ...['signing up', 'authentication', 'registering again', 'contents of queues'],
  ...['custom emoji', 'avatars', 'restart'],
];
/** How many of the others a short run tries. */
const PICKED = 1;
/** How often each of the workers is killed. */
const KILLS_OF_EACH = rounds(1, 2);

startBuiltWorkers(t);

await runSuite('embedded face with 3 workers', () => startEmbedded({ options: { workers: '3' } }), [
  ...ALWAYS,
  ...picked(OTHERS, PICKED, (family) => family),
]);

/** Repeats a call until a server answers it. Only for calls that may be repeated. */
async function persist<T>(call: () => Promise<T>): Promise<T> {
  let result: T | undefined;
  await until('an answer', async () => {
    result = await call().catch(() => undefined);
    return result !== undefined;
  });
  return result!;
}

/** Polls in a row through cut connections, until this text has come. */
async function follow(queue: Queue, last: string): Promise<string[]> {
  const texts: string[] = [];
  while (texts.at(-1) !== last) {
    const events = await persist(() => queue.poll());
    for (const event of events) {
      queue.last = event.id;
      if (event.type === 'message') texts.push((event.message as { content: string }).content);
    }
  }
  return texts;
}

/** Sends a message. @returns true if it was acknowledged; a connection that breaks leaves that open */
const send = (of: Person, to: number, content: string): Promise<boolean> =>
  of.api.ok('POST /messages', { type: 'private', to: [to], content }).then(
    () => true,
    () => false,
  );

async function withServer(
  workers: number,
  body: (server: TestServer) => Promise<void>,
  clock?: FakeClock,
): Promise<void> {
  const server = await startEmbedded({ options: { workers: String(workers) }, ...(clock && { clock }) });
  try {
    await body(server);
  } finally {
    await server.close();
  }
}

/** Sends a request over a connection of the agent. @returns the body of the answer */
function sendRequest({ body, ...options }: RequestOptions & { readonly body?: string | undefined }): Promise<string> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', ...options }, (answer) => {
      let text = '';
      answer.setEncoding('utf8');
      answer.on('data', (piece: string) => {
        text += piece;
      });
      answer.on('end', () => resolve(text));
      answer.on('error', reject);
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

async function replaced(server: TestServer, pid: number, count: number): Promise<void> {
  await until(
    'the worker is replaced',
    () => server.workerPids.length === count && !server.workerPids.includes(pid) && !isRunning(pid),
  );
}

async function checkKills(t: Test, server: TestServer): Promise<void> {
  const { member, other } = await makeOrganization(server, ['member', 'other']);
  const queue = await Queue.register(other, { event_types: ['message'], apply_markdown: false });
  const following = follow(queue, 'the end');
  const acknowledged: string[] = [];
  const { workerPids } = server;
  const victims = Array.from({ length: KILLS_OF_EACH }, () => workerPids).flat();
  for (const [round, pid] of victims.entries()) {
    for (let n = 0; n < 5; n++) {
      const text = `${round}.${n}`;
      const sending = send(member, other.id, text);
      if (n === 2) process.kill(server.workerPids.includes(pid) ? pid : server.workerPids[0]!, 'SIGKILL');
      if (await sending) acknowledged.push(text);
    }
    await replaced(server, pid, workerPids.length);
  }
  await until('the last message is sent', () => send(member, other.id, 'the end'));
  const texts = await following;
  t.strictSame(
    acknowledged.filter((text) => !texts.includes(text)),
    [],
    'no acknowledged message is lost',
  );
  t.equal(new Set(texts).size, texts.length, 'no message comes twice');
  t.ok(acknowledged.length > 0);
}

async function checkMetrics(t: Test, server: TestServer): Promise<void> {
  const { member } = await makeOrganization(server, ['member']);
  const count = 40;
  await Promise.all(Array.from({ length: count }, () => member.api.ok('GET /users/me')));
  const metrics = parseMetrics(await (await fetch(`${server.opsUrl}/metrics`)).text());
  t.equal(metrics.value('conclave_http_requests_total', { operation: 'get-own-user', status: '200' }), count + 1);
  for (const worker of ['1', '2']) t.ok(metrics.value('conclave_worker_memory_bytes', { worker })! > 1e6);
  t.equal(metrics.value('conclave_worker_replacements_total', {}), 0);
}

await t.test('killed workers are replaced, and queues go on: 1 of them', (t) =>
  withServer(1, (server) => checkKills(t, server)),
);

// One server: its start takes as much CPU as its checks.
await t.test('two workers', async (t) => {
  let pids: readonly number[] = [];
  await withServer(2, async (server) => {
    await t.test('metrics of all workers are added up', (t) => checkMetrics(t, server));
    await t.test('killed workers are replaced, and queues go on', (t) => checkKills(t, server));
    pids = server.workerPids;
  });
  await t.test('workers end with their server', async (t) => {
    t.equal(pids.length, 2);
    await until('no worker runs', () => !pids.some(isRunning));
  });
});

await t.test('a worker that hangs is killed and replaced', (t) => {
  const clock = new FakeClock(Date.now());
  return withServer(
    1,
    async (server) => {
      const { member } = await makeOrganization(server, ['member']);
      const [pid] = server.workerPids as [number];
      process.kill(pid, 'SIGSTOP');
      await until('another worker is started', async () => {
        await clock.advanceAsync(5_000);
        return server.workerPids.length === 1 && !server.workerPids.includes(pid);
      });
      await persist(() => member.api.ok('GET /users/me'));
      t.notOk(isRunning(pid));
    },
    clock,
  );
});

await t.test('a change is answered when all workers know it', (t) => {
  // Real time may not end the wait for the worker that is stopped.
  const clock = new FakeClock(Date.now());
  return withServer(
    2,
    async (server) => {
      const { owner, member } = await makeOrganization(server, ['member']);
      const ask = (agent: Agent, method: string, body?: string): Promise<string> =>
        sendRequest({
          agent,
          port: server.nextPort(),
          method,
          path: `/api/v1/users/${member.id}`,
          headers: {
            authorization: owner.api.headers.authorization!,
            'content-type': 'application/x-www-form-urlencoded',
          },
          body,
        });
      // The system spreads connections over the workers: each gets some of 24.
      const connections = Array.from({ length: 24 }, () => new Agent({ keepAlive: true, maxSockets: 1 }));
      await Promise.all(connections.map((agent) => ask(agent, 'GET')));
      const [stopped] = server.workerPids as [number];
      process.kill(stopped, 'SIGSTOP');
      const alive: Agent[] = [];
      const unanswered = connections.map((agent) => ask(agent, 'GET').then(() => alive.push(agent)));
      await until('two connections are at the other worker', () => alive.length >= 2);
      let isAnswered = false;
      const change = ask(alive[0]!, 'PATCH', 'full_name=Changed').finally(() => {
        isAnswered = true;
      });
      await until('the other worker shows the change', async () => /Changed/.test(await ask(alive[1]!, 'GET')));
      for (let n = 0; n < 20; n++) await ask(alive[1]!, 'GET');
      t.notOk(isAnswered, 'the answer waits for the stopped worker');
      process.kill(stopped, 'SIGCONT');
      t.match(await change, /"result":"success"/);
      await Promise.all(unanswered);
      for (const agent of connections) t.match(await ask(agent, 'GET'), /Changed/);
      for (const agent of connections) agent.destroy();
    },
    clock,
  );
});

await t.test('a port that another program has is refused', async (t) => {
  const holder = createServer();
  await new Promise<void>((resolve) => holder.listen({ host: '127.0.0.1', port: 0 }, resolve));
  const { port } = holder.address() as { port: number };
  await t.rejects(startEmbedded({ options: { workers: '2', port: String(port) } }), {
    message: `cannot listen on 127.0.0.1:${port}`,
  });
  holder.close();
});
