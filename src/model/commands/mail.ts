import { makeCommandDeclarer } from './command.js';

const declareCommand = makeCommandDeclarer<'mail'>();

/** A mail to send. Links that grant a right are encrypted in it (src/domain/mail/hidden-links.ts). */
export type MailToSend = {
  /**
   * E-mail address of the recipient, without a name. A mail to an invalid address is dropped with a line in the log.
   */
  readonly to: string;
  /** Subject of the mail. The mailer replaces line breaks and control characters with blanks. */
  readonly subject: string;
  /** Plain text of the mail. */
  readonly text: string;
  /** HTML document of the mail, in addition to the plain text. */
  readonly html?: string;
  /** Id of the thread in which mail programs show the mail: letters, digits, dots and hyphens. */
  readonly thread?: string;
  /** URL that unsubscribes from mails of this kind (RFC 8058). */
  readonly unsubscribe?: string;
  /** True for one of many mails at a time, such as an invitation: mails for which somebody waits are sent before it. */
  readonly bulk?: boolean;
  /**
   * Account that the mail needs: its recipient's, or the inviter's. The mail is dropped if this account or the
   * organization is deactivated before it is sent; absent: it is sent in any case.
   */
  readonly needs?: number;
};

/** Commands of the mail actor of an organization. */
export const mailActorCommands = {
  /** Stores a mail for sending. The command is never refused. */
  send: declareCommand<MailToSend>('send'),
  /** Sent by the actor's timer: sends the stored mails that are due. */
  due: declareCommand('due'),
};
