/** Changes to organizations and accounts, made from the command line. Repeating a change does no harm. */

import { castToDirectorySnapshot, SERVER_REALM_ID } from '#directory';
import { parseRateLimitRules } from '#frontend/limits';
import { type RealmId, realmActorKey } from '#model';
import { realmActorCommands } from '#model/commands';
import type { DirectoryRealmEntry } from '#model/records';
import { listRealms, requireUserIdByEmail } from './accounts.js';
import type { SystemActorCaller } from './actor-caller.js';
import { AdminError, InvalidArgumentError } from './admin-error.js';

/** Activates or deactivates an organization. A deactivated one refuses all calls of its users. */
export async function setRealmActive(actors: SystemActorCaller, realm: RealmId, active: boolean): Promise<void> {
  const known = (await listRealms(actors)).find(({ id }) => id === realm);
  if (known?.deactivated === !active) return;
  await actors.sendForFieldsOrThrow(
    realmActorKey(realm),
    active ? realmActorCommands.reactivate : realmActorCommands.deactivate,
    {},
  );
}

/**
 * Finds the organization that is to be deleted.
 * @throws AdminError if it is active, if its import has not ended, or if there is none
 */
export async function requireDeletableRealm(
  actors: SystemActorCaller,
  subdomain: string,
): Promise<DirectoryRealmEntry> {
  const found = (await listRealms(actors)).find((realm) => realm.subdomain === subdomain);
  if (found?.deactivated) return found;
  if (found) {
    throw new AdminError(
      `the organization '${subdomain}' is active: close it first by conclave realm deactivate --realm='${subdomain}'`,
    );
  }
  const key = realmActorKey(SERVER_REALM_ID);
  if (await actors.sendForValueOrThrow(key, realmActorCommands.hasUnfinishedImport, { subdomain })) {
    throw new AdminError(
      `an import to '${subdomain}' has not ended: give it up by conclave import --drop --subdomain='${subdomain}'`,
    );
  }
  throw new AdminError(`there is no organization '${subdomain}'`);
}

/** Numbers of accounts, bots included, and of streams. @throws AdminError */
export async function countAccountsAndStreams(
  actors: SystemActorCaller,
  realm: RealmId,
): Promise<{ readonly accounts: number; readonly streams: number }> {
  const snapshot = await actors.sendForValueOrThrow(realmActorKey(realm), realmActorCommands.snapshot, {});
  const { users, streams } = castToDirectorySnapshot(snapshot);
  return { accounts: users.length, streams: streams.length };
}

/**
 * Deletes a deactivated organization, or continues its deletion.
 * @param removeStored removes what Store and blobs hold of it
 * @throws AdminError if it was reactivated in the meantime
 */
export async function deleteRealm(
  actors: SystemActorCaller,
  { id, isBeingDeleted }: DirectoryRealmEntry,
  removeStored: (realm: RealmId) => Promise<void>,
): Promise<void> {
  if (!isBeingDeleted) await actors.sendForValueOrThrow(realmActorKey(id), realmActorCommands.deleteRealm, {});
  await removeStored(id);
  await actors.sendForValueOrThrow(realmActorKey(SERVER_REALM_ID), realmActorCommands.endDeletion, { realm: id });
}

export async function setUserRole(
  actors: SystemActorCaller,
  realm: RealmId,
  email: string,
  role: number,
): Promise<void> {
  const user_id = await requireUserIdByEmail(actors, realm, email);
  await actors.sendForFieldsOrThrow(realmActorKey(realm), realmActorCommands.updateUser, {
    user_id,
    role,
    full_name: null,
    profile_data: null,
  });
}

export async function setUserManagesBilling(
  actors: SystemActorCaller,
  realm: RealmId,
  email: string,
  on: boolean,
): Promise<void> {
  await actors.sendForFieldsOrThrow(realmActorKey(realm), realmActorCommands.setBilling, {
    user_id: await requireUserIdByEmail(actors, realm, email),
    on,
  });
}

/**
 * Sets the rate limits of one account.
 * @param rules of this account; null: the configured rules of all accounts
 * @throws AdminError
 */
export async function setRateLimitsOfUser(
  actors: SystemActorCaller,
  realm: RealmId,
  email: string,
  rules: string | null,
): Promise<void> {
  if (rules !== null) {
    try {
      parseRateLimitRules(rules);
    } catch (error) {
      throw new InvalidArgumentError(`the rate limits '${rules}': ${(error as Error).message}`);
    }
  }
  await actors.sendForFieldsOrThrow(realmActorKey(realm), realmActorCommands.setRateLimits, {
    user_id: await requireUserIdByEmail(actors, realm, email),
    rules,
  });
}

/** Deactivates an account without sending a mail to the user. */
export async function deactivateUserWithoutMail(
  actors: SystemActorCaller,
  realm: RealmId,
  email: string,
): Promise<void> {
  const user_id = await requireUserIdByEmail(actors, realm, email);
  await actors.sendForFieldsOrThrow(realmActorKey(realm), realmActorCommands.deactivateUser, {
    user_id,
    comment: null,
  });
}

export async function reactivateUser(actors: SystemActorCaller, realm: RealmId, email: string): Promise<void> {
  await actors.sendForFieldsOrThrow(realmActorKey(realm), realmActorCommands.reactivateUser, {
    user_id: await requireUserIdByEmail(actors, realm, email),
  });
}

/** Sets the password of an account, ends its sessions and voids its links. @throws AdminError */
export async function setUserPasswordAndEndSessions(
  actors: SystemActorCaller,
  realm: RealmId,
  email: string,
  password: string,
): Promise<void> {
  await actors.sendForFieldsOrThrow(realmActorKey(realm), realmActorCommands.setPasswordOf, {
    user_id: await requireUserIdByEmail(actors, realm, email),
    password,
  });
}

/**
 * Removes the identities of an account at identity providers, so that another identity with its address can sign in to
 * it.
 */
export async function forgetUserSignInIdentities(
  actors: SystemActorCaller,
  realm: RealmId,
  email: string,
): Promise<void> {
  const user_id = await requireUserIdByEmail(actors, realm, email);
  await actors.sendForFieldsOrThrow(realmActorKey(realm), realmActorCommands.forgetIdentities, { user_id });
}
