/** The mail about missed messages of one conversation: subject, text and HTML. The functions have no side effects. */
import { escapeHtml } from '#base';
import { makeTopicMessageUrl } from '#domain/markdown';
import type { NotificationTrigger } from '../decide.js';
import { wrapInMailHtmlDocument } from './mail-frame.js';
import { type MailReceiverLocale, makeMailTimeFormatter } from './mail-time.js';
import { convertMailHtmlToText, convertMessageHtmlForMail } from './message-html.js';

export interface MessageInMissedMail {
  readonly id: number;
  /** Name of the message's sender. */
  readonly sender: string;
  /** Time at which the message was sent, seconds since 1970. */
  readonly sent: number;
  readonly html: string;
}

/** The conversation of a mail: a topic of a stream, or direct messages with other users. */
export type MailedConversation =
  | { readonly stream: { readonly id: number; readonly name: string }; readonly topic: string }
  | { readonly others: readonly { readonly id: number; readonly fullName: string }[] };

/** Setting that withholds the content of a mail: the user's or the organization's; null if the mail has content. */
export type MailContentWithheldReason = 'user' | 'organization' | null;

export interface MissedMessagesMailInput {
  readonly conversation: MailedConversation;
  /** The missed messages, oldest first; at least one. */
  readonly missed: readonly MessageInMissedMail[];
  /** Messages before the missed ones that the receiver may see, oldest first. */
  readonly before: readonly MessageInMissedMail[];
  /** The most personal reason for a notification among the missed messages. */
  readonly trigger: NotificationTrigger;
  /** Number of missed messages that the mail leaves out. */
  readonly more: number;
  readonly withheld: MailContentWithheldReason;
  readonly organization: string;
  /** True if the subject names the organization. */
  readonly showsOrganization: boolean;
  /** Base URL of the organization. */
  readonly origin: string;
  readonly receiver: MailReceiverLocale & { readonly id: number };
  /** URL of the page that unsubscribes from these mails. */
  readonly unsubscribe: string;
}

export interface ComposedNotificationMail {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

const englishNameListFormat = new Intl.ListFormat('en', { type: 'conjunction' });

/** Returns the URL of a direct-message conversation in the web client; the URL's fragment names the participants. */
const makeDirectConversationUrl = (origin: string, people: readonly number[], near: number): string =>
  `${origin}/#narrow/dm/${people.join(',')}-${people.length > 1 ? 'group' : 'dm'}/near/${near}`;

/** Returns the URL of a conversation in the web client, at this message. */
export const makeUrlOfMessageInConversation = (
  of: MailedConversation,
  receiver: number,
  origin: string,
  message: number,
): string =>
  'stream' in of
    ? makeTopicMessageUrl(origin, of.stream, of.topic, message)
    : makeDirectConversationUrl(origin, of.others.length > 0 ? of.others.map(({ id }) => id) : [receiver], message);

function makeMissedMailSubject({
  conversation,
  withheld,
  organization,
  showsOrganization,
}: MissedMessagesMailInput): string {
  const suffix = showsOrganization ? ` [${organization}]` : '';
  if (withheld) return `New messages${suffix}`;
  if ('stream' in conversation) return `#${conversation.stream.name} > ${conversation.topic}${suffix}`;
  const names = englishNameListFormat.format(conversation.others.map(({ fullName }) => fullName));
  if (conversation.others.length === 0) return `Messages to yourself${suffix}`;
  return conversation.others.length === 1 ? `Direct messages with ${names}${suffix}` : `Group of ${names}${suffix}`;
}

const MAIL_REASON_TEXT_BY_TRIGGER: Readonly<Record<NotificationTrigger, string>> = {
  direct: 'You get this mail because somebody sent you a direct message while you were away.',
  mention: 'You get this mail because a message mentions you by name.',
  wildcard_mention: 'You get this mail because a message mentions everybody in the conversation.',
  alert_word: 'You get this mail because a message has one of your alert words.',
  followed_topic: 'You get this mail because you follow the topic.',
  stream: 'You get this mail because e-mail notifications are on for this stream.',
};

export const CONTENT_WITHHELD_TEXT_BY_DECIDER: Readonly<Record<'user' | 'organization', string>> = {
  user: 'This mail shows no messages, because your settings leave them out of mails.',
  organization: 'This mail shows no messages, because the settings of the organization leave them out of mails.',
};

export interface FormattedMissedMessage {
  readonly sender: string;
  readonly time: string;
  readonly html: string;
  readonly text: string;
}

/** Makes the format of messages in a mail to this receiver. @param origin base URL of the organization */
export function formatMessageForMail(
  origin: string,
  receiver: MailReceiverLocale,
): (message: MessageInMissedMail) => FormattedMissedMessage {
  const format = makeMailTimeFormatter(receiver);
  return ({ sender, sent, html }) => {
    const shown = convertMessageHtmlForMail(html, origin);
    return { sender, time: format(sent), html: shown, text: convertMailHtmlToText(shown) };
  };
}

export const renderMissedMessageHtml = ({ sender, time, html }: FormattedMissedMessage, faint: boolean): string =>
  `<div style="margin:0 0 1em${faint ? ';color:#777' : ''}"><div><b>${escapeHtml(sender)}</b> ` +
  `<small>${escapeHtml(time)}</small></div>${html}</div>`;

export const renderMissedMessageText = ({ sender, time, text }: FormattedMissedMessage): string =>
  `${sender} (${time}):\n${text}`;

/** Composes the mail. Neither text nor HTML has content or names of the conversation if these are withheld. */
export function composeMissedMessagesMail(input: MissedMessagesMailInput): ComposedNotificationMail {
  const { conversation, missed, before, withheld, origin, receiver, organization, trigger, more, unsubscribe } = input;
  const show = formatMessageForMail(origin, receiver);
  const url = withheld
    ? `${origin}/`
    : makeUrlOfMessageInConversation(conversation, receiver.id, origin, missed[0]!.id);
  const subject = makeMissedMailSubject(input);
  const [older, newer] = withheld ? [[], []] : [before.map(show), missed.map(show)];
  const left = more > 0 ? `and ${more} more` : '';
  const note = withheld ? CONTENT_WITHHELD_TEXT_BY_DECIDER[withheld] : '';
  const greeting = withheld ? `Hello ${receiver.fullName}, you have new messages in ${organization}.` : '';
  const reply = 'Replies to this mail are not read. Answer in the conversation:';
  const text = [
    greeting,
    note,
    ...older.map(renderMissedMessageText),
    ...newer.map(renderMissedMessageText),
    withheld ? '' : left,
    `-- \n${reply}\n${url}\n\n${MAIL_REASON_TEXT_BY_TRIGGER[trigger]}\nTo get no more of these mails, open:\n${unsubscribe}`,
  ];
  const body = [
    greeting === '' ? '' : `<p>${escapeHtml(greeting)}</p>`,
    note === '' ? '' : `<p>${note}</p>`,
    withheld ? '' : `<p><b>${escapeHtml(subject)}</b></p>`,
    ...older.map((one) => renderMissedMessageHtml(one, true)),
    ...newer.map((one) => renderMissedMessageHtml(one, false)),
    withheld || left === '' ? '' : `<p>${left}</p>`,
    `<p><a href="${escapeHtml(url)}">Open in ${escapeHtml(organization)}</a></p><hr>`,
    `<p><small>${MAIL_REASON_TEXT_BY_TRIGGER[trigger]} Replies to this mail are not read. ` +
      `<a href="${escapeHtml(unsubscribe)}">Unsubscribe</a></small></p>`,
  ];
  const filled = (parts: readonly string[], between: string): string =>
    parts.filter((part) => part !== '').join(between);
  return { subject, text: `${filled(text, '\n\n')}\n`, html: wrapInMailHtmlDocument(filled(body, '\n')) };
}
