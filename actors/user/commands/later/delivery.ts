/**
 * The actor's timer: delivery of scheduled messages, expiry of files, mails about missed messages. A
 * scheduled message that is due goes to the actor of its conversation, which sends it or returns the reason of a
 * refusal. Commands between actors are executed exactly once, so a crash neither loses nor doubles the message.
 */

import { directNoticeCommand, valueReply } from '#actors/shared';
import type { Json } from '#base';
import {
  type DeliveryReceipt,
  isHumanClient,
  presentScheduled,
  type ScheduledMessage,
  scheduledDueNow,
  scheduledPartName,
  storedScheduled,
} from '#domain/messages';
import { directMessageKey, type RealmId, streamId, streamKey, userId } from '#model';
import {
  directCommands,
  type OutboxCommand,
  outboxCommand,
  type ScheduledFailedArgs,
  streamCommands,
  type userCommands,
} from '#model/commands';
import type { DirectoryView } from '#model/records';
import type { CommandContext, Outcome } from '#runtime';
import { scheduledEvent, writeScheduled } from '../../scheduling.js';
import {
  applyPartChanges,
  isSubscribed,
  nextTimerTime,
  type UserCommand,
  type UserState,
  userIdOfKey,
} from '../../state.js';
import { deleteExpiredFiles } from '../files/files.js';
import { loadMissedInputs, type MissedInputs } from '../missed/load.js';
import { makeMissedMails } from '../missed/mails.js';

const maySend = (directory: DirectoryView, self: number): boolean =>
  !directory.deactivated && directory.user(userId(self))?.isActive === true;

const failedEvent = (self: number, message: ScheduledMessage) =>
  scheduledEvent(self, 'update', { scheduled_message: presentScheduled(message) });

function handOver(message: ScheduledMessage, realm: RealmId, self: number, after: number): OutboxCommand {
  const { id, type, to, topic, content, client, origin } = message;
  const toSelf = type === 'private' && to.length === 1 && to[0] === self;
  const args = {
    scheduled: id,
    client,
    content,
    topic,
    origin,
    // Notes that a user sends to themselves stay unread.
    human: isHumanClient(client) && !toSelf,
    queue_id: null,
    local_id: null,
    widget: null,
  };
  const more = { caller: self, after };
  if (type === 'stream') {
    return outboxCommand({ to: streamKey(realm, streamId(to[0]!)), name: streamCommands.sendScheduled, args, ...more });
  }
  const participants = [...new Set([...to, self])].sort((a, b) => a - b).map(userId);
  return outboxCommand({
    to: directMessageKey(realm, participants),
    name: directCommands.sendDirectScheduled,
    args: { ...args, participants },
    ...more,
  });
}

/** Sends the messages that are due to the actors of their conversations. */
function deliverDueMessages(
  parts: ReadonlyMap<string, Json>,
  { now, key, realm, directory }: CommandContext,
): Required<Pick<Outcome<UserState>, 'parts' | 'events' | 'commands'>> {
  const self = userIdOfKey(key);
  const may = maySend(directory, self);
  const messages = scheduledDueNow(parts, now).map(
    (message): ScheduledMessage => ({ ...message, phase: may ? 'sending' : 'failed' }),
  );
  return {
    parts: Object.fromEntries(messages.map((message) => [scheduledPartName(message.id), message])),
    events: may ? [] : messages.map((message) => failedEvent(self, message)),
    commands: may ? [messages.map((message) => handOver(message, realm, self, directory.version))] : [],
  };
}

/**
 * Records that a scheduled message was sent. The conversation's actor sends this command after sending the message. By
 * then the user may have deleted the scheduled message.
 */
export const recordScheduledSentHandler: UserCommand<typeof userCommands.scheduledSent> = {
  handle({ parts }, { id }, _inputs, { key }) {
    if (storedScheduled(parts, id)?.phase !== 'sending') return { reply: valueReply(null) };
    const delivered: DeliveryReceipt = { id, phase: 'sent' };
    return {
      reply: valueReply(null),
      parts: { [scheduledPartName(id)]: delivered },
      events: [scheduledEvent(userIdOfKey(key), 'remove', { scheduled_message_id: id })],
      due: nextTimerTime(writeScheduled(parts, delivered)),
    };
  },
};

/** Wait before the next attempt to deliver a scheduled message that came too early, ms. */
const EARLY_MS = 1_000;
/**
 * Maximum number of attempts to deliver while the stream does not know of the sender's subscription. The realm actor
 * may be unable to reach the stream for some time.
 */
const MAX_EARLY = 60;

/** True if the user is subscribed but the stream's actor does not know of that yet. */
function isEarly(
  message: ScheduledMessage,
  { outside }: ScheduledFailedArgs,
  parts: ReadonlyMap<string, Json>,
): boolean {
  const { type, to, early = 0 } = message;
  return outside && type === 'stream' && isSubscribed(parts, to[0]!) && early < MAX_EARLY;
}

/**
 * Records that a scheduled message was refused, or delivers it again later. The conversation's actor sends this command
 * with the reason of its refusal.
 */
export const recordScheduledFailedHandler: UserCommand<typeof userCommands.scheduledFailed> = {
  handle({ parts }, failure, _inputs, { key, realm, directory, now }) {
    const { id, reason } = failure;
    const known = storedScheduled(parts, id);
    if (known?.phase !== 'sending') return { reply: valueReply(null) };
    if (isEarly(known, failure, parts)) {
      const early = (known.early ?? 0) + 1;
      const again: ScheduledMessage = { ...known, phase: 'waiting', notBefore: now + EARLY_MS, early };
      return {
        reply: valueReply(null),
        parts: { [scheduledPartName(id)]: again },
        due: nextTimerTime(writeScheduled(parts, again)),
      };
    }
    const self = userIdOfKey(key);
    const failed: ScheduledMessage = { ...known, phase: 'failed' };
    const notice = { content: failureNotice(failed, reason), origin: failed.origin, after: directory.version };
    return {
      reply: valueReply(null),
      parts: { [scheduledPartName(id)]: failed },
      events: [failedEvent(self, failed)],
      commands: maySend(directory, self) ? [[directNoticeCommand(realm, self, notice)]] : [],
      due: nextTimerTime(writeScheduled(parts, failed)),
    };
  },
};

const failureNotice = ({ at }: ScheduledMessage, reason: string): string => {
  const time = new Date(at * 1000).toISOString().replace('.000Z', '+00:00');
  return [
    `The message you scheduled for <time:${time}> was not sent because of the following error:`,
    `> ${reason}`,
    '[View scheduled messages](#scheduled)',
  ].join('\n\n');
};

/** The actor's timer. Its lane is its own: the messages of mails are read while other commands run. */
export const runUserTimerHandler: UserCommand<typeof userCommands.due, MissedInputs> = {
  lane: 'timer',
  inputs: (_args, context, sources) => loadMissedInputs(context, sources),
  handle({ parts }, _args, missed, context) {
    const delivery = deliverDueMessages(parts, context);
    const sweep = deleteExpiredFiles(parts, context);
    const mails = makeMissedMails(parts, missed, context);
    const changed = { ...delivery.parts, ...sweep.parts, ...mails.parts };
    return {
      reply: valueReply(null),
      parts: changed,
      events: delivery.events,
      commands: [[...delivery.commands.flat(), ...sweep.commands, ...mails.commands]],
      due: nextTimerTime(applyPartChanges(parts, changed)),
    };
  },
};
