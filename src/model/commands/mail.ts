import { commandOf } from './command.js';

const command = commandOf<'mail'>();

/** A mail that is to be sent. Links that grant something are sealed in it (src/domain/mail/hidden-links.ts). */
export type MailToSend = {
  /** E-mail address of the recipient, without a name. An invalid one is dropped with a line in the log. */
  readonly to: string;
  /** Subject on one line; control characters become blanks. */
  readonly subject: string;
  /** Text of the mail, plain. */
  readonly text: string;
  /** The mail as an HTML document, beside the text. */
  readonly html?: string;
  /** Id of the thread in which mail programs show the mail: letters, digits, dots and hyphens. */
  readonly thread?: string;
  /** Address that ends mails of this kind (RFC 8058). */
  readonly unsubscribe?: string;
};

/** Commands of the mail actor of an organization. */
export const mailCommands = {
  /** Stores a mail for sending. Never refused. */
  send: command<MailToSend>('send'),
  /** Timer: sends the stored mails that are due. */
  due: command('due'),
};
