/** Graceful stop of a frontend: no request fails for a client that follows the rules of HTTP. */

import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { chooseHttpServerFactory } from '#frontend/http';
import { picked, rounds } from '../support/rounds.js';
import { Cluster, Embedded } from './support/face.js';
import { KeepAliveClient, type KeepAliveResponse } from './support/keep-alive.js';
import { services } from './support/missing.js';
import { WITH_WORKERS } from './support/process.js';
import { healthOf } from './support/scrape.js';
import { until } from './support/wait.js';

const STREAM = 'general';
/** Seconds that a leaving frontend keeps serving; enough for the test's requests on a busy machine. */
const LEAVE_S = 6;
/** Pause between the sends of a client; the load must not saturate the machine. */
const PAUSE_MS = rounds(120, 20);
const CLIENTS = rounds(3, 8);

const adapters =
  (await chooseHttpServerFactory('auto')).factory === (await chooseHttpServerFactory('node')).factory
    ? ['node']
    : ['uws', 'node'];
/** HTTP servers under test, each in a frontend that leaves the cluster; a short run picks one. */
const leaving = picked(adapters, 1, (adapter) => `leaving ${adapter}`);

/** Client that sends or follows a queue until `stop`, and records failures. */
class LoadClient {
  readonly failed: unknown[] = [];
  readonly sent: string[] = [];
  readonly got = new Map<string, number>();
  calls = 0;
  #going = true;
  readonly #done: Promise<void>;

  constructor(
    readonly client: KeepAliveClient,
    work: (loadClient: LoadClient) => Promise<() => Promise<void>>,
  ) {
    this.#done = this.#run(work);
  }

  async stop(): Promise<void> {
    this.#going = false;
    await this.#done;
    this.client.close();
  }

  async ok(
    method: string,
    path: string,
    params: Readonly<Record<string, unknown>>,
  ): Promise<KeepAliveResponse['body']> {
    const { status, body } = await this.client.call(method, path, params);
    this.calls++;
    if (status !== 200) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(body)}`);
    return body;
  }

  async #run(work: (loadClient: LoadClient) => Promise<() => Promise<void>>): Promise<void> {
    try {
      const step = await work(this);
      while (this.#going) await step();
    } catch (error) {
      this.failed.push(error);
    }
  }
}

const sending = (stream: string, name: string) => async (loadClient: LoadClient) => {
  let n = 0;
  return async () => {
    const content = `${name}-${n++}`;
    await loadClient.ok('POST', '/messages', { type: 'stream', to: stream, topic: 'load', content });
    loadClient.sent.push(content);
    await sleep(PAUSE_MS);
  };
};

const following = async (loadClient: LoadClient) => {
  const { queue_id, last_event_id } = await loadClient.ok('POST', '/register', { event_types: ['message'] });
  let last = last_event_id as number;
  return async () => {
    const { events } = await loadClient.ok('GET', '/events', { queue_id, last_event_id: last });
    for (const { id, message } of events as { id: number; message?: { content: string } }[]) {
      if (id <= last) throw new Error(`event ${id} after ${last}`);
      last = id;
      const content = message?.content.replace(/<[^>]*>/g, '') ?? 'heartbeat';
      loadClient.got.set(content, (loadClient.got.get(content) ?? 0) + 1);
    }
  };
};

const cluster = services();
if (cluster) {
  const face = await Cluster.start({ ...cluster, options: ['--leave-seconds', String(LEAVE_S)] }, 1, leaving);
  t.teardown(() => face.stop());
  await face.api(0).subscribe('quiet', ...leaving);
  for (const [i, adapter] of leaving.entries()) {
    t.test(`cluster, ${adapter}: SIGTERM to a frontend under load fails no request`, async (test) => {
      // The last frontend stays; one frontend per HTTP server leaves in turn.
      const staying = leaving.length;
      const both = [face.site(i), face.site(staying)];
      const client = () => new KeepAliveClient(both, face.owner);
      const quiet = client();
      const narrow = [['stream', 'quiet']];
      const { queue_id, last_event_id } = (await quiet.call('POST', '/register', { event_types: ['message'], narrow }))
        .body;
      const held = quiet.call('GET', '/events', { queue_id, last_event_id });
      const followers = Array.from({ length: CLIENTS }, () => new LoadClient(client(), following));
      await until('every follower has a queue', () =>
        followers.every(({ calls, failed }) => calls >= 1 || failed.length > 0),
      );
      const senders = Array.from(
        { length: CLIENTS },
        (_, n) => new LoadClient(client(), sending(adapter, `${adapter}-${n}`)),
      );
      const all = [...senders, ...followers];
      await until('each client has made 5 calls', () =>
        all.every(({ calls, failed }) => calls >= 5 || failed.length > 0),
      );

      const { child } = face.frontends[i]!;
      const ops = await child.ops();
      child.signal('SIGTERM');
      await until('the leaving frontend is not ready', async () => (await healthOf(ops, 'ready')).status === 503);
      test.match((await healthOf(both[0]!, 'ready')).body.checks, { leaving: { ok: false }, bus: { ok: true } });
      test.equal((await healthOf(both[0]!, 'live')).status, 200);
      const fresh = new KeepAliveClient([both[0]!], face.owner);
      const answer = await fresh.call('GET', '/users/me');
      test.match(
        [answer.status, answer.headers.connection],
        [200, 'close'],
        'requests are still served, on connections that then close',
      );
      fresh.close();

      const released = await held;
      test.match([released.status, released.headers.connection], [200, 'close']);
      test.same(released.body, { result: 'success', msg: '', events: [], queue_id });
      test.equal((await child.ended).code, 0);
      const mark = senders.map(({ sent }) => sent.length);
      await until('each sender has 5 more sends by the other frontend', () =>
        senders.every(({ sent, failed }, n) => sent.length >= mark[n]! + 5 || failed.length > 0),
      );
      const again = quiet.call('GET', '/events', { queue_id, last_event_id });
      await face.api(staying).send('quiet', 'afterwards');
      test.equal(
        ((await again).body.events as unknown[]).length,
        1,
        'the queue continues after the last acknowledged event',
      );
      quiet.close();

      await Promise.all(senders.map((loadClient) => loadClient.stop()));
      const sent = senders.flatMap((loadClient) => loadClient.sent);
      for (const { got, failed } of followers) {
        const missing = () => sent.filter((content) => !got.has(content));
        await until('every sent message arrives', () => missing().length === 0 || failed.length > 0);
        test.strictSame(missing(), []);
        test.strictSame(
          [...got].filter(([content, times]) => times > 1 && content !== 'heartbeat'),
          [],
          'each message arrives once',
        );
      }
      // Wakes the polls that still wait, so that the followers stop.
      const stopping = followers.map((loadClient) => loadClient.stop());
      await face.api(staying).send(adapter, 'the end');
      await Promise.all(stopping);
      test.strictSame(
        all.flatMap(({ failed }) => failed.map(String)),
        [],
        'no request failed',
      );
      const history = await face.api(staying).history(adapter, 5_000);
      const times = new Map<string, number>();
      for (const { content } of history) times.set(content, (times.get(content) ?? 0) + 1);
      test.strictSame(
        [...times].filter(([, n]) => n > 1),
        [],
        'no message is stored twice',
      );
      const unseen = all.reduce((sum, { client: { resetUnseen } }) => sum + resetUnseen, 0);
      test.ok(unseen <= 2, `${unseen} connections reset unseen because they arrived while the listener closed`);
      const calls = all.reduce((sum, loadClient) => sum + loadClient.calls, 0);
      test.comment(
        `${calls} requests, ${all.reduce((sum, { client: { refused } }) => sum + refused, 0)} connections refused`,
      );
    });
  }
}

/** Sends the head and 10 bytes of the body of a request. */
async function beginRequest(
  port: number,
  key: string,
  content: string,
): Promise<{ finish(): void; answer: Promise<string> }> {
  const socket = connect({ port, host: '127.0.0.1' });
  const body = `type=stream&to=${STREAM}&topic=slow&content=${content}`;
  const head = ['POST /api/v1/messages HTTP/1.1', 'Host: localhost', `Authorization: Basic ${key}`];
  const form = ['Content-Type: application/x-www-form-urlencoded', `Content-Length: ${body.length}`];
  await new Promise<void>((resolve) => {
    socket.write(`${[...head, ...form].join('\r\n')}\r\n\r\n${body.slice(0, 10)}`, () => resolve());
  });
  const answer = new Promise<string>((resolve) => {
    let text = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    socket.on('error', () => {});
    socket.on('close', () => resolve(text));
  });
  return { finish: () => void socket.write(body.slice(10)), answer };
}

const refusesConnections = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' });
    socket.on('connect', () => {
      socket.destroy();
      resolve(false);
    });
    socket.on('error', () => resolve(true));
  });

async function testRequestsUnderWay(test: Test, adapter: string): Promise<void> {
  const face = await Embedded.start(['--http-adapter', adapter, ...WITH_WORKERS]);
  test.teardown(() => face.stop());
  const key = Buffer.from(`${face.owner.email}:${face.owner.key}`).toString('base64');
  const idle = connect({ port: face.port, host: '127.0.0.1' });
  idle.on('error', () => {});
  const idleClosed = new Promise<void>((resolve) => idle.on('close', () => resolve()));
  const [ends, never] = [await beginRequest(face.port, key, 'finished'), await beginRequest(face.port, key, 'never')];
  await until('both requests have arrived', async () => {
    const text = await (await fetch(`${await face.server.ops()}/metrics`)).text();
    return text.includes('\nconclave_http_running_requests 2\n');
  });
  face.server.signal('SIGTERM');
  await until('new connections are refused', () => refusesConnections(face.port));
  ends.finish();
  const answered = await ends.answer;
  test.match(answered, /^HTTP\/1\.1 200 /, 'a request under way is completed and answered');
  test.match(answered, /\r\nconnection: close\r\n/i);
  test.equal(await never.answer, '', 'a request that never completes is cut off');
  await idleClosed;
  test.equal((await face.server.ended).code, 0);
}

for (const adapter of adapters) {
  t.test(`embedded, ${adapter}: requests under way are completed within a time limit`, (test) =>
    testRequestsUnderWay(test, adapter),
  );
}

t.test('a second signal stops the server at once', async (test) => {
  const face = await Embedded.start(['--leave-seconds', '600']);
  test.teardown(() => face.stop());
  face.server.signal('SIGTERM');
  await until('the server is leaving', async () => (await healthOf(face.site, 'ready')).status === 503);
  test.equal((await face.api().call('GET', '/users/me')).status, 200, 'the leaving server still serves requests');
  face.server.signal('SIGINT');
  test.equal((await face.server.ended).code, 130);
});
