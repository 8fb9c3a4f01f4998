/** Whether a message deserves attention, by the settings of the user and of the stream. Without the DOM. */
import type { Events } from '../contract/index.js';
import { type ClientState, type Conversation, getMessageConversation, makeConversationKey } from '../core/index.js';

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

const CHAR_BY_HTML_ENTITY: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  '#39': "'",
  nbsp: ' ',
};
const MAX_NOTIFICATION_TEXT_LENGTH = 240;

/**
 * The text of HTML without its tags; the renderer ends blocks with line breaks. An emoji is its character. A formula is
 * its source: its MathML and its typeset form are left out.
 */
function extractHtmlText(html: string): string {
  let text = '';
  let isMathml = false;
  /** Number of open elements within the typeset form of a formula, with its own. */
  let typesetDepth = 0;
  const shown = html
    .replace(/<span [^>]*class="emoji emoji-([-0-9a-f]+)"[^>]*>[^<]*/g, (_, code: string) =>
      String.fromCodePoint(...code.split('-').map((point) => Number.parseInt(point, 16))),
    )
    .replace(/<img alt="([^"]*)"[^>]*>/g, '$1');
  for (const [token] of shown.matchAll(/<[^>]*>|[^<]+/g)) {
    if (typesetDepth > 0) {
      if (token.startsWith('<span')) typesetDepth++;
      else if (token === '</span>') typesetDepth--;
    } else if (token.startsWith('<span class="katex-html"')) typesetDepth = 1;
    else if (!token.startsWith('<')) text += isMathml ? '' : token;
    else if (token.startsWith('<math') || token === '</annotation>') isMathml = true;
    else if (token.startsWith('<annotation') || token === '</math>') isMathml = false;
  }
  // A message that is only the address of a picture has no other text.
  return text.trim() || (/<a [^>]*?href="([^"]*)/.exec(html)?.[1] ?? '');
}

/** The text of a rendered message on one line, up to the first spoiler. */
export function extractNotificationText(html: string): string {
  const open = html.split('<div class="spoiler-content', 1)[0] ?? '';
  const text = extractHtmlText(open)
    .replace(/&(\w+|#39);/g, (whole, name: string) => CHAR_BY_HTML_ENTITY[name] ?? whole)
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
  const characters = [...text];
  return characters.length > MAX_NOTIFICATION_TEXT_LENGTH
    ? `${characters.slice(0, MAX_NOTIFICATION_TEXT_LENGTH - 1).join('')}…`
    : text;
}
