/** Replaces API keys: on request (users.md § API keys), or because a key can't be unsealed. */

import { successReply, valueReply } from '#actors/shared';
import { isSystemBot, presentBotServices } from '#domain/people';
import { type RealmId, userKey } from '#model';
import { outboxCommand, type realmCommands, userCommands } from '#model/commands';
import { apiError } from '#model/errors';
import type { DirectoryUser } from '#model/records';
import type { Outcome } from '#runtime';
import type { InputSources } from '../../../services.js';
import { botUpdatedItem, findBotAccount, requireManagedBot, storeBot } from '../../bots.js';
import { directoryLogItem } from '../../log-items.js';
import { type ActorParts, encodeRecord, type RealmState, USER_PART_PREFIX, userRecord } from '../../state.js';
import { requireActingUser } from '../callers.js';
import { type RealmCommand, SETTINGS_LANE } from '../command.js';

export interface NewApiKey {
  readonly hash: string;
  readonly sealed: string;
}

export function makeApiKey(realm: RealmId, { services: { secrets } }: InputSources): NewApiKey {
  const key = secrets.newApiKey(realm);
  return { hash: secrets.keyHash(key), sealed: secrets.seal(key) };
}

/**
 * Gives an account a new key. The old key is refused by every host whose replica has this change. Managers of a bot get
 * the new key by an event.
 * @param token new token of an outgoing webhook bot, sealed; absent: the bot keeps its token
 */
export function replaceApiKey(
  parts: ActorParts,
  user: DirectoryUser,
  { hash, sealed }: NewApiKey,
  realm: RealmId,
  token?: string,
): Required<Pick<Outcome<RealmState>, 'parts' | 'events' | 'commands'>> {
  const commands = [
    [outboxCommand({ to: userKey(realm, user.id), name: userCommands.setKey, args: { keySealed: sealed }, caller: 0 })],
  ];
  const after: DirectoryUser = { ...user, keyHash: hash };
  const before = findBotAccount(parts, user.id);
  if (!before) {
    return {
      parts: { [`${USER_PART_PREFIX}${user.id}`]: encodeRecord(after) },
      events: [directoryLogItem({ user: after })],
      commands,
    };
  }
  const { service } = before.bot;
  const changed = service && token !== undefined ? { ...service, tokenSealed: token } : undefined;
  const account = { user: after, bot: { ...before.bot, keySealed: sealed, ...(changed && { service: changed }) } };
  const stored = storeBot(account, before);
  const events = [botUpdatedItem(parts, account, { api_key: sealed })];
  if (changed) events.push(botUpdatedItem(parts, account, { services: presentBotServices(account.bot) }));
  return {
    parts: stored.parts,
    events: [...stored.changes, ...events],
    commands,
  };
}

interface RenewalInputs extends NewApiKey {
  readonly tokenSealed: string;
  /** Tells whether a sealed token can be unsealed. */
  readonly readable: (sealed: string) => boolean;
}

/**
 * Replaces an API key that can't be unsealed (its server secret is gone) or that the command line replaces. If the
 * present key is not `instead`, it was replaced meanwhile, and nothing changes.
 *
 * An outgoing webhook bot also gets a new token if its token can't be unsealed. The sender of the command has checked
 * the right to the key.
 *
 * The reply has the sealed key. It is null for a person whose key was replaced meanwhile: the user actor has it.
 */
export const renewApiKeyHandler: RealmCommand<typeof realmCommands.renewKey, RenewalInputs> = {
  // The lane runs one renewal at a time, so that each sees the key that the one before has made.
  lane: 'renewed keys',
  exclusive: true,
  inputs: (_args, { realm }, sources) => {
    const { secrets } = sources.services;
    return {
      ...makeApiKey(realm, sources),
      tokenSealed: secrets.seal(secrets.newApiKey(realm)),
      readable: (sealed) => secrets.tryOpen(sealed) !== undefined,
    };
  },
  handle({ parts }, { user: id, instead }, { tokenSealed, readable, ...key }, { realm, version }) {
    const user = userRecord(parts, id);
    if (!user || isSystemBot(user)) throw apiError('INVALID_USER_ID', { user_id: id });
    const account = findBotAccount(parts, id);
    const { keySealed } = account?.bot ?? {};
    if (instead !== null && instead !== (keySealed ?? user.keyHash)) {
      return { reply: successReply({ sealed: keySealed ?? null }) };
    }
    const token = account?.bot.service && !readable(account.bot.service.tokenSealed) ? tokenSealed : undefined;
    const renewed = replaceApiKey(parts, user, key, realm, token);
    return { ...renewed, reply: successReply({ sealed: key.sealed }, version), replyAfterCommands: true };
  },
};

/** Replaces a bot's API key for other actors, which read the new key from the directory. */
export const renewBotApiKeyHandler: RealmCommand<typeof realmCommands.renewBotKey, RenewalInputs> = {
  ...renewApiKeyHandler,
  handle: (view, args, inputs, context) => ({
    ...renewApiKeyHandler.handle(view, args, inputs, context),
    reply: valueReply(null),
  }),
};

/**
 * POST /users/me/api_key/regenerate: replaces one's own key. The reply has the sealed key, because replies may be kept
 * in the Store.
 */
export const regenerateApiKeyHandler: RealmCommand<typeof realmCommands.regenerateKey, NewApiKey> = {
  lane: SETTINGS_LANE,
  inputs: (_args, { realm }, sources) => makeApiKey(realm, sources),
  handle: ({ parts }, _args, key, { caller, realm, version }) => ({
    ...replaceApiKey(parts, requireActingUser(parts, caller), key, realm),
    reply: successReply({ sealed: key.sealed }, version),
    replyAfterCommands: true,
  }),
};

/** POST /bots/{bot_id}/api_key/regenerate: replaces a bot's key. */
export const regenerateBotApiKeyHandler: RealmCommand<typeof realmCommands.regenerateBotKey, NewApiKey> = {
  inputs: (_args, { realm }, sources) => makeApiKey(realm, sources),
  handle({ parts }, { bot_id }, key, { caller, realm, version }) {
    const { user } = requireManagedBot(parts, bot_id, requireActingUser(parts, caller));
    return { reply: successReply({ sealed: key.sealed }, version), ...replaceApiKey(parts, user, key, realm) };
  },
};
