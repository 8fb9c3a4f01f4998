/**
 * Removes messages that are older than the organization or the stream keeps them (streams.md, message_retention_days).
 * A conversation checks once a day, from its first message on; a new rule takes effect at the next check. A check that
 * comes days late removes nothing (`mayClockBeAhead`).
 */

import { makeValueReply } from '#actors/shared';
import { LATE_DELETION_PAUSE_MS, mayClockBeAhead } from '#base';
import { storeNameOfStreamConversation, toStoredMessage } from '#domain/messages';
import { countMessagesInTrafficWindow } from '#domain/streams';
import { type ActorKey, parseActorKey, realmActorKey, toStreamId } from '#model';
import { type conversationActorCommands, makeOutboxCommand, realmActorCommands } from '#model/commands';
import type { DirectoryView, MessageRecord } from '#model/records';
import type { CommandContext, CommandOutcome } from '#runtime';
import { newestVersionOfMessage } from '../messages.js';
import { makeMessageRemovalOutcome } from '../removing.js';
import type { ConversationActorState, ConversationActorView, ConversationCommandHandler } from '../state.js';

const DAY_MS = 86_400_000;
/** Longest time ahead for which a conversation asks to be woken, ms. */
export const MAX_RETENTION_CHECK_DELAY_MS = Math.max(DAY_MS, LATE_DELETION_PAUSE_MS);
/** Maximum number of messages removed per commit. */
const MAX_EXPIRED_REMOVALS_PER_COMMIT = 500;

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
  async inputs(_args, { key, realm }, { store, loadDirectory }) {
    if (retentionDaysOfConversation(key, await loadDirectory(realm)) === null) return [];
    const { kind, idWithinRealm } = parseActorKey(key);
    const conversation = kind === 'stream' ? storeNameOfStreamConversation(Number(idWithinRealm)) : `d${idWithinRealm}`;
    return store.scanMessages({
      realm,
      index: { by: 'conversation', conversation },
      from: -1,
      direction: 'newer',
      limit: MAX_EXPIRED_REMOVALS_PER_COMMIT,
    });
  },
  handle(view, _args, oldest, context) {
    const { now } = context;
    const removal = mayClockBeAhead(view.state.nextCheck ?? 0, now)
      ? { reply: makeValueReply(null), due: now + LATE_DELETION_PAUSE_MS }
      : makeExpiredRemovalOutcome(view, oldest, context);
    const state = { ...view.state, nextCheck: removal.due };
    return addTrafficReportToOutcome(state, { ...removal, state }, context);
  },
};

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

function makeExpiredRemovalOutcome(
  view: ConversationActorView,
  oldest: readonly MessageRecord[],
  context: CommandContext,
): CommandOutcome<ConversationActorState> & { readonly due: number } {
  const { key, now, directory } = context;
  const days = retentionDaysOfConversation(key, directory);
  if (days === null || oldest.length === 0) return { reply: makeValueReply(null), due: now + DAY_MS };
  const last = Math.floor((now - days * DAY_MS) / 1000);
  const { kind, idWithinRealm } = parseActorKey(key);
  const stream = kind === 'stream' ? Number(idWithinRealm) : 0;
  const expired = oldest
    .filter(({ body }) => (body.sent as number) < last)
    .map((record) => newestVersionOfMessage(view, record.id, record))
    .filter((message) => message !== undefined)
    .filter(({ body }) => body.stream === stream);
  // The whole batch was too old, so there may be more messages to remove.
  const more = oldest.length === MAX_EXPIRED_REMOVALS_PER_COMMIT && toStoredMessage(oldest.at(-1)!).body.sent < last;
  const due = more ? now : now + DAY_MS;
  if (expired.length === 0) return { reply: makeValueReply(null), due };
  return { reply: makeValueReply(null), due, ...makeMessageRemovalOutcome(view, expired, oldest, context) };
}
