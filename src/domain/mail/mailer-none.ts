import { type Mailer, MailerUnavailable } from './mailer.js';

/** For a cluster without a mail server: mails wait, and are sent if one is configured before they are dropped. */
export class NoMailer implements Mailer {
  async send(): Promise<void> {
    throw new MailerUnavailable('no --smtp-url is given');
  }

  async close(): Promise<void> {}
}
