/** Checker of a recorded run: a pure function from the requests, responses and events of the clients to faults. */
import { checkAcknowledged, checkSendOrder, checkStoredMessages, indexByKey } from './check-history.js';
import { checkQueue } from './check-queue.js';
import { Faults } from './faults.js';
import type { RunHistory, StoredMessage } from './history.js';

export function check(run: RunHistory): Faults {
  const faults = new Faults();
  const messages = checkStoredMessages(run, faults);
  const storedByKey = indexByKey(messages.values());
  checkAcknowledged(run, storedByKey, faults);
  checkSendOrder(run.writes, faults);
  for (const name of run.deadConversations) faults.add('stuck', `${name} took no message at the end`);
  const requiredKeys = requiredKeysByConversation(run, storedByKey);
  for (const queue of run.queues) checkQueue(queue, { storedByKey, messages, requiredKeys }, faults);
  return faults;
}

/**
 * Keys of the writes that each queue of a conversation must have delivered: all acknowledged writes, and unacknowledged
 * writes stored before the final messages. An unacknowledged write stored later may be missing in a queue.
 */
function requiredKeysByConversation(
  run: RunHistory,
  storedByKey: ReadonlyMap<string, StoredMessage>,
): ReadonlyMap<string, readonly string[]> {
  const requiredKeys = new Map<string, string[]>();
  const add = (conversation: string, key: string): void => {
    const keys = requiredKeys.get(conversation);
    if (keys) keys.push(key);
    else requiredKeys.set(conversation, [key]);
  };
  for (const { key, conversation, outcome } of run.writes) {
    if (outcome?.kind === 'acknowledged') add(conversation, key);
    else if (run.settledKeys.has(key)) add(storedByKey.get(key)?.conversation ?? conversation, key);
  }
  return requiredKeys;
}
