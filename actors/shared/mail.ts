/** Outgoing mail for handlers: a command to the mail actor, which never refuses and stores the mail. */
import { mailKey, type RealmId } from '#model';
import { type MailToSend, mailCommands, type OutboxCommand, outboxCommand } from '#model/commands';

export const mailCommand = (realm: RealmId, mail: MailToSend): OutboxCommand =>
  outboxCommand({ to: mailKey(realm), name: mailCommands.send, args: mail, caller: 0 });
