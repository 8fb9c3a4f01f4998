import t from 'tap';
import { Type } from 'typebox';
import { EncodedJson } from '#base';
import { forwardCommand as checkedForward } from '#frontend/api';
import {
  chooseHttpServerFactory,
  closeWithinTimeLimit,
  type HttpExchange,
  HttpFrontend,
  type HttpListenOptions,
  type HttpRequestHandler,
  type HttpServer,
  openHttpServer,
  ResponseHeaders,
  SlowClientGuard,
} from '#frontend/http';
import { realmActorKey } from '#model';
import { anyCommand } from '../../support/any-command.js';
import { FakeClock, settle } from '../../support/fake-clock.js';
import { until } from '../../support/until.js';
import { AUTH, declare, FakeServices, RawClient, type RawResponse } from './support.js';

// A parameter in text may have 65,536 characters.
const LIMIT = 60_000;
const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };
const AUTHORIZED = { Authorization: AUTH };
const text = { in: 'form', encoding: 'string', schema: Type.String(), required: true } as const;
const forward = checkedForward({ to: realmActorKey(1 as never), command: anyCommand('do'), args: {}, held: true });

/** Both adapters where the native one loads. */
const kinds = [
  'node',
  ...((await chooseHttpServerFactory('auto')).factory === (await chooseHttpServerFactory('node')).factory
    ? []
    : ['uws']),
];
if (kinds.length === 1) t.comment('uWebSockets.js does not load here: node:http only');

type Teardown = { teardown(fn: () => void): void };

interface Running {
  readonly server: HttpServer;
  readonly services: FakeServices;
  readonly frontend: HttpFrontend;
  client(): Promise<RawClient>;
}

for (const kind of kinds as ('node' | 'uws')[]) {
  const listen = async (
    t: Teardown,
    handler?: HttpRequestHandler,
    over: Partial<HttpListenOptions> = {},
  ): Promise<Running> => {
    const services = new FakeServices();
    const frontend = new HttpFrontend(
      [
        declare({ path: '/a', run: ({ params }) => ({ fields: { ...(params as object) } }) }),
        declare({
          path: '/len',
          method: 'POST',
          parameters: { s: text },
          run: ({ params }) => ({ fields: { n: (params as { s: string }).s.length } }),
        }),
        declare({ path: '/hold', run: () => forward }),
        declare({ path: '/hold', method: 'POST', parameters: { s: text }, run: () => forward }),
        declare({
          path: '/big',
          run: () => ({ fields: { x: EncodedJson.fromJsonText(`"${'ä'.repeat(2_000_000)}"`) } }),
        }),
      ],
      services,
      { requestIdPrefix: 'f', maxBodyBytes: LIMIT },
    );
    const { factory } = await chooseHttpServerFactory(kind);
    const errors: unknown[] = [];
    const server = await factory.listen({
      host: '127.0.0.1',
      port: 0,
      maxBodyBytes: LIMIT,
      handler: handler ?? frontend.handleRequest,
      onError: (error) => errors.push(error),
      ...over,
    });
    const clients: RawClient[] = [];
    t.teardown(() => {
      for (const client of clients) client.socket.destroy();
      server.closeImmediately();
    });
    const client = async (): Promise<RawClient> => {
      const opened = await RawClient.open(server.port);
      clients.push(opened);
      return opened;
    };
    return { server, services, frontend, client };
  };

  t.test(`${kind}: requests on one connection are answered one after the other`, async (t) => {
    const { client } = await listen(t);
    const c = await client();
    for (let i = 0; i < 3; i++) {
      c.request('GET /api/v1/a', AUTHORIZED);
      const got = await c.response();
      t.equal(got?.status, 200);
      t.equal(got?.text, '{"result":"success","msg":""}\n');
      t.match(got?.headers, { 'content-type': 'application/json', expires: /1970/ });
      t.equal(got?.headers['cache-control'], 'max-age=0, no-cache, no-store, must-revalidate, private');
    }
  });

  t.test(`${kind}: pipelined requests are answered in order`, async (t) => {
    const { client } = await listen(t);
    const c = await client();
    const one = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: ${AUTH}\r\n\r\n`;
    c.send(one('/api/v1/a?x=1') + one('/api/v1/none') + one('/api/v1/a?y=1'));
    t.match(await c.response(), { status: 200, text: /\["x"\]/ });
    t.match(await c.response(), { status: 404 });
    t.match(await c.response(), { status: 200, text: /\["y"\]/ });
  });

  t.test(`${kind}: HEAD has the headers of GET and no body`, async (t) => {
    const { client } = await listen(t);
    const c = await client();
    c.request('HEAD /api/v1/a', AUTHORIZED);
    t.match(await c.response(true), {
      status: 200,
      headers: { 'content-length': '30', 'content-type': 'application/json' },
    });
  });

  t.test(`${kind}: OPTIONS, unknown methods, unknown paths and missing credentials`, async (t) => {
    const { client } = await listen(t);
    const c = await client();
    c.request('OPTIONS /api/v1/hold');
    t.match(await c.response(), { status: 204, headers: { allow: 'GET, POST' }, text: '' });
    c.request('PUT /api/v1/a', FORM, 'x=1');
    t.match(await c.response(), { status: 405, headers: { allow: 'GET' } });
    c.request('GET /nowhere');
    t.match(await c.response(), { status: 404, text: '{"result":"error","msg":"Not Found"}\n' });
    c.request('GET /api/v1/a');
    t.match(await c.response(), { status: 401, headers: { 'www-authenticate': 'Basic realm="Conclave"' } });
  });

  t.test(`${kind}: answers whose status has no body announce no length`, async (t) => {
    const headers = new ResponseHeaders([['ETag', '"x"']]);
    const { client, server } = await listen(t, (exchange) => {
      const respond = (): void => exchange.respond(Number(exchange.path.slice(1, 4)), headers, []);
      if (exchange.path.endsWith('later')) setImmediate(respond);
      else respond();
    });
    const requests = [204, 304].flatMap((status) => [`/${status}`, `/${status}/later`]);
    const check = async (c: RawClient, path: string): Promise<RawResponse> => {
      const answer = (await c.response())!;
      t.match(answer, { status: Number(path.slice(1, 4)), headers: { etag: '"x"' }, text: '' }, path);
      t.same(answer.headers['content-length'], undefined, path);
      t.same(answer.headers['transfer-encoding'], undefined, path);
      return answer;
    };
    const c = await client();
    for (const path of requests) {
      c.request(`GET ${path}`);
      await check(c, path);
    }
    for (const path of requests) {
      c.request(`HEAD ${path}`);
      await check(c, path);
    }
    server.closeConnectionAfterEachResponse();
    for (const path of requests) {
      const last = await client();
      last.request(`GET ${path}`);
      t.equal((await check(last, path)).headers.connection, 'close', path);
    }
    t.equal(server.unansweredRequestCount, 0);
  });

  t.test(`${kind}: a body may come in pieces, chunked, or with any method`, async (t) => {
    const { client } = await listen(t);
    const c = await client();
    c.request('POST /api/v1/len', { ...AUTHORIZED, ...FORM, 'Content-Length': '12' });
    for (const byte of 's=abcdefghij') {
      c.send(byte);
      await settle(1);
    }
    t.equal((await c.response())?.json().n, 10);
    c.request('POST /api/v1/len', { ...AUTHORIZED, ...FORM, 'Transfer-Encoding': 'chunked' });
    c.send('4\r\ns=%C\r\n');
    await settle();
    c.send('6\r\n3%A4bc\r\n0\r\n\r\n');
    t.equal((await c.response())?.json().n, 3);
    // The native server's connection ends with a chunked body.
    const d = await client();
    d.request('GET /api/v1/a', { ...AUTHORIZED, ...FORM }, 'x=1');
    t.match(await d.response(), { status: 200, text: /\["x"\]/ });
    d.request('POST /api/v1/len', { ...AUTHORIZED, ...FORM }, `s=${'x'.repeat(LIMIT - 2)}`);
    t.equal((await d.response())?.json().n, LIMIT - 2, 'exactly the limit');
  });

  t.test(`${kind}: a body in chunks of one byte counts as the memory that it takes`, async (t) => {
    const slowBodyGuard = new SlowClientGuard(new FakeClock());
    const { client } = await listen(t, undefined, { slowBodyGuard });
    const c = await client();
    c.request('POST /api/v1/len', { ...AUTHORIZED, ...FORM, 'Transfer-Encoding': 'chunked' });
    c.send(`2\r\ns=\r\n${'1\r\nx\r\n'.repeat(4_000)}`);
    await until('it has arrived', () => slowBodyGuard.totalHeldBytes >= 4_002);
    t.ok(slowBodyGuard.totalHeldBytes > 4_002, 'its last block has room for more bytes');
    c.send('0\r\n\r\n');
    t.equal((await c.response())?.json().n, 4_000);
    t.equal(slowBodyGuard.totalHeldBytes, 0);
  });

  t.test(`${kind}: a body in very many tiny chunks is cut off`, async (t) => {
    const slowBodyGuard = new SlowClientGuard(new FakeClock());
    const { client, server } = await listen(t, undefined, { slowBodyGuard });
    const [many, few] = [await client(), await client()];
    for (const c of [many, few])
      c.request('POST /api/v1/len', { ...AUTHORIZED, ...FORM, 'Transfer-Encoding': 'chunked' });
    many.send(`2\r\ns=\r\n${'1\r\nx\r\n'.repeat(5_000)}0\r\n\r\n`);
    t.equal(await many.response(), undefined);
    few.send(`2\r\ns=\r\n${`80\r\n${'x'.repeat(128)}\r\n`.repeat(400)}0\r\n\r\n`);
    t.equal((await few.response())?.json().n, 400 * 128);
    await until('nothing is left', () => server.unansweredRequestCount + slowBodyGuard.waitingTransferCount === 0);
  });

  t.test(`${kind}: a body that is too large is cut off when very many tiny chunks follow`, async (t) => {
    const { client } = await listen(t, (exchange) =>
      exchange.readBody((body) => exchange.respond(body ? 200 : 413, new ResponseHeaders([]), []), 1_000),
    );
    const [many, few] = [await client(), await client()];
    for (const [c, count] of [
      [many, 6_000],
      [few, 1_000],
    ] as const) {
      c.request('POST /', { ...FORM, 'Transfer-Encoding': 'chunked' });
      c.send(`3e9\r\n${'x'.repeat(1_001)}\r\n${'1\r\nx\r\n'.repeat(count)}`);
    }
    t.equal((await few.response())?.status, 413);
    // node:http sends the answer at once, and uWebSockets.js when it has read all that has arrived.
    if (kind === 'uws') t.equal(await many.response(), undefined);
    await many.closed();
  });

  t.test(`${kind}: an unread body is skipped`, async (t) => {
    const { client } = await listen(t);
    const c = await client();
    c.request('GET /api/v1/none', { 'Content-Type': 'text/plain' }, 'x'.repeat(LIMIT * 2));
    t.match(await c.response(), { status: 404 });
    c.request('GET /api/v1/a', AUTHORIZED);
    t.match(await c.response(), { status: 200 });
  });

  t.test(`${kind}: a body over the limit is 413, announced or not`, async (t) => {
    const { client } = await listen(t);
    const c = await client();
    c.request('POST /api/v1/len', { ...AUTHORIZED, ...FORM }, `s=${'x'.repeat(LIMIT)}`);
    t.match(await c.response(), { status: 413, text: /"code":"BAD_REQUEST"/ });
    const d = await client();
    d.request('POST /api/v1/len', { ...AUTHORIZED, ...FORM, 'Transfer-Encoding': 'chunked' });
    const chunk = 'x'.repeat(50_000);
    for (let i = 0; i < 3; i++) d.send(`c350\r\n${chunk}\r\n`);
    t.match(await d.response(), { status: 413 });
  });

  t.test(`${kind}: a body cut off in the middle runs nothing`, async (t) => {
    const { client, server } = await listen(t);
    const c = await client();
    c.request('POST /api/v1/len', { ...AUTHORIZED, ...FORM, 'Content-Length': '100' }, 's=abc');
    while (server.unansweredRequestCount === 0) await settle(1);
    c.socket.destroy();
    while (server.unansweredRequestCount > 0) await settle(1);
    const d = await client();
    d.request('GET /api/v1/a', AUTHORIZED);
    t.match(await d.response(), { status: 200 }, 'the server goes on');
  });

  t.test(`${kind}: a client that leaves cancels its waiting request`, async (t) => {
    const { client, services } = await listen(t);
    for (const post of [false, true]) {
      const c = await client();
      const cancelled = new Promise<void>((resolve) => {
        services.onCancel = () => resolve();
        services.onForward = () => c.socket.destroy();
      });
      if (post) c.request('POST /api/v1/hold', { ...AUTHORIZED, ...FORM }, 's=1');
      else c.request('GET /api/v1/hold', AUTHORIZED);
      await cancelled;
      services.forwarded.at(-1)!.answer({ ok: [] });
      await settle();
    }
    t.equal(services.forwarded.length, 2);
  });

  t.test(`${kind}: long queries pass`, async (t) => {
    const { client } = await listen(t);
    const c = await client();
    const name = 'n'.repeat(20_000);
    c.request(`GET /api/v1/a?${name}=1`, AUTHORIZED);
    t.same((await c.response())?.json().ignored_parameters_unsupported, [name]);
  });

  t.test(`${kind}: large answers arrive whole`, async (t) => {
    const { client } = await listen(t);
    const c = await client();
    c.request('GET /api/v1/big', AUTHORIZED);
    t.equal((await c.response())?.json().x.length, 2_000_000);
  });

  t.test(`${kind}: unescaped text is UTF-8`, async (t) => {
    const { client } = await listen(t);
    const c = await client();
    c.request('GET /api/v1/a?ä=1', AUTHORIZED);
    const got = await c.response();
    // A client may not send this; node:http refuses it.
    if (got?.status === 400) t.equal(kind, 'node');
    else t.same(got?.json().ignored_parameters_unsupported, ['ä']);
  });

  t.test(`${kind}: the exchange of one request may serve the following requests`, async (t) => {
    let came: HttpRequestHandler = () => {};
    const running = await listen(t, (exchange) => came(exchange));
    /** Sends a request on the connection. Resolves when the handler has been called. */
    const ask = (c: RawClient, path: string, handler: HttpRequestHandler): Promise<void> =>
      new Promise((resolve) => {
        came = (exchange) => {
          handler(exchange);
          resolve();
        };
        c.request(`GET ${path}`);
      });
    const answer = (of: HttpExchange, text: string): void => of.respond(200, new ResponseHeaders([]), [text]);
    const first = await running.client();
    let stands: HttpExchange | undefined;
    let aborted = 0;
    await ask(first, '/?1', (exchange) => {
      stands = exchange;
    });
    answer(stands!, 'one');
    t.equal((await first.response())?.text, 'one');
    // The next request comes on another connection: a client may return on any.
    const second = await running.client();
    await ask(second, '/?2', (exchange) => {
      exchange.setRequestId('the second');
      stands = stands!.reuseForNextRequestIfPossible(exchange);
      stands.setAbortListener(() => aborted++);
    });
    first.socket.destroy();
    await first.closed();
    t.same([stands!.answered, stands!.aborted, running.server.unansweredRequestCount], [false, false, 1]);
    answer(stands!, 'two');
    t.match(await second.response(), { text: 'two', headers: { 'x-request-id': 'the second' } });
    await ask(second, '/?3', (exchange) => {
      stands = stands!.reuseForNextRequestIfPossible(exchange);
      answer(stands, 'three');
    });
    t.equal((await second.response())?.text, 'three', 'also when it is answered at once');
    t.equal(running.server.unansweredRequestCount, 0);
    const gone = new Promise<void>((resolve) => {
      void ask(second, '/?4', (exchange) => {
        stands = stands!.reuseForNextRequestIfPossible(exchange);
        stands.setAbortListener(() => {
          aborted++;
          resolve();
        });
      }).then(() => second.socket.destroy());
    });
    await gone;
    answer(stands!, 'nobody hears it');
    t.same([stands!.aborted, aborted, running.server.unansweredRequestCount], [true, 1, 0]);
  });

  t.test(`${kind}: an exception in the handler is a bare 500, and the server goes on`, async (t) => {
    const errors: unknown[] = [];
    const { client } = await listen(
      t,
      (exchange) => {
        if (exchange.hasBody) {
          exchange.readBody(() => {
            throw new Error('late');
          });
        } else throw new Error('early');
      },
      { onError: (error) => errors.push(error) },
    );
    const c = await client();
    c.request('GET /');
    t.match(await c.response(), { status: 500 });
    c.request('POST /', {}, 'x');
    t.match(await c.response(), { status: 500 });
    t.equal(errors.length, 2);
  });

  t.test(`${kind}: 2,000 waiting requests are all answered`, async (t) => {
    const { client, services } = await listen(t);
    const all = new Promise<void>((resolve) => {
      services.onForward = () => services.forwarded.length === 2000 && resolve();
    });
    const clients: RawClient[] = [];
    for (let i = 0; i < 2000; i += 100) clients.push(...(await Promise.all(Array.from({ length: 100 }, client))));
    for (const c of clients) c.request('GET /api/v1/hold', AUTHORIZED);
    await all;
    for (const [i, sent] of services.forwarded.entries()) sent.answer({ ok: [Buffer.from(`,"i":${i}`)] });
    const numbers = await Promise.all(clients.map(async (c) => (await c.response())?.json().i as number));
    t.equal(new Set(numbers).size, 2000);
  });

  t.test(`${kind}: close lets running requests end and drops idle connections`, async (t) => {
    const { client, server, services, frontend } = await listen(t);
    const [idle, held] = [await client(), await client()];
    idle.request('GET /api/v1/a', AUTHORIZED);
    await idle.response();
    const arrived = new Promise<void>((resolve) => {
      services.onForward = () => resolve();
    });
    held.request('GET /api/v1/hold', AUTHORIZED);
    await arrived;
    const closed = server.closeGracefully();
    frontend.answerWaitingPollsForShutdown();
    t.match(await held.response(), { status: 200, headers: { connection: 'close' } });
    await closed;
    await Promise.all([idle.closed(), held.closed()]);
    await t.rejects(RawClient.open(server.port), { code: 'ECONNREFUSED' });
    t.equal(server.unansweredRequestCount, 0);
  });

  t.test(`${kind}: close answers a request that arrived while the process had no CPU`, async (t) => {
    const { client, server } = await listen(t);
    const idle = await client();
    idle.request('GET /api/v1/a', AUTHORIZED);
    await idle.response();
    const graceMs = 200;
    const closed = server.closeGracefully(graceMs);
    const isRefused = (): Promise<boolean> =>
      RawClient.open(server.port).then(
        ({ socket }) => {
          // For Node 24 a connection without a request is not idle: the server would wait for its head.
          socket.destroy();
          return false;
        },
        () => true,
      );
    // From then on the grace period runs.
    while (!(await isRefused()));
    idle.request('GET /api/v1/a', AUTHORIZED);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, graceMs);
    t.match(await idle.response(), { status: 200, headers: { connection: 'close' } });
    await closed;
  });

  t.test(`${kind}: requests that run when the server stops are cut off after the limit, and not before`, async (t) => {
    const { client, server, services } = await listen(t);
    const clock = new FakeClock();
    const [first, second] = [await client(), await client()];
    for (const c of [first, second]) {
      const arrived = new Promise<void>((resolve) => {
        services.onForward = () => resolve();
      });
      c.request('GET /api/v1/hold', AUTHORIZED);
      await arrived;
    }
    const closed = closeWithinTimeLimit(server, clock, 0, 30_000);
    await clock.advance(29_999);
    services.forwarded[0]!.answer({ ok: [] });
    t.match(await first.response(), { status: 200 });
    await clock.advance(1);
    await Promise.all([closed, second.closed()]);
  });

  t.test(`${kind}: terminate cuts everything`, async (t) => {
    const { client, server, services } = await listen(t);
    const c = await client();
    const arrived = new Promise<void>((resolve) => {
      services.onForward = () => resolve();
    });
    const cancelled = new Promise<void>((resolve) => {
      services.onCancel = () => resolve();
    });
    c.request('GET /api/v1/hold', AUTHORIZED);
    await arrived;
    server.closeImmediately();
    await Promise.all([cancelled, c.closed()]);
  });

  t.test(`${kind}: an address in use is an error`, async (t) => {
    const { server } = await listen(t);
    const { factory } = await chooseHttpServerFactory(kind);
    const options = { host: '127.0.0.1', port: server.port, maxBodyBytes: 1, handler: () => {}, onError: () => {} };
    await t.rejects(factory.listen(options));
  });
}

t.test('the log says which adapter runs and why', async (t) => {
  const services = new FakeServices();
  const options = { host: '127.0.0.1', port: 0, maxBodyBytes: 1, handler: () => {}, onError: () => {} };
  const server = await openHttpServer('auto', options, services.log);
  t.match(services.logged[0], { level: 'info', fields: { http: server.kind, port: server.port, reason: String } });
  t.equal(server.kind, kinds.at(-1));
  server.closeImmediately();
  const forced = await openHttpServer('node', options, services.log);
  t.equal(forced.kind, 'node');
  t.match(services.logged[1]?.fields, { reason: 'configured' });
  forced.closeImmediately();
});
