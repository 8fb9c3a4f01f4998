/** Commands fail soon while a service is known to be away, and wait during a short outage. The test moves the clock. */
import t, { type Test } from 'tap';
import type { Json } from '#base';
import { busSubjectOfPartition, partitionOfActor } from '#model';
import { BusError, type BusRequest, LocalBus, LocalBusHub, type PendingBusReply } from '#ports/bus';
import { StoreUnavailableError } from '#ports/store';
import { ActorClient, CommandTimeoutError, type SentCommand } from '#runtime';
import { ledgerKey } from '../../cluster/kinds.js';
import { FakeClock } from '../../support/fake-clock.js';
import { Harness, settle } from './harness.js';

const key = ledgerKey(1);
const subject = busSubjectOfPartition(partitionOfActor(key));
const LIMIT = 3_000;

/** A bus whose connection the test takes away. */
class FickleBus extends LocalBus {
  #away = false;
  readonly #back: (() => void)[] = [];

  override get connected(): boolean {
    return !this.#away;
  }

  override onReconnect(fn: () => void): void {
    this.#back.push(fn);
  }

  override request(to: string, value: Json, deadlineMs: number): PendingBusReply {
    if (this.#away) return { reply: Promise.reject(new BusError('disconnected')), cancel: () => {} };
    return super.request(to, value, deadlineMs);
  }

  set away(away: boolean) {
    this.#away = away;
    if (!away) for (const fn of this.#back) fn();
  }
}

interface World {
  readonly clock: FakeClock;
  readonly hub: LocalBusHub;
  readonly bus: FickleBus;
  readonly client: ActorClient;
  readonly hosts: { noHostAliveMs: number; isHostAble: boolean };
  serve(): Promise<{ close(): Promise<void> }>;
}

function world(): World {
  const [clock, hub, hosts] = [new FakeClock(), new LocalBusHub(), { noHostAliveMs: 0, isHostAble: false }];
  const bus = new FickleBus(clock, hub);
  const client = new ActorClient(bus, clock, undefined, { limitMs: LIMIT, hosts });
  const serve = () => new LocalBus(clock, hub).serve(subject, (request) => request.reply({ value: 7 }));
  return { clock, hub, bus, client, hosts, serve };
}

/** The outcome and its time in ms from now; undefined if there is none within two minutes. */
async function outcome(clock: FakeClock, sent: SentCommand): Promise<{ what: unknown; ms: number } | undefined> {
  let what: unknown;
  sent.reply.then(
    (reply) => {
      what = 'value' in reply ? reply.value : reply;
    },
    (error: unknown) => {
      what = error instanceof CommandTimeoutError ? error.last : error;
    },
  );
  for (let ms = 0; ms <= 120_000; ms += 100) {
    await settle();
    if (what !== undefined) return { what, ms };
    await clock.advance(100);
  }
  return undefined;
}

async function advance(clock: FakeClock, ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 100) {
    await clock.advance(100);
    await settle();
  }
}

/** A call at the begin of the outage, and one in the midst of it, end at the limit. */
async function endsSoon(test: Test, { clock, client }: World, reason: string, withinMs: number): Promise<void> {
  const first = await outcome(clock, client.send(key, 'add', {}));
  test.equal(first?.what, reason);
  test.ok(first!.ms <= withinMs, `${first!.ms} ms`);
  for (let i = 0; i < 3; i++) {
    test.same(await outcome(clock, client.send(key, 'add', {})), { what: reason, ms: LIMIT });
  }
}

t.test('commands get an answer soon while NATS is away', async (test) => {
  const of = world();
  of.bus.away = true;
  await endsSoon(test, of, 'disconnected', LIMIT);
  test.equal(of.client.limitBusWaitMs(8_000), LIMIT, 'nobody waits longer for what comes over it');
  const held = of.client.send(key, 'poll', {}, { isHeldByActor: true, deadlineMs: Number.POSITIVE_INFINITY });
  await advance(of.clock, 60_000);
  const server = await of.serve();
  of.bus.away = false;
  test.match(await outcome(of.clock, held), { what: 7 }, 'a held command is still there when it is back');
  test.same(await outcome(of.clock, of.client.send(key, 'add', {})), { what: 7, ms: 0 });
  test.equal(of.client.limitBusWaitMs(8_000), 8_000);
  await server.close();
});

t.test('commands survive a NATS outage of two seconds', async (test) => {
  const of = world();
  const server = await of.serve();
  of.bus.away = true;
  const sent = of.client.send(key, 'add', {});
  await advance(of.clock, 1_900);
  of.bus.away = false;
  test.match(await outcome(of.clock, sent), { what: 7 });
  await server.close();
});

t.test('commands get an answer soon while no actor host is alive', async (test) => {
  const of = world();
  of.hosts.noHostAliveMs = 10_000;
  await endsSoon(test, of, 'nobody', LIMIT);
});

t.test(
  'commands get an answer soon while a partition has no owner, and no host that is alive can take it',
  async (test) => {
    const of = world();
    // A take-over takes 5 s at most; attempts are up to a second apart.
    await endsSoon(test, of, 'nobody', 9_000);
  },
);

t.test(
  'commands wait for a take-over of any length while a host can take the partition, until one is stuck',
  async (test) => {
    const of = world();
    of.hosts.isHostAble = true;
    const sent = of.client.send(key, 'add', {});
    await advance(of.clock, 28_000);
    const server = await of.serve();
    test.match(await outcome(of.clock, sent), { what: 7 });
    await server.close();
    await advance(of.clock, 60_000);
    // The deadline of the first command is what ends it.
    await endsSoon(test, of, 'nobody', 30_000);
  },
);

t.test(
  'a partition that was served in between has no outage that began before, even if nothing was answered',
  async (test) => {
    const of = world();
    let held: BusRequest | undefined;
    let attempts = 0;
    const server = await new LocalBus(of.clock, of.hub).serve(subject, (request) => {
      // The refusal of the former owner arrives after the news of the next one, which holds the repeated poll.
      if (++attempts === 1) request.reply({ retry: 'moved' });
      else held = request;
    });
    const poll = of.client.send(key, 'poll', {}, { isHeldByActor: true, deadlineMs: Number.POSITIVE_INFINITY });
    await advance(of.clock, 20_000);
    test.equal(attempts, 2);
    await server.close();
    held!.reply({ retry: 'moved' });
    await advance(of.clock, 100);
    const sent = of.client.send(key, 'add', {});
    await advance(of.clock, 5_000);
    const next = await of.serve();
    test.match(await outcome(of.clock, sent), { what: 7 }, 'the second hand-over takes five seconds');
    test.match(await outcome(of.clock, poll), { what: 7 });
    await next.close();
  },
);

t.test('commands wait for a take-over, also for the second one of a partition', async (test) => {
  const of = world();
  for (let i = 0; i < 2; i++) {
    const sent = of.client.send(key, 'add', {});
    await advance(of.clock, 5_000);
    const server = await of.serve();
    test.match(await outcome(of.clock, sent), { what: 7 });
    await server.close();
    await settle();
  }
  const given = of.client.send(key, 'add', {});
  await advance(of.clock, 7_000);
  given.cancel();
  await advance(of.clock, 60_000);
  const late = of.client.send(key, 'add', {});
  await advance(of.clock, 5_000);
  const server = await of.serve();
  test.match(await outcome(of.clock, late), { what: 7 }, 'a trouble of a minute ago is not this one');
  await server.close();
});

t.test('commands get an answer soon while the Store is away', async (test) => {
  const h = new Harness();
  await h.take(key);
  await h.ask(key, 'add', { op: 'before' });
  const { store, clock } = h;
  // MongoDB's driver looks for a server for 3 s before it gives up.
  store.gate = async (step) => {
    if (!step.startsWith('before:')) return;
    await new Promise<void>((resolve) => void clock.setTimeout(resolve, 3_000));
    throw new StoreUnavailableError('away');
  };
  const add = (op: string): SentCommand => h.client.send(key, 'add', { op });
  const first = await outcome(clock, add('first'));
  test.equal(first?.what, 'unavailable');
  test.ok(first!.ms < 10_000, `${first!.ms} ms: two attempts, not all that fit into the deadline`);
  for (let i = 0; i < 3; i++) {
    const later = await outcome(clock, add(`later ${i}`));
    test.equal(later?.what, 'unavailable');
    test.ok(later!.ms < 7_000, `${later!.ms} ms: one attempt, perhaps behind one that was under way`);
  }
  store.gate = undefined;
  await advance(clock, 5_000);
  test.ok(await h.ask(key, 'add', { op: 'after' }), 'it is back');
});

t.test('commands get an answer soon, and few lines are logged, while the Store can only be read', async (test) => {
  const h = new Harness();
  await h.take(key);
  await h.ask(key, 'add', { op: 'before' });
  h.store.gate = (step) => {
    if (step === 'before:commit') throw new StoreUnavailableError('the disk is full');
  };
  for (let i = 0; i < 3; i++)
    test.same(await outcome(h.clock, h.client.send(key, 'add', { op: `full ${i}` })), {
      what: 'unavailable',
      ms: LIMIT,
    });
  test.strictSame(h.warnings, ['actor stopped'], 'one line a minute');
  await advance(h.clock, 60_000);
  await outcome(h.clock, h.client.send(key, 'add', { op: 'full still' }));
  test.strictSame(h.warnings, ['actor stopped', 'actor stopped']);
  h.store.gate = undefined;
  test.match(await outcome(h.clock, h.client.send(key, 'add', { op: 'after' })), { what: { total: 2 } });
});

t.test('commands survive a Store outage of two seconds', async (test) => {
  const h = new Harness();
  await h.take(key);
  await h.ask(key, 'add', { op: 'before' });
  h.store.gate = (step) => {
    if (step.startsWith('before:')) throw new StoreUnavailableError('away');
  };
  const sent = h.client.send(key, 'add', { op: 'meanwhile' });
  await advance(h.clock, 2_000);
  h.store.gate = undefined;
  test.match(await outcome(h.clock, sent), { what: { total: 2 } });
});
