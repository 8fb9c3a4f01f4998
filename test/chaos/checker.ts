/** Checks the record of a run for faults. The functions have no side effects. */
import { checkAcknowledged, checkSendOrder, indexStoredByKey, storedMessages } from './check-history.js';
import { checkQueue } from './check-queue.js';
import { Faults } from './faults.js';
import type { RunHistory, Stored } from './history.js';

export function check(run: RunHistory): Faults {
  const faults = new Faults();
  const messages = storedMessages(run, faults);
  const storedByKey = indexStoredByKey(messages.values());
  checkAcknowledged(run, storedByKey, faults);
  checkSendOrder(run.writes, faults);
  for (const name of run.stuckConversations) faults.add('stuck', `${name} took no message at the end`);
  const dueKeys = listDueKeysByConversation(run, storedByKey);
  for (const queue of run.queues) checkQueue(queue, { storedByKey, messages, dueKeys }, faults);
  return faults;
}

/**
 * Lists the writes that each queue of a conversation must have delivered: the acknowledged ones, and those that were
 * stored before the run began to wait for the queues. Writes that were stored later may have reached a queue or not.
 */
function listDueKeysByConversation(
  run: RunHistory,
  storedByKey: ReadonlyMap<string, Stored>,
): ReadonlyMap<string, readonly string[]> {
  const dueKeys = new Map<string, string[]>();
  const add = (conversation: string, key: string): void => {
    const keys = dueKeys.get(conversation);
    if (keys) keys.push(key);
    else dueKeys.set(conversation, [key]);
  };
  for (const { key, conversation, outcome } of run.writes) {
    if (outcome?.kind === 'acknowledged') add(conversation, key);
    else if (run.settled.has(key)) add(storedByKey.get(key)?.conversation ?? conversation, key);
  }
  return dueKeys;
}
