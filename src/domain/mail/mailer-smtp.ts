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
  /** The server's reply: its code, perhaps an enhanced code (RFC 3463), and a text, which often has the address. */
  readonly response?: string;
}

/** Codes at the beginning of a server's reply. */
const REPLY_CODES_PATTERN = /^\d{3}(?:[ -]\d\.\d{1,3}\.\d{1,3}(?!\S))?/;

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
 * connection. Errors of this mail have messages without its text and addresses, because they are logged.
 */
function toMailerContractError(error: NodemailerSmtpError): Error {
  const { code, command, permanent, response = '' } = error;
  if (command === 'RCPT TO' || command === 'DATA') {
    const reason = `${command}: ${REPLY_CODES_PATTERN.exec(response)?.[0] ?? code}`;
    return permanent ? new MailRefusedError(reason) : new Error(reason);
  }
  if (code === 'EMESSAGE') return new MailRefusedError(code);
  return new MailerUnavailableError(error.message, { cause: error });
}
