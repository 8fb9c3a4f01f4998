/** Checks of the stored messages: uniqueness, order, and the presence of all acknowledged writes. */
import type { Faults } from './faults.js';
import type { RunHistory, StoredMessage, Write } from './history.js';

/** Checks that ids and keys are unique and that ids increase. @returns message id → message */
export function checkStoredMessages({ stored }: RunHistory, faults: Faults): Map<number, StoredMessage> {
  const byId = new Map<number, StoredMessage>();
  const keys = new Map<string, number>();
  const newest = new Map<string, number>();
  for (const message of stored) {
    const { id, key, conversation, changes } = message;
    if (byId.has(id)) faults.add('repeated', `message ${id} is in the history twice`);
    byId.set(id, message);
    const before = newest.get(conversation) ?? 0;
    if (id < before) faults.add('disordered', `the history of ${conversation} has message ${id} after ${before}`);
    newest.set(conversation, Math.max(before, id));
    for (const one of key === undefined ? changes : [key, ...changes]) {
      const other = keys.get(one);
      if (other !== undefined) faults.add('repeated', `${one} is in the history of messages ${other} and ${id}`);
      keys.set(one, id);
    }
  }
  return byId;
}

/** @returns key of a write → stored message that contains the write */
export function indexByKey(messages: Iterable<StoredMessage>): Map<string, StoredMessage> {
  const found = new Map<string, StoredMessage>();
  for (const message of messages) {
    if (message.key !== undefined) found.set(message.key, message);
    for (const change of message.changes) found.set(change, message);
  }
  return found;
}

/** Checks that each acknowledged write is stored in its conversation, under the message id of the response. */
export function checkAcknowledged(
  run: RunHistory,
  storedByKey: ReadonlyMap<string, StoredMessage>,
  faults: Faults,
): void {
  for (const { key, message, outcome, conversation } of run.writes) {
    if (outcome?.kind !== 'acknowledged') continue;
    const stored = storedByKey.get(key);
    if (!stored) faults.add('lost', `${key}, acknowledged as message ${message}, is not in the history`);
    else if (stored.id !== message) {
      faults.add('mismatched', `${key} was acknowledged as message ${message}, and is stored as ${stored.id}`);
    } else if (stored.conversation !== conversation) {
      faults.add('mismatched', `${key} was sent to ${conversation}, and is stored in ${stored.conversation}`);
    }
  }
}

/** Checks, across conversations, that a send started after the response to another send has the higher message id. */
export function checkSendOrder(writes: readonly Write[], faults: Faults): void {
  const sends = writes.flatMap(({ kind, key, startedAt, message, outcome }) =>
    kind === 'send' && outcome?.kind === 'acknowledged' && message !== undefined
      ? [{ key, startedAt, id: message, answered: outcome.at }]
      : [],
  );
  const owner = new Map<number, string>();
  for (const { key, id } of sends) {
    const other = owner.get(id);
    if (other !== undefined) faults.add('mismatched', `message id ${id} was given to ${other} and to ${key}`);
    owner.set(id, key);
  }
  const answered = [...sends].sort((a, b) => a.answered - b.answered);
  let next = 0;
  let highest: (typeof sends)[number] | undefined;
  for (const send of [...sends].sort((a, b) => a.startedAt - b.startedAt)) {
    for (; next < answered.length && answered[next]!.answered < send.startedAt; next++) {
      if (!highest || answered[next]!.id > highest.id) highest = answered[next];
    }
    if (highest && send.id < highest.id) {
      faults.add('disordered', `${send.key} (${send.id}) began after ${highest.key} (${highest.id}) was answered`);
    }
  }
}
