/** Changes to organizations and accounts, made from the command line. Repeating a change does no harm. */

import { parseRateRules } from '#frontend/limits';
import { type RealmId, realmKey } from '#model';
import { realmCommands } from '#model/commands';
import { findUserId, listRealms } from './accounts.js';
import type { ActorCaller } from './actor-caller.js';
import { AdminError } from './admin-error.js';

/** Activates or deactivates an organization. A deactivated one refuses all calls of its users. */
export async function setRealmActive(actors: ActorCaller, realm: RealmId, active: boolean): Promise<void> {
  const known = (await listRealms(actors)).find(({ id }) => id === realm);
  if (known?.deactivated === !active) return;
  await actors.fields(realmKey(realm), active ? realmCommands.reactivate : realmCommands.deactivate, {});
}

export async function setUserRole(actors: ActorCaller, realm: RealmId, email: string, role: number): Promise<void> {
  const user_id = await findUserId(actors, realm, email);
  await actors.fields(realmKey(realm), realmCommands.updateUser, {
    user_id,
    role,
    full_name: null,
    profile_data: null,
  });
}

export async function setBillingManager(
  actors: ActorCaller,
  realm: RealmId,
  email: string,
  on: boolean,
): Promise<void> {
  await actors.fields(realmKey(realm), realmCommands.setBilling, {
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
  actors: ActorCaller,
  realm: RealmId,
  email: string,
  rules: string | null,
): Promise<void> {
  if (rules !== null) {
    try {
      parseRateRules(rules);
    } catch (error) {
      throw new AdminError((error as Error).message);
    }
  }
  await actors.fields(realmKey(realm), realmCommands.setRateLimits, {
    user_id: await findUserId(actors, realm, email),
    rules,
  });
}

/** Deactivates an account without sending a mail to the user. */
export async function deactivateUser(actors: ActorCaller, realm: RealmId, email: string): Promise<void> {
  const user_id = await findUserId(actors, realm, email);
  await actors.fields(realmKey(realm), realmCommands.deactivateUser, { user_id, comment: null });
}

export async function reactivateUser(actors: ActorCaller, realm: RealmId, email: string): Promise<void> {
  await actors.fields(realmKey(realm), realmCommands.reactivateUser, {
    user_id: await findUserId(actors, realm, email),
  });
}

/** Sets the password of an account, ends its sessions and voids its links. @throws AdminError */
export async function setUserPassword(
  actors: ActorCaller,
  realm: RealmId,
  email: string,
  password: string,
): Promise<void> {
  await actors.fields(realmKey(realm), realmCommands.setPasswordOf, {
    user_id: await findUserId(actors, realm, email),
    password,
  });
}

/** Lets an account go from its identities at providers, so that another one with its address can sign in to it. */
export async function forgetIdentities(actors: ActorCaller, realm: RealmId, email: string): Promise<void> {
  const user_id = await findUserId(actors, realm, email);
  await actors.fields(realmKey(realm), realmCommands.forgetIdentities, { user_id });
}
