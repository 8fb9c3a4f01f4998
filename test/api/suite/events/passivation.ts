/** Passivated queues: out of memory between polls, with a clock that the test moves (embedded face only). */
import type { Test } from 'tap';
import type { ProcessPorts } from '#app/server';
import type { Store } from '#ports/store';
import { FakeClock } from '../../../support/fake-clock.js';
import { until } from '../../../support/until.js';
import { refused } from '../../harness.js';
import { startEmbedded } from '../../support/faces.js';
import { interceptMethods } from '../../support/intercept.js';
import { makeOrganization, say, subscribe } from '../../support/organization.js';
import { Queue } from '../../support/queue.js';
import type { ApiEvent, ApiMessage } from '../../support/types.js';
import { Follower } from '../../support/verify-action.js';

/** Records the actors read from the Store; an actor in memory is not read. */
function noting(store: Store, loaded: string[]): Store {
  return interceptMethods(store, ['loadRoot'], (call, [key]) => {
    loaded.push(String(key));
    return call();
  });
}

export async function passivation(t: Test): Promise<void> {
  const clock = new FakeClock(Date.now());
  const loaded: string[] = [];
  const adjust = (ports: ProcessPorts): ProcessPorts => ({
    ...ports,
    actors: { ...ports.actors!, store: noting(ports.actors!.store, loaded) },
  });
  const server = await startEmbedded({ clock, adjust });
  t.teardown(() => server.close());
  const org = await makeOrganization(server, ['member', 'other']);
  const { owner, member, other } = org;
  await subscribe(owner, 'quiet', { principals: [owner, member, other] });
  const content = (event: ApiEvent): string => (event.message as ApiMessage).content;
  const patient = { event_types: ['message'], queue_lifespan_secs: 86_400 };
  const fresh = () => Queue.register(member, patient);
  const loads = (queue: Queue): number => loaded.filter((key) => key.endsWith(queue.id)).length;
  /** Waits until all actors are passivated. Their last writes take real time. */
  const pause = (): Promise<unknown> =>
    until('everything is at rest', () => {
      if (server.active > 0) clock.advance(5_000);
      return server.active === 0;
    });
  /** Runs the action, and checks that the actor was read from the Store. */
  const woken = async <T>(t: Test, queue: Queue, action: () => Promise<T>): Promise<T> => {
    const before = loads(queue);
    const result = await action();
    t.ok(loads(queue) > before, 'the queue was at rest');
    return result;
  };

  await t.test(
    "events of before and during a queue's passivation come once, in order, under ids that do not change",
    async (t) => {
      const queue = await fresh();
      await say(owner, 'quiet', 'x', 'acknowledged');
      await queue.take(1);
      await say(owner, 'quiet', 'x', 'delivered');
      const delivered = await queue.poll();
      t.same(delivered.map(content), ['delivered']);
      await pause();
      await say(owner, 'quiet', 'x', 'meanwhile');
      const again = await woken(t, queue, () => queue.poll());
      t.same(again.map(content), ['delivered', 'meanwhile']);
      t.same(again[0], delivered[0]);
      queue.last = again[0]!.id;
      await pause();
      t.same((await woken(t, queue, () => queue.now())).map(content), ['meanwhile']);
      await pause();
      const next = woken(t, queue, () => queue.take(1));
      await say(owner, 'quiet', 'x', 'while a poll waits');
      t.same((await next).map(content), ['while a poll waits']);
      t.same(await queue.now(), []);
    },
  );

  await t.test('a queue that was never polled can be passivated right after its registration', async (t) => {
    const queue = await fresh();
    await say(owner, 'quiet', 'x', 'one');
    await pause();
    await say(owner, 'quiet', 'x', 'two');
    t.same((await woken(t, queue, () => queue.take(2))).map(content), ['one', 'two']);
  });

  await t.test("acknowledgements survive a queue's passivation", async (t) => {
    const queue = await fresh();
    const { last } = queue;
    await say(owner, 'quiet', 'x', 'one');
    await say(owner, 'quiet', 'x', 'two');
    await queue.take(2);
    await queue.now();
    await pause();
    const poll = (id: number) =>
      member.api.call('GET /events', { queue_id: queue.id, last_event_id: id, dont_block: true });
    const earlier = await woken(t, queue, () => poll(last));
    t.equal(earlier.status, 400);
    t.match(earlier.body.msg, /pruned/);
    const later = await poll(queue.last + 2 ** 40);
    t.equal(later.status, 400, 'an id that was never given out');
    t.same(await queue.now(), []);
  });

  await t.test("a state kept up by events is right after the queue's passivation", async (t) => {
    const followers = await Follower.all([member, other]);
    await pause();
    await subscribe(owner, 'made meanwhile', { principals: [owner, member] });
    await say(owner, 'quiet', 'y', 'said meanwhile');
    await owner.api.ok('PATCH /settings', { full_name: 'Renamed Meanwhile' });
    for (const follower of followers) await follower.verify(t, 'changes while the queue was at rest');
  });

  await t.test('a passivated queue can be deleted', async (t) => {
    const queue = await fresh();
    await pause();
    await woken(t, queue, () => queue.delete());
    await refused(t, member.api.call('GET /events', { queue_id: queue.id, last_event_id: queue.last }), {
      code: 'BAD_EVENT_QUEUE_ID',
      msg: `Bad event queue ID: ${queue.id}`,
      extra: { queue_id: queue.id },
    });
  });

  await t.test('a queue of an account deactivated meanwhile ends, also when the account is reactivated', async (t) => {
    const queue = await Queue.register(other, patient);
    await pause();
    await owner.api.ok('DELETE /users/{user_id}', { user_id: other.id });
    await owner.api.ok('POST /users/{user_id}/reactivate', { user_id: other.id });
    const poll = () =>
      other.api.call('GET /events', { queue_id: queue.id, last_event_id: queue.last, dont_block: true });
    await woken(t, queue, async () => {
      await until('the queue is gone', async () => (await poll()).body.code === 'BAD_EVENT_QUEUE_ID');
    });
  });

  await t.test('a client of a passivated queue continues on a restarted server', async (t) => {
    const queue = await fresh();
    await say(owner, 'quiet', 'x', 'before');
    await pause();
    await server.restart();
    await say(owner, 'quiet', 'x', 'after');
    t.same((await queue.take(2)).map(content), ['before', 'after']);
  });
}
