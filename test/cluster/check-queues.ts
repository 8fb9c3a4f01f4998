/** Check: compares the events that each queue delivered with the events that the log entitles it to. */
import { isDeepStrictEqual } from 'node:util';
import { SharedClientEvent } from '#delivery';
import { eventCoalescingKey, isEventInQueueSnapshot, isEventWantedByQueue } from '../../actors/event-queue/filter.js';
import { CLIENTS, comparable, optionsOf } from '../api/support/comparable.js';
import { isCurrentClient } from '../api/support/current-client-requests.js';
import { apply, type State } from '../api/support/reducer.js';
import type { ApiEvent, ApiMessage, Fields } from '../api/support/types.js';
import { type ExpectedEvent, isOfLog, opOf, type ParsedLog } from './check-log.js';
import type { CallRecord, QueueRecord, RunRecord } from './record.js';

/** First API level whose clients have no streams that their user may not see. */
const NEWER_LEVEL = 205;

const isReceiver = ({ receivers, receiversAtNewerLevels }: ExpectedEvent, { stored, user }: QueueRecord): boolean =>
  ((stored?.options.apiLevel ?? 0) < NEWER_LEVEL ? receivers : receiversAtNewerLevels).has(user);

/** Events that this queue must get, in order. */
function due(queue: QueueRecord, { events }: ParsedLog): ExpectedEvent[] {
  const { stored, user } = queue;
  if (!stored) return [];
  return events.filter((event) => {
    if (event.seq <= stored.start || !isReceiver(event, queue)) return false;
    const shared = new SharedClientEvent(event.id, event.item);
    if (!shared.isDeliveredDespiteSnapshot && event.version <= (stored.covers[event.actor] ?? 0)) return false;
    return isEventWantedByQueue(stored.options, shared, user) && !isEventInQueueSnapshot(stored, shared);
  });
}

/** An event that may have nothing to tell, once it is worked out for its user. */
const mayBeEmpty = ({ item }: ExpectedEvent): boolean => item.t === 'event' && item.own?.of === 'read';
const mergeOf = (event: ExpectedEvent): string | undefined =>
  eventCoalescingKey(new SharedClientEvent(event.id, event.item));

export function checkQueue(queue: QueueRecord, log: ParsedLog, { calls }: RunRecord): string[] {
  const problems: string[] = [];
  const name = `queue of ${queue.user}`;
  const say = (text: string): void => void problems.push(`${name}: ${text}`);
  const expected = due(queue, log);
  const byId = new Map(expected.map((event) => [event.id, event]));
  const received = new Map<number, ApiEvent>();
  let acknowledged = -1;
  for (const poll of queue.polls) {
    if (poll.outcome === 'refused' && !mayEnd(queue, calls))
      say(`a poll after ${poll.asked} was refused: ${poll.code}`);
    if (poll.outcome === 'open') say(`a poll after ${poll.asked} was never answered`);
    if (poll.outcome !== 'ok') continue;
    acknowledged = Math.max(acknowledged, poll.asked);
    let before = poll.asked;
    for (const event of poll.events) {
      if (event.id <= before) say(`event ${event.id} after ${before}, asked for those after ${poll.asked}`);
      before = event.id;
      const known = received.get(event.id);
      const of = byId.get(event.id);
      const plain = (told: ApiEvent): object => withoutChanging(told, of);
      if (known && !isDeepStrictEqual(plain(known), plain(event)) && event.type !== 'heartbeat') {
        say(`event ${event.id} was told in two ways`);
      }
      const stale = of ? staleIn(event, of, poll.asked, expected) : [];
      if (stale.length > 0) say(`event ${event.id} is wrong about ${stale.join()}`);
      if (event.type !== 'heartbeat' && !byId.has(event.id)) say(`must not get ${describe(event)}`);
      if (isOfLog(event.id) === (event.type === 'heartbeat')) say(`${describe(event)} has an id of another kind`);
      received.set(event.id, event);
    }
    const last = poll.events.at(-1)?.id ?? poll.asked;
    const told = new Set(poll.events.map(({ id }) => id));
    for (const event of expected) {
      if (event.id <= poll.asked || event.id > last || told.has(event.id) || mayBeEmpty(event)) continue;
      if (!isMerged(event, poll.events)) say(`event ${event.id} (${nameOf(event)}) is missing before ${last}`);
    }
  }
  if (!queue.fresh) return problems;
  const asked = queue.polls.map(({ asked: of }) => of);
  const all = [...received.values()].sort((a, b) => a.id - b.id);
  for (const event of expected) {
    if (received.has(event.id) || mayBeEmpty(event) || isMerged(event, all)) continue;
    say(`never got event ${event.id} (${nameOf(event)}), acknowledged up to ${Math.max(...asked)}`);
  }
  const unheard = log.events.filter((event) => !isReceiver(event, queue)).flatMap(deletedBy);
  problems.push(...checkState(queue, all, queue.fresh, new Set(unheard)).map((text) => `${name}: ${text}`));
  return problems;
}

/**
 * Fields that must be equal in every delivery of an event. Flags are those of the moment when the event was computed;
 * a merged event lists more or fewer messages, depending on what the client has read before it.
 */
function withoutChanging({ flags: _, ...event }: ApiEvent, of: ExpectedEvent | undefined): object {
  return of && isMergeable(of) ? { ...event, messages: [] } : event;
}

/** Messages of a merged event that the client had received before its request, or must not receive. */
function staleIn(event: ApiEvent, of: ExpectedEvent, asked: number, expected: readonly ExpectedEvent[]): number[] {
  if (!isMergeable(of)) return [];
  const open = expected.filter((one) => one.id > asked && one.id <= of.id && isMergeable(one));
  const due = new Set(open.filter((one) => mergeOf(one) === mergeOf(of)).flatMap(messagesOf));
  const told = event.messages as number[];
  return [...told.filter((id) => !due.has(id)), ...messagesOf(of).filter((id) => !told.includes(id))];
}

const isMergeable = (event: ExpectedEvent): boolean => mergeOf(event) !== undefined && !mayBeEmpty(event);

export function deletedBy({ item }: ExpectedEvent): readonly number[] {
  if (item.t !== 'event' || item.event.type !== 'delete_message') return [];
  const { message_ids, message_id } = item.event as { message_ids?: number[]; message_id?: number };
  return message_ids ?? [message_id!];
}

const messagesOf = ({ item }: ExpectedEvent): readonly number[] =>
  item.t === 'event' ? ((item.event.messages as number[] | undefined) ?? []) : [];

/** Its client, or what was done to its user, ended it. */
const mayEnd = (queue: QueueRecord, calls: readonly CallRecord[]): boolean =>
  queue.deleted ||
  calls.some(({ kind, whom, outcome }) => kind === 'deactivate' && whom === queue.user && outcome !== 'refused');

const nameOf = ({ item }: ExpectedEvent): string =>
  item.t === 'message'
    ? opOf((item.message as { content: string }).content) || 'message'
    : `${item.event.type}/${item.event.op ?? ''}`;

const describe = (event: ApiEvent): string =>
  event.type === 'message'
    ? `message ${opOf((event.message as ApiMessage).content.replace(/^<p>/, ''))} (${event.id})`
    : `${event.type}/${event.op ?? ''} (${event.id})`;

/** Unread events about flags are merged into one, in the place of the last. */
function isMerged(event: ExpectedEvent, told: readonly ApiEvent[]): boolean {
  const key = mergeOf(event);
  if (key === undefined || event.item.t !== 'event') return false;
  const { messages } = event.item.event as { messages: number[] };
  return told.some((later) => {
    const same = later.type === 'update_message_flags' && `${later.op} ${later.flag}` === key;
    return same && later.id > event.id && messages.every((id) => (later.messages as number[]).includes(id));
  });
}

/** Snapshot + events = state. */
function checkState(
  queue: QueueRecord,
  events: readonly ApiEvent[],
  fresh: Fields,
  goneUnheard: ReadonlySet<number>,
): string[] {
  const { params, headers } = CLIENTS[queue.form]!;
  const isAtNewerLevel = isCurrentClient(headers);
  let state = queue.snapshot as unknown as State;
  for (const event of events) {
    try {
      state = apply(state, event, optionsOf(params, isAtNewerLevel));
    } catch (error) {
      // A client asks again then.
      if ((error as Error).message.startsWith('what the newest message is now')) return [];
      return [`event ${event.id} makes no sense: ${(error as Error).message}`];
    }
  }
  const mine = comparable(state as unknown as Fields, params, isAtNewerLevel) as unknown as Fields;
  const theirs = comparable(fresh, params, isAtNewerLevel) as unknown as Fields;
  const unsure = new Set<string>();
  if (mine.recent_private_conversations === 'unsure') unsure.add('recent_private_conversations');
  // Clients take this event for all messages that they know of; one sent while it was marked stays unread.
  if (events.some(({ type, all }) => type === 'update_message_flags' && all === true)) unsure.add('unread_msgs');
  // A user gets no events of deletions in a stream that they have left.
  if (goneUnheard.has(Number(mine.max_message_id))) unsure.add('max_message_id');
  return Object.keys({ ...mine, ...theirs })
    .filter((section) => !unsure.has(section))
    .filter((section) => !isDeepStrictEqual(mine[section], theirs[section]))
    .map((section) => `state ${section}${difference(mine[section], theirs[section])}`);
}

/** Where two values differ first, and how. */
function difference(mine: unknown, theirs: unknown): string {
  const isTree = (value: unknown): value is Fields => typeof value === 'object' && value !== null;
  if (isTree(mine) && isTree(theirs)) {
    for (const name of Object.keys({ ...mine, ...theirs })) {
      if (!isDeepStrictEqual(mine[name], theirs[name])) return `.${name}${difference(mine[name], theirs[name])}`;
    }
  }
  return ` is ${JSON.stringify(mine)} and should be ${JSON.stringify(theirs)}`;
}
