/** Heartbeats and the collection of queues, with a clock that the test moves (embedded face only). */
import type { Test } from 'tap';
import type { ProcessPorts } from '#app/server';
import { PARTITION_COUNT, type Partition } from '#model';
import type { Store } from '#ports/store';
import { FakeClock } from '../../../support/fake-clock.js';
import { until } from '../../../support/until.js';
import { refused } from '../../harness.js';
import { startEmbedded } from '../../support/faces.js';
import { atLevel } from '../../support/levels.js';
import { makeOrganization, type Person } from '../../support/organization.js';
import { Queue } from '../../support/queue.js';

const EVERY_PARTITION = Array.from({ length: PARTITION_COUNT }, (_, i) => i as Partition);

/** Moves the clock in steps of a second until the promise settles. @returns the seconds */
async function secondsUntil<T>(
  clock: FakeClock,
  pending: Promise<T>,
  most: number,
): Promise<{ value: T; seconds: number }> {
  let done = false;
  let seconds = 0;
  void pending
    .catch(() => undefined)
    .finally(() => {
      done = true;
    });
  await until(`settled within ${most} s of the clock`, () => {
    if (!done && seconds < most) {
      clock.advance(1_000);
      seconds++;
    }
    return done;
  });
  return { value: await pending, seconds };
}

async function pass(clock: FakeClock, seconds: number): Promise<void> {
  for (let left = seconds; left > 0; left -= 10) await clock.advanceAsync(Math.min(left, 10) * 1_000);
}

export async function queueTimeouts(t: Test): Promise<void> {
  const clock = new FakeClock(Date.now());
  let store!: Store;
  const adjust = (ports: ProcessPorts): ProcessPorts => {
    store = ports.actors!.store;
    return ports;
  };
  const server = await startEmbedded({ clock, adjust });
  t.teardown(() => server.close());
  const org = await makeOrganization(server, ['member']);
  const { member, owner } = org;
  const fresh = (params = {}, of: Person = member) =>
    Queue.register(of, { fetch_event_types: [], event_types: ['message'], ...params });
  /**
   * Waits for the end of a queue without a poll, which would postpone it. Writes take real time, so the clock goes on
   * meanwhile.
   */
  const gone = async (t: Test, queue: Queue): Promise<void> => {
    const params = { queue_id: queue.id, last_event_id: -1, dont_block: true };
    await until('the queue is gone', async () => {
      clock.advance(100);
      return !(await store.listActorsToWake(EVERY_PARTITION)).some(({ key }) => key.endsWith(queue.id));
    });
    await refused(t, member.api.call('GET /events', params), {
      code: 'BAD_EVENT_QUEUE_ID',
      msg: `Bad event queue ID: ${queue.id}`,
      extra: { queue_id: queue.id },
    });
  };

  await t.test('a poll without events gets a heartbeat within a minute, whatever event_types selects', async (t) => {
    const queue = await fresh();
    for (let i = 0; i < 2; i++) {
      const polling = queue.until((events) => events.length > 0);
      // This call is answered after the poll has arrived.
      await member.api.ok('GET /users/me');
      const { value, seconds } = await secondsUntil(clock, polling, 70);
      t.same(
        value.map((event) => event.type),
        ['heartbeat'],
      );
      t.ok(seconds >= 45 && seconds <= 60, `after ${seconds} s`);
    }
    const [one, two] = queue.received;
    t.ok(one!.id < two!.id, 'its id is one of the queue');
    t.same(await queue.now(), [], 'and can be acknowledged');
  });

  await t.test('heartbeats repeat, and events between them have larger ids', async (t) => {
    const queue = await fresh({ event_types: ['message', 'typing'] });
    const beats = async (count: number): Promise<void> => {
      for (let i = 0; i < count; i++) {
        const polling = queue.until((events) => events.length > 0);
        await member.api.ok('GET /users/me');
        let early = false;
        void polling.then(() => (early = true));
        clock.advance(44_000);
        await member.api.ok('GET /users/me');
        t.notOk(early, 'not before 45 s');
        const { value, seconds } = await secondsUntil(clock, polling, 20);
        t.equal(value.map(({ type }) => type).join(), 'heartbeat');
        t.ok(seconds >= 1 && seconds <= 16, `after ${44 + seconds} s`);
      }
    };
    const typed = () => owner.api.ok('POST /typing', { op: 'start', to: [member.id] });
    const sent = () => owner.api.ok('POST /messages', { type: 'direct', to: [member.id], content: 'between' });
    await beats(4);
    for (const [tell, type] of [
      [typed, 'typing'],
      [sent, 'message'],
      [typed, 'typing'],
    ] as const) {
      const polling = queue.until((events) => events.length > 0);
      await member.api.ok('GET /users/me');
      await tell();
      t.equal((await polling).map((event) => event.type).join(), type, 'while a poll waits');
      await beats(3);
      await tell();
      t.equal((await queue.until((events) => events.length > 0))[0]!.type, type, 'and while none does');
    }
    await beats(70);
    const ids = queue.received.map(({ id }) => id);
    t.ok(ids.every((id, i) => i === 0 || id > ids[i - 1]!));
    const polling = queue.poll();
    await member.api.ok('GET /users/me');
    await queue.delete();
    t.same(await polling, [], 'a deleted queue finishes the poll');
    await refused(t, member.api.call('GET /events', { queue_id: queue.id, last_event_id: queue.last }), {
      code: 'BAD_EVENT_QUEUE_ID',
      msg: `Bad event queue ID: ${queue.id}`,
      extra: { queue_id: queue.id },
    });
  });

  await t.test('a queue is collected when its client was away for ten minutes, not earlier', async (t) => {
    const queue = await fresh();
    for (let i = 0; i < 2; i++) {
      await pass(clock, 590);
      t.same(await queue.now(), [], 'any poll counts as activity');
    }
    await pass(clock, 700);
    await gone(t, queue);
  });

  await t.test('queue_lifespan_secs sets another lifetime', async (t) => {
    const [short, long] = [await fresh({ queue_lifespan_secs: 30 }), await fresh({ queue_lifespan_secs: 3_600 })];
    await pass(clock, 20);
    t.same(await short.now(), []);
    await pass(clock, 100);
    await gone(t, short);
    await pass(clock, 3_000);
    t.same(await long.now(), []);
  });

  await t.test('idle_queue_timeout does so for clients of newer levels, and wins', async (t) => {
    const modern = atLevel(member);
    const [short, long, mobile] = [
      await fresh({ idle_queue_timeout: 30, queue_lifespan_secs: 3_600 }, modern),
      await fresh({ idle_queue_timeout: 3_600 }, modern),
      await fresh({ idle_queue_timeout: '"mobile"' }, modern),
    ];
    const older = await fresh({ idle_queue_timeout: 3_600 });
    await pass(clock, 20);
    t.same(await short.now(), []);
    await pass(clock, 100);
    await gone(t, short);
    await pass(clock, 700);
    await gone(t, older);
    await pass(clock, 2_500);
    t.same(await long.now(), []);
    await pass(clock, 4_000);
    await gone(t, long);
    t.same(await mobile.now(), []);
  });

  await t.test('a queue with a poll attached is not collected', async (t) => {
    const queue = await fresh({ queue_lifespan_secs: 20 });
    const polling = queue.until((events) => events.length > 0);
    await member.api.ok('GET /users/me');
    const { value } = await secondsUntil(clock, polling, 70);
    t.same(
      value.map((event) => event.type),
      ['heartbeat'],
    );
    t.same(await queue.now(), [], 'and its time begins when the poll is answered');
  });

  await t.test('a collected queue ends for good: its user registers again', async (t) => {
    const queue = await fresh({ queue_lifespan_secs: 5 });
    await pass(clock, 120);
    await gone(t, queue);
    t.same(await (await fresh()).now(), []);
  });

  await t.test('a queue from a time when the clock was ahead is collected once it is right', async (t) => {
    const year = 365 * 86_400_000;
    clock.correctWallTime(year);
    const queue = await fresh({ queue_lifespan_secs: 5 });
    clock.correctWallTime(-year);
    await pass(clock, 120);
    await gone(t, queue);
  });
}
