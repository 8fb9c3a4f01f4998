/** Check of the events that one queue delivered. */
import type { Faults } from './faults.js';
import type { QueueHistory, Received, Stored } from './history.js';

export interface Expected {
  /** Key → message that shows it at the end. */
  readonly storedByKey: ReadonlyMap<string, Stored>;
  readonly messages: ReadonlyMap<number, Stored>;
  /** Conversation → keys that each of its queues must have. */
  readonly dueKeys: ReadonlyMap<string, readonly string[]>;
}

export function checkQueue(queue: QueueHistory, expected: Expected, faults: Faults): void {
  for (const at of queue.ended) faults.add('ended', `${queue.name} was refused at ${Math.round(at)} ms`);
  for (const at of queue.stuck) faults.add('stuck', `${queue.name} got no answer at ${Math.round(at)} ms`);
  const taken = checkAnswers(queue, faults);
  checkOrder(queue, taken, faults);
  const keys = checkEvents(queue, taken, expected, faults);
  // A queue that ended is reported once, not once for each missing event.
  if (queue.ended.length > 0) return;
  for (const conversation of queue.conversations) {
    for (const key of expected.dueKeys.get(conversation) ?? []) {
      if (!keys.has(key)) faults.add('lost', `${queue.name} never got ${key} of ${conversation}`);
    }
  }
}

/**
 * Positions, increasing ids, and the same event for each id however often it was asked for.
 * @returns what the client took
 */
function checkAnswers({ name, polls }: QueueHistory, faults: Faults): Received[] {
  const taken: Received[] = [];
  /** Events of responses that the client dropped: they must come again, unchanged. */
  const left = new Map<number, Received>();
  for (const poll of polls) {
    let before = poll.after;
    for (const event of poll.events) {
      const words = `${name} got event ${event.id} (${event.key ?? event.kind})`;
      if (event.id <= poll.after) faults.add('repeated', `${words} after it had acknowledged ${poll.after}`);
      else if (event.id <= before) faults.add('disordered', `${words} after ${before}`);
      before = Math.max(before, event.id);
      if (!poll.taken) left.set(event.id, event);
      else {
        const earlier = left.get(event.id);
        if (earlier && (earlier.key !== event.key || earlier.message !== event.message)) {
          faults.add('mismatched', `${words}, which had been ${earlier.key ?? earlier.kind}`);
        }
        taken.push(event);
      }
    }
  }
  checkDroppedEvents(name, left, taken, faults);
  return taken;
}

/** Dropped events must come again. Events of the server itself, such as heartbeats, may come with another id. */
function checkDroppedEvents(
  name: string,
  left: ReadonlyMap<number, Received>,
  taken: readonly Received[],
  faults: Faults,
): void {
  if (left.size === 0) return;
  const ids = new Set(taken.map(({ id }) => id));
  const last = taken.at(-1)?.id ?? -1;
  for (const { id, key } of left.values()) {
    if (key !== undefined && id <= last && !ids.has(id)) {
      faults.add('lost', `${name} got event ${id} (${key}) once, and not again when it asked from the same position`);
    }
  }
}

/** Messages of a conversation come in the order of their ids, which is that of the history. */
function checkOrder({ name }: QueueHistory, taken: readonly Received[], faults: Faults): void {
  const newest = new Map<string, number>();
  for (const { kind, message, conversation } of taken) {
    if (kind !== 'send' || message === undefined || conversation === undefined) continue;
    const before = newest.get(conversation) ?? 0;
    if (message < before) faults.add('disordered', `${name} got message ${message} of ${conversation} after ${before}`);
    newest.set(conversation, Math.max(before, message));
  }
}

/** Each deed comes once, as it is stored, and only from conversations of the user. @returns keys */
function checkEvents(
  queue: QueueHistory,
  taken: readonly Received[],
  { storedByKey, messages }: Expected,
  faults: Faults,
): ReadonlySet<string> {
  const keys = new Set<string>();
  for (const event of taken) {
    const { id, key, message } = event;
    const words = `${queue.name} got event ${id} (${key ?? event.kind})`;
    const of = event.conversation ?? (message === undefined ? undefined : messages.get(message)?.conversation);
    if (of !== undefined && !queue.conversations.has(of)) faults.add('leaked', `${words} of ${of}`);
    if (key === undefined) continue;
    if (keys.has(key)) faults.add('repeated', `${words} a second time`);
    keys.add(key);
    const stored = storedByKey.get(key);
    if (!stored) faults.add('lost', `${words}, which is not in the history`);
    else if (stored.id !== message) faults.add('mismatched', `${words} of message ${message}, stored as ${stored.id}`);
  }
  return keys;
}
