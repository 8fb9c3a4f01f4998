import t from 'tap';
import { createActor } from 'xstate';
import { EVENT_QUEUE_END_REASONS, eventQueueStateMachine } from '#actors/event-queue';
import {
  type EventQueueMachineEvent,
  eventQueueEndReasonOfPhase,
  eventQueueMachineSteps,
} from '../../../actors/event-queue/machine.js';

const LIVING = ['resting', 'idle', 'polling', 'parked'] as const;
const ENDS = EVENT_QUEUE_END_REASONS.map((reason) => `END.${reason}` as const);
const EVENTS: readonly EventQueueMachineEvent['type'][] = [
  ...(['OPEN', 'POLL', 'PARK', 'ANSWER', 'RELEASE', 'TOUCH', 'REST'] as const),
  ...ENDS,
];

t.test('the steps of a queue are those of its machine', (t) => {
  for (const state of Object.keys(eventQueueStateMachine.states)) {
    for (const type of EVENTS) {
      const snapshot = eventQueueStateMachine.resolveState({ value: state, context: { heartbeatMs: 45_000 } } as never);
      const actor = createActor(eventQueueStateMachine, { snapshot, input: { heartbeatMs: 45_000 } });
      actor.start();
      if (actor.getSnapshot().status === 'active') actor.send({ type });
      t.equal(eventQueueMachineSteps.step(state, type).to, actor.getSnapshot().value, `${state}, ${type}`);
      actor.stop();
    }
  }
  t.end();
});

t.test('the timer runs only while a poll waits', (t) => {
  t.match(eventQueueMachineSteps.step('resting', 'OPEN'), { to: 'idle', arms: undefined });
  t.match(eventQueueMachineSteps.step('idle', 'POLL'), { to: 'polling', arms: 'heartbeat' });
  t.match(
    eventQueueMachineSteps.step('polling', 'POLL'),
    { to: 'polling', disarms: true, arms: 'heartbeat' },
    'it starts again when the waiting poll is sent again',
  );
  for (const type of ['ANSWER', 'RELEASE']) {
    t.match(eventQueueMachineSteps.step('polling', type), { to: 'idle', disarms: true, arms: undefined, actions: [] });
  }
  t.match(
    eventQueueMachineSteps.step('idle', 'PARK'),
    { to: 'parked', arms: undefined },
    'none if the frontend sends the heartbeats',
  );
  for (const type of ['ANSWER', 'RELEASE'])
    t.match(eventQueueMachineSteps.step('parked', type), { to: 'idle', actions: [] });
  t.match(eventQueueMachineSteps.step('polling', 'REST'), { to: 'resting', disarms: true, arms: undefined });
  t.match(eventQueueMachineSteps.step('polling', 'END.deleted'), { to: 'deleted', disarms: true, arms: undefined });
  t.end();
});

t.test('a heartbeat ends the poll', (t) => {
  t.match(eventQueueMachineSteps.elapsed('polling', 'heartbeat'), { to: 'idle', actions: ['heartbeat'] });
  for (const state of ['resting', 'idle', 'parked', 'deleted']) {
    t.same(eventQueueMachineSteps.elapsed(state, 'heartbeat'), {
      to: state,
      actions: [],
      disarms: false,
      arms: undefined,
    });
  }
  t.end();
});

t.test('every reason ends the queue in every state, except that a queue with a waiting poll is never idle', (t) => {
  for (const state of LIVING) {
    for (const reason of EVENT_QUEUE_END_REASONS) {
      const isClientThere = state === 'polling' || state === 'parked';
      const expected = reason === 'idle' && isClientThere ? undefined : reason;
      t.equal(
        eventQueueEndReasonOfPhase(eventQueueMachineSteps.step(state, `END.${reason}`).to),
        expected,
        `${state}, ${reason}`,
      );
    }
    t.equal(eventQueueEndReasonOfPhase(state), undefined);
  }
  t.end();
});

t.test('an ended queue stays ended', (t) => {
  for (const end of ENDS) {
    const { to } = eventQueueMachineSteps.step('idle', end);
    for (const type of EVENTS) t.equal(eventQueueMachineSteps.step(to, type).to, to, `${to}, ${type}`);
  }
  t.end();
});
