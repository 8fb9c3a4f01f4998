/**
 * Mailer: takes one mail out of the server.
 *
 * Contract (test/contract/mailer.ts runs it against every implementation):
 * - A resolved `send` means that somebody else answers for the mail: the mail server accepted it, or it is on the disk.
 * - One mail goes to one address; the mail's `id` is in its Message-ID. Sent twice, it is the same mail twice, which a
 *   folder keeps once.
 * - Whatever texts a mail has, they can neither add a header nor a recipient.
 * - `MailRefused`: this mail never gets through. `MailerAway`: none gets through now. Any other rejection: this mail not
 *   now. Everything may be repeated.
 */
export interface Mail {
  /** Unique on the server for ever; letters, digits and hyphens. */
  readonly id: string;
  /** One address, without a name. */
  readonly to: string;
  /** One line; control characters in it count as blanks. */
  readonly subject: string;
  /** Plain text. */
  readonly text: string;
  /** When it was written, milliseconds since 1970. */
  readonly date: number;
}

export class MailRefused extends Error {
  override name = 'MailRefused';
}

export class MailerUnavailable extends Error {
  override name = 'MailerAway';
}

export interface Mailer {
  send(mail: Mail): Promise<void>;
  close(): Promise<void>;
}
