/**
 * Mails about missed messages: one per conversation, when its batching period is over. Messages that were read or
 * deleted before are left out, and so are messages from before the user's last activity, because a client showed them.
 */
import { makeSendMailCommand } from '#actors/shared';
import type { Json } from '#base';
import { type ReadableMessage, UserMessageFlagsView } from '#domain/messages';
import {
  composeMissedMessagesMail,
  isUserAway,
  type MailedConversation,
  NOTIFICATION_TRIGGERS,
  type NotificationTrigger,
} from '#domain/notifications';
import { readUserSettingByUserId } from '#domain/people';
import { PRESENCE_OFFLINE_AFTER_SECONDS } from '#domain/presence';
import { type ActorParts, toStreamId } from '#model';
import type { OutboxCommand } from '#model/commands';
import type { DirectoryView } from '#model/records';
import type { CommandContext } from '#runtime';
import { findContentWithheldReason, fullNameOfUserId, makeMailReceiver, toMailedMessage } from '../../mail-receiver.js';
import { MISSED_CONVERSATION_TABLE, type MissedConversation, makeMissedConversationId } from '../../missed.js';
import { userIdOfUserActorKey } from '../../state.js';
import {
  type ConversationPlace,
  conversationPlaceOfMessage,
  type LoadedMissedConversation,
  type LoadedMissedPlace,
  type MissedMailInputs,
  notificationTriggerOfMessage,
} from './load.js';
import { endOfMailBatchingPeriod } from './record.js';

/** Maximum number of missed messages that a mail shows, the newest ones. */
const MAX_MISSED_MESSAGES_SHOWN_PER_MAIL = 20;
/** Milliseconds until the next attempt when the user's presence could not be read. */
const PRESENCE_READ_RETRY_PAUSE_MS = 60_000;

interface DueMissedMailsCommit {
  readonly parts: Record<string, Json>;
  readonly commands: OutboxCommand[];
}

/** Makes the mails that are due, and sets the next time of conversations that must wait. */
export function makeDueMissedMessageMails(
  parts: ActorParts,
  inputs: MissedMailInputs,
  context: CommandContext,
): DueMissedMailsCommit {
  const written: Record<string, Json> = {};
  const mailed = new Map<number, ReadableMessage>();
  for (const loaded of inputs.conversations) {
    const conversation = MISSED_CONVERSATION_TABLE.findPartValue(parts, loaded.missedConversationId);
    if (!conversation || conversation.first !== loaded.firstMissedMessageId || conversation.due > context.now) continue;
    const { after, messages } = decideAboutConversation(parts, conversation, loaded, inputs, context);
    Object.assign(written, MISSED_CONVERSATION_TABLE.makePartChange(loaded.missedConversationId, after));
    for (const own of messages) mailed.set(own.message.id, own);
  }
  Object.assign(written, planMailsFromAheadAnew(parts, context));
  const byPlace = new Map<string, ReadableMessage[]>();
  for (const own of [...mailed.values()].sort((a, b) => a.message.id - b.message.id)) {
    const id = placeIdOfMessage(own, context);
    const others = byPlace.get(id);
    if (others) others.push(own);
    else byPlace.set(id, [own]);
  }
  const commands = [...byPlace].map(([id, messages]) =>
    makeMissedMailCommand(inputs.places.get(id)!, messages, parts, inputs, context),
  );
  return { parts: written, commands };
}

/** Plans mails again that were planned while the clock was ahead. */
function planMailsFromAheadAnew(
  parts: ActorParts,
  { directory, key, now }: CommandContext,
): Readonly<Record<string, Json>> {
  const latestRetry = now + PRESENCE_OFFLINE_AFTER_SECONDS * 1_000 + 1;
  const written: Record<string, Json> = {};
  for (const [name, conversation] of MISSED_CONVERSATION_TABLE.entries(parts)) {
    if (conversation.due <= latestRetry) continue;
    const due = endOfMailBatchingPeriod(directory, userIdOfUserActorKey(key), now);
    if (conversation.due > due)
      Object.assign(written, MISSED_CONVERSATION_TABLE.makePartChange(name, { ...conversation, due }));
  }
  return written;
}

/** The id of the conversation in which a message is now. */
const placeIdOfMessage = ({ message }: ReadableMessage, { realm }: Pick<CommandContext, 'realm'>): string =>
  makeMissedConversationId(realm, conversationPlaceOfMessage(message));

/**
 * Decides about one conversation.
 * @returns the conversation in its new state (null: it no longer waits), and the messages to mail now
 */
function decideAboutConversation(
  parts: ActorParts,
  conversation: MissedConversation,
  loaded: LoadedMissedConversation,
  inputs: MissedMailInputs,
  context: CommandContext,
): { readonly after: MissedConversation | null; readonly messages: readonly ReadableMessage[] } {
  const { now, directory, key } = context;
  const { presence } = inputs;
  const self = userIdOfUserActorKey(key);
  if (presence === null) return { after: { ...conversation, due: now + PRESENCE_READ_RETRY_PAUSE_MS }, messages: [] };
  const lastActive = presence?.active ?? 0;
  const flags = new UserMessageFlagsView(self, parts);
  const isMissed = (own: ReadableMessage): boolean =>
    !flags.isRead(own) &&
    // Message times are whole seconds, so one second is added before they are compared.
    (conversation.editedAt ?? (own.message.body.sent + 1) * 1_000) > lastActive &&
    notificationTriggerOfMessage(own, self, parts, directory) !== undefined;
  const messages = loaded.messages.filter(isMissed);
  if (messages.length > 0 && !isUserAway(presence, now)) {
    // The user became inactive so shortly before the message that others still see the user as online.
    return { after: { ...conversation, due: lastActive + PRESENCE_OFFLINE_AFTER_SECONDS * 1_000 + 1 }, messages: [] };
  }
  // If all messages were moved to where others wait for a mail, they come with that mail.
  const waiting = messages.map((own) => MISSED_CONVERSATION_TABLE.findPartValue(parts, placeIdOfMessage(own, context)));
  const due = Math.min(...waiting.map((of) => of?.due ?? 0));
  if (messages.length > 0 && due > now) return { after: { ...conversation, due }, messages: [] };
  const { next: newer = 0, ...rest } = conversation;
  const isUnfinished = loaded.mayHaveFurtherMessages || newer > loaded.newestReadMessageId;
  return {
    after: isUnfinished
      ? { ...rest, first: loaded.newestReadMessageId + 1, due: endOfMailBatchingPeriod(directory, self, now) }
      : null,
    messages,
  };
}

function makeMissedMailCommand(
  { place, earlierMessages, origin, sealedUnsubscribeUrl }: LoadedMissedPlace,
  messages: readonly ReadableMessage[],
  parts: ActorParts,
  { hasOtherAccounts }: MissedMailInputs,
  { directory, realm, key }: CommandContext,
): OutboxCommand {
  const self = userIdOfUserActorKey(key);
  const user = directory.user(self)!;
  const policy = readUserSettingByUserId(directory, self, 'realm_name_in_email_notifications_policy');
  const triggers = new Set(messages.map((own) => notificationTriggerOfMessage(own, self, parts, directory)));
  const shown = messages.slice(-MAX_MISSED_MESSAGES_SHOWN_PER_MAIL);
  const mail = composeMissedMessagesMail({
    conversation: describeConversationForMail(place, self, directory),
    missed: shown.map((own) => toMailedMessage(own, directory)),
    before: earlierMessages.map((own) => toMailedMessage(own, directory)),
    trigger: NOTIFICATION_TRIGGERS.find((trigger) => triggers.has(trigger)) ?? ('stream' satisfies NotificationTrigger),
    more: messages.length - shown.length,
    withheld: findContentWithheldReason(user, directory),
    organization: directory.settings.name,
    showsOrganization:
      policy === REALM_NAME_IN_MAIL_POLICY.always ||
      (policy === REALM_NAME_IN_MAIL_POLICY.automatic && hasOtherAccounts),
    origin,
    receiver: { id: self, ...makeMailReceiver(user, directory) },
    unsubscribe: sealedUnsubscribeUrl,
  });
  const thread = `t-${realm}-${self}-${makeMissedConversationId(realm, place).replace(/[^a-z0-9]+/gi, '.')}`;
  const fields = { ...mail, thread, unsubscribe: sealedUnsubscribeUrl, needs: self };
  return makeSendMailCommand(realm, { to: user.deliveryEmail, ...fields });
}

/** Values of the setting realm_name_in_email_notifications_policy (users.md § Settings). */
const REALM_NAME_IN_MAIL_POLICY = { automatic: 1, always: 2, never: 3 } as const;

function describeConversationForMail(
  { stream, topic, participants }: ConversationPlace,
  self: number,
  directory: DirectoryView,
): MailedConversation {
  if (stream !== 0) return { stream: { id: stream, name: directory.stream(toStreamId(stream))?.name ?? '' }, topic };
  const others = participants.filter((id) => id !== self);
  return { others: others.map((id) => ({ id, fullName: fullNameOfUserId(id, directory) })) };
}
