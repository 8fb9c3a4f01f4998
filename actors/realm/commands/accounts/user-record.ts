/** The record of a new account, and the command that creates the account's own actor. */

import type { JsonObject } from '#base';
import { FAKE_EMAIL_DOMAIN, LAST_RESERVED_USER_ID, NEW_HUMAN_MEMBER_DEFAULTS } from '#domain/people';
import { toRealmId, toUserId, userActorKey } from '#model';
import { makeOutboxCommand, type NewRealmOwnerAccount, type OutboxCommand, userActorCommands } from '#model/commands';
import type { DirectoryUser, NewUserSettingDefaults } from '#model/records';
import type { RealmMemoryState } from '../../volatile.js';

/** First id of accounts and of recipients; lower ids are reserved for system bots. */
export const FIRST_USER_AND_RECIPIENT_ID = LAST_RESERVED_USER_ID + 1;

/**
 * Visibility and API address of a new account whose real address is hidden; undefined: the real address is visible to
 * all.
 */
export function computeHiddenEmailFieldsOfNewUser(
  { email_address_visibility: visibility = 1 }: NewUserSettingDefaults,
  id: number,
  domain: string,
  volatile: RealmMemoryState,
): { readonly visibility: number; readonly email: string } | undefined {
  if (visibility === 1) return undefined;
  return { visibility, email: makeApiEmailOfHiddenAddress(id, domain, volatile) };
}

export function makeNewUserRecord(of: {
  readonly id: number;
  readonly recipient: number;
  readonly account: NewRealmOwnerAccount;
  readonly role: number;
  readonly now: number;
  /** Present if the real address is hidden: its visibility, and the address that the API shows instead. */
  readonly hidden?: { readonly visibility: number; readonly email: string } | undefined;
}): DirectoryUser {
  return {
    id: toUserId(of.id),
    recipient: of.recipient,
    deliveryEmail: of.account.email,
    email: of.hidden?.email ?? of.account.email,
    fullName: of.account.fullName,
    ...NEW_HUMAN_MEMBER_DEFAULTS,
    role: of.role,
    emailVisibility: of.hidden?.visibility ?? 1,
    joined: of.now,
    keyHash: of.account.keyHash,
  };
}

/** A stream that a new account is subscribed to from the start. */
interface FirstSubscription extends JsonObject {
  readonly id: number;
  readonly recipient: number;
  /** Id up to which messages of the stream count as read for the new account. */
  readonly mark: number;
}

export function makeCreateUserCommand(
  realm: number,
  user: number,
  account: NewRealmOwnerAccount,
  after: number,
  streams: readonly FirstSubscription[] = [],
): OutboxCommand {
  const { passwordHash, keySealed } = account;
  return makeOutboxCommand({
    to: userActorKey(toRealmId(realm), toUserId(user)),
    name: userActorCommands.create,
    args: { passwordHash, keySealed, streams },
    caller: 0,
    after,
  });
}

/** The API e-mail of an account whose real address is hidden. */
export function makeApiEmailOfHiddenAddress(id: number, domain: string, volatile: RealmMemoryState): string {
  const address = `user${id}@${domain}`;
  // The substitute address may be the real address of another account, so an address in another domain replaces it.
  return volatile.findUserIdByEmail(address) === undefined ? address : `user${id}@${FAKE_EMAIL_DOMAIN}`;
}
