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
      t.equal(eventQueueMachineSteps.findStep(state, type).nextState, actor.getSnapshot().value, `${state}, ${type}`);
      actor.stop();
    }
  }
  t.end();
});

t.test('the timer runs only while a poll waits', (t) => {
  t.match(eventQueueMachineSteps.findStep('resting', 'OPEN'), { nextState: 'idle', delayToStart: undefined });
  t.match(eventQueueMachineSteps.findStep('idle', 'POLL'), { nextState: 'polling', delayToStart: 'heartbeat' });
  t.match(
    eventQueueMachineSteps.findStep('polling', 'POLL'),
    { nextState: 'polling', stopsTimer: true, delayToStart: 'heartbeat' },
    'it starts again when the waiting poll is sent again',
  );
  for (const type of ['ANSWER', 'RELEASE']) {
    t.match(eventQueueMachineSteps.findStep('polling', type), {
      nextState: 'idle',
      stopsTimer: true,
      delayToStart: undefined,
      actions: [],
    });
  }
  t.match(
    eventQueueMachineSteps.findStep('idle', 'PARK'),
    { nextState: 'parked', delayToStart: undefined },
    'none if the frontend sends the heartbeats',
  );
  for (const type of ['ANSWER', 'RELEASE'])
    t.match(eventQueueMachineSteps.findStep('parked', type), { nextState: 'idle', actions: [] });
  t.match(eventQueueMachineSteps.findStep('polling', 'REST'), {
    nextState: 'resting',
    stopsTimer: true,
    delayToStart: undefined,
  });
  t.match(eventQueueMachineSteps.findStep('polling', 'END.deleted'), {
    nextState: 'deleted',
    stopsTimer: true,
    delayToStart: undefined,
  });
  t.end();
});

t.test('a heartbeat ends the poll', (t) => {
  t.match(eventQueueMachineSteps.findStepAfterDelay('polling', 'heartbeat'), {
    nextState: 'idle',
    actions: ['heartbeat'],
  });
  for (const state of ['resting', 'idle', 'parked', 'deleted']) {
    t.same(eventQueueMachineSteps.findStepAfterDelay(state, 'heartbeat'), {
      nextState: state,
      actions: [],
      stopsTimer: false,
      delayToStart: undefined,
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
        eventQueueEndReasonOfPhase(eventQueueMachineSteps.findStep(state, `END.${reason}`).nextState),
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
    const { nextState } = eventQueueMachineSteps.findStep('idle', end);
    for (const type of EVENTS)
      t.equal(eventQueueMachineSteps.findStep(nextState, type).nextState, nextState, `${nextState}, ${type}`);
  }
  t.end();
});
