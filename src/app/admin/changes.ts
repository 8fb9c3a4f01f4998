/** Changes to organizations and accounts, made from the command line. Repeating a change does no harm. */

import { parseRateLimitRules } from '#frontend/limits';
import { type RealmId, realmActorKey } from '#model';
import { realmActorCommands } from '#model/commands';
import { findUserId, listRealms } from './accounts.js';
import type { SystemActorCaller } from './actor-caller.js';
import { AdminError } from './admin-error.js';

/** Activates or deactivates an organization. A deactivated one refuses all calls of its users. */
export async function setRealmActive(actors: SystemActorCaller, realm: RealmId, active: boolean): Promise<void> {
  const known = (await listRealms(actors)).find(({ id }) => id === realm);
  if (known?.deactivated === !active) return;
  await actors.sendForFields(
    realmActorKey(realm),
    active ? realmActorCommands.reactivate : realmActorCommands.deactivate,
    {},
  );
}

export async function setUserRole(
  actors: SystemActorCaller,
  realm: RealmId,
  email: string,
  role: number,
): Promise<void> {
  const user_id = await findUserId(actors, realm, email);
  await actors.sendForFields(realmActorKey(realm), realmActorCommands.updateUser, {
    user_id,
    role,
    full_name: null,
    profile_data: null,
  });
}

export async function setBillingManager(
  actors: SystemActorCaller,
  realm: RealmId,
  email: string,
  on: boolean,
): Promise<void> {
  await actors.sendForFields(realmActorKey(realm), realmActorCommands.setBilling, {
    user_id: await findUserId(actors, realm, email),
    on,
  });
}

/**
 * Sets the rate limits of one account.
 * @param rules of this account; null: the configured rules of all accounts
 * @throws AdminError
 */
export async function setUserRateLimits(
  actors: SystemActorCaller,
  realm: RealmId,
  email: string,
  rules: string | null,
): Promise<void> {
  if (rules !== null) {
    try {
      parseRateLimitRules(rules);
    } catch (error) {
      throw new AdminError((error as Error).message);
    }
  }
  await actors.sendForFields(realmActorKey(realm), realmActorCommands.setRateLimits, {
    user_id: await findUserId(actors, realm, email),
    rules,
  });
}

/** Deactivates an account without sending a mail to the user. */
export async function deactivateUser(actors: SystemActorCaller, realm: RealmId, email: string): Promise<void> {
  const user_id = await findUserId(actors, realm, email);
  await actors.sendForFields(realmActorKey(realm), realmActorCommands.deactivateUser, { user_id, comment: null });
}

export async function reactivateUser(actors: SystemActorCaller, realm: RealmId, email: string): Promise<void> {
  await actors.sendForFields(realmActorKey(realm), realmActorCommands.reactivateUser, {
    user_id: await findUserId(actors, realm, email),
  });
}

/** Sets the password of an account, ends its sessions and voids its links. @throws AdminError */
export async function setUserPassword(
  actors: SystemActorCaller,
  realm: RealmId,
  email: string,
  password: string,
): Promise<void> {
  await actors.sendForFields(realmActorKey(realm), realmActorCommands.setPasswordOf, {
    user_id: await findUserId(actors, realm, email),
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
  const user_id = await findUserId(actors, realm, email);
  await actors.sendForFields(realmActorKey(realm), realmActorCommands.forgetIdentities, { user_id });
}
