/** Check of the events that one queue delivered. */
import type { Faults } from './faults.js';
import type { QueueHistory, ReceivedEvent, StoredMessage } from './history.js';

export interface Expected {
  /** Key of a write → stored message that contains the write. */
  readonly storedByKey: ReadonlyMap<string, StoredMessage>;
  readonly messages: ReadonlyMap<number, StoredMessage>;
  /** Conversation → keys of the writes that each queue of the conversation must have delivered. */
  readonly requiredKeys: ReadonlyMap<string, readonly string[]>;
}

export function checkQueue(queue: QueueHistory, expected: Expected, faults: Faults): void {
  for (const at of queue.ended) faults.add('ended', `${queue.name} was refused at ${Math.round(at)} ms`);
  for (const at of queue.stuck) faults.add('stuck', `${queue.name} got no answer at ${Math.round(at)} ms`);
  const processed = checkAnswers(queue, faults);
  checkOrder(queue, processed, faults);
  const keys = checkEvents(queue, processed, expected, faults);
  // A queue that ended is reported once, not once for each missing event.
  if (queue.ended.length > 0) return;
  for (const conversation of queue.conversations) {
    for (const key of expected.requiredKeys.get(conversation) ?? []) {
      if (!keys.has(key)) faults.add('lost', `${queue.name} never got ${key} of ${conversation}`);
    }
  }
}

/**
 * Checks that event ids increase and lie above the acknowledged id, and that repeated polls return equal events per id.
 * @returns events of the responses that the client did not drop
 */
function checkAnswers({ name, polls }: QueueHistory, faults: Faults): ReceivedEvent[] {
  const processed: ReceivedEvent[] = [];
  /** Events of responses that the client dropped, by id. A later poll must return them unchanged. */
  const dropped = new Map<number, ReceivedEvent>();
  for (const poll of polls) {
    let before = poll.after;
    for (const event of poll.events) {
      const words = `${name} got event ${event.id} (${event.key ?? event.kind})`;
      if (event.id <= poll.after) faults.add('repeated', `${words} after it had acknowledged ${poll.after}`);
      else if (event.id <= before) faults.add('disordered', `${words} after ${before}`);
      before = Math.max(before, event.id);
      if (!poll.processed) dropped.set(event.id, event);
      else {
        const earlier = dropped.get(event.id);
        if (earlier && (earlier.key !== event.key || earlier.message !== event.message)) {
          faults.add('mismatched', `${words}, which had been ${earlier.key ?? earlier.kind}`);
        }
        processed.push(event);
      }
    }
  }
  checkDropped(name, dropped, processed, faults);
  return processed;
}

/** Checks that dropped events of writes are delivered again. Heartbeats are exempt: their ids may differ. */
function checkDropped(
  name: string,
  dropped: ReadonlyMap<number, ReceivedEvent>,
  processed: readonly ReceivedEvent[],
  faults: Faults,
): void {
  if (dropped.size === 0) return;
  const ids = new Set(processed.map(({ id }) => id));
  const last = processed.at(-1)?.id ?? -1;
  for (const { id, key } of dropped.values()) {
    if (key !== undefined && id <= last && !ids.has(id)) {
      faults.add('lost', `${name} got event ${id} (${key}) once, and not again when it asked from the same position`);
    }
  }
}

/** Checks that the messages of each conversation arrive with increasing message ids. */
function checkOrder({ name }: QueueHistory, processed: readonly ReceivedEvent[], faults: Faults): void {
  const newest = new Map<string, number>();
  for (const { kind, message, conversation } of processed) {
    if (kind !== 'send' || message === undefined || conversation === undefined) continue;
    const before = newest.get(conversation) ?? 0;
    if (message < before) faults.add('disordered', `${name} got message ${message} of ${conversation} after ${before}`);
    newest.set(conversation, Math.max(before, message));
  }
}

/**
 * Checks that each write is delivered once, with the stored message id, and only from conversations of the user.
 * @returns keys of the delivered writes
 */
function checkEvents(
  queue: QueueHistory,
  processed: readonly ReceivedEvent[],
  { storedByKey, messages }: Expected,
  faults: Faults,
): ReadonlySet<string> {
  const keys = new Set<string>();
  for (const event of processed) {
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
