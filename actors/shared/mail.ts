/** Outgoing mail for handlers: a command to the mail actor, which never refuses and stores the mail. */
import { mailKey, type RealmId } from '#model';
import { mailCommands, type OutboxCommand, outboxCommand } from '#model/commands';

interface OutgoingMail {
  /** E-mail address of the recipient, without a name. An invalid one is dropped with a line in the log. */
  readonly to: string;
  /** Subject on one line; control characters become blanks. */
  readonly subject: string;
  /** Text of the mail, plain; links that grant access are sealed in it (src/domain/mail/hidden-links.ts). */
  readonly text: string;
}

export const mailCommand = (realm: RealmId, { to, subject, text }: OutgoingMail): OutboxCommand =>
  outboxCommand({
    to: mailKey(realm),
    name: mailCommands.send,
    args: { to, subject, text },
    caller: 0,
  });
