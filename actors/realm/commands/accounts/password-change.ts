/** Commands that follow every change of a password: the account's actor gets the hash, the owner a mail. */

import { makeSendMailCommand } from '#actors/shared';
import { type RealmId, userActorKey } from '#model';
import { makeOutboxCommand, type OutboxCommand, userActorCommands } from '#model/commands';
import { PRODUCT_NAME } from '#model/errors';
import type { DirectoryUser } from '#model/records';
import type { RealmActorState } from '../../state.js';
import { toSingleLine } from '../invitations/invitation-links.js';

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
function makePasswordNoticeCommand(
  { user, keptSession }: PasswordChange,
  { settings }: RealmActorState,
  realm: RealmId,
): OutboxCommand {
  const organization = toSingleLine(settings.name);
  const ended = keptSession === null ? 'all browsers were signed out' : 'all other browsers were signed out';
  return makeSendMailCommand(realm, {
    to: user.deliveryEmail,
    subject: `Your password for ${organization} was changed`,
    text: [
      `Hello ${user.fullName},`,
      `the password of your account at ${organization} (${PRODUCT_NAME}) was changed, and ${ended}.`,
      'If that was you, there is nothing that you need to do. If not, set a new password at once, on the page /accounts/password/reset of the organization, and tell an administrator of the organization.',
      '',
    ].join('\n\n'),
  });
}

/** Makes the commands of a new password; they may arrive in any order. */
export const makePasswordChangeCommands = (
  change: PasswordChange,
  state: RealmActorState,
  realm: RealmId,
): readonly OutboxCommand[] => [
  makePasswordStoreCommand(change, realm),
  makePasswordNoticeCommand(change, state, realm),
];
