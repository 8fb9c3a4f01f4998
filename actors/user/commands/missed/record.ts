/**
 * A conversation tells of a message that the user may miss. The user's settings decide whether a mail is due when the
 * batching period is over; further messages of the conversation until then come with the same mail.
 */
import { valueReply } from '#actors/shared';
import {
  decideMail,
  type MessageReceiver,
  type NotificationTrigger,
  type ReceivedMessage,
} from '#domain/notifications';
import { readPreference } from '#domain/people';
import { TOPIC_POLICY, topicPolicyOf } from '#domain/streams';
import type { ActorParts, UserId } from '#model';
import type { userCommands } from '#model/commands';
import type { DirectoryView } from '#model/records';
import {
  MAX_MISSED_CONVERSATIONS,
  MISSED_CONVERSATIONS,
  type MissedConversation,
  missedConversationId,
} from '../../missed.js';
import { applyPartChanges, nextTimerTime, subscriptionOf, type UserCommand, userIdOfKey } from '../../state.js';

/** Time before a mail is made in which its messages may be read already, ms. */
const ABOUT_TO_BE_MADE_MS = 10_000;

interface MessagePlace {
  readonly stream: number;
  readonly topic: string;
}

/** The receiver of a message in this conversation; undefined: the account is gone. */
export function receiverOf(
  self: UserId,
  { stream, topic }: MessagePlace,
  parts: ActorParts,
  directory: DirectoryView,
): MessageReceiver | undefined {
  const user = directory.user(self);
  if (!user) return undefined;
  return {
    user,
    preferences: directory.preferencesOf(self),
    subscription: stream === 0 ? undefined : subscriptionOf(parts, stream),
    topicPolicy: stream === 0 ? TOPIC_POLICY.inherit : topicPolicyOf(parts, stream, topic),
  };
}

/** The reason to tell the user of the message by mail, if the user is away. */
export function mailTriggerOf(
  message: ReceivedMessage,
  place: MessagePlace,
  self: UserId,
  parts: ActorParts,
  directory: DirectoryView,
): NotificationTrigger | undefined {
  const receiver = receiverOf(self, place, parts, directory);
  return receiver && decideMail(message, receiver, true);
}

/** When the mail about a message is due, wall time, ms. @param since when the message was sent */
export const endOfBatchingPeriod = (directory: DirectoryView, self: UserId, since: number): number =>
  since + 1_000 * readPreference(directory, self, 'email_notifications_batching_period_seconds');

/** Records the first missed message of a conversation. Never refuses; a repeat changes nothing. */
export const recordMissedHandler: UserCommand<typeof userCommands.missed> = {
  handle({ parts }, message, _inputs, { key, realm, directory, now }) {
    const { id, sender, stream, topic, participants, sent, wildcard, flags, origin } = message;
    const self = userIdOfKey(key);
    const name = missedConversationId(realm, message);
    const known = MISSED_CONVERSATIONS.get(parts, name);
    if (known && (known.due > now + ABOUT_TO_BE_MADE_MS || id < (known.next ?? known.first))) {
      return { reply: valueReply(null) };
    }
    const received = { sender, direct: stream === 0, wildcard, flags };
    if (mailTriggerOf(received, message, self, parts, directory) === undefined) return { reply: valueReply(null) };
    if (!known && [...MISSED_CONVERSATIONS.values(parts)].length >= MAX_MISSED_CONVERSATIONS) {
      return { reply: valueReply(null) };
    }
    const due = endOfBatchingPeriod(directory, self, sent);
    const record: MissedConversation = known
      ? { ...known, next: id }
      : { stream, topic, participants, first: id, due, origin };
    const written = MISSED_CONVERSATIONS.write(name, record);
    return { reply: valueReply(null), parts: written, due: nextTimerTime(applyPartChanges(parts, written)) };
  },
};
