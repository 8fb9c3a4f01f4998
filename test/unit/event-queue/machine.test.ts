import t from 'tap';
import { createActor } from 'xstate';
import { queueMachine, queueSteps } from '../../../actors/event-queue/machine.js';

const EVENTS = ['POLL', 'KEEP', 'ANSWER', 'RELEASE', 'TOUCH', 'DELETE'] as const;

t.test('the steps of a queue are those of its machine', (t) => {
  for (const state of ['idle', 'polling', 'kept', 'expired', 'deleted']) {
    for (const type of EVENTS) {
      const snapshot = queueMachine.resolveState({
        value: state,
        context: { heartbeatMs: 45_000, lifespanMs: 600_000 },
      } as never);
      const actor = createActor(queueMachine, { snapshot, input: { heartbeatMs: 45_000, lifespanMs: 600_000 } });
      actor.start();
      if (actor.getSnapshot().status === 'active') actor.send({ type });
      t.equal(queueSteps.step(state, type).to, actor.getSnapshot().value, `${state}, ${type}`);
      actor.stop();
    }
  }
  t.end();
});

t.test('a timer runs while a poll waits, and only then', (t) => {
  t.match(queueSteps.step('idle', 'POLL'), { to: 'polling', arms: 'heartbeat' });
  t.match(
    queueSteps.step('polling', 'POLL'),
    { to: 'polling', disarms: true, arms: 'heartbeat' },
    'anew for another poll',
  );
  for (const type of ['ANSWER', 'RELEASE']) {
    t.match(queueSteps.step('polling', type), { to: 'idle', disarms: true, arms: 'collection', actions: [] });
  }
  t.match(
    queueSteps.step('polling', 'KEEP'),
    { to: 'kept', disarms: true, arms: undefined },
    'none if the frontend gives the heartbeats',
  );
  t.match(queueSteps.step('kept', 'POLL'), { to: 'polling', arms: 'heartbeat' });
  for (const type of ['ANSWER', 'RELEASE']) t.match(queueSteps.step('kept', type), { to: 'idle', actions: [] });
  t.match(queueSteps.step('polling', 'DELETE'), { to: 'deleted', disarms: true, arms: undefined });
  t.end();
});

t.test('a heartbeat ends the poll; a queue that is idle for its lifespan is collected', (t) => {
  t.match(queueSteps.elapsed('polling', 'heartbeat'), { to: 'idle', actions: ['heartbeat'] });
  t.match(queueSteps.elapsed('idle', 'collection'), { to: 'expired', actions: ['collect'] });
  t.same(queueSteps.elapsed('idle', 'heartbeat'), { to: 'idle', actions: [], disarms: false, arms: undefined });
  t.end();
});
