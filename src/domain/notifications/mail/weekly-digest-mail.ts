/** The mail with the weekly digest: hot topics and new streams. The functions have no side effects. */
import { escapeHtml } from '#base';
import { makeStreamUrl } from '#domain/markdown';
import { type MailTexts, mailTextsIn } from '#domain/texts';
import { wrapInMailHtmlDocument } from './mail-frame.js';
import type { MailReceiverLocale } from './mail-time.js';
import {
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

const topicTitleOf = ({ stream, topic }: MailedDigestTopic): string => `#${stream.name} > ${topic}`;

interface MailSections {
  readonly text: readonly string[];
  readonly html: readonly string[];
}

function formatTopics({ topics, origin, receiver }: WeeklyDigestMailInput): MailSections {
  const format = formatMessageForMail(origin, receiver);
  const { digest } = mailTextsIn(receiver.language);
  const of = topics.map((topic) => ({
    topic,
    url: makeUrlOfMessageInConversation(topic, receiver.id, origin, topic.teaser[0]!.id),
    facts: digest.topicFacts(topic.messageCount, topic.senderCount),
    shown: topic.teaser.map(format),
    more: topic.messageCount > topic.teaser.length ? digest.moreMessages(topic.messageCount - topic.teaser.length) : '',
  }));
  return {
    text: of.flatMap(({ topic, url, facts, shown, more }) => [
      `${topicTitleOf(topic)} (${facts})\n${url}`,
      ...shown.map(renderMissedMessageText),
      more,
    ]),
    html: of.flatMap(({ topic, url, facts, shown, more }) => [
      `<h3><a href="${escapeHtml(url)}">${escapeHtml(topicTitleOf(topic))}</a> ` + `<small>${facts}</small></h3>`,
      ...shown.map((one) => renderMissedMessageHtml(one, false)),
      more === '' ? '' : `<p>${more}</p>`,
    ]),
  };
}

function formatNewStreams({ newStreams, moreNewStreams, origin, receiver }: WeeklyDigestMailInput): MailSections {
  if (newStreams.length === 0) return { text: [], html: [] };
  const { digest } = mailTextsIn(receiver.language);
  const more = moreNewStreams > 0 ? digest.moreNewStreams(moreNewStreams) : '';
  const about = (description: string): string => (description === '' ? '' : `: ${description}`);
  const lines = newStreams.map((one) => `#${one.name}${about(one.description)}\n${makeStreamUrl(origin, one)}`);
  const items = newStreams.map(
    (one) =>
      `<li><a href="${escapeHtml(makeStreamUrl(origin, one))}">#${escapeHtml(one.name)}</a>` +
      `${escapeHtml(about(one.description))}</li>`,
  );
  return {
    text: [`${digest.newStreams}:`, ...lines, more],
    html: [`<h3>${digest.newStreams}</h3>`, `<ul>${items.join('')}</ul>`, more === '' ? '' : `<p>${more}</p>`],
  };
}

/** Formats numbers alone: neither names of streams and topics nor messages. */
function formatCounts(
  { topics, newStreams, moreNewStreams }: WeeklyDigestMailInput,
  texts: MailTexts,
  note: string,
): MailSections {
  const messages = topics.reduce((sum, { messageCount }) => sum + messageCount, 0);
  const streams = newStreams.length + moreNewStreams;
  const counts = [
    messages > 0 ? texts.digest.messagesInTopics(messages, topics.length) : '',
    streams > 0 ? texts.digest.streamCount(streams) : '',
  ];
  const line = `${counts.filter((one) => one !== '').join(', ')}.`;
  return { text: [line, note], html: [`<p>${line}</p>`, `<p>${note}</p>`] };
}

/** Composes the mail. Neither text nor HTML has content or names of streams and topics if these are withheld. */
export function composeWeeklyDigestMail(input: WeeklyDigestMailInput): ComposedNotificationMail {
  const { withheld, organization, origin, receiver, unsubscribe } = input;
  const texts = mailTextsIn(receiver.language);
  const { digest } = texts;
  const sections = withheld
    ? [formatCounts(input, texts, texts.withheld[withheld])]
    : [formatTopics(input), formatNewStreams(input)];
  const greeting = digest.greeting(receiver.fullName, organization);
  const open = texts.openOrganization(organization);
  const text = [
    greeting,
    ...sections.flatMap((one) => one.text),
    `-- \n${texts.repliesNotRead} ${open}:\n${origin}/\n\n` +
      `${digest.reason}\n${texts.toUnsubscribe.digest}\n${unsubscribe}`,
  ];
  const html = [
    `<p>${escapeHtml(greeting)}</p>`,
    ...sections.flatMap((one) => one.html),
    `<p><a href="${escapeHtml(`${origin}/`)}">${escapeHtml(open)}</a></p><hr>`,
    `<p><small>${digest.reason} ${texts.repliesNotRead} ` +
      `<a href="${escapeHtml(unsubscribe)}">${texts.unsubscribe}</a></small></p>`,
  ];
  const filled = (parts: readonly string[], between: string): string =>
    parts.filter((part) => part !== '').join(between);
  return {
    subject: digest.subject(organization),
    text: `${filled(text, '\n\n')}\n`,
    html: wrapInMailHtmlDocument(filled(html, '\n'), receiver.language),
  };
}
