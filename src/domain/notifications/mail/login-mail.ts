/** The mail about a log-in from a device that the account did not use before. The functions have no side effects. */
import { escapeHtml } from '#base';
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
  const time = makeMailTimeFormatter(receiver)(Math.floor(input.time / 1000));
  const intro = `Hello ${receiver.fullName}, your account ${email} in ${organization} was used to log in from a new device.`;
  const advice =
    'If that was you, there is nothing to do. If not, change your password and end the sessions that you do not know:';
  const settings = `${origin}/#settings/account`;
  const text = [
    intro,
    `Device: ${device}\nTime: ${time}\nServer: ${origin}`,
    `${advice}\n${settings}`,
    `-- \nTo get no more mails about log-ins, open:\n${unsubscribe}`,
  ].join('\n\n');
  const html = [
    `<p>${escapeHtml(intro)}</p>`,
    `<p>Device: ${escapeHtml(device)}<br>Time: ${escapeHtml(time)}<br>Server: ${escapeHtml(origin)}</p>`,
    `<p>${advice} <a href="${escapeHtml(settings)}">settings</a></p><hr>`,
    `<p><small><a href="${escapeHtml(unsubscribe)}">Unsubscribe</a></small></p>`,
  ].join('\n');
  return {
    subject: `New log-in from ${device} [${organization}]`,
    text: `${text}\n`,
    html: wrapInMailHtmlDocument(html),
  };
}
