/** The mail about missed messages of one conversation: subject, text and HTML. The functions have no side effects. */
import { escapeHtml } from '#base';
import { makeTopicMessageUrl } from '#domain/markdown';
import { mailTextsIn } from '#domain/texts';
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
  receiver,
}: MissedMessagesMailInput): string {
  const { missed, locale } = mailTextsIn(receiver.language);
  const suffix = showsOrganization ? ` [${organization}]` : '';
  if (withheld) return `${missed.subjectWithoutContent}${suffix}`;
  if ('stream' in conversation) return `#${conversation.stream.name} > ${conversation.topic}${suffix}`;
  const { others } = conversation;
  if (others.length === 0) return `${missed.subjectOfOwnMessages}${suffix}`;
  const names = new Intl.ListFormat(locale, { type: 'conjunction' }).format(others.map(({ fullName }) => fullName));
  return `${others.length === 1 ? missed.subjectOfDirectMessages(names) : missed.subjectOfGroup(names)}${suffix}`;
}

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
  const { hiddenSpoiler } = mailTextsIn(receiver.language);
  return ({ sender, sent, html }) => {
    const shown = convertMessageHtmlForMail(html, { origin, hiddenSpoiler });
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
  const texts = mailTextsIn(receiver.language);
  const left = more > 0 ? texts.missed.more(more) : '';
  const note = withheld ? texts.withheld[withheld] : '';
  const greeting = withheld ? texts.missed.greetingWithoutContent(receiver.fullName, organization) : '';
  const reason = texts.missed.reasons[trigger];
  const text = [
    greeting,
    note,
    ...older.map(renderMissedMessageText),
    ...newer.map(renderMissedMessageText),
    withheld ? '' : left,
    `-- \n${texts.missed.replyInConversation}\n${url}\n\n${reason}\n${texts.toUnsubscribe.missed}\n${unsubscribe}`,
  ];
  const body = [
    greeting === '' ? '' : `<p>${escapeHtml(greeting)}</p>`,
    note === '' ? '' : `<p>${note}</p>`,
    withheld ? '' : `<p><b>${escapeHtml(subject)}</b></p>`,
    ...older.map((one) => renderMissedMessageHtml(one, true)),
    ...newer.map((one) => renderMissedMessageHtml(one, false)),
    withheld || left === '' ? '' : `<p>${left}</p>`,
    `<p><a href="${escapeHtml(url)}">${escapeHtml(texts.openInOrganization(organization))}</a></p><hr>`,
    `<p><small>${reason} ${texts.repliesNotRead} ` +
      `<a href="${escapeHtml(unsubscribe)}">${texts.unsubscribe}</a></small></p>`,
  ];
  const filled = (parts: readonly string[], between: string): string =>
    parts.filter((part) => part !== '').join(between);
  return {
    subject,
    text: `${filled(text, '\n\n')}\n`,
    html: wrapInMailHtmlDocument(filled(body, '\n'), receiver.language),
  };
}
