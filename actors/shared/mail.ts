/** Outgoing mail for handlers: a command to the mail actor, which never refuses and stores the mail. */
import { mailActorKey, type RealmId } from '#model';
import { type MailToSend, mailActorCommands, makeOutboxCommand, type OutboxCommand } from '#model/commands';

export const makeSendMailCommand = (realm: RealmId, mail: MailToSend): OutboxCommand =>
  makeOutboxCommand({ to: mailActorKey(realm), name: mailActorCommands.send, args: mail, caller: 0 });
