/** POST /users/me/api_key/regenerate (users.md § API keys). */
import type { JsonObject, RealmId } from '../../../../src/core/index.js';
import { userKey } from '../../../../src/core/index.js';
import type { DirectoryUser } from '../../../../src/directory/index.js';
import type { Outcome, Suppliers } from '../../../../src/runtime/index.js';
import { success } from '../../../shared/replies.js';
import { botAccount, botUpdated, storeBot } from '../../bots.js';
import { asPart, type Parts, type RealmState, USER_PART } from '../../state.js';
import { tellReplicas } from '../../tell-replicas.js';
import type { RealmCommand } from '../command.js';
import { actingUser, LANE } from '../personal/personal.js';

export interface NewKey {
  readonly hash: string;
  readonly sealed: string;
}

export function makeKey(realm: RealmId, { services: { secrets } }: Suppliers): NewKey {
  const key = secrets.newApiKey(realm);
  return { hash: secrets.keyHash(key), sealed: secrets.seal(key) };
}

/** The old key is dead wherever this change of the directory has come. Managers of a bot are told of the new one. */
export function replaceKey(
  parts: Parts,
  user: DirectoryUser,
  { hash, sealed }: NewKey,
  realm: RealmId,
): Required<Pick<Outcome<RealmState>, 'parts' | 'events' | 'commands'>> {
  const commands = [[{ to: userKey(realm, user.id), name: 'set-key', args: { keySealed: sealed }, caller: 0 }]];
  const after: DirectoryUser = { ...user, keyHash: hash };
  const before = botAccount(parts, user.id);
  if (!before) {
    return {
      parts: { [`${USER_PART}${user.id}`]: asPart(after) },
      events: [tellReplicas({ user: after })],
      commands,
    };
  }
  const account = { user: after, bot: { ...before.bot, keySealed: sealed } };
  const stored = storeBot(account, before);
  return {
    parts: stored.parts,
    events: [...stored.changes, botUpdated(parts, account, { api_key: sealed })],
    commands,
  };
}

/** The key leaves sealed: replies may be remembered in the Store. */
export const regenerateKey: RealmCommand<JsonObject, NewKey> = {
  lane: LANE,
  needs: (_args, { realm }, suppliers) => makeKey(realm, suppliers),
  handle: ({ parts }, _args, key, { caller, realm, version }) => ({
    ...replaceKey(parts, actingUser(parts, caller), key, realm),
    reply: success({ sealed: key.sealed }, version),
    replyAfterCommands: true,
  }),
};
