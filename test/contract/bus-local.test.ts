import t from 'tap';
import { REAL_CLOCK } from '#base/clock';
import { type BusRequest, LocalBus, LocalBusHub } from '#ports/bus';
import { FakeClock, settle } from '../support/fake-clock.js';
import { busContract, failure } from './bus.js';

busContract(t, 'LocalBus', async () => {
  const hub = new LocalBusHub();
  const [client, server] = [new LocalBus(REAL_CLOCK, hub), new LocalBus(REAL_CLOCK, hub)];
  return {
    client,
    server,
    close: async () => {
      await client.close();
      await server.close();
    },
  };
});

function pair(): { clock: FakeClock; hub: LocalBusHub; client: LocalBus; server: LocalBus } {
  const clock = new FakeClock();
  const hub = new LocalBusHub();
  return { clock, hub, client: new LocalBus(clock, hub, 'client'), server: new LocalBus(clock, hub, 'server') };
}

t.test('requests of one tick travel in one frame, as do their replies', async (t) => {
  const { hub, client, server } = pair();
  const frames: string[] = [];
  hub.frameHook = (frame, deliver) => {
    frames.push(`${frame.kind} ${frame.senderId}>${frame.receiverId} ${frame.subject} ${frame.itemCount}`);
    deliver();
  };
  await server.serve('s', (request) => request.reply(request.value));
  await Promise.all(Array.from({ length: 1_000 }, (_, i) => client.request('s', i, 1_000).reply));
  t.strictSame(frames, ['request client>server s 1000', 'reply server>client  1000']);
});

t.test('values travel by reference', async (t) => {
  const { client, server } = pair();
  await server.serve('s', (request) => request.reply([request.value]));
  const value = { a: 1 };
  t.equal(((await client.request('s', value, 1_000).reply) as unknown[])[0], value);
});

t.test('thousands of waiting requests expire at their own deadlines, with one timer', async (t) => {
  const { clock, client, server } = pair();
  let cancelled = 0;
  await server.serve('s', (request) => request.onCancel(() => cancelled++));
  const expired: number[] = [];
  for (let i = 0; i < 5_000; i++) {
    void client.request('s', i, 90_000 - i).reply.catch(() => expired.push(clock.monotonic() - (90_000 - i)));
  }
  await settle();
  clock.advance(84_999);
  await settle();
  t.equal(expired.length, 0);
  await clock.advanceAsync(5_021);
  t.equal(expired.length, 5_000);
  t.equal(cancelled, 5_000);
  t.ok(expired.every((late) => late >= 0 && late < 20.001));
  t.equal(clock.next(), undefined, 'no timer is left');
});

t.test('a lost frame is a timeout; a repeated frame is answered once', async (t) => {
  const { clock, hub, client, server } = pair();
  let handled = 0;
  await server.serve('s', (request: BusRequest) => {
    handled++;
    request.reply(handled);
  });
  hub.frameHook = () => {};
  const cut = failure(client.request('s', 1, 1_000).reply);
  await clock.advanceAsync(1_000);
  t.equal(await cut, 'timeout');
  t.equal(handled, 0);
  hub.frameHook = (_frame, deliver) => {
    deliver();
    deliver();
  };
  t.equal(await client.request('s', 1, 1_000).reply, 1);
  await settle();
  t.equal(handled, 2);
});

t.test('requests to a crashed server fail; requests of a crashed client are cancelled', async (t) => {
  const { hub, client, server } = pair();
  const held: BusRequest[] = [];
  let cancelled = 0;
  const hold = (request: BusRequest): void => {
    held.push(request);
    request.onCancel(() => cancelled++);
  };
  await server.serve('s', hold);
  const first = failure(client.request('s', 1, 60_000).reply);
  await settle();
  hub.crashClient('server');
  held[0]!.reply('lost');
  t.equal(await first, 'disconnected');
  t.equal(await failure(client.request('s', 1, 60_000).reply), 'nobody');
  const other = new LocalBus(new FakeClock(), hub, 'other');
  await other.serve('s', hold);
  void client.request('s', 2, 60_000).reply.catch(() => {});
  await settle();
  hub.crashClient('client');
  t.equal(cancelled, 1);
});

t.test(
  'requests of a disconnected client fail at once, and the client is notified when the connection is back',
  async (t) => {
    const { hub, client, server } = pair();
    let back = 0;
    client.onReconnect(() => back++);
    await server.serve('s', (request) => request.reply('ok'));
    hub.setClientConnected('client', false);
    t.notOk(client.connected);
    t.equal(await failure(client.request('s', 1, 60_000).reply), 'disconnected');
    hub.setClientConnected('client', true);
    t.equal(back, 1);
    t.equal(await client.request('s', 1, 60_000).reply, 'ok');
  },
);

t.test('the server that registered last gets the requests', async (t) => {
  const { client, server, hub } = pair();
  await server.serve('s', (request) => request.reply('old'));
  const next = new LocalBus(new FakeClock(), hub, 'next');
  const service = await next.serve('s', (request) => request.reply('new'));
  t.equal(await client.request('s', 1, 60_000).reply, 'new');
  await service.close();
  t.equal(await client.request('s', 1, 60_000).reply, 'old');
});
