/** Commands of an event queue that change what is stored: register, flush, delete, end. */

import { success, value } from '#actors/shared';
import { encodeFields } from '#base';
import { positionId } from '#model';
import type { ArgsOf, Command, QueueEnd, queueCommands } from '#model/commands';
import type { CommandDefinition, Outcome } from '#runtime';
import { type Snapshot, takeSnapshot } from './snapshot/take.js';
import { HELD_LAG_MS, type QueueState, type QueueVolatile } from './state.js';

type QueueCommand<C extends Command<'queue'>, I = undefined> = CommandDefinition<
  QueueState,
  ArgsOf<C>,
  I,
  QueueVolatile
>;

/** A crash must not cost a queue: this long after its host took it over, it waits for its client. */
const GRACE_MS = 60_000;

export const register: QueueCommand<typeof queueCommands.register, Snapshot> = {
  creates: true,
  founds: true,
  needs: takeSnapshot,
  handle({ state, volatile }, args, snapshot, { caller, now }) {
    volatile.active = now;
    const last = positionId(snapshot.start);
    const next: QueueState = {
      ...state,
      user: caller,
      options: args.options,
      start: snapshot.start,
      listed: snapshot.listed,
      acked: -1,
      position: snapshot.start,
      lifespanMs: args.lifespanMs,
      covers: snapshot.covers,
      shows: snapshot.shows,
      incarnation: snapshot.incarnation,
      active: now,
    };
    return {
      reply: { ok: [encodeFields({ queue_id: args.queue_id, last_event_id: last }), ...snapshot.parts] },
      state: next,
      due: now + args.lifespanMs,
    };
  },
};

/** POST /register without an account: nothing is registered. */
export const visit: QueueCommand<typeof queueCommands.visit, Snapshot> = {
  creates: true,
  read: true,
  needs: takeSnapshot,
  handle: (_view, _args, { parts }) => ({ reply: { ok: [encodeFields({ queue_id: null }), ...parts] } }),
};

export const flush: QueueCommand<typeof queueCommands.flush> = {
  handle: ({ state, volatile: { acked, active, position, polling } }) => ({
    reply: value(null),
    state: { ...state, acked, active, position, held: polling },
    due: active + (polling ? HELD_LAG_MS : 0) + state.lifespanMs,
  }),
};

/** From here on polls find nothing, though the root is there until the end is written. */
function over(volatile: QueueVolatile, reply: Outcome<QueueState>['reply'], why: QueueEnd): Outcome<QueueState> {
  volatile.ended = why;
  return { reply, end: true };
}

/** DELETE /events. */
export const remove: QueueCommand<typeof queueCommands.remove> = {
  handle: ({ volatile }) => over(volatile, success(), 'deleted'),
};

/** The live side found that the queue is over: its past is lost, too much waits, or its user is gone. */
export const end: QueueCommand<typeof queueCommands.end> = {
  handle: ({ volatile }, { reason }) => over(volatile, value(null), reason),
};

/** The machine's collection: idle for the lifespan, unless the client was here since that time was written. */
export const due: QueueCommand<typeof queueCommands.due> = {
  handle({ state, volatile }, _args, _inputs, { now }) {
    const active = volatile.polling ? now : volatile.active;
    const wake = Math.max(active + state.lifespanMs, volatile.since + GRACE_MS);
    return wake <= now ? over(volatile, value(null), 'idle') : { reply: value(null), due: wake };
  },
};
