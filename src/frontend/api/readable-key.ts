/** API keys in clear, for answers to users with a right to the key. */

import { realmActorKey, type UserId } from '#model';
import { realmActorCommands } from '#model/commands';
import { type ApiCall, forwardCommand } from './operation.js';

/** The encrypted API key of an account, and the arguments to replace the key. */
interface RenewableSealedApiKey {
  readonly user: UserId;
  readonly sealed: string;
  /** Identifies the key to replace: the encrypted key of a bot, the key hash of any other account. */
  readonly instead: string;
  /** User on whose behalf the key is replaced; absent: the caller. */
  readonly as?: UserId;
}

/**
 * Returns the API key in clear. A key that can't be decrypted was encrypted under a server secret that is gone; the key
 * no longer authenticates, so this function replaces it by a new one. The result is undefined if another call has
 * replaced the key in the meantime.
 */
export async function unsealOrRenewApiKey(
  call: Pick<ApiCall<unknown>, 'secrets' | 'send' | 'realm'>,
  { user, sealed, instead, as }: RenewableSealedApiKey,
): Promise<string | undefined> {
  const { secrets, realm } = call;
  const key = secrets.unsealOrUndefined(sealed);
  if (key !== undefined) return key;
  const args = { user, instead };
  const renewed = await call.send(
    forwardCommand({
      to: realmActorKey(realm),
      command: realmActorCommands.renewKey,
      args,
      ...(as !== undefined && { as }),
    }),
  );
  return typeof renewed.sealed === 'string' ? secrets.unsealOrUndefined(renewed.sealed) : undefined;
}
