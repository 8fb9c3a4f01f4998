/** Commands that follow every change of a password: the account's actor gets the hash, the owner a mail. */

import { type RealmId, userActorKey } from '#model';
import { makeOutboxCommand, type OutboxCommand, userActorCommands } from '#model/commands';
import type { DirectoryUser } from '#model/records';
import type { RealmActorView } from '../command.js';
import { makeMailToAccount } from '../mails.js';

interface PasswordChange {
  readonly user: DirectoryUser;
  readonly passwordHash: string;
  /** Session that made the change, and goes on; null: all sessions end. */
  readonly keptSession: number | null;
}

const makePasswordStoreCommand = ({ user, passwordHash }: PasswordChange, realm: RealmId): OutboxCommand =>
  makeOutboxCommand({
    to: userActorKey(realm, user.id),
    name: userActorCommands.setPassword,
    args: { passwordHash },
    caller: 0,
  });

/** Makes the mail about a new password, for the owner of the account. It has no link: forged mails have one. */
const makePasswordNoticeCommand = (
  { user, keptSession }: PasswordChange,
  view: Pick<RealmActorView, 'state' | 'parts'>,
  realm: RealmId,
): OutboxCommand =>
  makeMailToAccount(realm, user, view, (texts, account) =>
    texts.passwordChanged(account, { endedSessions: keptSession === null ? 'all' : 'others' }),
  );

/** Makes the commands of a new password; they may arrive in any order. */
export const makePasswordChangeCommands = (
  change: PasswordChange,
  view: Pick<RealmActorView, 'state' | 'parts'>,
  realm: RealmId,
): readonly OutboxCommand[] => [
  makePasswordStoreCommand(change, realm),
  makePasswordNoticeCommand(change, view, realm),
];
