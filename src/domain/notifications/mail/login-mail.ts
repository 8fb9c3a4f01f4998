/** The mail about a log-in from a device that the account did not use before. The functions have no side effects. */
import { escapeHtml } from '#base';
import { mailTextsIn } from '#domain/texts';
import { wrapInMailHtmlDocument } from './mail-frame.js';
import { type MailReceiverLocale, makeMailTimeFormatter } from './mail-time.js';
import type { ComposedNotificationMail } from './missed-mail.js';

export interface LoginMailInput {
  /** Device of the log-in: program and system in words, for example 'Firefox on Linux'. */
  readonly device: string;
  /** Time of the log-in, ms since 1970. */
  readonly time: number;
  readonly organization: string;
  /** Base URL of the organization. */
  readonly origin: string;
  readonly receiver: MailReceiverLocale;
  readonly email: string;
  /** URL of the page that unsubscribes from these mails. */
  readonly unsubscribe: string;
}

export function composeNewDeviceLoginMail(input: LoginMailInput): ComposedNotificationMail {
  const { device, organization, origin, receiver, email, unsubscribe } = input;
  const { newDeviceLogin: texts, toUnsubscribe, unsubscribe: unsubscribeText } = mailTextsIn(receiver.language);
  const time = makeMailTimeFormatter(receiver)(Math.floor(input.time / 1000));
  const intro = texts.intro({ fullName: receiver.fullName, email, organization });
  const facts = [`${texts.device}: ${device}`, `${texts.time}: ${time}`, `${texts.server}: ${origin}`];
  const settings = `${origin}/#settings/account`;
  const text = [
    intro,
    facts.join('\n'),
    `${texts.advice}\n${settings}`,
    `-- \n${toUnsubscribe.login}\n${unsubscribe}`,
  ].join('\n\n');
  const html = [
    `<p>${escapeHtml(intro)}</p>`,
    `<p>${facts.map(escapeHtml).join('<br>')}</p>`,
    `<p>${texts.advice} <a href="${escapeHtml(settings)}">${texts.settings}</a></p><hr>`,
    `<p><small><a href="${escapeHtml(unsubscribe)}">${unsubscribeText}</a></small></p>`,
  ].join('\n');
  return {
    subject: texts.subject(device, organization),
    text: `${text}\n`,
    html: wrapInMailHtmlDocument(html, receiver.language),
  };
}
