/** Links that sign a person in once, for people who have no password yet or forgot it. */
import { newSignInLink, type ServerCryptography } from '#domain/secrets';
import { type RealmId, realmKey } from '#model';
import { realmCommands } from '#model/commands';
import { findUserId } from './accounts.js';
import type { ActorCaller } from './actor-caller.js';

/**
 * Makes a link that signs one person in, for one use within an hour.
 *
 * @param site base URL of the organization
 * @throws AdminError
 */
export async function makeSignInLink(
  actors: ActorCaller,
  secrets: ServerCryptography,
  realm: RealmId,
  email: string,
  site: string,
): Promise<string> {
  const user_id = await findUserId(actors, realm, email);
  const { token, hash } = newSignInLink(secrets, realm);
  await actors.fields(realmKey(realm), realmCommands.addSignInLink, { user_id, hash });
  // Browsers do not send the part of an address behind #, so no proxy logs the token.
  return `${site.replace(/\/+$/, '')}/#sign-in/${token}`;
}
