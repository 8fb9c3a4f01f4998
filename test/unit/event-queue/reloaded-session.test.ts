/** A queue reloaded from the Store on another host, which may be behind the previous owner in reading the log. */
import t from 'tap';
import { TransientClientEvent } from '#delivery';
import {
  type ActorReply,
  eventQueueActorKey,
  FIRST_TRANSIENT_EVENT_ID_SLOT,
  makeEventId,
  toEventQueueId,
  toLogSeq,
  toRealmId,
  toUserId,
} from '#model';
import type { EventQueueOptions } from '#model/commands';
import type { ActorActivationHandle } from '#runtime';
import type { ActiveEventQueue } from '../../../actors/event-queue/session.js';
import { EventQueueActorSidecar } from '../../../actors/event-queue/sidecar.js';
import type { EventQueueActorState } from '../../../actors/event-queue/state.js';
import { EventQueueMemoryState } from '../../../actors/event-queue/volatile.js';
import type { ActorInputSources } from '../../../actors/services.js';
import { FakeClock, settle } from '../../support/fake-clock.js';

const REALM = toRealmId(1);
const INCARNATION = 'this log';
/** Position up to which this host has read, and the end of the log. */
const READ = 5;
const END = 9;

const state: EventQueueActorState = {
  phase: 'idle',
  user: 8,
  options: { capabilities: {}, eventTypes: null, narrow: [] } as unknown as EventQueueOptions,
  start: 3,
  acked: makeEventId(4, 0),
  position: 4,
  lifespanMs: 600_000,
  covers: {},
  shows: null,
  incarnation: INCARNATION,
  active: 0,
};

/** @param registered false for a queue made here, in memory ever since */
function rebuilt(registered = true) {
  let exists = registered;
  const volatile = new EventQueueMemoryState(state, 0);
  const handle = {
    key: eventQueueActorKey(REALM, toUserId(8), toEventQueueId('q')),
    realm: REALM,
    volatile,
    exists: () => exists,
    state: () => state,
    sendSelf: async () => undefined,
  };
  const from: number[] = [];
  const sessions: ActiveEventQueue[] = [];
  const feed = {
    position: toLogSeq(READ),
    addTransientListener: () => {},
    attach(session: ActiveEventQueue) {
      sessions.push(session);
      from.push(session.cursor.position);
      session.cursor.followFeed({ at: toLogSeq(READ) });
      session.wentLive();
    },
    detach: () => {},
  };
  const log = { asked: 0, away: false };
  const clock = new FakeClock();
  const sources = {
    services: { clock, random: () => 0, heartbeatMs: 45_000, feeds: { of: async () => feed } },
    log: {
      readBounds: async () => {
        if (log.asked++ > 0 && log.away) throw new Error('away');
        return { end: toLogSeq(END), trimmed: toLogSeq(0), incarnation: INCARNATION };
      },
    },
  };
  const queue = new EventQueueActorSidecar(
    handle as unknown as ActorActivationHandle<EventQueueActorState, EventQueueMemoryState>,
    sources as unknown as ActorInputSources,
  );
  exists = true;
  if (!registered) queue.onCommitted();
  let polls = 0;
  const hold = (last: number, beats: number): { readonly answers: ActorReply[] } => {
    const answers: ActorReply[] = [];
    const request = { id: `poll${++polls}`, reply: (reply: ActorReply) => answers.push(reply), onCancel: () => {} };
    queue.handleCommand('poll', { last_event_id: last, dont_block: false, beats }, request as never);
    return { answers };
  };
  const poll = async (last: number): Promise<ActorReply | undefined> => {
    const { answers } = hold(last, 0);
    await settle();
    return answers[0];
  };
  return { queue, session: () => sessions[0]!, poll, hold, clock, log, volatile, from };
}

const idIn = (reply: ActorReply | undefined): number => {
  const parts = reply && 'ok' in reply ? reply.ok : [];
  return Number(/"id":(\d+)/.exec(Buffer.concat(parts).toString())?.[1]);
};

t.test('the log is read from the event that the first poll acknowledges', async (t) => {
  const { poll, volatile, from } = rebuilt();
  t.equal(await poll(makeEventId(7, 3)), undefined, 'the poll is held');
  t.same(from, [6], 'the rest of that entry, too');
  t.equal(volatile.ackedEventId, makeEventId(7, 3));
  t.match(
    await poll(makeEventId(6, 0)),
    { error: { code: 'BAD_REQUEST' } },
    'what was passed over is not there any more',
  );
});

t.test('an acknowledgement is ignored if the queue knows a later one, or if no client can have that id', async (t) => {
  for (const last of [makeEventId(2, 0), state.acked, makeEventId(END + 1, 0), makeEventId(2 ** 40, 0)]) {
    const { poll, volatile, from } = rebuilt();
    await poll(last);
    t.same(from, [state.position], String(last));
    t.equal(volatile.ackedEventId, state.acked);
  }
});

t.test('an event that the log has, but this host has not read yet, may be acknowledged', async (t) => {
  const { poll, log, volatile } = rebuilt();
  t.equal(await poll(state.acked), undefined, 'the poll is held');
  t.equal(await poll(makeEventId(END, 7)), undefined, 'and this one');
  t.equal(volatile.ackedEventId, makeEventId(END, 7));
  t.equal(log.asked, 2, 'when it opened, and once more');
});

t.test('where the frontend gives the heartbeats the queue gives none, and its own ids are above them', async (t) => {
  const last = makeEventId(READ, FIRST_TRANSIENT_EVENT_ID_SLOT + 3);
  const { session, hold, poll, clock, volatile } = rebuilt();
  const { answers } = hold(last, 64);
  await settle();
  clock.advance(3_600_000);
  t.same(answers, []);
  t.ok(volatile.hasWaitingPoll, 'the client is there all the time');
  session().pushTransient(new TransientClientEvent({ t: 'event', to: {}, event: { type: 'typing' } }));
  await settle();
  t.equal(idIn(answers[0]), last + 65);
  const next = hold(last + 65, 64);
  t.equal(
    await poll(last + 65 + 64),
    undefined,
    'the last heartbeat that the frontend gave may be acknowledged elsewhere',
  );
  t.match(next.answers, [{ ok: [] }], 'which ends the poll there');
  t.equal(volatile.ackedEventId, last + 65 + 64);
  clock.advance(60_000);
  t.notOk(volatile.hasWaitingPoll, 'without such a frontend it is the queue that gives one');
});

t.test('an id that the log cannot have is refused', async (t) => {
  const { poll, volatile } = rebuilt();
  t.match(await poll(makeEventId(END + 1, 0)), {
    error: { msg: `Event ${makeEventId(END + 1, 0)} was not in this queue` },
  });
  t.equal(volatile.ackedEventId, state.acked, 'and nothing is acknowledged');
  t.equal(await poll(makeEventId(READ, 0)), undefined);
});

t.test('while the log is unreachable the poll is retryable, and the frontend tries again', async (t) => {
  const { poll, log } = rebuilt();
  await poll(state.acked);
  log.away = true;
  t.match(await poll(makeEventId(END, 0)), { retry: 'moved' });
  log.away = false;
  t.equal(await poll(makeEventId(END, 0)), undefined);
});

t.test('a queue that moves away redirects the poll', async (t) => {
  const { queue, poll } = rebuilt();
  await poll(state.acked);
  const answers: unknown[] = [];
  const request = { id: 'late', reply: (reply: unknown) => answers.push(reply), onCancel: () => {} };
  queue.handleCommand('poll', { last_event_id: makeEventId(END, 0), dont_block: false }, request as never);
  t.equal(queue.isIdle(), false);
  queue.onActivationStopped('drained');
  await settle();
  t.same(answers, [{ retry: 'moved' }], 'once');
});

t.test("a frontend's heartbeat may be acknowledged at another host that has not seen the command", async (t) => {
  const { poll, clock, hold, volatile } = rebuilt(false);
  await poll(state.acked);
  const { answers } = hold(state.acked, 0);
  clock.advance(60_000);
  const beat = idIn(answers[0]);
  t.equal(beat, makeEventId(READ, FIRST_TRANSIENT_EVENT_ID_SLOT), 'one of its own');
  t.match(
    await poll(beat + 65),
    { error: { msg: `Event ${beat + 65} was not in this queue` } },
    'more than one may give',
  );
  t.equal(await poll(beat + 64), undefined);
  t.equal(volatile.ackedEventId, beat + 64);
  const next = makeEventId(READ + 1, 0);
  t.match(
    await poll(next),
    { error: { msg: `Event ${next} was not in this queue` } },
    'an entry that did not come is none',
  );
});
