/** Making and finding organizations and accounts from the command line, with the commands that operations use. */

import { checkRealmName } from '#app/config';
import { SERVER_REALM_ID } from '#directory';
import { findSubdomainProblemText, hasEmailAddressForm, toCheckedFullName } from '#domain/people';
import type { ServerCryptography } from '#domain/secrets';
import { type RealmId, realmActorKey, toRealmId, toUserId, userActorKey } from '#model';
import { realmActorCommands, userActorCommands } from '#model/commands';
import { apiError } from '#model/errors';
import type { DirectoryRealmEntry } from '#model/records';
import type { SystemActorCaller } from './actor-caller.js';
import { AdminError, InvalidArgumentError } from './admin-error.js';

interface NewRealmWithOwner {
  readonly subdomain: string;
  readonly name: string;
  readonly ownerEmail: string;
  readonly ownerName: string;
  readonly ownerPassword: string | undefined;
  /** Type of the organization (realm.md § Settings); default 0: unspecified. */
  readonly orgType?: number;
  /** Base URL, for the notices in the first streams; absent: the organization begins without streams. */
  readonly origin?: string;
}

interface CreatedRealmAndOwnerKey {
  readonly realm: RealmId;
  readonly ownerKey: string;
}

/** Makes an organization with its owner. @returns its number and the owner's API key @throws AdminError */
export async function createRealmWithOwner(
  actors: SystemActorCaller,
  secrets: ServerCryptography,
  of: NewRealmWithOwner,
): Promise<CreatedRealmAndOwnerKey> {
  const problem = of.subdomain === '' ? undefined : findSubdomainProblemText(of.subdomain);
  if (problem !== undefined) throw new InvalidArgumentError(problem);
  if (!hasEmailAddressForm(of.ownerEmail)) throw new InvalidArgumentError(`not an e-mail address: ${of.ownerEmail}`);
  try {
    checkRealmName(of.name);
  } catch (error) {
    throw new InvalidArgumentError(`the name of the organization ${(error as Error).message}`);
  }
  try {
    toCheckedFullName(of.ownerName);
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message);
  }
  // The API key contains the number of the realm, so ask for it first; ask again if another call takes the number.
  for (let attempt = 0; attempt < 5; attempt++) {
    const number = await actors.sendForValueOrThrow(realmActorKey(SERVER_REALM_ID), realmActorCommands.peekRealm, {});
    const realm = toRealmId(number);
    const ownerKey = secrets.makeRandomApiKey(realm);
    const reply = await actors.sendForReply(realmActorKey(SERVER_REALM_ID), realmActorCommands.createRealm, {
      realm,
      subdomain: of.subdomain,
      name: of.name,
      orgType: of.orgType ?? 0,
      origin: of.origin ?? null,
      owner: {
        email: of.ownerEmail,
        fullName: of.ownerName,
        passwordHash: of.ownerPassword === undefined ? null : await secrets.hashPassword(of.ownerPassword),
        keyHash: secrets.hashApiKeyOrToken(ownerKey),
        keySealed: secrets.seal(ownerKey),
      },
    });
    if ('value' in reply) return { realm, ownerKey };
    if (!('error' in reply)) throw new AdminError('createRealm was answered in another form');
    if (reply.error.status === 503) continue;
    throw new AdminError(
      reply.error.msg === apiError('INVALID_SUBDOMAIN').message
        ? `the subdomain '${of.subdomain}' has an organization already, or an import to it has not ended`
        : reply.error.msg,
    );
  }
  throw new AdminError('others are making organizations at the same time; try again');
}

/** Lists the organizations, with those that are being deleted. */
export async function listRealms(actors: SystemActorCaller): Promise<DirectoryRealmEntry[]> {
  const reply = await actors.sendForReply(realmActorKey(SERVER_REALM_ID), realmActorCommands.snapshot, {});
  return 'value' in reply ? (reply.value as unknown as { realms: DirectoryRealmEntry[] }).realms : [];
}

/**
 * The organization with this subdomain.
 *
 * @param subdomain undefined: the only organization of the server
 * @param option command-line option that names an organization, for messages
 * @throws AdminError if there is none, if it is being deleted, or if the choice is left open
 */
export async function requireRealmBySubdomain(
  actors: SystemActorCaller,
  subdomain: string | undefined,
  option = 'realm',
): Promise<DirectoryRealmEntry> {
  const realms = await listRealms(actors);
  if (subdomain === undefined && realms.length > 1) {
    throw new AdminError(
      `the server has ${realms.length} organizations (conclave realm list): name one by --${option} SUBDOMAIN, the one ` +
        `without subdomain by --${option}=`,
    );
  }
  const found = subdomain === undefined ? realms[0] : realms.find((realm) => realm.subdomain === subdomain);
  if (found?.isBeingDeleted)
    throw new AdminError(
      `the organization '${found.subdomain}' is being deleted: conclave realm delete goes on with it`,
    );
  if (found) return found;
  throw new AdminError(
    subdomain === undefined ? 'there is no organization yet' : `there is no organization '${subdomain}'`,
  );
}

interface NewUserFields {
  readonly email: string;
  readonly name: string;
  readonly password: string;
  readonly role: number;
}

/** Creates an account. @returns the new user id @throws AdminError */
export async function createUserAndReturnId(
  actors: SystemActorCaller,
  realm: RealmId,
  of: NewUserFields,
): Promise<number> {
  const args = { email: of.email, full_name: of.name, password: of.password, role: of.role };
  const fields = await actors.sendForFieldsOrThrow(realmActorKey(realm), realmActorCommands.createUser, args);
  return fields.user_id;
}

/** Id of the account with this real or API address. @throws AdminError */
export async function requireUserIdByEmail(actors: SystemActorCaller, realm: RealmId, email: string): Promise<number> {
  const snapshot = (await actors.sendForValueOrThrow(
    realmActorKey(realm),
    realmActorCommands.snapshot,
    {},
  )) as unknown as {
    users: { id: number; email: string; deliveryEmail: string }[];
  };
  const wanted = email.toLowerCase();
  const user = snapshot.users.find(
    (one) => one.deliveryEmail.toLowerCase() === wanted || one.email.toLowerCase() === wanted,
  );
  if (!user) throw new AdminError(`there is no user '${email}'`);
  return user.id;
}

/** API key of the account in clear. A key that can't be opened is replaced. @throws AdminError */
export async function readOrRenewUserApiKey(
  actors: SystemActorCaller,
  secrets: ServerCryptography,
  realm: RealmId,
  email: string,
): Promise<string> {
  const user = await requireUserIdByEmail(actors, realm, email);
  const sealed = await actors.sendForValueOrThrow(userActorKey(realm, toUserId(user)), userActorCommands.sealedKey, {});
  // A key sealed under a secret that is gone can't be opened and no longer authenticates.
  return secrets.unsealOrUndefined(sealed) ?? renewUserApiKeyById(actors, secrets, realm, user);
}

/** Replaces the API key of the account; the old key no longer authenticates. @throws AdminError */
export async function renewUserApiKeyByEmail(
  actors: SystemActorCaller,
  secrets: ServerCryptography,
  realm: RealmId,
  email: string,
): Promise<string> {
  return renewUserApiKeyById(actors, secrets, realm, await requireUserIdByEmail(actors, realm, email));
}

async function renewUserApiKeyById(
  actors: SystemActorCaller,
  secrets: ServerCryptography,
  realm: RealmId,
  user: number,
): Promise<string> {
  const { sealed } = await actors.sendForFieldsOrThrow(realmActorKey(realm), realmActorCommands.renewKey, {
    user,
    instead: null,
  });
  return secrets.unseal(String(sealed));
}
