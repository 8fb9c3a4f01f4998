import { connect } from 'nats';
import t, { type Test } from 'tap';
import type { Json } from '#base';
import { REAL_CLOCK as clock } from '#base/clock';
import { type BusRequest, NatsBus } from '#ports/bus';
import { encodeFrameWithoutBlobs } from '#ports/wire';
import { BUS_FRAME_KIND_REPLIES, replyInboxOfBusClient } from '../../src/ports/bus/bus-nats-frame.js';
import { natsServerBinary, natsUrl, OwnNats } from '../support/nats.js';
import { until } from '../support/until.js';
import { busContract, failure, freshSubject } from './bus.js';

const url = natsUrl();

interface NatsPair {
  client: NatsBus;
  server: NatsBus;
  close(): Promise<void>;
}

async function pair(at: string): Promise<NatsPair> {
  const [client, server] = await Promise.all([NatsBus.connect(at, clock), NatsBus.connect(at, clock)]);
  return {
    client,
    server,
    close: async () => {
      await client.close();
      await server.close();
    },
  };
}

/**
 * Waits until the subject is served. Right after both have connected again, the NATS server may have a request before
 * the subscription, which comes over another connection.
 */
const untilServed = (client: NatsBus, subject: string): Promise<unknown> =>
  until('served', async () => (await failure(client.request(subject, 'ping', 10_000).reply)) !== 'nobody');

function facts(at: string): void {
  busContract(t, 'NatsBus', () => pair(at));
  busContract(t, 'NatsBus that serves its own requests', async () => {
    const own = await NatsBus.connect(at, clock);
    return { client: own, server: own, close: () => own.close() };
  });

  const fact = (title: string, body: (t: Test, pair: NatsPair) => Promise<void>): void => {
    void t.test(title, async (t) => {
      const p = await pair(at);
      try {
        await body(t, p);
      } finally {
        await p.close();
      }
    });
  };

  fact('1,000 requests of a tick travel in few frames, and so do their replies', async (t, { client, server }) => {
    const subject = freshSubject();
    const held: BusRequest[] = [];
    // An announcement that arrives a tick after the frame of requests fails them: it could come from another server.
    const announced = new Promise<void>((resolve) =>
      client.onSubjectServed((served) => served === subject && resolve()),
    );
    await server.serve(subject, (request) => {
      held.push(request);
      if (held.length === 1_000) for (const r of held) r.reply(r.value);
    });
    await announced;
    const before = [client.stats.framesOut, server.stats.framesOut];
    await Promise.all(Array.from({ length: 1_000 }, (_, i) => client.request(subject, { i }, 20_000).reply));
    t.ok(client.stats.framesOut - before[0]! <= 3, `${client.stats.framesOut - before[0]!} request frames`);
    t.ok(server.stats.framesOut - before[1]! <= 3, `${server.stats.framesOut - before[1]!} reply frames`);
  });

  fact(
    'a request to a subject served by the same process needs no frame; when the process stops serving, another server gets it',
    async (t, pair) => {
      const { client, server } = pair;
      const subject = freshSubject();
      const own = await client.serve(subject, (request) => request.reply('own'));
      const before = client.stats.framesOut;
      t.equal(await client.request(subject, 1, 5_000).reply, 'own');
      t.equal(client.stats.framesOut, before);
      await own.close();
      t.equal(await failure(client.request(subject, 1, 5_000).reply), 'nobody');
      await server.serve(subject, (request) => request.reply('other'));
      t.equal(await client.request(subject, 1, 5_000).reply, 'other');
    },
  );

  fact('closing a client fails its requests to itself', async (t, { client }) => {
    const subject = freshSubject();
    let held = 0;
    await client.serve(subject, () => held++);
    const reply = failure(client.request(subject, 1, 60_000).reply);
    await until('held', () => held === 1);
    await client.close();
    t.equal(await reply, 'disconnected');
    t.equal(await failure(client.request(subject, 1, 60_000).reply), 'disconnected');
  });

  fact(
    'when another server begins to serve a subject, only the unanswered requests of the former server fail',
    async (t, pair) => {
      const { client, server } = pair;
      const [subject, other] = [freshSubject(), freshSubject()];
      const held: BusRequest[] = [];
      const cancelled: Json[] = [];
      for (const one of [subject, other]) {
        await server.serve(one, (request) => {
          held.push(request);
          request.onCancel(() => cancelled.push(request.value));
        });
      }
      const gone = failure(client.request(subject, 1, 60_000).reply);
      const kept = client.request(other, 2, 60_000).reply;
      await until('held', () => held.length === 2);
      // The frame with this reply also confirms that the server holds the earlier requests.
      const answering = freshSubject();
      await server.serve(answering, (request) => request.reply(request.value));
      t.equal(await client.request(answering, 3, 60_000).reply, 3);
      await client.serve(subject, (request) => request.reply('the new one'));
      t.equal(await gone, 'disconnected');
      t.equal(await client.request(subject, 1, 5_000).reply, 'the new one');
      await until('the old one is told', () => cancelled.length === 1);
      t.same(cancelled, [1]);
      held[1]!.reply('still here');
      t.equal(await kept, 'still here');
    },
  );

  fact('a body shared by the replies of a tick is carried once', async (t, { client, server }) => {
    const subject = freshSubject();
    const held: BusRequest[] = [];
    const body = new Uint8Array(100_000).fill(65);
    await server.serve(subject, (request) => {
      held.push(request);
      if (held.length === 500) for (const r of held) r.reply({ poll: r.value, body });
    });
    const before = server.stats.bytesOut;
    await Promise.all(Array.from({ length: 500 }, (_, i) => client.request(subject, i, 20_000).reply));
    t.ok(server.stats.bytesOut - before < 150_000, `${server.stats.bytesOut - before} bytes for 500 replies`);
  });

  fact('a pending request outlives any number of heartbeats', async (t, { client, server }) => {
    const subject = freshSubject();
    let held: BusRequest | undefined;
    let cancelled = false;
    await server.serve(subject, (request) => {
      held = request;
      request.onCancel(() => (cancelled = true));
    });
    const reply = client.request(subject, 1, 60_000).reply;
    const [c, s] = [client.stats.framesOut, server.stats.framesOut];
    await until('seven heartbeats each way', () => client.stats.framesOut >= c + 7 && server.stats.framesOut >= s + 7);
    t.notOk(cancelled);
    held!.reply('still there');
    t.equal(await reply, 'still there');
  });

  fact('when the server is killed, requests that it holds fail within 3.5 s', async (t, { client, server }) => {
    const subject = freshSubject();
    let held = 0;
    await server.serve(subject, () => held++);
    const reply = failure(client.request(subject, 1, 60_000).reply);
    await until('held', () => held === 1);
    const start = performance.now();
    await server.crash();
    t.equal(await reply, 'disconnected');
    const took = performance.now() - start;
    t.ok(took < 3_500, `${took} ms`);
  });

  fact(
    'when the requester is killed, its requests are cancelled at the server within 6.5 s',
    async (t, { client, server }) => {
      const subject = freshSubject();
      let held = 0;
      let cancelled = 0;
      await server.serve(subject, (request) => {
        held++;
        request.onCancel(() => cancelled++);
      });
      const reply = failure(client.request(subject, 1, 60_000).reply);
      await until('held', () => held === 1);
      await client.crash();
      t.equal(await reply, 'disconnected');
      const took = await until('cancelled', () => cancelled === 1);
      t.ok(took < 6_500, `${took} ms`);
    },
  );

  fact('a lost frame of requests is noticed', async (t, { client }) => {
    const subject = freshSubject();
    const raw = await connect({ servers: at });
    raw.subscribe(subject, { callback: () => {} });
    await raw.flush();
    const start = performance.now();
    t.equal(await failure(client.request(subject, 1, 60_000).reply), 'disconnected');
    t.ok(performance.now() - start < 3_500);
    await raw.close();
  });

  fact('a lost frame of replies is noticed at the next one', async (t, { client, server }) => {
    const subject = freshSubject();
    let held = 0;
    let cancelled = 0;
    await server.serve(subject, (request) => {
      if (request.value === 'ping') return request.reply('pong');
      held++;
      request.onCancel(() => cancelled++);
    });
    const reply = failure(client.request(subject, 1, 60_000).reply);
    await until('held', () => held === 1);
    t.equal(await client.request(subject, 'ping', 5_000).reply, 'pong');
    const raw = await connect({ servers: at });
    raw.publish(
      replyInboxOfBusClient(client.id),
      encodeFrameWithoutBlobs(BUS_FRAME_KIND_REPLIES, [99, server.id, [], [], false]),
    );
    t.equal(await reply, 'disconnected');
    t.equal(client.stats.frameGaps, 1);
    await until('the server need not hold it any longer', () => cancelled === 1);
    await raw.close();
  });

  fact('malformed messages are ignored', async (t, { client, server }) => {
    const subject = freshSubject();
    await server.serve(subject, (request) => request.reply('ok'));
    const raw = await connect({ servers: at });
    for (const bytes of [[], [1], [2, 255, 255, 255, 255, 0, 0], [3, 1, 0, 0, 0, 0, 0, 0, 0, 0xc1], [4], [5, 1]]) {
      for (const to of [subject, replyInboxOfBusClient(client.id), `cb.h.${server.id}`])
        raw.publish(to, new Uint8Array(bytes));
    }
    await raw.flush();
    t.equal(await client.request(subject, 1, 5_000).reply, 'ok');
    t.ok(server.stats.malformedFrames > 0);
    await raw.close();
  });
}

if (url) {
  facts(url);
  t.test('connecting to a closed port rejects at once and names the server', async (t) => {
    await t.rejects(NatsBus.connect('nats://127.0.0.1:1', clock), { failure: 'disconnected', message: /127.0.0.1:1/ });
  });
}

const binary = natsServerBinary();
if (binary) {
  t.test(
    'when the NATS server stops, requests fail at once; when it is back, the bus recovers by itself',
    async (t) => {
      const nats = await OwnNats.start(binary);
      const { client, server, close } = await pair(nats.url);
      try {
        const subject = freshSubject();
        const held: BusRequest[] = [];
        let back = 0;
        client.onReconnect(() => back++);
        await server.serve(subject, (request) => {
          if (request.value === 'ping') request.reply('pong');
          else held.push(request);
        });
        const under = failure(client.request(subject, 'hold', 60_000).reply);
        await until('held', () => held.length === 1);
        await nats.kill();
        t.equal(await under, 'disconnected');
        t.equal(
          await failure(client.request(subject, 'ping', 60_000).reply),
          'disconnected',
          'the request is not buffered',
        );
        await until('the server notices too', () => !server.connected);
        held[0]!.reply('lost');
        await until('the reply is counted as dropped', () => server.stats.repliesDropped === 1);
        await nats.up();
        await until('reconnected', () => client.connected && server.connected);
        await untilServed(client, subject);
        t.equal(await client.request(subject, 'ping', 10_000).reply, 'pong');
        t.equal(back, 1);
        await nats.kill();
        await until('gone again', () => !client.connected && !server.connected);
        await nats.up();
        await until('reconnected', () => client.connected && server.connected);
        await untilServed(client, subject);
        t.equal(await client.request(subject, 'ping', 10_000).reply, 'pong');
      } finally {
        await close();
        await nats.stop();
      }
    },
  );
}
