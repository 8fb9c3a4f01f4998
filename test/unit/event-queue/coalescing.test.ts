/** Waiting events about flags are coalesced into one, which never has an outdated flag. */
import t from 'tap';
import { SharedClientEvent } from '#delivery';
import { eventQueueActorKey, toEventQueueId, toRealmId, toUserId } from '#model';
import type { EventQueueOptions } from '#model/commands';
import { clientEventFormatOf, EventQueueBuffer } from '../../../actors/event-queue/buffer.js';
import { EventQueueInbox } from '../../../actors/event-queue/inbox.js';
import type { EventQueueActorState } from '../../../actors/event-queue/state.js';
import { UnloggedEventIdAllocator } from '../../../actors/event-queue/transient-ids.js';

const REALM = toRealmId(1);
const options = { capabilities: {}, eventTypes: null, narrow: [] } as unknown as EventQueueOptions;
const state = { user: 8, options, shows: null } as EventQueueActorState;

interface Told {
  readonly id: number;
  readonly op: 'add' | 'remove';
  readonly flag: string;
  readonly messages: readonly number[];
}

function bufferWith(...events: readonly Told[]): { buffer: EventQueueBuffer; take: (event: Told) => void } {
  const buffer = new EventQueueBuffer(8, 'q', clientEventFormatOf(options));
  const ids = new UnloggedEventIdAllocator(
    { append: async () => 0 as never },
    REALM,
    eventQueueActorKey(REALM, toUserId(8), toEventQueueId('q')),
  );
  const inbox = new EventQueueInbox(REALM, state, buffer, ids, {} as never, { resolved: () => {} });
  const take = ({ id, ...event }: Told): void => {
    const item = { t: 'event', to: { users: [8] }, event: { type: 'update_message_flags', ...event, all: false } };
    inbox.judgeAndBufferEvent(new SharedClientEvent(id, item as never));
  };
  events.forEach(take);
  return { buffer, take };
}

const told = (buffer: EventQueueBuffer): Told[] => {
  const { events } = JSON.parse(`{${Buffer.concat(buffer.encodePollAnswerFields()).toString().slice(1)}}`) as {
    events: Told[];
  };
  return events.map(({ id, op, flag, messages }) => ({ id, op, flag, messages }));
};

const star = (id: number, ...messages: number[]): Told => ({ id, op: 'add', flag: 'starred', messages });
const unstar = (id: number, ...messages: number[]): Told => ({ id, op: 'remove', flag: 'starred', messages });
const read = (id: number, ...messages: number[]): Told => ({ id, op: 'add', flag: 'read', messages });
const unread = (id: number, ...messages: number[]): Told => ({ id, op: 'remove', flag: 'read', messages });

t.test('unpolled flag events are one event, in the place of the last', async (t) => {
  const { buffer, take } = bufferWith(star(1, 11), read(2, 11), star(3, 12));
  t.same(told(buffer), [read(2, 11), star(3, 11, 12)]);
  take(star(4, 13));
  t.same(told(buffer), [read(2, 11), star(3, 11, 12), star(4, 13)], 'read once, it grows no more');
});

t.test('an answer that ends before the last flag event has the earlier part of them', async (t) => {
  const { buffer, take } = bufferWith(read(1, 11), unstar(2, 11), read(3, 12));
  const fill = buffer.reserveSlot(4);
  take(read(5, 13));
  t.same(told(buffer), [read(1, 11), unstar(2, 11)], 'up to the last that is told');
  buffer.dropAcknowledgedUpTo(2);
  fill(null);
  t.same(told(buffer), [read(5, 12, 13)]);
});

t.test('a rebuilt queue does not repeat flag events that its client got from the previous owner', async (t) => {
  const { buffer } = bufferWith(star(1, 11), unstar(2, 11), star(3, 12));
  buffer.dropAcknowledgedUpTo(2);
  t.same(told(buffer), [star(3, 12)]);
});

t.test('after an acknowledgement, a delivered merged event has only its unacknowledged part', async (t) => {
  const { buffer } = bufferWith(star(1, 11), star(3, 12));
  t.same(told(buffer), [star(3, 11, 12)]);
  buffer.dropAcknowledgedUpTo(1);
  t.same(told(buffer), [star(3, 12)]);
  buffer.dropAcknowledgedUpTo(3);
  t.same(told(buffer), []);
  t.equal(buffer.waitingSlotCount, 0);
});

t.test('an acknowledged event is not extended', async (t) => {
  const { buffer, take } = bufferWith(star(1, 11));
  buffer.dropAcknowledgedUpTo(1);
  take(star(2, 12));
  t.same(told(buffer), [star(2, 12)]);
});

t.test('a flag removed in between is not delivered afterwards', async (t) => {
  const { buffer } = bufferWith(star(1, 11), unstar(2, 11), star(3, 12), unstar(4, 13));
  t.same(told(buffer), [star(1, 11), star(3, 12), unstar(4, 11, 13)]);
  const reading = bufferWith(read(1, 11), unread(2, 11), read(3, 12), unread(4, 13), read(5, 14));
  t.same(told(reading.buffer), [read(1, 11), unread(2, 11), unread(4, 13), read(5, 12, 14)]);
});

t.test('a part coalesced into a later event survives: a successor reads the log from there', async (t) => {
  const { buffer, take } = bufferWith(star(1, 11), star(3, 12));
  t.equal(buffer.oldest, 1);
  told(buffer);
  t.equal(buffer.oldest, 1, 'told is not acknowledged');
  buffer.dropAcknowledgedUpTo(2);
  t.equal(buffer.oldest, 3);
  buffer.dropAcknowledgedUpTo(3);
  t.equal(buffer.oldest, undefined);
  take(read(5, 11));
  take(unread(6, 11));
  take(read(7, 12));
  t.equal(buffer.oldest, 5);
});
