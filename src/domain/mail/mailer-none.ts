import { type Mailer, MailerUnavailable } from './mailer.js';

/**
 * Mailer of a cluster without a mail server. Mails wait, and are sent if a mail server is configured before they are
 * dropped.
 */
export class NoMailer implements Mailer {
  async send(): Promise<void> {
    throw new MailerUnavailable('no --smtp-url is given');
  }

  async close(): Promise<void> {}
}
