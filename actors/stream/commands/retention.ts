/**
 * Removes messages that are older than the organization or the stream keeps them (streams.md, message_retention_days).
 * A conversation checks once a day, from its first message on; a new rule takes effect at the next check. A check that
 * comes days late removes nothing (`findPauseOfLateDeletion`).
 *
 * A check reads batches in the order of ids, and ends at the first batch whose newest message is not expired. Messages
 * that were stored while the clock was ahead have low ids and late times, so a check goes on behind them.
 */

import { makeValueReply } from '#actors/shared';
import { findPauseOfLateDeletion, LATE_DELETION_PAUSE_MS } from '#base';
import { storeNameOfStreamConversation } from '#domain/messages';
import { countMessagesInTrafficWindow } from '#domain/streams';
import { type ActorKey, parseActorKey, realmActorKey, toStreamId } from '#model';
import {
  type conversationActorCommands,
  makeOutboxCommand,
  type OutboxCommand,
  realmActorCommands,
  streamActorCommands,
} from '#model/commands';
import type { DirectoryView, MessageRecord } from '#model/records';
import type { CommandContext, CommandOutcome } from '#runtime';
import { newestVersionOfMessage } from '../messages.js';
import { makeMessageRemovalOutcome } from '../removing.js';
import type {
  ConversationActorState,
  ConversationActorView,
  ConversationCommandHandler,
  RetentionProgress,
} from '../state.js';
import { STREAM_TOPIC_PART_PREFIX } from '../topics.js';

const DAY_MS = 86_400_000;
/** Longest time ahead for which a conversation asks to be woken, ms. */
export const MAX_RETENTION_CHECK_DELAY_MS = Math.max(DAY_MS, LATE_DELETION_PAUSE_MS);
/** Maximum number of messages that one commit looks at and removes. */
const MAX_EXPIRED_REMOVALS_PER_COMMIT = 500;
/** Lead over the clock, ms, from which a message counts as one from a clock that was ahead. */
const MIN_LEAD_OF_AHEAD_MESSAGE_MS = DAY_MS;

/**
 * Part of the outcome of a command that adds messages to a conversation: starts the daily check, unless it runs
 * already.
 */
export function withRetentionTimerStarted(
  state: ConversationActorState,
  now: number,
): { readonly state: ConversationActorState; readonly due?: number } {
  const due = now + DAY_MS;
  return state.watched ? { state } : { state: { ...state, watched: true, nextCheck: due }, due };
}

/** Retention time of the conversation's messages, days; null: the messages are kept for ever. */
function retentionDaysOfConversation(key: ActorKey, directory: DirectoryView): number | null {
  const { kind, idWithinRealm } = parseActorKey(key);
  const own = kind === 'stream' ? directory.stream(toStreamId(Number(idWithinRealm)))?.retentionDays : null;
  const days = own ?? directory.settings.message_retention_days;
  return days > 0 ? days : null;
}

export const removeExpiredMessagesHandler: ConversationCommandHandler<
  typeof conversationActorCommands.due,
  readonly MessageRecord[]
> = {
  async inputs(_args, { key, realm, view }, { store, loadDirectory }) {
    if (retentionDaysOfConversation(key, await loadDirectory(realm)) === null) return [];
    const { kind, idWithinRealm } = parseActorKey(key);
    const conversation = kind === 'stream' ? storeNameOfStreamConversation(Number(idWithinRealm)) : `d${idWithinRealm}`;
    return store.scanMessages({
      realm,
      index: { by: 'conversation', conversation },
      from: view.state.retention?.checkedUpTo ?? 0,
      direction: 'newer',
      limit: MAX_EXPIRED_REMOVALS_PER_COMMIT,
    });
  },
  handle(view, _args, batch, context) {
    const { now } = context;
    const putOffUntil = findPauseOfLateDeletion(view.state.nextCheck ?? 0, view.state.checkPutOffUntil, now);
    if (putOffUntil !== undefined) {
      const due = putOffUntil;
      const state = { ...view.state, nextCheck: due, checkPutOffUntil: due };
      return addTrafficReportToOutcome(state, { reply: makeValueReply(null), state, due }, context);
    }
    const days = retentionDaysOfConversation(context.key, context.directory);
    const last = days === null ? 0 : Math.floor((now - days * DAY_MS) / 1000);
    const retention = advanceRetentionCheck(view.state.retention, batch, last, now);
    const due = retention.checkedUpTo > 0 ? now : now + DAY_MS;
    const state = { ...view.state, retention, nextCheck: due };
    const removal = makeExpiredRemovals(view, batch, last, context);
    return addTrafficReportToOutcome(state, { reply: makeValueReply(null), ...removal, state, due }, context);
  },
};

/** The check's progress after this batch. @param last time before which messages are expired, seconds since 1970 */
function advanceRetentionCheck(
  before: RetentionProgress | undefined,
  batch: readonly MessageRecord[],
  last: number,
  now: number,
): RetentionProgress {
  const sentMs = ({ body }: MessageRecord): number => (body.sent as number) * 1_000;
  const ahead = batch.findLast((message) => sentMs(message) > now + MIN_LEAD_OF_AHEAD_MESSAGE_MS);
  const aheadUpTo = Math.max(before?.aheadUpTo ?? 0, ahead?.id ?? 0);
  const [first, newest] = [batch[0], batch.at(-1)];
  if (!first || !newest || batch.length < MAX_EXPIRED_REMOVALS_PER_COMMIT) return { checkedUpTo: 0, aheadUpTo };
  const goesOn = sentMs(newest) < last * 1_000 || first.id <= aheadUpTo;
  return { checkedUpTo: goesOn ? newest.id : 0, aheadUpTo };
}

/**
 * Adds to an outcome the report of the stream's message count to the realm actor, if the count differs from the last
 * report.
 */
function addTrafficReportToOutcome(
  before: ConversationActorState,
  outcome: CommandOutcome<ConversationActorState>,
  { key, realm, now }: CommandContext,
): CommandOutcome<ConversationActorState> {
  const { kind, idWithinRealm } = parseActorKey(key);
  const state = outcome.state ?? before;
  const recent = countMessagesInTrafficWindow(state.traffic, now);
  if (kind !== 'stream' || recent === (state.trafficTold ?? 0)) return outcome;
  const command = makeOutboxCommand({
    to: realmActorKey(realm),
    name: realmActorCommands.streamTraffic,
    args: { stream: Number(idWithinRealm), recent },
    caller: 0,
  });
  return {
    ...outcome,
    state: { ...state, trafficTold: recent },
    commands: [...(outcome.commands ?? []), [command]],
  };
}

/** Removes the expired messages of a batch. @param last time before which messages are expired, seconds since 1970 */
function makeExpiredRemovals(
  view: ConversationActorView,
  batch: readonly MessageRecord[],
  last: number,
  context: CommandContext,
): Pick<CommandOutcome<ConversationActorState>, 'messages' | 'parts' | 'events' | 'commands' | 'replyAfterCommands'> {
  const { kind, idWithinRealm } = parseActorKey(context.key);
  const stream = kind === 'stream' ? Number(idWithinRealm) : 0;
  const expired = batch
    .filter(({ body }) => (body.sent as number) < last)
    .map((record) => newestVersionOfMessage(view, record.id, record))
    .filter((message) => message !== undefined)
    .filter(({ body }) => body.stream === stream);
  if (expired.length === 0) return {};
  const removal = makeMessageRemovalOutcome(view, expired, batch, context);
  const refreshes = (view.state.retention?.checkedUpTo ?? 0) > 0 ? makeTopicRefreshCommands(removal, context) : [];
  if (refreshes.length === 0) return removal;
  return { ...removal, commands: [...(removal.commands ?? []), refreshes] };
}

/**
 * Commands that look for messages of topics which have lost all messages of this batch and of those behind it: earlier
 * batches may have unexpired ones, from a clock that was ahead.
 */
function makeTopicRefreshCommands(
  { parts = {} }: Pick<CommandOutcome<ConversationActorState>, 'parts'>,
  { key }: Pick<CommandContext, 'key'>,
): OutboxCommand[] {
  const to = key as ActorKey<'stream'>;
  return Object.entries(parts)
    .filter(([name, value]) => name.startsWith(STREAM_TOPIC_PART_PREFIX) && value === null)
    .map(([name]) => {
      const args = { topic: name.slice(STREAM_TOPIC_PART_PREFIX.length) };
      return makeOutboxCommand({ to, name: streamActorCommands.topicChanged, args, caller: 0 });
    });
}
