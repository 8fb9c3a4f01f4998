/** Clients that do not read their answers: both adapters, over real connections. */
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import t, { type Test } from 'tap';
import { leaseBytes } from '#base';
import {
  chooseHttpServerFactory,
  DEFAULT_SLOW_CLIENT_LIMITS,
  type HttpServer,
  ResponseHeaders,
  SlowClientGuard,
} from '#frontend/http';
import type { AnswerSource } from '#model';
import { FakeClock } from '../../support/fake-clock.js';
import { until } from '../../support/until.js';
import { RawClient } from './support.js';

const kinds = [
  'node',
  ...((await chooseHttpServerFactory('auto')).factory === (await chooseHttpServerFactory('node')).factory
    ? []
    : ['uws']),
] as ('node' | 'uws')[];

/** More than a connection takes by itself; one that is shared by all answers, and small ones around it. */
const LARGE = randomBytes(12_000_000);
const BODY = ['{"a":"', LARGE, '","b":"ä', Buffer.from('x'.repeat(100)), '"}'];
const DIGEST = BODY.reduce((hash, part) => hash.update(part), createHash('sha256')).digest('hex');
const LENGTH = BODY.reduce((sum, part) => sum + Buffer.byteLength(part), 0);
const HEADERS = new ResponseHeaders([['Content-Type', 'application/json']]);
const LEASED_LENGTH = 200_000;
const SMALL = 'y'.repeat(1_000);
const REQUEST = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
const MIB = 1_048_576;

/** A connection that reads nothing until the test resumes it. */
async function silent(port: number): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1' }).on('error', () => {});
  await once(socket, 'connect');
  socket.pause();
  return socket;
}

for (const kind of kinds) {
  const start = async (t: Test, over: Partial<typeof DEFAULT_SLOW_CLIENT_LIMITS> = {}) => {
    const clock = new FakeClock();
    const slow = new SlowClientGuard(clock, { ...DEFAULT_SLOW_CLIENT_LIMITS, maxHeldBytes: 1e12, ...over });
    let handled = 0;
    const reads: number[] = [];
    const source: AnswerSource = {
      length: LARGE.length,
      read: async (from, to) => {
        reads.push(from);
        return LARGE.subarray(from, to);
      },
    };
    const brokenSource: AnswerSource = {
      length: LARGE.length,
      read: async (from, to) => {
        if (from > 0) throw new Error('the file is gone');
        return LARGE.subarray(from, to);
      },
    };
    const { factory } = await chooseHttpServerFactory(kind);
    const server: HttpServer = await factory.listen({
      host: '127.0.0.1',
      port: 0,
      maxBodyBytes: 1_000,
      onError: (error) => t.fail(String(error)),
      slowAnswerGuard: slow,
      handler: (exchange) => {
        handled++;
        const later = exchange.path === '/later';
        const respond = (): void => {
          if (exchange.path === '/source') exchange.respondFromSource(200, HEADERS, source);
          else if (exchange.path === '/broken') exchange.respondFromSource(200, HEADERS, brokenSource);
          else if (exchange.path === '/own') exchange.respond(200, HEADERS, [Buffer.from(LARGE)]);
          else if (exchange.path.startsWith('/leased/')) {
            const letter = exchange.path.charCodeAt('/leased/'.length);
            exchange.respond(200, HEADERS, ['<', leaseBytes().fill(letter).subarray(0, LEASED_LENGTH), '>']);
          } else exchange.respond(200, HEADERS, exchange.path === '/small' ? [SMALL] : BODY);
        };
        if (later) setImmediate(respond);
        else respond();
      },
    });
    const sockets: Socket[] = [];
    t.teardown(() => {
      for (const socket of sockets) socket.destroy();
      server.closeImmediately();
    });
    const open = async (): Promise<Socket> => {
      const socket = await silent(server.port);
      sockets.push(socket);
      return socket;
    };
    const works = async (): Promise<boolean> => {
      const client = await RawClient.open(server.port);
      client.send(REQUEST('/small'));
      const answer = await client.response();
      client.socket.destroy();
      return answer?.text === SMALL;
    };
    return { clock, slow, server, open, works, reads, handled: () => handled };
  };

  t.test(`${kind}: a source is read as the client takes its bytes, and no further`, async (t) => {
    const { clock, slow, server, open, works, reads } = await start(t);
    const socket = await open();
    socket.write(`${REQUEST('/source')}`);
    await until('it waits', () => slow.waitingTransferCount === 1);
    t.ok(reads.length * 262_144 < LARGE.length, `${reads.length} pieces were read`);
    t.ok(slow.totalHeldBytes <= 2 * 262_144, `${slow.totalHeldBytes} bytes wait`);
    t.ok(await works(), 'others are answered meanwhile');
    const hash = createHash('sha256');
    let head = '';
    let got = 0;
    socket.on('data', (chunk: Buffer) => {
      let body = chunk;
      if (!head.includes('\r\n\r\n')) {
        const end = chunk.indexOf('\r\n\r\n') + 4;
        head += chunk.subarray(0, end).toString();
        body = chunk.subarray(end);
      }
      got += body.length;
      hash.update(body);
    });
    socket.resume();
    await until('all of it has come', () => got === LARGE.length);
    t.match(head, new RegExp(`^HTTP/1.1 200 OK[^]*Content-Length: ${LARGE.length}\r\n`, 'i'));
    t.equal(hash.digest('hex'), createHash('sha256').update(LARGE).digest('hex'));
    await until('nothing waits', () => slow.waitingTransferCount === 0 && server.unansweredRequestCount === 0);

    const stuck = await open();
    stuck.write(REQUEST('/source'));
    await until('it waits', () => slow.waitingTransferCount === 1);
    clock.advance(DEFAULT_SLOW_CLIENT_LIMITS.stallMs + 1_000);
    t.same([slow.waitingTransferCount, slow.cutOffCount], [0, 1], 'a client that takes nothing is cut off');
    await until('nothing runs', () => server.unansweredRequestCount === 0);
  });

  t.test(`${kind}: a client that reads late gets its own bytes, although their memory was leased`, async (t) => {
    const { slow, server, open, handled } = await start(t);
    const socket = await open();
    let asked = 0;
    // The operating system takes answers until its buffer is full; the last one is taken in part and has to wait.
    while (slow.waitingTransferCount === 0) {
      socket.write(REQUEST(`/leased/${String.fromCharCode(65 + (asked % 26))}`));
      asked++;
      await until('it is answered', () => handled() === asked);
      await until('it waits or not', () => server.unansweredRequestCount === slow.waitingTransferCount);
    }
    for (let i = 0; i < 3; i++) {
      const other = await RawClient.open(server.port);
      other.send(REQUEST('/leased/z'));
      t.equal((await other.response())?.text, `<${'z'.repeat(LEASED_LENGTH)}>`);
      other.socket.destroy();
    }
    const chunks: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.resume();
    await until('nothing waits', () => slow.waitingTransferCount === 0 && server.unansweredRequestCount === 0);
    await until('all has come', () => Buffer.concat(chunks).toString('latin1').split('>').length === asked + 1);
    const bodies =
      Buffer.concat(chunks)
        .toString('latin1')
        .match(/<[^>]*>/g) ?? [];
    t.same(
      bodies.map((body) => body.slice(0, 2) + body.length),
      Array.from({ length: asked }, (_, i) => `<${String.fromCharCode(65 + (i % 26))}${LEASED_LENGTH + 2}`),
    );
    t.ok(bodies.every((body) => body.slice(1, -1) === body[1]!.repeat(LEASED_LENGTH)));
  });

  t.test(`${kind}: a source that fails cuts the connection; HEAD reads nothing`, async (t) => {
    const { server, open, works, reads } = await start(t);
    const socket = await open();
    const closed = once(socket, 'close');
    socket.resume();
    socket.write(REQUEST('/broken'));
    await closed;
    t.ok(socket.bytesRead < LARGE.length);
    await until('nothing runs', () => server.unansweredRequestCount === 0);
    const client = await RawClient.open(server.port);
    client.send('HEAD /source HTTP/1.1\r\nHost: x\r\n\r\n');
    const head = once(client.socket, 'data');
    t.match(String((await head)[0]), new RegExp(`Content-Length: ${LARGE.length}\r\n`, 'i'));
    client.socket.destroy();
    t.same(reads, []);
    t.ok(await works());
  });

  for (const path of ['/large', '/later']) {
    t.test(
      `${kind}: 200 clients that do not read a large answer use little memory, and are cut off (${path})`,
      async (t) => {
        const { clock, slow, server, open, works } = await start(t);
        const before = process.memoryUsage().rss;
        for (let i = 0; i < 200; i++) (await open()).write(REQUEST(path));
        await until('all of them wait', () => slow.waitingTransferCount === 200);
        const held = Math.round(slow.totalHeldBytes / MIB);
        t.ok(held >= 11 && held < 25, `${held} MiB wait: the memory that all of them share counts once`);
        const grown = (process.memoryUsage().rss - before) / MIB;
        t.ok(grown < 150, `${Math.round(grown)} MiB for them`);
        t.ok(await works(), 'others are answered meanwhile');
        clock.advance(DEFAULT_SLOW_CLIENT_LIMITS.stallMs + 1_000);
        t.same([slow.waitingTransferCount, slow.totalHeldBytes, slow.cutOffCount], [0, 0, 200]);
        await until('nothing runs', () => server.unansweredRequestCount === 0);
        t.ok(await works());
      },
    );
  }

  t.test(`${kind}: a slow client that finally reads gets the whole answer`, async (t) => {
    const { slow, server, open } = await start(t);
    for (const path of ['/large', '/later']) {
      const socket = await open();
      socket.write(REQUEST(path));
      await until('it waits', () => slow.waitingTransferCount === 1);
      const hash = createHash('sha256');
      let head = '';
      let got = 0;
      socket.on('data', (chunk: Buffer) => {
        let body = chunk;
        if (!head.includes('\r\n\r\n')) {
          const end = Buffer.concat([Buffer.from(head, 'latin1'), chunk]).indexOf('\r\n\r\n');
          const from = end < 0 ? chunk.length : end + 4 - head.length;
          head += chunk.toString('latin1', 0, from);
          body = chunk.subarray(from);
        }
        const part = body.subarray(0, Math.max(0, LENGTH - got));
        got += body.length;
        hash.update(part);
      });
      socket.resume();
      await until('all of it', () => got >= LENGTH);
      t.match(head, new RegExp(`content-length: ${LENGTH}`, 'i'));
      t.equal(hash.digest('hex'), DIGEST);
      await until('nothing waits', () => slow.waitingTransferCount === 0 && server.unansweredRequestCount === 0);
      socket.destroy();
    }
    t.same([slow.totalHeldBytes, slow.cutOffCount], [0, 0]);
  });

  t.test(`${kind}: above the shared limit the connections that wait longest are cut off`, async (t) => {
    const { slow, server, open, works } = await start(t, { maxHeldBytes: 3 * LENGTH });
    for (let i = 0; i < 12; i++) (await open()).write(REQUEST('/large'));
    await until('clients of one answer in memory wait', () => slow.waitingTransferCount === 12);
    t.equal(slow.cutOffCount, 0);
    const sockets: Socket[] = [];
    for (let i = 0; i < 12; i++) {
      const socket = await open();
      sockets.push(socket);
      socket.write(REQUEST('/own'));
      await until('it waits, or another went', () => slow.waitingTransferCount + slow.cutOffCount === 12 + i + 1);
    }
    t.ok(slow.totalHeldBytes <= 3 * LENGTH);
    t.ok(slow.cutOffCount >= 8, `${slow.cutOffCount} cut off`);
    t.equal(slow.waitingTransferCount, 24 - slow.cutOffCount);
    t.ok(await works());
    for (const socket of sockets) socket.destroy();
    await until('nothing waits', () => slow.waitingTransferCount === 0 && server.unansweredRequestCount === 0);
    t.equal(slow.totalHeldBytes, 0, 'who leaves by himself is forgotten as well');
  });

  t.test(`${kind}: a client that sends requests without reading answers is stopped`, async (t) => {
    const { open, works, handled } = await start(t);
    const socket = await open();
    let closed = false;
    socket.on('close', () => {
      closed = true;
    });
    const before = process.memoryUsage().rss;
    const many = REQUEST('/small').repeat(1_000);
    let sent = 0;
    // Until the server takes no more, or 200 MB of answers are asked for.
    for (; sent < 200 && !closed; sent++) {
      const taken = socket.write(many);
      if (!taken && !(await Promise.race([drained(socket), turns(200)]))) break;
    }
    const grown = (process.memoryUsage().rss - before) / MIB;
    t.ok(handled() < 100_000, `${handled()} of ${sent * 1_000} were handled`);
    t.ok(grown < 60, `${Math.round(grown)} MiB`);
    t.ok(await works());
  });
}

const drained = (socket: Socket): Promise<boolean> =>
  once(socket, 'drain').then(
    () => true,
    () => false,
  );

/** False after `n` turns of the event loop; the loser in a race with the awaited event. */
async function turns(n: number): Promise<false> {
  for (let i = 0; i < n; i++) await new Promise((resolve) => setTimeout(resolve, 5));
  return false;
}

t.test('a client that reads a little now and then must finish in time', async (t) => {
  const clock = new FakeClock();
  const slow = new SlowClientGuard(clock);
  let left = 10 * MIB;
  let cut = 0;
  const answer = {
    timeLimitBytes: 10 * MIB,
    get heldBytes() {
      return left;
    },
    cutOff: () => cut++,
  };
  slow.noteWaitOrProgress(answer);
  let seconds = 0;
  for (; cut === 0 && seconds < 10_000; seconds++) {
    clock.advance(1_000);
    left -= 1_000;
    if (cut === 0) slow.noteWaitOrProgress(answer);
  }
  const allowed = DEFAULT_SLOW_CLIENT_LIMITS.graceMs / 1000 + (10 * MIB) / DEFAULT_SLOW_CLIENT_LIMITS.minBytesPerSecond;
  t.ok(Math.abs(seconds - allowed) < 3, `${seconds} s of ${allowed}`);
  t.equal(clock.next(), undefined, 'no timer where nothing waits');
});
