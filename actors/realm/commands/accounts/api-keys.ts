/** Replaces API keys: on request (users.md § API keys), or because a key can't be unsealed. */

import { makeSuccessReply, makeValueReply } from '#actors/shared';
import { formatBotServicesWithSealedToken, isSystemBot } from '#domain/people';
import { type RealmId, userActorKey } from '#model';
import { makeOutboxCommand, type realmActorCommands, userActorCommands } from '#model/commands';
import { apiError } from '#model/errors';
import type { DirectoryUser } from '#model/records';
import type { CommandOutcome } from '#runtime';
import type { ActorInputSources } from '../../../services.js';
import { findBotAccount, getManagedBotOrThrow, makeBotAccountChanges, makeBotUpdatedEvent } from '../../bots.js';
import { makeDirectoryLogItem } from '../../log-items.js';
import {
  type ActorParts,
  encodeDirectoryRecord,
  findUserRecord,
  type RealmActorState,
  USER_PART_PREFIX,
} from '../../state.js';
import { getActingUserOrThrow } from '../callers.js';
import { NO_INPUT_COMMAND_LANE, type RealmCommandHandler } from '../command.js';

export interface NewApiKey {
  readonly hash: string;
  readonly sealedKey: string;
}

export function makeNewApiKey(realm: RealmId, { services: { secrets } }: ActorInputSources): NewApiKey {
  const key = secrets.makeRandomApiKey(realm);
  return { hash: secrets.hashApiKeyOrToken(key), sealedKey: secrets.seal(key) };
}

/**
 * Gives an account a new key. The old key is refused by every host whose replica has this change. Managers of a bot get
 * the new key by an event.
 * @param token new token of an outgoing webhook bot, sealed; absent: the bot keeps its token
 */
export function makeApiKeyReplacement(
  parts: ActorParts,
  user: DirectoryUser,
  { hash, sealedKey }: NewApiKey,
  realm: RealmId,
  token?: string,
): Required<Pick<CommandOutcome<RealmActorState>, 'parts' | 'events' | 'commands'>> {
  const commands = [
    [
      makeOutboxCommand({
        to: userActorKey(realm, user.id),
        name: userActorCommands.setKey,
        args: { keySealed: sealedKey },
        caller: 0,
      }),
    ],
  ];
  const after: DirectoryUser = { ...user, keyHash: hash };
  const before = findBotAccount(parts, user.id);
  if (!before) {
    return {
      parts: { [`${USER_PART_PREFIX}${user.id}`]: encodeDirectoryRecord(after) },
      events: [makeDirectoryLogItem({ user: after })],
      commands,
    };
  }
  const { service } = before.bot;
  const changed = service && token !== undefined ? { ...service, tokenSealed: token } : undefined;
  const account = { user: after, bot: { ...before.bot, keySealed: sealedKey, ...(changed && { service: changed }) } };
  const stored = makeBotAccountChanges(account, before);
  const events = [makeBotUpdatedEvent(parts, account, { api_key: sealedKey })];
  if (changed)
    events.push(makeBotUpdatedEvent(parts, account, { services: formatBotServicesWithSealedToken(account.bot) }));
  return {
    parts: stored.parts,
    events: [...stored.changes, ...events],
    commands,
  };
}

interface ApiKeyRenewalInputs extends NewApiKey {
  readonly tokenSealed: string;
  /** True if a sealed (encrypted) token can be decrypted. */
  readonly canUnseal: (sealed: string) => boolean;
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
export const renewApiKeyHandler: RealmCommandHandler<typeof realmActorCommands.renewKey, ApiKeyRenewalInputs> = {
  // The lane runs one renewal at a time, so that each sees the key that the one before has made.
  lane: 'renewed keys',
  exclusive: true,
  inputs: (_args, { realm }, sources) => {
    const { secrets } = sources.services;
    return {
      ...makeNewApiKey(realm, sources),
      tokenSealed: secrets.seal(secrets.makeRandomApiKey(realm)),
      canUnseal: (sealed) => secrets.unsealOrUndefined(sealed) !== undefined,
    };
  },
  handle({ parts }, { user: id, instead }, { tokenSealed, canUnseal, ...key }, { realm, version }) {
    const user = findUserRecord(parts, id);
    if (!user || isSystemBot(user)) throw apiError('INVALID_USER_ID', { user_id: id });
    const account = findBotAccount(parts, id);
    const { keySealed } = account?.bot ?? {};
    if (instead !== null && instead !== (keySealed ?? user.keyHash)) {
      return { reply: makeSuccessReply({ sealed: keySealed ?? null }) };
    }
    const token = account?.bot.service && !canUnseal(account.bot.service.tokenSealed) ? tokenSealed : undefined;
    const renewed = makeApiKeyReplacement(parts, user, key, realm, token);
    return { ...renewed, reply: makeSuccessReply({ sealed: key.sealedKey }, version), replyAfterCommands: true };
  },
};

/** Replaces a bot's API key for other actors, which read the new key from the directory. */
export const renewBotApiKeyHandler: RealmCommandHandler<typeof realmActorCommands.renewBotKey, ApiKeyRenewalInputs> = {
  ...renewApiKeyHandler,
  handle: (view, args, inputs, context) => ({
    ...renewApiKeyHandler.handle(view, args, inputs, context),
    reply: makeValueReply(null),
  }),
};

/**
 * POST /users/me/api_key/regenerate: replaces one's own key. The reply has the sealed key, because replies may be kept
 * in the Store.
 */
export const regenerateOwnApiKeyHandler: RealmCommandHandler<typeof realmActorCommands.regenerateKey, NewApiKey> = {
  lane: NO_INPUT_COMMAND_LANE,
  inputs: (_args, { realm }, sources) => makeNewApiKey(realm, sources),
  handle: ({ parts }, _args, key, { caller, realm, version }) => ({
    ...makeApiKeyReplacement(parts, getActingUserOrThrow(parts, caller), key, realm),
    reply: makeSuccessReply({ sealed: key.sealedKey }, version),
    replyAfterCommands: true,
  }),
};

/** POST /bots/{bot_id}/api_key/regenerate: replaces a bot's key. */
export const regenerateBotApiKeyHandler: RealmCommandHandler<typeof realmActorCommands.regenerateBotKey, NewApiKey> = {
  inputs: (_args, { realm }, sources) => makeNewApiKey(realm, sources),
  handle({ parts }, { bot_id }, key, { caller, realm, version }) {
    const { user } = getManagedBotOrThrow(parts, bot_id, getActingUserOrThrow(parts, caller));
    return {
      reply: makeSuccessReply({ sealed: key.sealedKey }, version),
      ...makeApiKeyReplacement(parts, user, key, realm),
    };
  },
};
