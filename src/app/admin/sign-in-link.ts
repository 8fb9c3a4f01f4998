/** Links that sign a person in once, for people who have no password yet or forgot it. */
import { makeSignInLinkToken, type ServerCryptography } from '#domain/secrets';
import { type RealmId, realmActorKey } from '#model';
import { realmActorCommands } from '#model/commands';
import { requireUserIdByEmail } from './accounts.js';
import type { SystemActorCaller } from './actor-caller.js';

/**
 * Makes a link that signs one person in, for one use within an hour.
 *
 * @param site base URL of the organization
 * @throws AdminError
 */
export async function createOneTimeSignInUrl(
  actors: SystemActorCaller,
  secrets: ServerCryptography,
  realm: RealmId,
  email: string,
  site: string,
): Promise<string> {
  const user_id = await requireUserIdByEmail(actors, realm, email);
  const { token, hash } = makeSignInLinkToken(secrets, realm);
  await actors.sendForFieldsOrThrow(realmActorKey(realm), realmActorCommands.addSignInLink, { user_id, hash });
  // Browsers do not send the part of an address behind #, so no proxy logs the token.
  return `${site.replace(/\/+$/, '')}/#sign-in/${token}`;
}
