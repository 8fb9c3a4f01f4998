/** Mails that a server has sent, as people read them. */
import { decoded, headersOf, textOf } from '../../contract/mailer.js';
import { until } from '../../support/until.js';
import type { TestServer } from './faces.js';

export interface ApiMail {
  readonly subject: string;
  readonly text: string;
}

export const mailsTo = ({ mail }: TestServer, address: string): ApiMail[] =>
  mail.received
    .filter(({ to }) => to[0] === address)
    .map(({ raw }) => ({ subject: decoded(headersOf(raw).get('subject')![0]!), text: textOf(raw) }));

/** The newest mail, once there are so many. */
export async function nthMail(server: TestServer, address: string, count = 1): Promise<ApiMail> {
  await until(`mail ${count} to ${address}`, () => mailsTo(server, address).length >= count);
  return mailsTo(server, address)[count - 1]!;
}

/** Path of the only link in a mail. */
export function linkIn({ text }: ApiMail): string {
  const [link, ...others] = text.match(/https?:\/\/\S+/g) ?? [];
  if (link === undefined || others.length > 0) throw new Error(`not one link: ${text}`);
  return new URL(link).pathname;
}
