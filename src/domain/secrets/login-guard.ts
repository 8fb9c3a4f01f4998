/** Counting of logins with addresses that no account has (actors/login-guard). */
import { type ActorKey, loginGuardActorKey, type RealmId } from '#model';
import type { ServerCryptography } from './secrets.js';

/** Number of login guard actors per organization. */
const LOGIN_GUARDS_PER_REALM = 1_024;

/** The actor that counts attempts with this address, and the hash of the address. @param address as typed */
export function loginGuardKeyAndAddressHash(
  secrets: ServerCryptography,
  realm: RealmId,
  address: string,
): { readonly to: ActorKey<'stranger'>; readonly address: string } {
  const hash = secrets.hashApiKeyOrToken(`stranger/${realm}/${address.toLowerCase()}`);
  return {
    to: loginGuardActorKey(realm, Number.parseInt(hash.slice(0, 8), 16) % LOGIN_GUARDS_PER_REALM),
    address: hash.slice(8),
  };
}
