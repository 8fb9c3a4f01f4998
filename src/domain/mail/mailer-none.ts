import { type Mailer, MailerUnavailable } from './mailer.js';

/** A cluster that was given no mail server: mails wait, and go out if one is given within the time that they are kept. */
export class NoMailer implements Mailer {
  async send(): Promise<void> {
    throw new MailerUnavailable('no --smtp-url is given');
  }

  async close(): Promise<void> {}
}
