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
  /** True for mails that come in large numbers, such as invitations. Mails that a person waits for are sent first. */
  readonly bulk?: boolean;
  /**
   * Account whose deactivation drops the waiting mail: that of the recipient, or of the inviter. A deactivation of the
   * organization drops it, too. Absent: the mail is sent in any case.
   */
  readonly needs?: number;
  /**
   * Part of the organization's actor that the mail needs: the invitation whose link is in it. The mail is dropped if
   * the part is deleted before it is sent.
   */
  readonly needsPart?: string;
};

/** Commands of the mail actor of an organization. */
export const mailActorCommands = {
  /** Stores a mail for sending. The command is never refused. */
  send: declareCommand<MailToSend>('send'),
  /** Sent by the actor's timer: sends the stored mails that are due. */
  due: declareCommand('due'),
};
