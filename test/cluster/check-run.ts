/** All checks of a finished run of the simulated cluster, made on its record alone. Each returns problems in words. */
import type { ApiMessage } from '../api/support/types.js';
import { checkJoins } from './check-joins.js';
import { opOf, type ParsedLog, readLog, type SentMessage } from './check-log.js';
import { checkMails } from './check-mails.js';
import { checkOwn } from './check-own.js';
import { checkQueue, deletedBy } from './check-queues.js';
import type { CallRecord, RunRecord } from './record.js';

export function checkRun(run: RunRecord): string[] {
  const log = readLog(run.log, run.people);
  return [
    ...log.problems,
    ...checkAnswered(run),
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

function checkAnswered({ calls, smooth, queues }: RunRecord): string[] {
  const problems: string[] = [];
  for (const { op, kind, outcome } of calls) {
    if (outcome === 'open') problems.push(`${op} (${kind}) was never answered`);
    if (smooth && (outcome === 'failed' || outcome === 'lost'))
      problems.push(`${op} (${kind}) ${outcome}, in a smooth run`);
  }
  if (smooth) {
    for (const { user, polls } of queues) {
      if (polls.some(({ outcome }) => outcome === 'failed' || outcome === 'lost'))
        problems.push(`a poll of ${user} failed, in a smooth run`);
    }
  }
  return problems;
}

const isSending = ({ kind }: CallRecord): boolean => kind === 'send' || kind === 'schedule';

/** Acknowledged: there, once. Else: at most once. */
function checkMessages(run: RunRecord, log: ParsedLog): string[] {
  const { calls, messages, now } = run;
  const problems: string[] = [];
  const logged = new Map<string, SentMessage[]>();
  for (const message of log.messages) {
    if (message.op !== '') logged.set(message.op, [...(logged.get(message.op) ?? []), message]);
  }
  const stored = new Map(messages.map((message) => [message.id, message]));
  const gone = deletedIn(log);
  for (const call of calls.filter(isSending)) {
    const { op, outcome, repeated = false } = call;
    const found = logged.get(op) ?? [];
    if (found.length > 1) problems.push(`${op} was sent ${found.length} times: ${found.map(({ id }) => id).join()}`);
    const isDue = call.kind === 'send' || (call.at! * 1000 < now - 10_000 && mayStillSend(call, run, log));
    if (outcome === 'ok' && found.length === 0 && isDue)
      problems.push(`${op} (${call.kind}) was acknowledged and is lost`);
    if (outcome === 'refused' && found.length > 0 && !repeated) problems.push(`${op} was refused and is there`);
    if (outcome === 'ok' && call.kind === 'send' && found[0] && found[0].id !== call.body.id) {
      problems.push(`${op} was answered with id ${call.body.id}, and has ${found[0].id}`);
    }
    for (const { id, sender, stream } of found) {
      if (sender !== call.user || stream !== (call.stream ?? 0))
        problems.push(`${op} is somebody else's, or elsewhere`);
      if (!gone.has(id) && !stored.has(id)) problems.push(`${op} is in the log and not in the Store`);
    }
  }
  const ops = new Set(calls.filter(isSending).map(({ op }) => op));
  for (const op of logged.keys()) if (!ops.has(op)) problems.push(`${op}: nobody sent it`);
  const inLog = new Set(log.messages.map(({ id }) => id));
  for (const { id, content } of messages)
    if (!inLog.has(id)) problems.push(`${opOf(content)} is in the Store and not in the log`);
  return problems;
}

/** Messages scheduled for this time after the last fault must be delivered as soon as the others, s. */
const SLACK_S = 3;

/**
 * Shortly after the last fault everything that was promised is delivered, without a further request.
 * @param healed wall time, ms
 */
export function checkSoon(run: RunRecord, healed: number): string[] {
  const log = readLog(run.log, run.people);
  const told = new Set(log.messages.map(({ op }) => op));
  const isDue = (call: CallRecord): boolean =>
    call.kind === 'send' || (call.at! * 1000 < healed + 1000 * SLACK_S && mayStillSend(call, run, log));
  return run.calls
    .filter((call) => isSending(call) && call.outcome === 'ok' && !told.has(call.op) && isDue(call))
    .map(({ op, kind }) => `${op} (${kind}) is not told in time`);
}

/** Whether a scheduled message may still be sent: its sender must not have lost the right to send it meanwhile. */
function mayStillSend(
  { user, stream, people = [] }: CallRecord,
  { calls, streams }: RunRecord,
  log: ParsedLog,
): boolean {
  const removed = calls.filter(({ kind }) => kind === 'deactivate').map(({ whom }) => whom);
  if ([user, ...people].some((id) => removed.includes(id))) return false;
  const isPrivate = streams.some(({ id, isPrivate: hidden }) => hidden && id === stream);
  return !isPrivate || (log.members.get(stream!)?.has(user) === true && !log.left.get(stream!)?.has(user));
}

function deletedIn({ events }: ParsedLog): Set<number> {
  const gone = new Set<number>();
  for (const event of events) for (const id of deletedBy(event)) gone.add(id);
  return gone;
}

function checkIds({ calls }: RunRecord, { messages }: ParsedLog): string[] {
  const problems: string[] = [];
  const last = new Map<string, number>();
  const ids = new Set<number>();
  for (const { id, actor, op } of messages) {
    if (ids.has(id)) problems.push(`id ${id} was given twice`);
    ids.add(id);
    if (id <= (last.get(actor) ?? 0)) problems.push(`${op} has id ${id} after ${last.get(actor)} in ${actor}`);
    last.set(actor, Math.max(id, last.get(actor) ?? 0));
  }
  const sends = calls.filter(({ kind, outcome }) => kind === 'send' && outcome === 'ok');
  for (const before of sends) {
    for (const after of sends) {
      if (after.begun > before.ended && Number(after.body.id) <= Number(before.body.id)) {
        problems.push(`${after.op} was begun after ${before.op} was answered, and has a lower id`);
      }
    }
  }
  return problems;
}

/** Acknowledged edits, deletions and reactions are there, edits once. */
function checkChanges({ calls, messages }: RunRecord, log: ParsedLog): string[] {
  const problems: string[] = [];
  const gone = deletedIn(log);
  const stored = new Map(messages.map((message) => [message.id, message]));
  const edits = new Map<string, number>();
  for (const { item } of log.events) {
    if (item.t !== 'event' || item.event.type !== 'update_message') continue;
    const op = /edit:(op\d+)/.exec(String(item.event.content))?.[1];
    if (op !== undefined) edits.set(op, (edits.get(op) ?? 0) + 1);
  }
  for (const { op, kind, outcome, repeated = false, messages: ids = [], user } of calls) {
    if (kind === 'edit') {
      const times = edits.get(op) ?? 0;
      if (times > 1) problems.push(`${op} edited ${times} times`);
      if (outcome === 'ok' && times === 0) problems.push(`${op} (edit) was acknowledged and is lost`);
      if (outcome === 'refused' && times > 0 && !repeated) problems.push(`${op} (edit) was refused and is there`);
    }
    if (outcome !== 'ok') continue;
    for (const id of ids) {
      if (kind === 'delete' && (!gone.has(id) || stored.has(id)))
        problems.push(`${op}: ${id} is deleted and still there`);
      const message = stored.get(id);
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
      problems.push(`message ${id} says ${content}, and its last edit ${last.item.event.content}`);
    }
  }
  return problems;
}

/** The last subscription change of a user decides about membership, if no other change overlapped with it. */
function checkSubscriptions({ calls }: RunRecord, { members }: ParsedLog): string[] {
  const problems: string[] = [];
  const moves = calls.filter(({ kind }) => kind === 'subscribe' || kind === 'unsubscribe');
  const removed = calls.filter(({ kind }) => kind === 'deactivate').map(({ whom }) => whom);
  for (const last of moves) {
    const { stream, whom, outcome, kind, begun, op } = last;
    if (outcome !== 'ok' || removed.includes(whom)) continue;
    const others = moves.filter((one) => one !== last && one.stream === stream && one.whom === whom);
    // One without an answer may still be carried out later.
    if (others.some((one) => one.ended > begun || one.outcome === 'lost' || one.outcome === 'failed')) continue;
    const isIn = members.get(stream!)?.has(whom!) ?? false;
    if (isIn !== (kind === 'subscribe')) problems.push(`${op}: ${kind} of ${whom} was acknowledged and is lost`);
  }
  return problems;
}

/** A fetch returns the messages that the user received before, with the flags that they set, and no others. */
function checkFetches({ calls, streams }: RunRecord, log: ParsedLog): string[] {
  const problems: string[] = [];
  const hidden = new Set(streams.filter(({ isPrivate }) => isPrivate).map(({ id }) => id));
  const doomed = new Set(calls.filter(({ kind }) => kind === 'delete').flatMap(({ messages }) => messages ?? []));
  for (const fetch of calls) {
    if (fetch.kind !== 'fetch' || fetch.outcome !== 'ok' || !fetch.body.messages) continue;
    const found = new Map(((fetch.body.messages ?? []) as ApiMessage[]).map((message) => [message.id, message]));
    const before = calls.filter(
      ({ ended, outcome, user }) => outcome === 'ok' && ended < fetch.begun && user === fetch.user,
    );
    for (const { op, kind, body, messages: ids = [] } of before) {
      const id = Number(body.id);
      // A user's messages to a stream that they are not in, or not any more, are not among their messages.
      const his = log.messages.find((message) => message.id === id);
      const has = his?.receivers.has(fetch.user) && !log.left.get(his.stream)?.has(fetch.user);
      if (kind === 'send' && has && !doomed.has(id) && !found.has(id))
        problems.push(`${fetch.op} does not show ${op}, sent before`);
      if (kind !== 'read') continue;
      for (const read of ids) {
        if (found.get(read)?.flags.includes('read') === false)
          problems.push(`${fetch.op}: ${read} was read by ${op}, and isn't`);
      }
    }
    for (const message of log.messages) {
      if (!found.has(message.id) || message.receivers.has(fetch.user)) continue;
      const everIn = log.messages.some(
        ({ stream, receivers }) => stream === message.stream && receivers.has(fetch.user),
      );
      const joined = log.events.some(
        ({ item, receivers }) => item.t === 'event' && item.event.type === 'subscription' && receivers.has(fetch.user),
      );
      const isHidden = message.stream === 0 || (hidden.has(message.stream) && !everIn && !joined);
      if (isHidden) problems.push(`${fetch.op}: ${fetch.user} must not see ${message.op}`);
    }
  }
  return problems;
}
