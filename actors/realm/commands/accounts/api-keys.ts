/** Replaces API keys: on request (users.md § API keys), or because a key can't be unsealed. */

import { success, value } from '#actors/shared';
import { isSystemBot, presentServices } from '#domain/people';
import { type RealmId, userKey } from '#model';
import { outboxCommand, type realmCommands, userCommands } from '#model/commands';
import { apiError } from '#model/errors';
import type { DirectoryUser } from '#model/records';
import type { Outcome } from '#runtime';
import type { InputSources } from '../../../services.js';
import { botAccount, botChange, botUpdated, managedBot } from '../../bots.js';
import { directoryItem } from '../../log-items.js';
import { type Parts, type RealmState, toPart, USER_PART, userOf } from '../../state.js';
import { actingUser } from '../callers.js';
import { type RealmCommand, SETTINGS_LANE } from '../command.js';

export interface NewKey {
  readonly hash: string;
  readonly sealed: string;
}

export function makeKey(realm: RealmId, { services: { secrets } }: InputSources): NewKey {
  const key = secrets.newApiKey(realm);
  return { hash: secrets.keyHash(key), sealed: secrets.seal(key) };
}

/**
 * Gives an account a new key. The old key is refused by every host whose replica has this change. Managers of a bot get
 * the new key by an event.
 * @param token new token of an outgoing webhook bot, sealed; absent: the bot keeps its token
 */
export function replaceKey(
  parts: Parts,
  user: DirectoryUser,
  { hash, sealed }: NewKey,
  realm: RealmId,
  token?: string,
): Required<Pick<Outcome<RealmState>, 'parts' | 'events' | 'commands'>> {
  const commands = [
    [outboxCommand({ to: userKey(realm, user.id), name: userCommands.setKey, args: { keySealed: sealed }, caller: 0 })],
  ];
  const after: DirectoryUser = { ...user, keyHash: hash };
  const before = botAccount(parts, user.id);
  if (!before) {
    return {
      parts: { [`${USER_PART}${user.id}`]: toPart(after) },
      events: [directoryItem({ user: after })],
      commands,
    };
  }
  const { service } = before.bot;
  const changed = service && token !== undefined ? { ...service, tokenSealed: token } : undefined;
  const account = { user: after, bot: { ...before.bot, keySealed: sealed, ...(changed && { service: changed }) } };
  const stored = botChange(account, before);
  const events = [botUpdated(parts, account, { api_key: sealed })];
  if (changed) events.push(botUpdated(parts, account, { services: presentServices(account.bot) }));
  return {
    parts: stored.parts,
    events: [...stored.changes, ...events],
    commands,
  };
}

interface RenewalInputs extends NewKey {
  readonly tokenSealed: string;
  /** Whether a sealed token can be unsealed. */
  readonly readable: (sealed: string) => boolean;
}

/**
 * Replaces a key that can't be unsealed (its server secret is gone) or that the command line replaces; the sender has
 * checked the right to the key. A token that can't be unsealed is replaced too. Replies with the sealed key, or with
 * null if a person's key is no longer `instead`: the user actor then has the newer key.
 */
export const renewKey: RealmCommand<typeof realmCommands.renewKey, RenewalInputs> = {
  // One renewal at a time: the next command sees the key of the one before.
  lane: 'renewed keys',
  exclusive: true,
  inputs: (_args, { realm }, sources) => {
    const { secrets } = sources.services;
    return {
      ...makeKey(realm, sources),
      tokenSealed: secrets.seal(secrets.newApiKey(realm)),
      readable: (sealed) => secrets.tryOpen(sealed) !== undefined,
    };
  },
  handle({ parts }, { user: id, instead }, { tokenSealed, readable, ...key }, { realm, version }) {
    const user = userOf(parts, id);
    if (!user || isSystemBot(user)) throw apiError('INVALID_USER_ID', { user_id: id });
    const account = botAccount(parts, id);
    const { keySealed } = account?.bot ?? {};
    if (instead !== null && instead !== (keySealed ?? user.keyHash)) {
      return { reply: success({ sealed: keySealed ?? null }) };
    }
    const token = account?.bot.service && !readable(account.bot.service.tokenSealed) ? tokenSealed : undefined;
    const renewed = replaceKey(parts, user, key, realm, token);
    return { ...renewed, reply: success({ sealed: key.sealed }, version), replyAfterCommands: true };
  },
};

/** The same for other actors, which read the new key from the directory. */
export const renewBotKey: RealmCommand<typeof realmCommands.renewBotKey, RenewalInputs> = {
  ...renewKey,
  handle: (view, args, inputs, context) => ({ ...renewKey.handle(view, args, inputs, context), reply: value(null) }),
};

/** POST /users/me/api_key/regenerate. The reply has the sealed key, because replies may be kept in the Store. */
export const regenerateKey: RealmCommand<typeof realmCommands.regenerateKey, NewKey> = {
  lane: SETTINGS_LANE,
  inputs: (_args, { realm }, sources) => makeKey(realm, sources),
  handle: ({ parts }, _args, key, { caller, realm, version }) => ({
    ...replaceKey(parts, actingUser(parts, caller), key, realm),
    reply: success({ sealed: key.sealed }, version),
    replyAfterCommands: true,
  }),
};

/** POST /bots/{bot_id}/api_key/regenerate. */
export const regenerateBotKey: RealmCommand<typeof realmCommands.regenerateBotKey, NewKey> = {
  inputs: (_args, { realm }, sources) => makeKey(realm, sources),
  handle({ parts }, { bot_id }, key, { caller, realm, version }) {
    const { user } = managedBot(parts, bot_id, actingUser(parts, caller));
    return { reply: success({ sealed: key.sealed }, version), ...replaceKey(parts, user, key, realm) };
  },
};
