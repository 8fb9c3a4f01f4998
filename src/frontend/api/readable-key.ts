/** API keys in clear, for answers to users with a right to the key. */

import { realmKey, type UserId } from '#model';
import { realmCommands } from '#model/commands';
import { type ApiCall, forwardCommand } from './operation.js';

/** The sealed API key of an account, and how to replace it. */
interface SealedKey {
  readonly user: UserId;
  readonly sealed: string;
  /** Names the key to replace: the sealed key of a bot, the key hash of any other account. */
  readonly instead: string;
  /** User on whose behalf the key is replaced; absent: the caller. */
  readonly as?: UserId;
}

/**
 * The key in clear. A key that can't be opened was sealed under a server secret that is gone; it no longer
 * authenticates, so this replaces the key as a regeneration does. undefined: another call has replaced the key
 * meanwhile.
 */
export async function openOrRenewKey(
  call: Pick<ApiCall<unknown>, 'secrets' | 'send' | 'realm'>,
  { user, sealed, instead, as }: SealedKey,
): Promise<string | undefined> {
  const { secrets, realm } = call;
  const key = secrets.tryOpen(sealed);
  if (key !== undefined) return key;
  const args = { user, instead };
  const renewed = await call.send(
    forwardCommand({ to: realmKey(realm), command: realmCommands.renewKey, args, ...(as !== undefined && { as }) }),
  );
  return typeof renewed.sealed === 'string' ? secrets.tryOpen(renewed.sealed) : undefined;
}
