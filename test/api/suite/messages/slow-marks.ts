/** mark_all_as_read with a Store so slow that its 50 seconds pass (messages.md), on a clock that the test moves. */
import type { Test } from 'tap';
import type { Store } from '#ports/store';
import { FakeClock } from '../../../support/fake-clock.js';
import { until } from '../../../support/until.js';
import { startEmbedded } from '../../support/faces.js';
import { interceptMethods } from '../../support/intercept.js';
import { makeOrganization, say, subscribe } from '../../support/organization.js';
import { Queue } from '../../support/queue.js';
import type { ApiEvent } from '../../support/types.js';

/** Three looks into the Store come before the second batch of streams: together more than 50 s. */
const SLOW_MS = 18_000;
const BATCH = 32;
const STREAMS = BATCH + 8;

interface Slowness {
  on: boolean;
  /** Reads that are waiting now. */
  waiting: number;
}

/** The Store; while `on`, each read of an index waits. */
const slowed = (store: Store, clock: FakeClock, slowness: Slowness): Store =>
  interceptMethods(store, ['scanMessages'], async (call) => {
    if (!slowness.on) return call();
    slowness.waiting++;
    await new Promise<void>((resolve) => void clock.setTimeout(resolve, SLOW_MS));
    slowness.waiting--;
    return call();
  });

export async function slowMarks(t: Test): Promise<void> {
  const clock = new FakeClock(Date.now());
  const slowness: Slowness = { on: false, waiting: 0 };
  /** Moves the clock only while reads wait, so that the speed of this machine does not matter. */
  const pass = (): void => {
    // A call that waited this long asks again after a moment.
    if (!slowness.on) clock.advance(100);
    if (slowness.waiting === 0) return;
    // The first batch of streams is the last one read in time: its events need not wait.
    if (slowness.waiting >= BATCH) slowness.on = false;
    clock.advance(SLOW_MS);
  };
  const server = await startEmbedded({
    clock,
    adjust: (ports) => ({
      ...ports,
      actors: { ...ports.actors!, store: slowed(ports.actors!.store, clock, slowness) },
    }),
  });
  t.teardown(() => server.close());
  const { owner, member } = await makeOrganization(server, ['member']);
  const names = Array.from({ length: STREAMS }, (_, i) => `stream ${i}`);
  await subscribe(owner, names, { principals: [owner, member] });
  // Marks the notices of the new streams as read.
  await member.api.ok('POST /mark_all_as_read');
  const ids: number[] = [];
  for (const name of names) ids.push(await say(owner, name, 'topic'));
  const newest = ids.toReversed();
  const queue = await Queue.register(member, { event_types: ['update_message_flags'], fetch_event_types: [] });
  const flags = async (id: number): Promise<unknown> => {
    const { message } = await member.api.ok<{ message: { flags: unknown } }>('GET /messages/{message_id}', {
      message_id: id,
    });
    return message.flags;
  };

  slowness.on = true;
  const marking = member.api.call('POST /mark_all_as_read');
  let answered = false;
  void marking.finally(() => {
    answered = true;
  });
  await until('the mark is answered', () => {
    if (!answered) pass();
    return answered;
  });
  const { status, body } = await marking;
  t.equal(status, 200);
  t.same(body, { result: 'partially_completed', msg: '', code: 'REQUEST_TIMEOUT' });
  t.notOk(slowness.on, 'time ran out with the first batch');

  const listed = (events: readonly ApiEvent[]) => events.flatMap((event) => event.messages as number[]);
  const events = await queue.until((seen) => listed(seen).length >= BATCH);
  t.same(
    listed(events).sort((a, b) => b - a),
    newest.slice(0, BATCH),
    'events list the newest ones, which are marked',
  );
  t.ok(events.every((event) => event.all === false));
  t.same(await flags(newest[0]!), ['read']);
  t.same(await flags(newest.at(-1)!), [], 'the oldest are left');

  t.equal((await member.api.call('POST /mark_all_as_read')).body.result, 'success', 'the client repeats');
  t.match(await queue.take(1), [{ all: true, messages: [] }]);
  t.same(await flags(newest.at(-1)!), ['read']);
}
