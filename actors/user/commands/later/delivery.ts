/**
 * The timer of a user's actor: delivery of scheduled messages, expiry of files, mails about missed messages, weekly
 * digests. A scheduled message that is due goes to the actor of its conversation, which sends it or returns the reason
 * of a refusal. Commands between actors are executed exactly once, so a crash neither loses nor doubles the message.
 */

import { makeDirectNoticeCommand, makeValueReply, noticeTextsOfUser } from '#actors/shared';
import { type Json, mayClockBeAhead } from '#base';
import {
  EARLY_DELIVERY_RETRY_PAUSE_MS,
  findStoredScheduledMessage,
  formatScheduledMessageForApi,
  isHumanClientName,
  listScheduledMessagesToHandOver,
  listScheduledMessagesWithoutWaitFromAhead,
  listSentScheduledMessagesToDelete,
  type ScheduledMessage,
  type SentScheduledMessage,
  scheduledMessagePartName,
} from '#domain/messages';
import { directMessageActorKey, type RealmId, streamActorKey, toStreamId, toUserId } from '#model';
import {
  directMessageActorCommands,
  makeOutboxCommand,
  type OutboxCommand,
  type ScheduledMessageFailedArgs,
  streamActorCommands,
  type userActorCommands,
} from '#model/commands';
import type { DirectoryView } from '#model/records';
import type { CommandContext, CommandOutcome } from '#runtime';
import { makeScheduledMessagesEvent, partsWithScheduledMessages } from '../../scheduling.js';
import {
  isSubscribedToStream,
  nextUserTimerTime,
  partsWithChanges,
  type UserActorState,
  type UserCommandHandler,
  userIdOfUserActorKey,
} from '../../state.js';
import { loadWeeklyDigestInputs, type WeeklyDigestInputs } from '../digest/load.js';
import { makeWeeklyDigest } from '../digest/mail.js';
import { makeExpiredFileDeletions } from '../files/files.js';
import { loadMissedMailInputs, type MissedMailInputs } from '../missed/load.js';
import { makeDueMissedMessageMails } from '../missed/mails.js';

const canSendScheduledMessages = (directory: DirectoryView, self: number): boolean =>
  !directory.deactivated && directory.user(toUserId(self))?.isActive === true;

const makeFailedScheduledMessageEvent = (self: number, message: ScheduledMessage) =>
  makeScheduledMessagesEvent(self, 'update', { scheduled_message: formatScheduledMessageForApi(message) });

function makeSendScheduledCommand(
  message: ScheduledMessage,
  realm: RealmId,
  self: number,
  after: number,
): OutboxCommand {
  const { id, type, to, topic, content, client, origin, newer_mentions = false } = message;
  const toSelf = type === 'private' && to.length === 1 && to[0] === self;
  const args = {
    scheduled: id,
    client,
    content,
    topic,
    origin,
    newer_mentions,
    // Messages that a user sends to themselves stay unread.
    human: isHumanClientName(client) && !toSelf,
    queue_id: null,
    local_id: null,
    widget: null,
  };
  const more = { caller: self, after };
  if (type === 'stream') {
    return makeOutboxCommand({
      to: streamActorKey(realm, toStreamId(to[0]!)),
      name: streamActorCommands.sendScheduled,
      args,
      ...more,
    });
  }
  const participants = [...new Set([...to, self])].sort((a, b) => a - b).map(toUserId);
  return makeOutboxCommand({
    to: directMessageActorKey(realm, participants),
    name: directMessageActorCommands.sendDirectScheduled,
    args: { ...args, participants },
    ...more,
  });
}

/** Time for which scheduled messages that come days late wait, ms: with NTP a clock is right within minutes. */
const LATE_SCHEDULED_PAUSE_MS = 600_000;
/** Time after such a wait in which late messages are sent without another one, ms. */
const LATE_SCHEDULED_SENDING_MS = 3_600_000;

/**
 * Time until which scheduled messages that are due wait, because they come days late and the clock may be ahead, ms;
 * undefined: they are sent now.
 */
function findHoldOfLateScheduledMessages(
  state: UserActorState,
  messages: readonly ScheduledMessage[],
  now: number,
): number | undefined {
  if (!messages.some(({ at }) => mayClockBeAhead(at * 1_000, now))) return undefined;
  const { lateScheduledHeldUntil: known = 0 } = state;
  if (known <= now && now < known + LATE_SCHEDULED_SENDING_MS) return undefined;
  return known > now && known <= now + LATE_SCHEDULED_PAUSE_MS ? known : now + LATE_SCHEDULED_PAUSE_MS;
}

/** Sends the messages that are due to the actors of their conversations. */
function makeDueScheduledMessagesDelivery(
  state: UserActorState,
  stored: ReadonlyMap<string, Json>,
  { now, key, realm, directory }: CommandContext,
): Required<Pick<CommandOutcome<UserActorState>, 'parts' | 'events' | 'commands'>> & { readonly heldUntil?: number } {
  const self = userIdOfUserActorKey(key);
  const may = canSendScheduledMessages(directory, self);
  const unbound = listScheduledMessagesWithoutWaitFromAhead(stored, now);
  const parts = unbound.length === 0 ? stored : partsWithScheduledMessages(stored, ...unbound);
  const waiting = listScheduledMessagesToHandOver(parts, now);
  const heldUntil = findHoldOfLateScheduledMessages(state, waiting, now);
  const messages = (heldUntil === undefined ? waiting : []).map(
    (message): ScheduledMessage => ({ ...message, phase: may ? 'sending' : 'failed' }),
  );
  return {
    ...(heldUntil === undefined ? {} : { heldUntil }),
    parts: Object.fromEntries([...unbound, ...messages].map((one) => [scheduledMessagePartName(one.id), one])),
    events: may ? [] : messages.map((message) => makeFailedScheduledMessageEvent(self, message)),
    commands: may ? [messages.map((message) => makeSendScheduledCommand(message, realm, self, directory.version))] : [],
  };
}

/**
 * Records that a scheduled message was sent. The conversation's actor sends this command after sending the message. By
 * then the user may have deleted the scheduled message.
 */
export const recordScheduledMessageSentHandler: UserCommandHandler<typeof userActorCommands.scheduledSent> = {
  handle({ parts }, { id }, _inputs, { key, now }) {
    if (findStoredScheduledMessage(parts, id)?.phase !== 'sending') return { reply: makeValueReply(null) };
    const delivered: SentScheduledMessage = { id, phase: 'sent', sent: now };
    const gone = listSentScheduledMessagesToDelete(parts).map((of) => [scheduledMessagePartName(of.id), null] as const);
    return {
      reply: makeValueReply(null),
      parts: { ...Object.fromEntries(gone), [scheduledMessagePartName(id)]: delivered },
      events: [makeScheduledMessagesEvent(userIdOfUserActorKey(key), 'remove', { scheduled_message_id: id })],
      due: nextUserTimerTime(partsWithScheduledMessages(parts, delivered)),
    };
  },
};

/**
 * Maximum number of attempts to deliver while the stream does not know of the sender's subscription. The realm actor
 * may be unable to reach the stream for some time.
 */
const MAX_EARLY_DELIVERY_ATTEMPTS = 60;

/** True if the user is subscribed but the stream's actor does not know of that yet. */
function isTooEarlyForStreamActor(
  message: ScheduledMessage,
  { outside }: ScheduledMessageFailedArgs,
  parts: ReadonlyMap<string, Json>,
): boolean {
  const { type, to, early = 0 } = message;
  return outside && type === 'stream' && isSubscribedToStream(parts, to[0]!) && early < MAX_EARLY_DELIVERY_ATTEMPTS;
}

/**
 * Records that a scheduled message was refused, or delivers it again later. The conversation's actor sends this command
 * with the reason of its refusal.
 */
export const failOrRetryScheduledMessageHandler: UserCommandHandler<typeof userActorCommands.scheduledFailed> = {
  handle({ parts }, failure, _inputs, { key, realm, directory, now }) {
    const { id, reason } = failure;
    const known = findStoredScheduledMessage(parts, id);
    if (known?.phase !== 'sending') return { reply: makeValueReply(null) };
    if (isTooEarlyForStreamActor(known, failure, parts)) {
      const early = (known.early ?? 0) + 1;
      const again: ScheduledMessage = {
        ...known,
        phase: 'waiting',
        notBefore: now + EARLY_DELIVERY_RETRY_PAUSE_MS,
        early,
      };
      return {
        reply: makeValueReply(null),
        parts: { [scheduledMessagePartName(id)]: again },
        due: nextUserTimerTime(partsWithScheduledMessages(parts, again)),
      };
    }
    const self = userIdOfUserActorKey(key);
    const failed: ScheduledMessage = { ...known, phase: 'failed' };
    const notice = {
      content: noticeTextsOfUser(directory, self).scheduledMessageNotSent(formatTimeOfScheduledMessage(failed), reason),
      origin: failed.origin,
      after: directory.version,
    };
    return {
      reply: makeValueReply(null),
      parts: { [scheduledMessagePartName(id)]: failed },
      events: [makeFailedScheduledMessageEvent(self, failed)],
      commands: canSendScheduledMessages(directory, self) ? [[makeDirectNoticeCommand(realm, self, notice)]] : [],
      due: nextUserTimerTime(partsWithScheduledMessages(parts, failed)),
    };
  },
};

const formatTimeOfScheduledMessage = ({ at }: ScheduledMessage): string =>
  `<time:${new Date(at * 1000).toISOString().replace('.000Z', '+00:00')}>`;

/**
 * Handles the timer of a user's actor. The command has a mailbox lane of its own: the messages of mails are read while
 * other commands run.
 */
export const runDueUserTasksHandler: UserCommandHandler<
  typeof userActorCommands.due,
  { readonly missed: MissedMailInputs; readonly digest: WeeklyDigestInputs }
> = {
  lane: 'timer',
  inputs: async (_args, context, sources) => {
    const [missed, digest] = await Promise.all([
      loadMissedMailInputs(context, sources),
      loadWeeklyDigestInputs(context, sources),
    ]);
    return { missed, digest };
  },
  handle({ state, parts }, _args, inputs, context) {
    const delivery = makeDueScheduledMessagesDelivery(state, parts, context);
    const sweep = makeExpiredFileDeletions(parts, context);
    const mails = makeDueMissedMessageMails(parts, inputs.missed, context);
    const digest = makeWeeklyDigest(parts, inputs.digest, context);
    const changed = { ...delivery.parts, ...sweep.parts, ...mails.parts, ...digest.parts };
    return {
      reply: makeValueReply(null),
      ...(delivery.heldUntil === undefined ? {} : { state: { ...state, lateScheduledHeldUntil: delivery.heldUntil } }),
      parts: changed,
      events: delivery.events,
      commands: [[...delivery.commands.flat(), ...sweep.commands, ...mails.commands, ...digest.commands]],
      due: nextUserTimerTime(partsWithChanges(parts, changed), delivery.heldUntil),
    };
  },
};
