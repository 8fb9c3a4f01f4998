/** Check: each queue delivers the events that the log and its registration entitle it to, and its state is right. */
import { isDeepStrictEqual } from 'node:util';
import { SharedClientEvent } from '#delivery';
import { eventCoalescingKey, isEventInQueueSnapshot, isEventWantedByQueue } from '../../actors/event-queue/filter.js';
import { CLIENTS, comparable, optionsOf } from '../api/support/comparable.js';
import { isCurrentClient } from '../api/support/current-client-requests.js';
import { apply, type State } from '../api/support/reducer.js';
import type { ApiEvent, ApiMessage, Fields } from '../api/support/types.js';
import { type ExpectedEvent, isLogEventId, opOf, type ParsedLog } from './check-log.js';
import type { CallRecord, QueueRecord, RunRecord } from './record.js';

/** @returns the events that the queue must deliver, in order */
function expectedEvents(queue: QueueRecord, { events }: ParsedLog): ExpectedEvent[] {
  const { firstState, user } = queue;
  if (!firstState) return [];
  return events.filter((event) => {
    if (event.seq <= firstState.start || !event.receivers.has(user)) return false;
    const shared = new SharedClientEvent(event.id, event.item);
    if (!shared.isDeliveredDespiteSnapshot && event.version <= (firstState.covers[event.actor] ?? 0)) return false;
    return isEventWantedByQueue(firstState.options, shared, user) && !isEventInQueueSnapshot(firstState, shared);
  });
}

/** @returns whether the event may be empty, and so not be delivered, for some users */
const mayBeEmpty = ({ item }: ExpectedEvent): boolean => item.t === 'event' && item.own?.of === 'read';
const coalescingKeyOf = (event: ExpectedEvent): string | undefined =>
  eventCoalescingKey(new SharedClientEvent(event.id, event.item));

export function checkQueue(queue: QueueRecord, log: ParsedLog, { calls }: RunRecord): string[] {
  const problems: string[] = [];
  const name = `queue of ${queue.user}`;
  const report = (text: string): void => void problems.push(`${name}: ${text}`);
  const expected = expectedEvents(queue, log);
  const byId = new Map(expected.map((event) => [event.id, event]));
  const received = new Map<number, ApiEvent>();
  let acknowledged = -1;
  for (const poll of queue.polls) {
    if (poll.outcome === 'refused' && !mayEnd(queue, calls))
      report(`a poll after ${poll.lastEventId} was refused: ${poll.code}`);
    if (poll.outcome === 'open') report(`a poll after ${poll.lastEventId} has no response`);
    if (poll.outcome !== 'ok') continue;
    acknowledged = Math.max(acknowledged, poll.lastEventId);
    let before = poll.lastEventId;
    for (const event of poll.events) {
      if (event.id <= before) report(`event ${event.id} after ${before}, in a poll after ${poll.lastEventId}`);
      before = event.id;
      const earlier = received.get(event.id);
      const of = byId.get(event.id);
      const plain = (delivered: ApiEvent): object => stableFields(delivered, of);
      if (earlier && !isDeepStrictEqual(plain(earlier), plain(event)) && event.type !== 'heartbeat') {
        report(`event ${event.id} was delivered with two contents`);
      }
      const wrongMessages = of ? wrongMessagesIn(event, of, poll.lastEventId, expected) : [];
      if (wrongMessages.length > 0) report(`event ${event.id} has wrong messages ${wrongMessages.join()}`);
      if (event.type !== 'heartbeat' && !byId.has(event.id)) report(`must not get ${nameOfDelivered(event)}`);
      if (isLogEventId(event.id) === (event.type === 'heartbeat'))
        report(`${nameOfDelivered(event)} has an id of the wrong kind`);
      received.set(event.id, event);
    }
    const last = poll.events.at(-1)?.id ?? poll.lastEventId;
    const delivered = new Set(poll.events.map(({ id }) => id));
    for (const event of expected) {
      if (event.id <= poll.lastEventId || event.id > last || delivered.has(event.id) || mayBeEmpty(event)) continue;
      if (!isContainedInLater(event, poll.events))
        report(`event ${event.id} (${nameOfExpected(event)}) is missing up to ${last}`);
    }
  }
  if (!queue.finalState) return problems;
  const lastEventId = queue.polls.map(({ lastEventId: of }) => of);
  const all = [...received.values()].sort((a, b) => a.id - b.id);
  for (const event of expected) {
    if (received.has(event.id) || mayBeEmpty(event) || isContainedInLater(event, all)) continue;
    report(`did not get event ${event.id} (${nameOfExpected(event)}), acknowledged up to ${Math.max(...lastEventId)}`);
  }
  const undeliveredDeletions = log.events
    .filter(({ receivers }) => !receivers.has(queue.user))
    .flatMap(messagesDeletedBy);
  problems.push(
    ...checkState(queue, all, queue.finalState, new Set(undeliveredDeletions)).map((text) => `${name}: ${text}`),
  );
  return problems;
}

/**
 * Fields that must be equal in every delivery of an event. Excluded are flags, which have their value at the delivery,
 * and the messages of a coalesced event, which depend on the events that the client acknowledged before.
 */
function stableFields({ flags: _, ...event }: ApiEvent, of: ExpectedEvent | undefined): object {
  return of && isCoalescing(of) ? { ...event, messages: [] } : event;
}

/** @returns messages that a coalesced event must not list, or that it lacks */
function wrongMessagesIn(
  event: ApiEvent,
  of: ExpectedEvent,
  lastEventId: number,
  expected: readonly ExpectedEvent[],
): number[] {
  if (!isCoalescing(of)) return [];
  const open = expected.filter((one) => one.id > lastEventId && one.id <= of.id && isCoalescing(one));
  const expectedEvents = new Set(
    open.filter((one) => coalescingKeyOf(one) === coalescingKeyOf(of)).flatMap(messagesOf),
  );
  const delivered = event.messages as number[];
  return [
    ...delivered.filter((id) => !expectedEvents.has(id)),
    ...messagesOf(of).filter((id) => !delivered.includes(id)),
  ];
}

const isCoalescing = (event: ExpectedEvent): boolean => coalescingKeyOf(event) !== undefined && !mayBeEmpty(event);

export function messagesDeletedBy({ item }: ExpectedEvent): readonly number[] {
  if (item.t !== 'event' || item.event.type !== 'delete_message') return [];
  const { message_ids, message_id } = item.event as { message_ids?: number[]; message_id?: number };
  return message_ids ?? [message_id!];
}

const messagesOf = ({ item }: ExpectedEvent): readonly number[] =>
  item.t === 'event' ? ((item.event.messages as number[] | undefined) ?? []) : [];

/** @returns whether the queue may end: its client deleted it, or its user was deactivated */
const mayEnd = (queue: QueueRecord, calls: readonly CallRecord[]): boolean =>
  queue.isDeletionRequested ||
  calls.some(
    ({ kind, targetUser, outcome }) => kind === 'deactivate' && targetUser === queue.user && outcome !== 'refused',
  );

const nameOfExpected = ({ item }: ExpectedEvent): string =>
  item.t === 'message'
    ? opOf((item.message as { content: string }).content) || 'message'
    : `${item.event.type}/${item.event.op ?? ''}`;

const nameOfDelivered = (event: ApiEvent): string =>
  event.type === 'message'
    ? `message ${opOf((event.message as ApiMessage).content.replace(/^<p>/, ''))} (${event.id})`
    : `${event.type}/${event.op ?? ''} (${event.id})`;

/** @returns whether a later event contains this one: undelivered flag events coalesce into the newest */
function isContainedInLater(event: ExpectedEvent, delivered: readonly ApiEvent[]): boolean {
  const key = coalescingKeyOf(event);
  if (key === undefined || event.item.t !== 'event') return false;
  const { messages } = event.item.event as { messages: number[] };
  return delivered.some((later) => {
    const same = later.type === 'update_message_flags' && `${later.op} ${later.flag}` === key;
    return same && later.id > event.id && messages.every((id) => (later.messages as number[]).includes(id));
  });
}

/** Compares the snapshot with all events applied to it with the state of the final registration. */
function checkState(
  queue: QueueRecord,
  events: readonly ApiEvent[],
  finalState: Fields,
  undeliveredDeletions: ReadonlySet<number>,
): string[] {
  const { params, headers } = CLIENTS[queue.clientType]!;
  const isAtNewerLevel = isCurrentClient(headers);
  let state = queue.snapshot as unknown as State;
  for (const event of events) {
    try {
      state = apply(state, event, optionsOf(params, isAtNewerLevel));
    } catch (error) {
      // A real client fetches the newest message in this case.
      if ((error as Error).message.startsWith('what the newest message is now')) return [];
      return [`event ${event.id} cannot be applied: ${(error as Error).message}`];
    }
  }
  const clientState = comparable(state as unknown as Fields, params) as unknown as Fields;
  const serverState = comparable(finalState, params) as unknown as Fields;
  const uncertainSections = new Set<string>();
  if (clientState.recent_private_conversations === 'unsure') uncertainSections.add('recent_private_conversations');
  // Clients mark all known messages as read; a message that was sent meanwhile stays unread.
  if (events.some(({ type, all }) => type === 'update_message_flags' && all === true))
    uncertainSections.add('unread_msgs');
  // Users without a copy who are not subscribed get no events about deletions in the stream.
  if (undeliveredDeletions.has(Number(clientState.max_message_id))) uncertainSections.add('max_message_id');
  return Object.keys({ ...clientState, ...serverState })
    .filter((section) => !uncertainSections.has(section))
    .filter((section) => !isDeepStrictEqual(clientState[section], serverState[section]))
    .map((section) => `state ${section}${describeDifference(clientState[section], serverState[section])}`);
}

/** @returns the path of the first difference and both values */
function describeDifference(clientState: unknown, serverState: unknown): string {
  const isTree = (value: unknown): value is Fields => typeof value === 'object' && value !== null;
  if (isTree(clientState) && isTree(serverState)) {
    for (const name of Object.keys({ ...clientState, ...serverState })) {
      if (!isDeepStrictEqual(clientState[name], serverState[name]))
        return `.${name}${describeDifference(clientState[name], serverState[name])}`;
    }
  }
  return ` is ${JSON.stringify(clientState)} and should be ${JSON.stringify(serverState)}`;
}
