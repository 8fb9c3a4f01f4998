/** Checks of a finished run of the simulated cluster, from its record alone. Each returns one text per problem. */
import type { ApiMessage } from '../api/support/types.js';
import { checkJoins } from './check-joins.js';
import { opOf, type ParsedLog, readLog, type SentMessage } from './check-log.js';
import { checkMails } from './check-mails.js';
import { checkOwn } from './check-own.js';
import { checkQueue, messagesDeletedBy } from './check-queues.js';
import type { CallRecord, RunRecord } from './record.js';

export function checkRun(run: RunRecord): string[] {
  const log = readLog(run.log, run.users);
  return [
    ...log.problems,
    ...checkResponses(run),
    ...checkMessages(run, log),
    ...checkIds(run, log),
    ...checkChanges(run, log),
    ...checkSubscriptions(run, log),
    ...checkJoins(run),
    ...checkMails(run, log),
    ...checkOwn(run),
    ...checkFetches(run, log),
    ...run.queues.flatMap((queue) => checkQueue(queue, log, run)),
  ];
}

function checkResponses({ calls, isGraceful, queues }: RunRecord): string[] {
  const problems: string[] = [];
  for (const { op, kind, outcome } of calls) {
    if (outcome === 'open') problems.push(`${op} (${kind}) has no response`);
    if (isGraceful && (outcome === 'failed' || outcome === 'lost'))
      problems.push(`${op} (${kind}) ${outcome}, in a run of planned changes`);
  }
  if (isGraceful) {
    for (const { user, polls } of queues) {
      if (polls.some(({ outcome }) => outcome === 'failed' || outcome === 'lost'))
        problems.push(`a poll of ${user} failed, in a run of planned changes`);
    }
  }
  return problems;
}

const isSending = ({ kind }: CallRecord): boolean => kind === 'send' || kind === 'schedule';

/** A confirmed message was sent exactly once; any other at most once. */
function checkMessages(run: RunRecord, log: ParsedLog): string[] {
  const { calls, messages, now } = run;
  const problems: string[] = [];
  const logged = new Map<string, SentMessage[]>();
  for (const message of log.messages) {
    if (message.op !== '') logged.set(message.op, [...(logged.get(message.op) ?? []), message]);
  }
  const firstState = new Map(messages.map((message) => [message.id, message]));
  const deleted = messagesDeletedIn(log);
  for (const call of calls.filter(isSending)) {
    const { op, outcome, wasRepeated = false } = call;
    const found = logged.get(op) ?? [];
    if (found.length > 1) problems.push(`${op} was sent ${found.length} times: ${found.map(({ id }) => id).join()}`);
    const isDue = call.kind === 'send' || (call.scheduledS! * 1000 < now - 10_000 && mayStillSend(call, run, log));
    if (outcome === 'ok' && found.length === 0 && isDue)
      problems.push(`${op} (${call.kind}) was confirmed and is lost`);
    if (outcome === 'refused' && found.length > 0 && !wasRepeated) problems.push(`${op} was refused and is stored`);
    if (outcome === 'ok' && call.kind === 'send' && found[0] && found[0].id !== call.body.id) {
      problems.push(`${op} was answered with id ${call.body.id}, and has ${found[0].id}`);
    }
    for (const { id, sender, stream } of found) {
      if (sender !== call.user || stream !== (call.stream ?? 0))
        problems.push(`${op} has another sender or stream than its call`);
      if (!deleted.has(id) && !firstState.has(id)) problems.push(`${op} is in the log and not in the Store`);
    }
  }
  const ops = new Set(calls.filter(isSending).map(({ op }) => op));
  for (const op of logged.keys()) if (!ops.has(op)) problems.push(`${op}: no call sent this message`);
  const inLog = new Set(log.messages.map(({ id }) => id));
  for (const { id, content } of messages)
    if (!inLog.has(id)) problems.push(`${opOf(content)} is in the Store and not in the log`);
  return problems;
}

/** Messages scheduled for up to 3 s after the last fault are due with the others. */
const DUE_AFTER_FAULTS_S = 3;

/**
 * Check soon after the last fault: each confirmed and due message is in the log, without a further request.
 * @param healedMs wall time of the end of all faults, ms
 */
export function checkDeliveredSoon(run: RunRecord, healedMs: number): string[] {
  const log = readLog(run.log, run.users);
  const loggedOps = new Set(log.messages.map(({ op }) => op));
  const isDue = (call: CallRecord): boolean =>
    call.kind === 'send' ||
    (call.scheduledS! * 1000 < healedMs + 1000 * DUE_AFTER_FAULTS_S && mayStillSend(call, run, log));
  return run.calls
    .filter((call) => isSending(call) && call.outcome === 'ok' && !loggedOps.has(call.op) && isDue(call))
    .map(({ op, kind }) => `${op} (${kind}) is not in the log in time`);
}

/** @returns whether a scheduled message must be sent: its sender must not have lost the right to send it */
function mayStillSend(
  { user, stream, users = [] }: CallRecord,
  { calls, streams }: RunRecord,
  log: ParsedLog,
): boolean {
  const removed = calls.filter(({ kind }) => kind === 'deactivate').map(({ targetUser }) => targetUser);
  if ([user, ...users].some((id) => removed.includes(id))) return false;
  const isPrivate = streams.some(({ id, isPrivate: hidden }) => hidden && id === stream);
  return !isPrivate || (log.members.get(stream!)?.has(user) === true && !log.formerMembers.get(stream!)?.has(user));
}

function messagesDeletedIn({ events }: ParsedLog): Set<number> {
  const deleted = new Set<number>();
  for (const event of events) for (const id of messagesDeletedBy(event)) deleted.add(id);
  return deleted;
}

function checkIds({ calls }: RunRecord, { messages }: ParsedLog): string[] {
  const problems: string[] = [];
  const last = new Map<string, number>();
  const ids = new Set<number>();
  for (const { id, actor, op } of messages) {
    if (ids.has(id)) problems.push(`id ${id} belongs to two messages`);
    ids.add(id);
    if (id <= (last.get(actor) ?? 0)) problems.push(`${op} has id ${id} after ${last.get(actor)} in ${actor}`);
    last.set(actor, Math.max(id, last.get(actor) ?? 0));
  }
  const sends = calls.filter(({ kind, outcome }) => kind === 'send' && outcome === 'ok');
  for (const before of sends) {
    for (const after of sends) {
      if (after.startStep > before.endStep && Number(after.body.id) <= Number(before.body.id)) {
        problems.push(`${after.op} was sent after the response to ${before.op}, and has a lower id`);
      }
    }
  }
  return problems;
}

/** Confirmed edits, deletions and reactions took effect, and edits only once. */
function checkChanges({ calls, messages }: RunRecord, log: ParsedLog): string[] {
  const problems: string[] = [];
  const deleted = messagesDeletedIn(log);
  const firstState = new Map(messages.map((message) => [message.id, message]));
  const edits = new Map<string, number>();
  for (const { item } of log.events) {
    if (item.t !== 'event' || item.event.type !== 'update_message') continue;
    const op = /edit:(op\d+)/.exec(String(item.event.content))?.[1];
    if (op !== undefined) edits.set(op, (edits.get(op) ?? 0) + 1);
  }
  for (const { op, kind, outcome, wasRepeated = false, messages: ids = [], user } of calls) {
    if (kind === 'edit') {
      const times = edits.get(op) ?? 0;
      if (times > 1) problems.push(`${op} edited ${times} times`);
      if (outcome === 'ok' && times === 0) problems.push(`${op} (edit) was confirmed and is lost`);
      if (outcome === 'refused' && times > 0 && !wasRepeated) problems.push(`${op} (edit) was refused and is stored`);
    }
    if (outcome !== 'ok') continue;
    for (const id of ids) {
      if (kind === 'delete' && (!deleted.has(id) || firstState.has(id)))
        problems.push(`${op}: ${id} is deleted and still stored`);
      const message = firstState.get(id);
      if (kind === 'react' && message && !message.reactions.some((one) => one.user === user)) {
        problems.push(`${op}: the reaction is lost`);
      }
    }
  }
  for (const { id, content } of messages) {
    const last = log.events.findLast(
      ({ item }) => item.t === 'event' && item.event.type === 'update_message' && item.event.message_id === id,
    );
    if (last?.item.t === 'event' && last.item.event.content !== content) {
      problems.push(`message ${id} has content ${content}, and its last edit ${last.item.event.content}`);
    }
  }
  return problems;
}

/** The last subscription change of a user determines membership, unless another change overlapped with it. */
function checkSubscriptions({ calls }: RunRecord, { members }: ParsedLog): string[] {
  const problems: string[] = [];
  const moves = calls.filter(({ kind }) => kind === 'subscribe' || kind === 'unsubscribe');
  const removed = calls.filter(({ kind }) => kind === 'deactivate').map(({ targetUser }) => targetUser);
  for (const last of moves) {
    const { stream, targetUser, outcome, kind, startStep, op } = last;
    if (outcome !== 'ok' || removed.includes(targetUser)) continue;
    const others = moves.filter((one) => one !== last && one.stream === stream && one.targetUser === targetUser);
    // A change without a response may take effect later.
    if (others.some((one) => one.endStep > startStep || one.outcome === 'lost' || one.outcome === 'failed')) continue;
    const isIn = members.get(stream!)?.has(targetUser!) ?? false;
    if (isIn !== (kind === 'subscribe')) problems.push(`${op}: ${kind} of ${targetUser} was confirmed and is lost`);
  }
  return problems;
}

/** A fetch returns the user's messages, with the flags that the user set before, and no hidden messages. */
function checkFetches({ calls, streams }: RunRecord, log: ParsedLog): string[] {
  const problems: string[] = [];
  const hidden = new Set(streams.filter(({ isPrivate }) => isPrivate).map(({ id }) => id));
  const deleteRequested = new Set(
    calls.filter(({ kind }) => kind === 'delete').flatMap(({ messages }) => messages ?? []),
  );
  for (const fetch of calls) {
    if (fetch.kind !== 'fetch' || fetch.outcome !== 'ok' || !fetch.body.messages) continue;
    const found = new Map(((fetch.body.messages ?? []) as ApiMessage[]).map((message) => [message.id, message]));
    const before = calls.filter(
      ({ endStep, outcome, user }) => outcome === 'ok' && endStep < fetch.startStep && user === fetch.user,
    );
    for (const { op, kind, body, messages: ids = [] } of before) {
      const id = Number(body.id);
      // A fetch leaves out messages in a stream that the user left or never joined.
      const sent = log.messages.find((message) => message.id === id);
      const has = sent?.receivers.has(fetch.user) && !log.formerMembers.get(sent.stream)?.has(fetch.user);
      if (kind === 'send' && has && !deleteRequested.has(id) && !found.has(id))
        problems.push(`${fetch.op} does not show ${op}, sent before`);
      if (kind !== 'read') continue;
      for (const read of ids) {
        if (found.get(read)?.flags.includes('read') === false)
          problems.push(`${fetch.op}: ${read} was marked as read by ${op}, and is unread`);
      }
    }
    for (const message of log.messages) {
      if (!found.has(message.id) || message.receivers.has(fetch.user)) continue;
      const wasMember = log.messages.some(
        ({ stream, receivers }) => stream === message.stream && receivers.has(fetch.user),
      );
      const joined = log.events.some(
        ({ item, receivers }) => item.t === 'event' && item.event.type === 'subscription' && receivers.has(fetch.user),
      );
      const isHidden = message.stream === 0 || (hidden.has(message.stream) && !wasMember && !joined);
      if (isHidden) problems.push(`${fetch.op}: ${fetch.user} must not see ${message.op}`);
    }
  }
  return problems;
}
