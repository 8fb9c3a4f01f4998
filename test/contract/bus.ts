import { randomBytes } from 'node:crypto';
import type { Json } from '#base';
import { type Bus, BusError, type BusRequest } from '#ports/bus';
import { until } from '../support/until.js';

export interface BusPair {
  readonly client: Bus;
  readonly server: Bus;
  close(): Promise<void>;
}

type Tap = typeof import('tap').default;

export const freshSubject = (): string => `test.${randomBytes(8).toString('hex')}`;

export const failure = (reply: Promise<unknown>): Promise<string> =>
  reply.then(
    () => 'answered',
    (error) => (error instanceof BusError ? error.failure : String(error)),
  );

const echo = (request: BusRequest): void => request.reply(request.value);

const MB = 1024 * 1024;

function big(size: number, fill: number): Uint8Array {
  const bytes = new Uint8Array(size).fill(fill);
  bytes[0] = 1;
  bytes[size - 1] = 2;
  return bytes;
}

const same = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0;

/**
 * Contract test of Bus implementations.
 * @param severalMb size of each of eight values that are sent at once
 */
export function busContract(t: Tap, name: string, makePair: () => Promise<BusPair>, severalMb = 20): void {
  const fact = (title: string, body: (t: Tap, pair: BusPair) => Promise<void>): void => {
    void t.test(`${name}: ${title}`, async (t) => {
      const pair = await makePair();
      try {
        await body(t as unknown as Tap, pair);
      } finally {
        await pair.close();
      }
    });
  };

  fact('a request is answered, and names its requester', async (t, { client, server }) => {
    const subject = freshSubject();
    await server.serve(subject, (request) => request.reply({ from: request.from, value: request.value }));
    t.strictSame(await client.request(subject, { a: 1 }, 5_000).reply, { from: client.id, value: { a: 1 } });
  });

  fact('values of every shape arrive unchanged', async (t, { client, server }) => {
    const subject = freshSubject();
    await server.serve(subject, echo);
    const value: Json = {
      text: 'Grüße 👋 \u0000',
      numbers: [0, -1, 1.5, 2 ** 31, 2 ** 40, Number.MAX_SAFE_INTEGER, -(2 ** 33)],
      flags: [true, false, null],
      nested: { a: [{ b: [[]] }, {}], c: '' },
    };
    t.strictSame(await client.request(subject, value, 5_000).reply, value);
    for (const plain of [null, true, 0, '', 'x', [], {}] as Json[]) {
      t.strictSame(await client.request(subject, plain, 5_000).reply, plain);
    }
    for (const size of [0, 1, 127, 128, 5_000]) {
      const bytes = new Uint8Array(randomBytes(size));
      const reply = (await client.request(subject, { deep: [{ bytes }] }, 5_000).reply) as {
        deep: { bytes: Uint8Array }[];
      };
      t.ok(reply.deep[0]!.bytes instanceof Uint8Array);
      t.strictSame(reply.deep[0]!.bytes, bytes, `${size} bytes`);
    }
  });

  fact('requests arrive in the order in which one client sent them, once each', async (t, { client, server }) => {
    const subject = freshSubject();
    const seen: Json[] = [];
    await server.serve(subject, (request) => {
      seen.push(request.value);
      request.reply(null);
    });
    const replies: Promise<Json>[] = [];
    for (let i = 0; i < 1_000; i++) {
      // Some replies are 2 MB, which may travel by another path.
      replies.push(client.request(subject, i % 300 === 7 ? [i, big(2 * MB, i % 256)] : [i], 20_000).reply);
      if (i % 50 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    await Promise.all(replies);
    t.strictSame(
      seen.map((v) => (v as number[])[0]),
      Array.from({ length: 1_000 }, (_, i) => i),
    );
  });

  fact('replies may come late and in any order', async (t, { client, server }) => {
    const subject = freshSubject();
    const held: BusRequest[] = [];
    await server.serve(subject, (request) => held.push(request));
    const replies = [1, 2, 3].map((i) => client.request(subject, i, 20_000).reply);
    await until('all held', () => held.length === 3);
    held[2]!.reply('c');
    t.equal(await replies[2], 'c');
    held[0]!.reply('a');
    held[1]!.reply('b');
    t.strictSame(await Promise.all(replies), ['a', 'b', 'c']);
  });

  fact(
    'all clients are notified of a newly served subject, and can send requests to it',
    async (t, { client, server }) => {
      const [first, second] = [freshSubject(), freshSubject()];
      t.equal(await failure(client.request(first, 0, 5_000).reply), 'nobody');
      const answers: Promise<Json>[] = [];
      client.onSubjectServed((subject) => {
        if (subject === first || subject === second) answers.push(client.request(subject, subject, 5_000).reply);
      });
      const told: string[] = [];
      server.onSubjectServed((subject) => told.push(subject));
      await Promise.all([server.serve(first, echo), server.serve(second, echo)]);
      await until('told of both', () => answers.length >= 2 && told.includes(first) && told.includes(second));
      t.strictSame(new Set(await Promise.all(answers)), new Set([first, second]));
    },
  );

  fact('only the first answer counts', async (t, { client, server }) => {
    const subject = freshSubject();
    await server.serve(subject, (request) => {
      request.reply(1);
      request.reply(2);
    });
    t.equal(await client.request(subject, 0, 5_000).reply, 1);
    t.equal(await client.request(subject, 0, 5_000).reply, 1);
  });

  fact('no caller is re-entered', async (t, { client, server }) => {
    const subject = freshSubject();
    let inside = false;
    await server.serve(subject, (request) => {
      t.notOk(inside);
      inside = true;
      request.reply(request.value);
      inside = false;
    });
    inside = true;
    const reply = client.request(subject, 1, 5_000).reply.then(() => t.notOk(inside));
    inside = false;
    await reply;
  });

  fact('one client can be served by another and serve it at the same time', async (t, { client, server }) => {
    const [a, b] = [freshSubject(), freshSubject()];
    await client.serve(b, (request) => request.reply(Number(request.value) + 1));
    await server.serve(a, (request) => {
      void server.request(b, request.value, 5_000).reply.then((v) => request.reply(v));
    });
    t.equal(await client.request(a, 41, 5_000).reply, 42);
  });

  fact("a request to a subject without a server fails at once with 'nobody'", async (t, { client }) => {
    const start = performance.now();
    t.equal(await failure(client.request(freshSubject(), 1, 60_000).reply), 'nobody');
    t.equal(
      await failure(client.request(freshSubject(), big(2 * MB, 7), 60_000).reply),
      'nobody',
      'large requests too',
    );
    t.ok(performance.now() - start < 5_000);
  });

  fact(
    "after close() of a server its subject fails with 'nobody'; its pending requests can still be answered",
    async (t, pair) => {
      const subject = freshSubject();
      const held: BusRequest[] = [];
      const service = await pair.server.serve(subject, (request) => held.push(request));
      const reply = pair.client.request(subject, 1, 20_000).reply;
      await until('held', () => held.length === 1);
      await service.close();
      t.equal(await failure(pair.client.request(subject, 2, 20_000).reply), 'nobody');
      held[0]!.reply('late');
      t.equal(await reply, 'late');
    },
  );

  fact('requests delivered before close() reach the handler', async (t, { client, server }) => {
    const subject = freshSubject();
    let count = 0;
    const service = await server.serve(subject, (request) => {
      count++;
      request.reply(null);
    });
    const replies = Array.from({ length: 100 }, () => client.request(subject, 0, 20_000).reply);
    await new Promise((resolve) => setImmediate(resolve));
    await service.close();
    const outcomes = await Promise.all(replies.map(failure));
    t.equal(outcomes.filter((o) => o === 'answered').length, count);
    t.ok(outcomes.every((o) => o === 'answered' || o === 'nobody'));
  });

  fact(
    "a request without an answer within its deadline fails with 'timeout', and is cancelled at the server",
    async (t, { client, server }) => {
      const subject = freshSubject();
      let cancelled = 0;
      let late: BusRequest | undefined;
      await server.serve(subject, (request) => {
        late = request;
        request.onCancel(() => cancelled++);
      });
      const start = performance.now();
      t.equal(await failure(client.request(subject, 1, 150).reply), 'timeout');
      t.ok(performance.now() - start >= 145, 'not early');
      await until('cancelled', () => cancelled === 1);
      late!.reply('too late');
      t.equal(cancelled, 1);
    },
  );

  fact('cancel() reaches the server, and the reply never settles', async (t, { client, server }) => {
    const subject = freshSubject();
    const cancelled: Json[] = [];
    let held = 0;
    await server.serve(subject, (request) => {
      if (request.value === 'ping') return request.reply('pong');
      held++;
      request.onCancel(() => cancelled.push(request.value));
    });
    let settled = false;
    const early = client.request(subject, 'never sent', 60_000);
    early.cancel();
    const pendings = [1, 2, 3].map((i) => client.request(subject, i, 60_000));
    for (const p of [early, ...pendings]) void p.reply.finally(() => (settled = true)).catch(() => {});
    await until('held', () => held === 3);
    pendings[1]!.cancel();
    await until('one cancelled', () => cancelled.length === 1);
    t.equal(await client.request(subject, 'ping', 5_000).reply, 'pong');
    t.strictSame(cancelled, [2]);
    t.notOk(settled);
    pendings[0]!.cancel();
    pendings[0]!.cancel();
    pendings[2]!.cancel();
    await until('all cancelled', () => cancelled.length === 3);
    t.equal(held, 3, 'requests cancelled within their tick are not sent');
  });

  fact('onCancel registered after the cancellation is called too', async (t, { client, server }) => {
    const subject = freshSubject();
    let held: BusRequest | undefined;
    let first = false;
    await server.serve(subject, (request) => {
      held = request;
      request.onCancel(() => (first = true));
    });
    const pending = client.request(subject, 1, 60_000);
    await until('held', () => held !== undefined);
    pending.cancel();
    await until('cancelled', () => first);
    let second = false;
    held!.onCancel(() => (second = true));
    await until('told', () => second);
    t.pass();
  });

  fact('requests and replies of 20 MB arrive whole', async (t, { client, server }) => {
    const subject = freshSubject();
    await server.serve(subject, echo);
    const bytes = big(20 * MB, 9);
    t.ok(same((await client.request(subject, bytes, 60_000).reply) as Uint8Array, bytes));
    const text = 'ä'.repeat(5 * MB);
    t.ok(((await client.request(subject, { text }, 60_000).reply) as { text: string }).text === text);
  });

  fact(`eight requests and replies of ${severalMb} MB at once arrive whole`, async (t, { client, server }) => {
    const subject = freshSubject();
    await server.serve(subject, echo);
    const sent = Array.from({ length: 8 }, (_, i) => big(severalMb * MB, i + 10));
    const small = freshSubject();
    await server.serve(small, echo);
    const replies = sent.map((bytes) => client.request(subject, bytes, 100_000).reply);
    t.equal(await client.request(small, 'small', 100_000).reply, 'small');
    for (const [i, reply] of (await Promise.all(replies)).entries()) t.ok(same(reply as Uint8Array, sent[i]!));
  });

  fact('a body shared by many replies is one object at the requester', async (t, { client, server }) => {
    const subject = freshSubject();
    const held: BusRequest[] = [];
    await server.serve(subject, (request) => held.push(request));
    const replies = Array.from({ length: 50 }, (_, i) => client.request(subject, i, 20_000).reply);
    await until('held', () => held.length === 50);
    const body = big(10_000, 3);
    for (const request of held) request.reply({ list: [request.value, body] });
    const got = (await Promise.all(replies)) as { list: [number, Uint8Array] }[];
    t.equal(new Set(got.map((g) => g.list[1])).size, 1);
    t.ok(same(got[0]!.list[1], body));
    t.strictSame(
      got.map((g) => g.list[0]),
      Array.from({ length: 50 }, (_, i) => i),
    );
  });

  fact(
    "when the client closes, its requests fail with 'disconnected' and are cancelled at the servers",
    async (t, pair) => {
      const subject = freshSubject();
      let cancelled = 0;
      let held = 0;
      await pair.server.serve(subject, (request) => {
        held++;
        request.onCancel(() => cancelled++);
      });
      const replies = [1, 2].map((i) => failure(pair.client.request(subject, i, 60_000).reply));
      await until('held', () => held === 2);
      await pair.client.close();
      t.strictSame(await Promise.all(replies), ['disconnected', 'disconnected']);
      t.equal(await failure(pair.client.request(subject, 3, 60_000).reply), 'disconnected');
      t.notOk(pair.client.connected);
      await until('cancelled', () => cancelled === 2);
    },
  );

  fact("when the server closes, requests that it holds fail with 'disconnected'", async (t, { client, server }) => {
    const subject = freshSubject();
    let held = 0;
    await server.serve(subject, () => held++);
    const reply = failure(client.request(subject, 1, 60_000).reply);
    await until('held', () => held === 1);
    await server.close();
    t.equal(await reply, 'disconnected');
    t.equal(await failure(client.request(subject, 1, 60_000).reply), client === server ? 'disconnected' : 'nobody');
  });
}
