/** The mail with the weekly digest: hot topics and new streams. The functions have no side effects. */
import { escapeHtml } from '#base';
import { makeStreamUrl } from '#domain/markdown';
import { wrapInMailHtmlDocument } from './mail-frame.js';
import type { MailReceiverLocale } from './mail-time.js';
import {
  CONTENT_WITHHELD_TEXT_BY_DECIDER,
  type ComposedNotificationMail,
  formatMessageForMail,
  type MailContentWithheldReason,
  type MessageInMissedMail,
  makeUrlOfMessageInConversation,
  renderMissedMessageHtml,
  renderMissedMessageText,
} from './missed-mail.js';

export interface MailedDigestTopic {
  readonly stream: { readonly id: number; readonly name: string };
  readonly topic: string;
  readonly senderCount: number;
  readonly messageCount: number;
  /** First messages of the topic that the receiver has not heard of, oldest first; at least one. */
  readonly teaser: readonly MessageInMissedMail[];
}

export interface WeeklyDigestMailInput {
  readonly topics: readonly MailedDigestTopic[];
  readonly newStreams: readonly { readonly id: number; readonly name: string; readonly description: string }[];
  /** Number of new streams that the mail leaves out. */
  readonly moreNewStreams: number;
  readonly withheld: MailContentWithheldReason;
  readonly organization: string;
  /** Base URL of the organization. */
  readonly origin: string;
  readonly receiver: MailReceiverLocale & { readonly id: number };
  /** URL of the page that unsubscribes from these mails. */
  readonly unsubscribe: string;
}

const countOf = (n: number, one: string, many: string): string => `${n} ${n === 1 ? one : many}`;

const moreMessagesText = ({ messageCount, teaser }: MailedDigestTopic): string =>
  messageCount > teaser.length ? `and ${countOf(messageCount - teaser.length, 'more message', 'more messages')}` : '';

const topicFactsOf = ({ messageCount, senderCount }: MailedDigestTopic): string =>
  `${countOf(messageCount, 'message', 'messages')} by ${countOf(senderCount, 'person', 'people')}`;

const topicTitleOf = ({ stream, topic }: MailedDigestTopic): string => `#${stream.name} > ${topic}`;

interface MailSections {
  readonly text: readonly string[];
  readonly html: readonly string[];
}

function formatTopics({ topics, origin, receiver }: WeeklyDigestMailInput): MailSections {
  const format = formatMessageForMail(origin, receiver);
  const of = topics.map((topic) => ({
    topic,
    url: makeUrlOfMessageInConversation(topic, receiver.id, origin, topic.teaser[0]!.id),
    shown: topic.teaser.map(format),
    more: moreMessagesText(topic),
  }));
  return {
    text: of.flatMap(({ topic, url, shown, more }) => [
      `${topicTitleOf(topic)} (${topicFactsOf(topic)})\n${url}`,
      ...shown.map(renderMissedMessageText),
      more,
    ]),
    html: of.flatMap(({ topic, url, shown, more }) => [
      `<h3><a href="${escapeHtml(url)}">${escapeHtml(topicTitleOf(topic))}</a> ` +
        `<small>${topicFactsOf(topic)}</small></h3>`,
      ...shown.map((one) => renderMissedMessageHtml(one, false)),
      more === '' ? '' : `<p>${more}</p>`,
    ]),
  };
}

function formatNewStreams({ newStreams, moreNewStreams, origin }: WeeklyDigestMailInput): MailSections {
  if (newStreams.length === 0) return { text: [], html: [] };
  const more = moreNewStreams > 0 ? `and ${countOf(moreNewStreams, 'more new stream', 'more new streams')}` : '';
  const about = (description: string): string => (description === '' ? '' : `: ${description}`);
  const lines = newStreams.map((one) => `#${one.name}${about(one.description)}\n${makeStreamUrl(origin, one)}`);
  const items = newStreams.map(
    (one) =>
      `<li><a href="${escapeHtml(makeStreamUrl(origin, one))}">#${escapeHtml(one.name)}</a>` +
      `${escapeHtml(about(one.description))}</li>`,
  );
  return {
    text: ['New streams:', ...lines, more],
    html: ['<h3>New streams</h3>', `<ul>${items.join('')}</ul>`, more === '' ? '' : `<p>${more}</p>`],
  };
}

/** Formats numbers alone: neither names of streams and topics nor messages. */
function formatCounts({ topics, newStreams, moreNewStreams }: WeeklyDigestMailInput, note: string): MailSections {
  const messages = topics.reduce((sum, { messageCount }) => sum + messageCount, 0);
  const streams = newStreams.length + moreNewStreams;
  const counts = [
    messages > 0
      ? `${countOf(messages, 'message', 'messages')} in ${countOf(topics.length, 'busy topic', 'busy topics')}`
      : '',
    streams > 0 ? countOf(streams, 'new stream', 'new streams') : '',
  ];
  const line = `${counts.filter((one) => one !== '').join(', ')}.`;
  return { text: [line, note], html: [`<p>${line}</p>`, `<p>${note}</p>`] };
}

/** Composes the mail. Neither text nor HTML has content or names of streams and topics if these are withheld. */
export function composeWeeklyDigestMail(input: WeeklyDigestMailInput): ComposedNotificationMail {
  const { withheld, organization, origin, receiver, unsubscribe } = input;
  const sections = withheld
    ? [formatCounts(input, CONTENT_WITHHELD_TEXT_BY_DECIDER[withheld])]
    : [formatTopics(input), formatNewStreams(input)];
  const greeting = `Hello ${receiver.fullName}, this happened in ${organization} while you were away.`;
  const reason = 'You get this mail because weekly digests are on in your settings.';
  const text = [
    greeting,
    ...sections.flatMap((one) => one.text),
    `-- \nReplies to this mail are not read. Open ${organization}:\n${origin}/\n\n` +
      `${reason}\nTo get no more of these mails, open:\n${unsubscribe}`,
  ];
  const html = [
    `<p>${escapeHtml(greeting)}</p>`,
    ...sections.flatMap((one) => one.html),
    `<p><a href="${escapeHtml(`${origin}/`)}">Open ${escapeHtml(organization)}</a></p><hr>`,
    `<p><small>${reason} Replies to this mail are not read. ` +
      `<a href="${escapeHtml(unsubscribe)}">Unsubscribe</a></small></p>`,
  ];
  const filled = (parts: readonly string[], between: string): string =>
    parts.filter((part) => part !== '').join(between);
  return {
    subject: `Your week in ${organization}`,
    text: `${filled(text, '\n\n')}\n`,
    html: wrapInMailHtmlDocument(filled(html, '\n')),
  };
}
