/**
 * Records messages that a user may miss, as a conversation's actor reports them. The user's settings decide whether a
 * mail is due when the batching period is over; further messages of the conversation until then come with the same
 * mail.
 */
import { makeValueReply } from '#actors/shared';
import type { Json } from '#base';
import {
  decideMailNotificationTrigger,
  type NotificationCandidateMessage,
  type NotificationReceiver,
  type NotificationTrigger,
} from '#domain/notifications';
import { readUserSettingByUserId } from '#domain/people';
import { TOPIC_VISIBILITY_POLICY, topicVisibilityPolicyOf } from '#domain/streams';
import type { ActorParts, UserId } from '#model';
import type { userActorCommands } from '#model/commands';
import type { DirectoryView } from '#model/records';
import {
  MAX_MISSED_CONVERSATIONS_PER_USER,
  MISSED_CONVERSATION_TABLE,
  type MissedConversation,
  makeEditedMessagePartId,
  makeMissedConversationId,
} from '../../missed.js';
import {
  findPresentOrFormerSubscription,
  nextUserTimerTime,
  partsWithChanges,
  type UserCommandHandler,
  userIdOfUserActorKey,
} from '../../state.js';

/** Milliseconds before a mail is made in which its messages may already have been read. */
const MAIL_IMMINENT_BEFORE_DUE_MS = 10_000;

interface MessagePlace {
  readonly stream: number;
  readonly topic: string;
}

/** Returns the receiver of a message in this conversation; undefined if the account no longer exists. */
export function makeMessageReceiver(
  self: UserId,
  { stream, topic }: MessagePlace,
  parts: ActorParts,
  directory: DirectoryView,
): NotificationReceiver | undefined {
  const user = directory.user(self);
  if (!user) return undefined;
  return {
    user,
    preferences: directory.preferencesOf(self),
    subscription: stream === 0 ? undefined : findPresentOrFormerSubscription(parts, stream),
    topicPolicy: stream === 0 ? TOPIC_VISIBILITY_POLICY.inherit : topicVisibilityPolicyOf(parts, stream, topic),
  };
}

/** Returns the reason to notify the user of the message by mail, if the user is away; none in a deactivated realm. */
export function decideMailTrigger(
  message: NotificationCandidateMessage,
  place: MessagePlace,
  self: UserId,
  parts: ActorParts,
  directory: DirectoryView,
): NotificationTrigger | undefined {
  if (directory.deactivated) return undefined;
  const receiver = makeMessageReceiver(self, place, parts, directory);
  return receiver && decideMailNotificationTrigger(message, receiver, true);
}

/**
 * Returns the wall time at which the mail about a message is due, ms.
 * @param since time at which the message was sent
 */
export const endOfMailBatchingPeriod = (directory: DirectoryView, self: UserId, since: number): number =>
  since + 1_000 * readUserSettingByUserId(directory, self, 'email_notifications_batching_period_seconds');

/** Records the first missed message of a conversation. The command is never refused; a repeat changes nothing. */
export const recordMissedMessageHandler: UserCommandHandler<typeof userActorCommands.missed> = {
  handle({ parts }, message, _inputs, { key, realm, directory, now }) {
    const {
      id,
      sender,
      stream,
      topic,
      participants,
      sent,
      wildcard,
      flags,
      origin,
      sentTo,
      isEdited = false,
    } = message;
    const self = userIdOfUserActorKey(key);
    const conversation = makeMissedConversationId(realm, { ...message, ...sentTo });
    const waiting = MISSED_CONVERSATION_TABLE.findPartValue(parts, conversation);
    // The mail about the conversation will look at the edited message, too.
    if (isEdited && waiting && waiting.first <= id) return { reply: makeValueReply(null) };
    const name = isEdited ? makeEditedMessagePartId(conversation, id) : conversation;
    const known = isEdited ? MISSED_CONVERSATION_TABLE.findPartValue(parts, name) : waiting;
    const latest = endOfMailBatchingPeriod(directory, self, now);
    // A later time was stored while the clock was ahead: this message replaces it.
    const waits = known && known.due <= latest;
    if (waits && (isEdited || known.due > now + MAIL_IMMINENT_BEFORE_DUE_MS || id < (known.next ?? known.first))) {
      return { reply: makeValueReply(null) };
    }
    const received = { sender, direct: stream === 0, wildcard, flags };
    if (decideMailTrigger(received, message, self, parts, directory) === undefined)
      return { reply: makeValueReply(null) };
    if (!known && [...MISSED_CONVERSATION_TABLE.values(parts)].length >= MAX_MISSED_CONVERSATIONS_PER_USER) {
      return { reply: makeValueReply(null) };
    }
    const due = Math.min(endOfMailBatchingPeriod(directory, self, sent), latest);
    const record: MissedConversation = known
      ? { ...known, ...(waits ? { next: id } : { due }) }
      : { stream, topic, participants, first: id, due, origin, ...(isEdited ? { editedAt: sent } : {}) };
    const written = MISSED_CONVERSATION_TABLE.makePartChange(name, record);
    return { reply: makeValueReply(null), parts: written, due: nextUserTimerTime(partsWithChanges(parts, written)) };
  },
};

/**
 * Brings forward the mails that wait, because the user has chosen a shorter batching period. It counts from now on; a
 * repeat changes nothing.
 */
export const shortenWaitForMailsHandler: UserCommandHandler<typeof userActorCommands.mailPeriodChanged> = {
  handle({ parts }, _args, _inputs, { key, directory, now }) {
    const due = endOfMailBatchingPeriod(directory, userIdOfUserActorKey(key), now);
    const written: Record<string, Json> = {};
    for (const [name, conversation] of MISSED_CONVERSATION_TABLE.entries(parts))
      if (conversation.due > due)
        Object.assign(written, MISSED_CONVERSATION_TABLE.makePartChange(name, { ...conversation, due }));
    return { reply: makeValueReply(null), parts: written, due: nextUserTimerTime(partsWithChanges(parts, written)) };
  },
};
