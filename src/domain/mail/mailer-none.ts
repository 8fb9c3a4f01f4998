import { type Mailer, MailerUnavailableError } from './mailer.js';

/**
 * Mailer of a cluster without a mail server. Mails wait, and are sent if a mail server is configured before they are
 * dropped.
 */
export class UnconfiguredMailer implements Mailer {
  async send(): Promise<void> {
    throw new MailerUnavailableError('no --smtp-url is given');
  }

  async close(): Promise<void> {}
}
