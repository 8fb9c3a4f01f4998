import t from 'tap';
import { TransientClientEvent } from '#delivery';
import {
  countFrontendHeartbeatIdsAfter,
  eventQueueActorKey,
  FIRST_TRANSIENT_EVENT_ID_SLOT,
  type LogSeq,
  makeEventId,
  toEventQueueId,
  toRealmId,
  toUserId,
} from '#model';
import { EventQueueBuffer } from '../../../actors/event-queue/buffer.js';
import { UnloggedEventIdAllocator } from '../../../actors/event-queue/transient-ids.js';
import { settle } from '../../support/fake-clock.js';

const REALM = toRealmId(1);
const idsWith = (append: () => Promise<LogSeq>): UnloggedEventIdAllocator =>
  new UnloggedEventIdAllocator({ append }, REALM, eventQueueActorKey(REALM, toUserId(8), toEventQueueId('q')));

t.test('transient events and heartbeats have growing ids behind the entry at their position', async (t) => {
  let appended = 0;
  const ids = idsWith(async () => ++appended as LogSeq);
  t.equal(
    ids.tryAllocateTransientId(7),
    makeEventId(7, FIRST_TRANSIENT_EVENT_ID_SLOT),
    'come after those of the entry at this position',
  );
  t.equal(ids.tryAllocateHeartbeatId(7), makeEventId(7, FIRST_TRANSIENT_EVENT_ID_SLOT + 1), 'and grow');
  let last = ids.newestGivenId;
  for (let next = ids.tryAllocateTransientId(7); next !== undefined; next = ids.tryAllocateTransientId(7)) last = next;
  t.ok(last < makeEventId(8, 0), 'transient events are lost when they are used up');
  t.equal(ids.tryAllocateTransientId(7), undefined);
  t.ok(ids.tryAllocateHeartbeatId(7)! < makeEventId(8, 0), 'but not heartbeats');
  t.equal(appended, 1, 'and a new position is asked for, once');
  await settle();
  t.equal(ids.tryAllocateTransientId(8), makeEventId(8, FIRST_TRANSIENT_EVENT_ID_SLOT), 'which has ids again');
  t.equal(ids.newestGivenId, makeEventId(8, FIRST_TRANSIENT_EVENT_ID_SLOT));
});

t.test(
  'no id is free between the events of a log entry that a former owner gave out and this host has not read',
  (t) => {
    const ids = idsWith(async () => 0 as LogSeq);
    ids.newestGivenId = makeEventId(34, 1);
    t.equal(ids.tryAllocateHeartbeatId(33), undefined, 'the id above may be that of the next event');
    t.equal(ids.tryAllocateTransientId(33), undefined);
    t.equal(ids.newestGivenId, makeEventId(34, 1));
    t.equal(ids.tryAllocateHeartbeatId(34), makeEventId(34, FIRST_TRANSIENT_EVENT_ID_SLOT), 'once the entry was read');
    for (const slot of [FIRST_TRANSIENT_EVENT_ID_SLOT - 1, FIRST_TRANSIENT_EVENT_ID_SLOT]) {
      ids.newestGivenId = makeEventId(36, slot);
      t.equal(ids.tryAllocateHeartbeatId(35), makeEventId(36, slot + 1), 'the client has the whole entry');
    }
    t.end();
  },
);

t.test('a frontend may use heartbeat ids only behind a transient id, and below the next position', async (t) => {
  for (const id of [-1, makeEventId(7, 0), makeEventId(7, 12), makeEventId(7, FIRST_TRANSIENT_EVENT_ID_SLOT - 1)]) {
    t.equal(countFrontendHeartbeatIdsAfter(id), 0, `${id}: more of its entry may come`);
  }
  const first = makeEventId(7, FIRST_TRANSIENT_EVENT_ID_SLOT);
  const most = countFrontendHeartbeatIdsAfter(first);
  t.ok(most > 0);
  for (let id = first; id < makeEventId(8, 0); id++) {
    const beats = countFrontendHeartbeatIdsAfter(id);
    if (beats !== 0 && beats !== most) t.fail(`${beats} after ${id}`);
    if (beats > 0 && id + beats >= makeEventId(8, 0)) t.fail(`${id}: the ids of the next position`);
  }
  const ids = idsWith(async () => 0 as LogSeq);
  const last = ids.tryAllocateHeartbeatId(7)!;
  ids.reserveIdsForFrontendUpTo(last + countFrontendHeartbeatIdsAfter(last));
  t.equal(
    ids.tryAllocateTransientId(7),
    last + countFrontendHeartbeatIdsAfter(last) + 1,
    'the queue gives its own ids above them',
  );
  ids.reserveIdsForFrontendUpTo(last);
  t.equal(ids.newestGivenId, last + countFrontendHeartbeatIdsAfter(last) + 1, 'and never goes back');
});

t.test('a buffer keeps the newest transient events', async (t) => {
  const shape = {
    applyMarkdown: true,
    clientGravatar: true,
    includeSubscribers: false,
    notificationNull: true,
    pronouns: true,
    slimPresence: false,
    levelForm: undefined,
  };
  const buffer = new EventQueueBuffer(1, 'q', shape);
  const stored = (id: number) => ({ id, encode: () => new TextEncoder().encode(`{"id":${id}}`) });
  const typing = new TransientClientEvent({ t: 'event', to: {}, event: { type: 'typing' } });
  for (let id = 1; id <= 300; id++) {
    if (id % 2 === 0) buffer.pushTransient(id, typing);
    else buffer.push(stored(id));
  }
  const ids = (): number[] => {
    const { events } = JSON.parse(`{${Buffer.concat(buffer.encodePollAnswerFields()).toString().slice(1)}}`) as {
      events: { id: number }[];
    };
    return events.map((event) => event.id);
  };
  t.equal(ids().filter((id) => id % 2 === 1).length, 150, 'all that is stored');
  t.same(
    ids().filter((id) => id % 2 === 0),
    Array.from({ length: 100 }, (_, i) => 102 + 2 * i),
  );
  buffer.dropAcknowledgedUpTo(250);
  t.same(
    ids(),
    Array.from({ length: 50 }, (_, i) => 251 + i),
  );
  for (let id = 301; id <= 400; id++) buffer.pushTransient(id, typing);
  t.same(ids().filter((id) => id > 300).length, 100);
  t.same(
    ids().filter((id) => id <= 300 && id % 2 === 0),
    [],
    'the oldest go first',
  );
  t.same(ids().filter((id) => id % 2 === 1 && id <= 300).length, 25);
});
