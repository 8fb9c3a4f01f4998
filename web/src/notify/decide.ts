/** Whether a message deserves attention, by the settings of the user and of the stream. Without the DOM. */
import type { Events } from '../contract/index.js';
import {
  type ClientState,
  type Conversation,
  extractPlainText,
  getMessageConversation,
  makeConversationKey,
} from '../core/index.js';

export interface NotificationDecision {
  readonly desktop: boolean;
  readonly sound: boolean;
}

const NO_NOTIFICATION: NotificationDecision = { desktop: false, sound: false };

export function decideNotification({ message, flags }: Events['message'], state: ClientState): NotificationDecision {
  const { me, muting, streams } = state;
  const settings = me.settings.value;
  if (flags.includes('read') || message.sender_id === me.id || muting.mutedAtByUserId.value.has(message.sender_id))
    return NO_NOTIFICATION;
  const personal: NotificationDecision = {
    desktop: settings.enable_desktop_notifications,
    sound: settings.enable_sounds,
  };
  const of = getMessageConversation(message, me.id);
  if ('users' in of || flags.includes('mentioned')) return personal;
  if (muting.isTopicMuted(of.stream, of.topic)) return NO_NOTIFICATION;
  const stream = streams.byId.value.get(of.stream);
  const wildcards = stream?.wildcard_mentions_notify ?? settings.wildcard_mentions_notify;
  if ((flags.includes('wildcard_mentioned') && wildcards) || flags.includes('has_alert_word')) return personal;
  return {
    desktop: stream?.desktop_notifications ?? settings.enable_stream_desktop_notifications,
    sound: stream?.audible_notifications ?? settings.enable_stream_audible_notifications,
  };
}

/** Tag of a conversation's notification: a push with the same tag replaces the page's (src/domain/push/payload.ts). */
export const makeNotificationTag = (of: Conversation, recipientId: number): string =>
  'users' in of && of.users.length > 1 ? `dm/group/${recipientId}` : makeConversationKey(of);

const MAX_NOTIFICATION_TEXT_LENGTH = 240;

/** The text of a rendered message on one line, up to the first spoiler. */
export function extractNotificationText(html: string): string {
  const open = html.split('<div class="spoiler-content', 1)[0] ?? '';
  // A message that is only the address of a picture has no other text.
  const text = extractPlainText(open, /<a [^>]*?href="([^"]*)/.exec(open)?.[1]);
  const characters = [...text];
  return characters.length > MAX_NOTIFICATION_TEXT_LENGTH
    ? `${characters.slice(0, MAX_NOTIFICATION_TEXT_LENGTH - 1).join('')}…`
    : text;
}
