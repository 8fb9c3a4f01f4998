/** Checks the events that one queue delivered. */
import type { Faults } from './faults.js';
import type { QueueHistory, Received, Stored } from './history.js';

export interface Expected {
  /** Stored messages by the keys of the writes that they show. */
  readonly storedByKey: ReadonlyMap<string, Stored>;
  readonly messages: ReadonlyMap<number, Stored>;
  /** Keys of the writes that each queue of a conversation must deliver, by conversation. */
  readonly dueKeys: ReadonlyMap<string, readonly string[]>;
}

export function checkQueue(queue: QueueHistory, expected: Expected, faults: Faults): void {
  for (const at of queue.ended) faults.add('ended', `${queue.name} was refused at ${Math.round(at)} ms`);
  for (const at of queue.stuck) faults.add('stuck', `${queue.name} got no answer at ${Math.round(at)} ms`);
  const taken = checkAnswers(queue, faults);
  checkOrder(queue, taken, faults);
  const keys = checkEvents(queue, taken, expected, faults);
  // An ended queue is one fault: its missing events are not counted besides.
  if (queue.ended.length > 0) return;
  for (const conversation of queue.conversations) {
    for (const key of expected.dueKeys.get(conversation) ?? []) {
      if (!keys.has(key)) faults.add('lost', `${queue.name} never got ${key} of ${conversation}`);
    }
  }
}

/**
 * Checks that event ids increase and lie above the acknowledged one, and that a repeated poll gets the same events.
 *
 * @returns the events of answers that the client used
 */
function checkAnswers({ name, polls }: QueueHistory, faults: Faults): Received[] {
  const taken: Received[] = [];
  /** Events of answers that the client discarded. The server must send them again, unchanged. */
  const left = new Map<number, Received>();
  for (const poll of polls) {
    let before = poll.after;
    for (const event of poll.events) {
      const subject = `${name} got event ${event.id} (${event.key ?? event.kind})`;
      if (event.id <= poll.after) faults.add('repeated', `${subject} after it had acknowledged ${poll.after}`);
      else if (event.id <= before) faults.add('disordered', `${subject} after ${before}`);
      before = Math.max(before, event.id);
      if (!poll.taken) left.set(event.id, event);
      else {
        const earlier = left.get(event.id);
        if (earlier && (earlier.key !== event.key || earlier.message !== event.message)) {
          faults.add('mismatched', `${subject}, which had been ${earlier.key ?? earlier.kind}`);
        }
        taken.push(event);
      }
    }
  }
  checkDroppedEvents(name, left, taken, faults);
  return taken;
}

/** Checks that discarded events come again. Events without a write, such as heartbeats, may get another id. */
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

/** Checks that messages of a conversation come in the order of their ids. */
function checkOrder({ name }: QueueHistory, taken: readonly Received[], faults: Faults): void {
  const newest = new Map<string, number>();
  for (const { kind, message, conversation } of taken) {
    if (kind !== 'send' || message === undefined || conversation === undefined) continue;
    const before = newest.get(conversation) ?? 0;
    if (message < before) faults.add('disordered', `${name} got message ${message} of ${conversation} after ${before}`);
    newest.set(conversation, Math.max(before, message));
  }
}

/**
 * Checks that each write comes once, as it is stored, and only from conversations of the user.
 *
 * @returns the keys of the delivered writes
 */
function checkEvents(
  queue: QueueHistory,
  taken: readonly Received[],
  { storedByKey, messages }: Expected,
  faults: Faults,
): ReadonlySet<string> {
  const keys = new Set<string>();
  for (const event of taken) {
    const { id, key, message } = event;
    const subject = `${queue.name} got event ${id} (${key ?? event.kind})`;
    const of = event.conversation ?? (message === undefined ? undefined : messages.get(message)?.conversation);
    if (of !== undefined && !queue.conversations.has(of)) faults.add('leaked', `${subject} of ${of}`);
    if (key === undefined) continue;
    if (keys.has(key)) faults.add('repeated', `${subject} a second time`);
    keys.add(key);
    const stored = storedByKey.get(key);
    if (!stored) faults.add('lost', `${subject}, which is not in the history`);
    else if (stored.id !== message)
      faults.add('mismatched', `${subject} of message ${message}, stored as ${stored.id}`);
  }
  return keys;
}
