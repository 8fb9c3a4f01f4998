/** The content of pushes: the JSON for browsers and for the push gateway (docs/push.md). Pure. */
import { type JsonObject, unescapeHtml } from '#base';
import { makeTopicMessageUrl } from '#domain/markdown';
import { readUserSettingByUserId } from '#domain/people';
import type { UserId } from '#model';
import type { DirectoryView } from '#model/records';

/** A message as its receiver may see it at the moment of the push. */
export interface PushedMessage extends JsonObject {
  readonly id: number;
  readonly sender: number;
  readonly senderName: string;
  /** Time of sending, seconds since 1970. */
  readonly sent: number;
  /** 0: a direct message. */
  readonly stream: number;
  readonly streamName: string;
  readonly topic: string;
  /** Participants of a direct message besides the receiver, ascending; only the receiver in a note to self. */
  readonly others: readonly number[];
  /** Recipient id of the message; absent if it comes from a host of an older version. */
  readonly recipient?: number;
  readonly text: string;
}

/** A device of a mobile client, with the token of its push service. */
export interface PushDevice extends JsonObject {
  readonly service: 'apns' | 'gcm';
  readonly token: string;
  /** App that registered the token; null: not given. */
  readonly app: string | null;
}

/** Maximum length of a message's text in a push: a push service takes 4,096 bytes. */
const MAX_PUSH_TEXT_CHARACTERS = 240;

/** Maximum number of participants that a link names: direct messages may have thousands. */
const MAX_LINKED_PARTICIPANTS = 50;

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

/** The text of a rendered message on one line. A spoiler ends it: its content is not for passers-by. */
export function makePushTextBeforeSpoiler(html: string): string {
  const open = html.split('<div class="spoiler-content', 1)[0] ?? '';
  // A control character would take six bytes in JSON.
  const text = unescapeHtml(extractHtmlText(open))
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
  const characters = [...text];
  return characters.length > MAX_PUSH_TEXT_CHARACTERS
    ? `${characters.slice(0, MAX_PUSH_TEXT_CHARACTERS - 1).join('')}…`
    : text;
}

/**
 * Tag of a conversation's notification: a later message with the same tag replaces the earlier notification. The web
 * client gives its own notifications the same tags (web/src/notify/decide.ts).
 */
function conversationTagOf({ stream, topic, others, recipient }: PushedMessage): string {
  if (stream !== 0) return `${stream}/${topic.toLowerCase()}`;
  return others.length > 1 && recipient !== undefined ? `dm/group/${recipient}` : `dm/${others.join()}`;
}

/** Address of the message within the web client. For a large group it leads to the view of all direct messages. */
function webClientHashOf({ id, stream, streamName, topic, others }: PushedMessage): string {
  if (stream !== 0) return makeTopicMessageUrl('', { id: stream, name: streamName }, topic, id).slice(1);
  return others.length > MAX_LINKED_PARTICIPANTS
    ? `#narrow/is/dm/near/${id}`
    : `#narrow/dm/${others.join()}/near/${id}`;
}

/**
 * A message for the service worker of a browser. The text is left out if the user keeps direct messages out of
 * notifications of browsers.
 */
export function makeBrowserPushMessage(
  message: PushedMessage,
  user: UserId,
  directory: DirectoryView,
  content: boolean,
): JsonObject {
  const { id, stream, streamName, topic, others, senderName, text } = message;
  const direct = stream === 0;
  const shown = content && (!direct || readUserSettingByUserId(directory, user, 'pm_content_in_desktop_notifications'));
  return {
    event: 'message',
    message: id,
    tag: conversationTagOf(message),
    hash: webClientHashOf(message),
    sender: senderName,
    ...(direct ? { others: others.length - 1 } : { stream: streamName, topic }),
    text: shown ? text : null,
    language: readUserSettingByUserId(directory, user, 'default_language'),
  };
}

/** Tells browsers that these messages need no notification any more. */
export const makeBrowserNotificationRemoval = (messages: readonly number[]): JsonObject => ({
  event: 'remove',
  messages,
});

/** A message for the push gateway. */
export const makeGatewayPushBody = (message: PushedMessage, trigger: string, content: boolean): JsonObject => {
  const { id, sender, senderName, sent, stream, streamName, topic, others, text } = message;
  const place =
    stream === 0 ? { type: 'direct', others } : { type: 'stream', stream_id: stream, stream: streamName, topic };
  return {
    event: 'message',
    trigger,
    message: {
      id,
      sender_id: sender,
      sender_full_name: senderName,
      time: sent,
      ...place,
      content: content ? text : null,
    },
  };
};

/** Tells the push gateway that these messages need no notification any more. */
export const makeGatewayNotificationRemoval = (messages: readonly number[]): JsonObject => ({
  event: 'remove',
  messages,
});
