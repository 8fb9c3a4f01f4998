import t from 'tap';
import { TransientEvent } from '#delivery';
import {
  countHeartbeatIdsAfter,
  eventId,
  FIRST_TRANSIENT_SLOT,
  queueId,
  queueKey,
  realmId,
  type Seq,
  userId,
} from '#model';
import { EventBuffer } from '../../../actors/event-queue/buffer.js';
import { TransientEventIds } from '../../../actors/event-queue/transient-ids.js';
import { settle } from '../../support/fake-clock.js';

const REALM = realmId(1);
const idsWith = (append: () => Promise<Seq>): TransientEventIds =>
  new TransientEventIds({ append }, REALM, queueKey(REALM, userId(8), queueId('q')));

t.test('transient events and heartbeats have growing ids behind the entry at their position', async (t) => {
  let appended = 0;
  const ids = idsWith(async () => ++appended as Seq);
  t.equal(ids.transient(7), eventId(7, FIRST_TRANSIENT_SLOT), 'come after those of the entry at this position');
  t.equal(ids.heartbeat(7), eventId(7, FIRST_TRANSIENT_SLOT + 1), 'and grow');
  let last = ids.newest;
  for (let next = ids.transient(7); next !== undefined; next = ids.transient(7)) last = next;
  t.ok(last < eventId(8, 0), 'transient events are lost when they are used up');
  t.equal(ids.transient(7), undefined);
  t.ok(ids.heartbeat(7) < eventId(8, 0), 'but not heartbeats');
  t.equal(appended, 1, 'and a new position is asked for, once');
  await settle();
  t.equal(ids.transient(8), eventId(8, FIRST_TRANSIENT_SLOT), 'which has ids again');
  t.equal(ids.newest, eventId(8, FIRST_TRANSIENT_SLOT));
});

t.test('a frontend may use heartbeat ids only behind a transient id, and below the next position', async (t) => {
  for (const id of [-1, eventId(7, 0), eventId(7, 12), eventId(7, FIRST_TRANSIENT_SLOT - 1)]) {
    t.equal(countHeartbeatIdsAfter(id), 0, `${id}: more of its entry may come`);
  }
  const first = eventId(7, FIRST_TRANSIENT_SLOT);
  const most = countHeartbeatIdsAfter(first);
  t.ok(most > 0);
  for (let id = first; id < eventId(8, 0); id++) {
    const beats = countHeartbeatIdsAfter(id);
    if (beats !== 0 && beats !== most) t.fail(`${beats} after ${id}`);
    if (beats > 0 && id + beats >= eventId(8, 0)) t.fail(`${id}: the ids of the next position`);
  }
  const ids = idsWith(async () => 0 as Seq);
  const last = ids.heartbeat(7);
  ids.reserve(last + countHeartbeatIdsAfter(last));
  t.equal(ids.transient(7), last + countHeartbeatIdsAfter(last) + 1, 'the queue gives its own ids above them');
  ids.reserve(last);
  t.equal(ids.newest, last + countHeartbeatIdsAfter(last) + 1, 'and never goes back');
});

t.test('a buffer keeps the newest transient events', async (t) => {
  const shape = {
    applyMarkdown: true,
    clientGravatar: true,
    includeSubscribers: false,
    notificationNull: true,
    pronouns: true,
    slimPresence: false,
  };
  const buffer = new EventBuffer(1, 'q', shape);
  const stored = (id: number) => ({ id, encode: () => new TextEncoder().encode(`{"id":${id}}`) });
  const typing = new TransientEvent({ t: 'event', to: {}, event: { type: 'typing' } });
  for (let id = 1; id <= 300; id++) {
    if (id % 2 === 0) buffer.pushTransient(id, typing);
    else buffer.push(stored(id));
  }
  const ids = (): number[] => {
    const { events } = JSON.parse(`{${Buffer.concat(buffer.answer()).toString().slice(1)}}`) as {
      events: { id: number }[];
    };
    return events.map((event) => event.id);
  };
  t.equal(ids().filter((id) => id % 2 === 1).length, 150, 'all that is stored');
  t.same(
    ids().filter((id) => id % 2 === 0),
    Array.from({ length: 100 }, (_, i) => 102 + 2 * i),
  );
  buffer.acknowledge(250);
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
