/** API keys as whoever has a right to them reads them. */

import type { UserId } from '#model';
import { realmKey } from '#model';
import { realmCommands } from '#model/commands';
import type { Call } from './operation.js';
import { forward } from './operation.js';

/** Of an account. */
export interface SealedKey {
  readonly user: UserId;
  readonly sealed: string;
  /** Of a bot its sealed key, of others the hash of the key: names the key that is to be replaced. */
  readonly instead: string;
  /** On whose behalf it is replaced; absent: the caller's. */
  readonly as?: UserId;
}

/**
 * In clear. One that can't be read was sealed under a server secret that is gone, so that it opens nothing any more: another
 * one takes its place, as at a regeneration. undefined: somebody else has just replaced it.
 */
export async function readableKey(
  call: Pick<Call<unknown>, 'secrets' | 'send' | 'realm'>,
  { user, sealed, instead, as }: SealedKey,
): Promise<string | undefined> {
  const { secrets, realm } = call;
  const key = secrets.tryOpen(sealed);
  if (key !== undefined) return key;
  const args = { user, instead };
  const renewed = await call.send(
    forward({ to: realmKey(realm), command: realmCommands.renewKey, args, ...(as !== undefined && { as }) }),
  );
  return typeof renewed.sealed === 'string' ? secrets.tryOpen(renewed.sealed) : undefined;
}
