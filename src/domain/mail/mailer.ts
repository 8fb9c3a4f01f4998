/**
 * Mailer: hands mails to a mail server or to the disk.
 *
 * Contract (test/contract/mailer.ts runs it against every implementation):
 * - A resolved `send` means that the mail server accepted the mail, or that it is on the disk.
 * - One mail goes to one address, and the mail's `id` is in its Message-ID. A mail that is sent twice has the same
 *   Message-ID, and a folder keeps it once.
 * - No text of a mail can add a header or a recipient.
 * - Rejections: `MailRefusedError` if this mail can never be sent, `MailerUnavailableError` if no mail can be sent now,
 *   any other error if this mail can't be sent now. A caller may repeat every `send`, and logs the messages of errors:
 *   they name no recipient and quote no text.
 */
export interface OutgoingMail {
  /** Id of the mail, unique on the server for ever; letters, digits and hyphens. */
  readonly id: string;
  /** E-mail address of the recipient, without a name. */
  readonly to: string;
  /** Subject on one line. Control characters become blanks. */
  readonly subject: string;
  /** Text of the mail, plain. */
  readonly text: string;
  /** HTML document of the mail, in addition to the plain text. */
  readonly html?: string | undefined;
  /** Id of the thread in which mail programs show the mail: letters, digits, dots and hyphens. */
  readonly thread?: string | undefined;
  /** URL to which a mail program posts to unsubscribe from mails of this kind (RFC 8058). */
  readonly unsubscribe?: string | undefined;
  /** Time at which the mail was written, ms since 1970. */
  readonly date: number;
}

export class MailRefusedError extends Error {
  override name = 'MailRefusedError';
}

export class MailerUnavailableError extends Error {
  override name = 'MailerUnavailableError';
}

export interface Mailer {
  send(mail: OutgoingMail): Promise<void>;
  close(): Promise<void>;
}
