import { createTransport, type Transporter } from 'nodemailer';
import { compose } from './compose.js';
import { type Mail, type Mailer, MailerUnavailable, MailRefused } from './mailer.js';

/** A server that says nothing for so long is away. */
const CONNECT_MS = 10_000;
const SILENCE_MS = 30_000;

/** Answers of the server, and what nodemailer adds to its errors. */
interface SmtpError extends Error {
  readonly code?: string;
  readonly command?: string;
  readonly permanent?: boolean;
}

/** A connection for each mail: mails are few, and an idle connection is one that may have died. */
export class SmtpMailer implements Mailer {
  readonly #transport: Transporter;

  /** @param url smtp:// or smtps://, with the options that nodemailer takes there */
  constructor(
    url: string,
    private readonly from: string,
  ) {
    this.#transport = createTransport({
      url,
      connectionTimeout: CONNECT_MS,
      dnsTimeout: CONNECT_MS,
      greetingTimeout: CONNECT_MS,
      socketTimeout: SILENCE_MS,
      disableFileAccess: true,
      disableUrlAccess: true,
      // Development and tests talk to this machine itself, which may have no other address.
      allowInternalNetworkInterfaces: true,
    });
  }

  async send(mail: Mail): Promise<void> {
    const message = compose(mail, this.from);
    try {
      await this.#transport.sendMail(message);
    } catch (error) {
      throw judged(error as SmtpError);
    }
  }

  async close(): Promise<void> {
    this.#transport.close();
  }
}

/** Only what the server says of the recipient or of the text is about this mail; the rest is about us or the way. */
function judged(error: SmtpError): Error {
  const { command, permanent } = error;
  const ofThisMail = command === 'RCPT TO' || command === 'DATA';
  if (ofThisMail) return permanent ? new MailRefused(error.message, { cause: error }) : error;
  if (error.code === 'EMESSAGE') return new MailRefused(error.message, { cause: error });
  return new MailerUnavailable(error.message, { cause: error });
}
