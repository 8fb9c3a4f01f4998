/** Load above the limits of a frontend is refused or cut off: both adapters, over real connections. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import t, { type Test } from 'tap';
import { forwardCommand as checkedForward } from '#frontend/api';
import {
  chooseHttpServerFactory,
  DEFAULT_SLOW_CLIENT_LIMITS,
  type FrontendOptions,
  HttpFrontend,
  type HttpListenOptions,
  type HttpServer,
  SlowClientGuard,
} from '#frontend/http';
import { realmActorKey, toUserId } from '#model';
import { ReceivedRequestBody } from '../../../src/frontend/http/bodies.js';
import { anyCommand } from '../../support/any-command.js';
import { FakeClock } from '../../support/fake-clock.js';
import { until } from '../../support/until.js';
import { AUTH, declare, FakeServices, RawClient, user } from './support.js';

const kinds = [
  'node',
  ...((await chooseHttpServerFactory('auto')).factory === (await chooseHttpServerFactory('node')).factory
    ? []
    : ['uws']),
] as ('node' | 'uws')[];

const MIB = 1_048_576;
const held = checkedForward({ to: realmActorKey(1 as never), command: anyCommand('do'), args: {}, held: true });
const UNAVAILABLE = '{"result":"error","msg":"Service temporarily unavailable, please try again"}\n';

t.test('small chunks of a body are copied into blocks, whose sizes count as held bytes', async (t) => {
  const receiver = { slowBodyGuard: new SlowClientGuard(new FakeClock()), receivingRequestCount: 0 };
  const receive = (limit = MIB) => new ReceivedRequestBody(limit, receiver, () => {});
  const only = Buffer.from('only');
  const single = receive();
  single.addChunkOrDropBody(only, 'owned');
  t.equal(single.takeReceivedBytes(), only, 'the only chunk of a body is not copied');

  const small = receive();
  const chunk = Buffer.alloc(1);
  const sizes = new Set<number>();
  for (let i = 0; i < 4_000; i++) {
    small.addChunkOrDropBody(chunk.fill(i), i === 0 ? 'borrowed' : 'owned');
    sizes.add(small.heldBytes);
  }
  t.ok(sizes.size < 20, `${sizes.size} parts`);
  t.ok(small.heldBytes >= 4_000 && small.heldBytes < 8_000, `${small.heldBytes} bytes are held`);
  chunk.fill(0);
  const bytes = Buffer.alloc(4_000, Buffer.from(Array.from({ length: 256 }, (_, i) => i)));
  t.same(small.takeReceivedBytes(), bytes, 'chunks that change afterwards are not part of the body');

  const mixed = receive(300_000);
  const expected: Buffer[] = [];
  for (const size of [3, 20_000, 1, 70_000, 5_000, 0, 17_000, 100_000]) {
    const part = Buffer.alloc(size, expected.length + 1);
    expected.push(part);
    t.ok(mixed.addChunkOrDropBody(Buffer.from(part), size > 50_000 ? 'owned' : 'borrowed'));
    t.ok(mixed.heldBytes <= 300_000);
  }
  mixed.addChunkOrDropBody(only, 'last');
  t.same(mixed.takeReceivedBytes(), Buffer.concat([...expected, only]));

  const full = receive(2_000);
  for (let i = 0; i < 2_000; i++) full.addChunkOrDropBody(chunk, 'owned');
  t.equal(full.heldBytes, 2_000, 'no block is larger than the rest of the body may be');
  t.notOk(full.addChunkOrDropBody(chunk, 'owned'));
  t.equal(receiver.receivingRequestCount, 0);
});

for (const kind of kinds) {
  const start = async (
    t: Test,
    { listen, ...options }: Partial<FrontendOptions> & { listen?: Partial<HttpListenOptions> } = {},
  ) => {
    const services = new FakeServices();
    let server: HttpServer | undefined;
    const frontend = new HttpFrontend(
      [
        declare({ path: '/a' }),
        declare({ path: '/slow', run: () => ({ ...held, held: false }) }),
        declare({ path: '/hold', run: () => held }),
        declare({ path: '/large', run: () => ({ fields: { text: 'x'.repeat(16 * MIB) } }) }),
        declare({ path: '/post', method: 'POST', maxBodyMib: 10 }),
        declare({ path: '/small', method: 'POST' }),
        declare({ path: '/files', method: 'POST', takesFiles: true }),
        declare({ path: '/hook', method: 'POST', keyInQuery: true, takesBody: true }),
      ],
      services,
      { requestIdPrefix: 'f', countProcessedRequests: () => server?.processedRequestCount ?? 0, ...options },
    );
    const { factory } = await chooseHttpServerFactory(kind);
    server = await factory.listen({
      host: '127.0.0.1',
      port: 0,
      maxBodyBytes: 2 * MIB,
      handler: frontend.handleRequest,
      onError: (error) => t.fail(String(error)),
      ...listen,
    });
    const clients: RawClient[] = [];
    const running = server;
    t.teardown(() => {
      for (const client of clients) client.socket.destroy();
      running.closeImmediately();
    });
    const client = async (): Promise<RawClient> => {
      const opened = await RawClient.open(running.port);
      clients.push(opened);
      return opened;
    };
    const ask = async (path: string): Promise<RawClient> => {
      const one = await client();
      one.request(`GET /api/v1${path}`, { Authorization: AUTH });
      return one;
    };
    const works = async (): Promise<boolean> => (await (await ask('/a')).response())?.status === 200;
    return { services, server: running, client, ask, works };
  };

  t.test(`${kind}: more requests than a frontend can do at a time are refused at once`, async (t) => {
    const { services, ask, works } = await start(t, { maxRequests: 3 });
    const slow = [await ask('/slow'), await ask('/slow'), await ask('/slow')];
    for (let i = 0; i < 5; i++) await ask('/hold');
    await until('all of them are under way', () => services.forwarded.length === 3);
    const refused = await (await ask('/a')).response();
    t.match(refused, { status: 503, text: UNAVAILABLE, headers: { 'retry-after': '1' } });
    services.forwarded[0]!.answer({ ok: [] });
    t.equal((await slow[0]!.response())?.status, 200);
    t.ok(await works(), 'as soon as one is through');
  });

  t.test(`${kind}: waiting polls are counted apart, and have a bound of their own`, async (t) => {
    const { services, ask, works } = await start(t, { maxRequests: 1, maxWaitingPolls: 3 });
    for (let i = 1; i <= 3; i++) {
      await ask('/hold');
      await until('it is held', () => services.forwarded.length === i);
    }
    t.match(await (await ask('/hold')).response(), { status: 503, text: UNAVAILABLE });
    t.ok(await works());
    services.forwarded[1]!.answer({ ok: [] });
    await until('one more is held', async () => {
      if (services.forwarded.length === 3) await ask('/hold');
      return services.forwarded.length === 4;
    });
  });

  t.test(`${kind}: clients that stall while sending a body or reading an answer leave room for others`, async (t) => {
    const { services, server, client, ask, works } = await start(t, { maxRequests: 2 });
    const urlencoded = { 'Content-Type': 'application/x-www-form-urlencoded' };
    const stalled: RawClient[] = [];
    for (const part of ['', 'x', 'x', 'x']) {
      const one = await client();
      one.request('POST /api/v1/post', { Authorization: AUTH, ...urlencoded, 'Content-Length': '2' }, part);
      stalled.push(one);
    }
    for (let i = 0; i < 4; i++) {
      const one = await client();
      one.socket.pause();
      one.request('GET /api/v1/large', { Authorization: AUTH });
      await until('its answer waits', () => server.unansweredRequestCount === 5 + i);
    }
    await until('all of them stall', () => server.processedRequestCount === 0);
    t.ok(await works());

    for (let i = 0; i < 2; i++) await ask('/slow');
    await until('as many as may be are processed', () => services.forwarded.length === 2);
    stalled[1]!.send('y');
    t.match(
      await stalled[1]!.response(),
      { status: 503, text: UNAVAILABLE },
      'a request counts once its body is complete',
    );
    for (const { answer } of services.forwarded) answer({ ok: [] });
    stalled[2]!.send('y');
    t.equal((await stalled[2]!.response())?.status, 200);
    stalled[3]!.socket.destroy();
    await until('one body and the answers are left', () => server.unansweredRequestCount === 5);
    t.equal(server.processedRequestCount, 0);
  });

  t.test(`${kind}: stalled bodies are cut off, and so are bodies above the shared limit`, async (t) => {
    const clock = new FakeClock();
    const bodies = new SlowClientGuard(clock, { ...DEFAULT_SLOW_CLIENT_LIMITS, maxHeldBytes: 10 * MIB });
    const { server, client, ask, works } = await start(t, { listen: { slowBodyGuard: bodies } });
    const post = async (bytes: number): Promise<RawClient> => {
      const one = await client();
      one.request('POST /api/v1/post', {
        Authorization: AUTH,
        'Content-Type': 'application/x-www-form-urlencoded',
        'Content-Length': String(2 * MIB),
      });
      one.send('x'.repeat(bytes));
      return one;
    };
    const few = await post(1_000);
    await until('it waits', () => bodies.totalHeldBytes === 1_000);
    clock.advance(10_000);
    few.send('y'.repeat(100));
    await until('it goes on', () => bodies.totalHeldBytes > 1_000);
    const heldBytes = bodies.totalHeldBytes;
    clock.advance(10_000);
    t.equal(bodies.cutOffCount, 0);
    few.send('y'.repeat(100));
    await (await ask('/a')).response();
    t.equal(bodies.totalHeldBytes, heldBytes, 'there is room for it');
    clock.advance(10_000);
    t.equal(bodies.cutOffCount, 0, 'it did something meanwhile');
    clock.advance(6_000);
    t.equal(bodies.cutOffCount, 1);
    await few.closed();
    const many: RawClient[] = [];
    for (let i = 0; i < 20; i++) many.push(await post(MIB));
    await until('as many as there is room for are left', () => bodies.cutOffCount > 10);
    await many[0]!.closed();
    t.ok(bodies.totalHeldBytes <= 10 * MIB, `${bodies.totalHeldBytes} bytes`);
    t.ok(await works());
    const last = many.at(-1)!;
    last.send('z'.repeat(MIB));
    t.equal((await last.response())?.status, 200, 'who sends on is served');
    for (const { socket } of many) socket.destroy();
    await until('nothing waits', () => bodies.waitingTransferCount === 0 && server.unansweredRequestCount === 0);
    t.equal(bodies.totalHeldBytes, 0);
  });

  const form = (type: string, length: number) => ({ 'Content-Type': type, 'Content-Length': String(length) });
  const MULTIPART = 'multipart/form-data; boundary=x';

  t.test(`${kind}: a request without the needed credentials is refused before its body arrives`, async (t) => {
    const { client, works } = await start(t);
    const unknown = `Basic ${Buffer.from(`iago@example.com:${'x'.repeat(32)}`).toString('base64')}`;
    for (const [Authorization, msg] of [
      ['', 'Not logged in: API authentication or user session required'],
      [unknown, 'Invalid API key'],
    ] as const) {
      const one = await client();
      one.request('POST /api/v1/post', { ...(Authorization && { Authorization }), ...form(MULTIPART, MIB) });
      t.match(await one.response(), { status: 401, text: new RegExp(msg) }, 'though none of it has come');
    }
    const hook = await client();
    hook.request(`POST /api/v1/hook?api_key=${'x'.repeat(32)}`, form('application/json', MIB));
    t.match(await hook.response(), { status: 401, text: /Invalid API key/ }, 'with a key in the query, too');
    t.ok(await works());
  });

  t.test(`${kind}: uploads of one account that stall leave room for the uploads of others`, async (t) => {
    const received = new SlowClientGuard(new FakeClock());
    const listen = { slowBodyGuard: received };
    const { services, client } = await start(t, { maxFileMib: 1, uploadMemoryMib: 4, listen });
    const bytes = 900_000;
    const head = `--x\r\nContent-Disposition: form-data; name="f"; filename="f"\r\n\r\n`;
    const body = `${head}${'f'.repeat(bytes - head.length - 9)}\r\n--x--\r\n`;
    const upload = async (id: number, sent: number, headers = {}): Promise<RawClient> => {
      services.caller = { ...services.caller, user: user({ id: toUserId(id) }) };
      const one = await client();
      one.request('POST /api/v1/files', { Authorization: AUTH, ...form(MULTIPART, bytes), ...headers });
      one.send(body.slice(0, sent));
      return one;
    };
    const idle: RawClient[] = [];
    for (let i = 0; i < 10; i++) idle.push(await upload(5, 100));
    t.equal((await (await upload(5, bytes)).response())?.status, 200, 'only bytes that have arrived take memory');

    for (const one of idle.slice(0, 2)) one.send(body.slice(100, bytes - 1));
    await until('they have come', () => received.totalHeldBytes >= 2 * (bytes - 1));
    t.match(
      await (await upload(5, 0)).response(),
      { status: 503, text: UNAVAILABLE },
      'the account must leave as much room for others',
    );
    idle[2]!.send(body.slice(100, bytes - 1));
    t.match(
      await idle[2]!.response(),
      { status: 503, text: UNAVAILABLE },
      'an upload that began earlier is refused, too',
    );
    t.equal((await (await upload(6, bytes)).response())?.status, 200, 'another account has room');
    idle[0]!.send(body.slice(bytes - 1));
    t.equal((await idle[0]!.response())?.status, 200);
    t.equal((await (await upload(5, bytes)).response())?.status, 200, 'an answered upload releases its memory');
  });

  t.test(`${kind}: two million boundaries are refused, and other requests are answered`, async (t) => {
    const { client, works } = await start(t, { listen: { maxBodyBytes: 10 * MIB } });
    const body = '--x\r\n'.repeat(1_900_000);
    const one = await client();
    one.request('POST /api/v1/post', { Authorization: AUTH, ...form(MULTIPART, body.length) }, body);
    const [refused, went] = await Promise.all([one.response(), works()]);
    t.match(refused, { status: 400, text: /Malformed request body/ });
    t.ok(went);
  });

  t.test(`${kind}: a body is limited to 1 MiB unless the operation declares more`, async (t) => {
    const { client, works } = await start(t, { listen: { maxBodyBytes: 10 * MIB } });
    const urlencoded = 'application/x-www-form-urlencoded';
    for (const [length, status] of [
      [MIB, 200],
      [MIB + 1, 413],
    ] as const) {
      const one = await client();
      one.request('POST /api/v1/small', { Authorization: AUTH, ...form(urlencoded, length) }, 'x'.repeat(length));
      t.equal((await one.response())?.status, status, `${length} bytes`);
    }
    t.ok(await works());
  });

  t.test(`${kind}: connections above the limit are closed, and accepted again below it`, async (t) => {
    const { server, works } = await start(t, { listen: { maxConnections: 100 } });
    const sockets: Socket[] = [];
    const destroy = (): void => {
      for (const socket of sockets) socket.destroy();
    };
    t.teardown(destroy);
    let refused = 0;
    const open = async (): Promise<void> => {
      const socket = connect({ port: server.port, host: '127.0.0.1' });
      const gone = new Promise<void>((resolve) => socket.on('error', () => {}).once('close', () => resolve()));
      await Promise.race([once(socket, 'connect').catch(() => undefined), gone]);
      void gone.then(() => refused++);
      sockets.push(socket);
    };
    for (let i = 0; i < 150; i++) await open();
    await until('some are turned away', async () => {
      if (server.refusedConnectionOrPauseCount === 0) await open();
      return server.refusedConnectionOrPauseCount > 0;
    });
    const before = refused;
    // Sooner than idle connections are closed anyway.
    const refusing = async (): Promise<boolean> => {
      await open();
      return refused > before;
    };
    await until('new ones are closed or refused', refusing, 5_000);
    destroy();
    await until('it takes new ones', () => works().catch(() => false));
  });

  t.test(`${kind}: an incomplete head is given up`, { timeout: 60_000 }, async (t) => {
    const { server, works } = await start(t);
    const dripping = ['GET /api/v1/a HTTP/1.1\r\nHost: x\r\nX-Slow: ', ''].map(async (beginning) => {
      const socket = connect({ port: server.port, host: '127.0.0.1' });
      await once(socket, 'connect');
      socket.resume();
      socket.write(beginning);
      const timer = setInterval(() => beginning !== '' && socket.write('x'), 500);
      const since = performance.now();
      await new Promise((resolve) => socket.on('error', () => {}).once('close', resolve));
      clearInterval(timer);
      return performance.now() - since;
    });
    for (const ms of await Promise.all(dripping)) t.ok(ms < 40_000, `${Math.round(ms)} ms`);
    t.equal(server.unansweredRequestCount, 0);
    t.ok(await works());
  });
}
