import { createTransport, type Transporter } from 'nodemailer';
import { makeNodemailerOptions } from './compose.js';
import { type Mailer, MailerUnavailableError, MailRefusedError, type OutgoingMail } from './mailer.js';

/** Timeouts after which the mail server counts as unavailable, ms. */
const SMTP_CONNECT_TIMEOUT_MS = 10_000;
const SMTP_SOCKET_SILENCE_TIMEOUT_MS = 30_000;

/** An error of nodemailer, with the server's reply. */
interface NodemailerSmtpError extends Error {
  readonly code?: string;
  readonly command?: string;
  readonly permanent?: boolean;
}

/** Opens a connection per mail: mails are few, and an idle connection may be dead. */
export class SmtpMailer implements Mailer {
  readonly #smtpTransport: Transporter;

  /** Makes a mailer for a mail server. @param url smtp:// or smtps://, with the options that nodemailer takes there */
  constructor(
    url: string,
    private readonly from: string,
  ) {
    this.#smtpTransport = createTransport({
      url,
      connectionTimeout: SMTP_CONNECT_TIMEOUT_MS,
      dnsTimeout: SMTP_CONNECT_TIMEOUT_MS,
      greetingTimeout: SMTP_CONNECT_TIMEOUT_MS,
      socketTimeout: SMTP_SOCKET_SILENCE_TIMEOUT_MS,
      disableFileAccess: true,
      disableUrlAccess: true,
      // Addresses of this machine itself are allowed: in development and tests the mail server runs there.
      allowInternalNetworkInterfaces: true,
    });
  }

  async send(mail: OutgoingMail): Promise<void> {
    const message = makeNodemailerOptions(mail, this.from);
    try {
      await this.#smtpTransport.sendMail(message);
    } catch (error) {
      throw toMailerContractError(error as NodemailerSmtpError);
    }
  }

  async close(): Promise<void> {
    this.#smtpTransport.close();
  }
}

/**
 * Classifies an error: only replies about the recipient or the text concern this mail; other errors concern the
 * connection.
 */
function toMailerContractError(error: NodemailerSmtpError): Error {
  const { command, permanent } = error;
  const ofThisMail = command === 'RCPT TO' || command === 'DATA';
  if (ofThisMail) return permanent ? new MailRefusedError(error.message, { cause: error }) : error;
  if (error.code === 'EMESSAGE') return new MailRefusedError(error.message, { cause: error });
  return new MailerUnavailableError(error.message, { cause: error });
}
