/** Times at which a queue is written. */
import t from 'tap';
import { toLogSeq } from '#model';
import { EventQueueCheckpointTimer } from '../../../actors/event-queue/checkpoint.js';
import { type EventQueueActorState, latestPossibleClientActivityTime } from '../../../actors/event-queue/state.js';
import { EventQueueMemoryState } from '../../../actors/event-queue/volatile.js';
import { FakeClock } from '../../support/fake-clock.js';

const MINUTE = 60_000;

function make() {
  const clock = new FakeClock();
  const written: number[] = [];
  let state = { acked: -1, position: 0, active: clock.now(), held: false } as unknown as EventQueueActorState;
  const volatile = new EventQueueMemoryState(state, clock.now());
  volatile.stepMachine('OPEN');
  const begun = clock.now();
  const handle = {
    volatile,
    state: () => state,
    sendSelf: async () => {
      const { ackedEventId, clientLastActiveAt, nextCheckpointLogPosition, hasWaitingPoll } = volatile;
      state = {
        ...state,
        acked: ackedEventId,
        active: clientLastActiveAt,
        position: nextCheckpointLogPosition,
        held: hasWaitingPoll,
      };
      written.push((clock.now() - begun) / MINUTE);
    },
  };
  const cursor = { position: toLogSeq(0) };
  const services = { clock, random: () => 0.5 };
  const checkpoint = new EventQueueCheckpointTimer(handle as never, services, cursor, { oldest: undefined });
  const polls = (polling: boolean): void => {
    volatile.stepMachine(polling ? 'POLL' : 'ANSWER');
    volatile.recordClientActivity(clock.now());
    checkpoint.startTimerIfNeeded();
  };
  return { clock, written, checkpoint, polls, cursor, state: () => state };
}

t.test('a waiting poll is written once soon, and then at long intervals', async (t) => {
  const { clock, written, polls, state, checkpoint } = make();
  polls(true);
  clock.advance(2 * MINUTE);
  t.equal(written.length, 1, 'that there is one');
  clock.advance(25 * MINUTE);
  t.equal(written.length, 1);
  clock.advance(120 * MINUTE);
  t.ok(written.length >= 3 && written.length <= 6, `${written.length} times in two hours`);
  for (let i = 1; i < written.length; i++) t.ok(written[i]! - written[i - 1]! <= 60, 'within an hour each');
  t.ok(
    latestPossibleClientActivityTime(state(), clock.now()) >= clock.now(),
    'nobody takes the client for gone if its host ends now',
  );
  const before = written.length;
  polls(false);
  clock.advance(31_000);
  t.equal(written.length, before + 1, 'that it has gone is written soon');
  t.equal(state().held, false);
  clock.advance(120 * MINUTE);
  t.equal(written.length, before + 1, 'and nothing more');
  polls(true);
  checkpoint.stop();
  clock.advance(120 * MINUTE);
  t.equal(written.length, before + 1);
});

t.test('a waiting poll during a moving log is written with its position', async (t) => {
  const { clock, written, polls, cursor, state } = make();
  polls(true);
  clock.advance(2 * MINUTE);
  cursor.position = toLogSeq(5_000);
  clock.advance(5 * MINUTE);
  t.equal(written.length, 2);
  t.equal(state().position, 5_000);
  for (let i = 0; i < 30; i++) {
    cursor.position = toLogSeq(cursor.position + 1_100);
    clock.advance(MINUTE);
  }
  t.ok(written.length >= 20, `each minute while it moves fast: ${written}`);
  t.ok(cursor.position - state().position <= 2_200);
  const before = written.length;
  for (let i = 0; i < 60; i++) {
    cursor.position = toLogSeq(cursor.position + 100);
    clock.advance(MINUTE);
  }
  t.ok(written.length - before <= 6, `else when it has moved far: ${written}`);
  t.ok(cursor.position - state().position <= 1_500, 'and never stays far behind');
});
