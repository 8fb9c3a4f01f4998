/** Judges a recorded run: pure functions over what clients saw. */
import { checkAcknowledged, checkSendOrder, storedMessages, whereStored } from './check-history.js';
import { checkQueue } from './check-queue.js';
import { Faults } from './faults.js';
import type { RunHistory, Stored } from './history.js';

export function check(run: RunHistory): Faults {
  const faults = new Faults();
  const messages = storedMessages(run, faults);
  const where = whereStored(messages.values());
  checkAcknowledged(run, where, faults);
  checkSendOrder(run.deeds, faults);
  for (const name of run.dead) faults.add('stuck', `${name} took no message at the end`);
  const due = dueByConversation(run, where);
  for (const queue of run.queues) checkQueue(queue, { where, messages, due }, faults);
  return faults;
}

/**
 * Deeds that each queue of a conversation must have delivered: all acknowledged ones, and others that were stored
 * before the run began to wait for the queues. Deeds stored later may or may not have reached them.
 */
function dueByConversation(
  run: RunHistory,
  where: ReadonlyMap<string, Stored>,
): ReadonlyMap<string, readonly string[]> {
  const due = new Map<string, string[]>();
  const add = (conversation: string, key: string): void => {
    const keys = due.get(conversation);
    if (keys) keys.push(key);
    else due.set(conversation, [key]);
  };
  for (const { key, conversation, outcome } of run.deeds) {
    if (outcome?.kind === 'acknowledged') add(conversation, key);
    else if (run.settled.has(key)) add(where.get(key)?.conversation ?? conversation, key);
  }
  return due;
}
