/** GET, PUT and DELETE /bot_storage (users.md § Bot storage): read, write and delete texts that a bot stores. */

import { makeSuccessReply } from '#actors/shared';
import {
  countBotStorageCharacters,
  countBotStorageEntriesAfterAdding,
  MAX_BOT_STORAGE_CHARACTERS_PER_OWNER,
  MAX_BOT_STORAGE_ENTRIES_PER_OWNER,
  MAX_BOT_STORAGE_ENTRIES_PER_REQUEST,
  makeBotStorageWritesAndGrowth,
  readBotStorageEntriesByPart,
} from '#domain/people';
import type { userActorCommands } from '#model/commands';
import { apiError, checkParameterItemCount } from '#model/errors';
import type { UserCommandHandler } from '../../state.js';

const makeMissingKeyError = (): Error => apiError('KEY_DOES_NOT_EXIST');

/**
 * Entries as fields of an object. The fields are not assigned one by one, because an assignment to the key `__proto__`
 * would set the prototype.
 */
const objectFromStorageEntries = (entries: Iterable<{ readonly key: string; readonly value: string }>) =>
  Object.fromEntries([...entries].map(({ key, value }) => [key, value]));

export const readBotStorageHandler: UserCommandHandler<typeof userActorCommands.botStorage> = {
  lane: 'read',
  read: true,
  handle: ({ parts }, { keys }) => ({
    reply: makeSuccessReply({
      storage: objectFromStorageEntries(Object.values(readBotStorageEntriesByPart(parts, keys, makeMissingKeyError))),
    }),
  }),
};

export const putBotStorageHandler: UserCommandHandler<typeof userActorCommands.putStorage> = {
  handle({ state, parts }, { storage }) {
    checkParameterItemCount('storage', Object.keys(storage).length, MAX_BOT_STORAGE_ENTRIES_PER_REQUEST);
    const { parts: changed, growth } = makeBotStorageWritesAndGrowth(parts, storage);
    checkParameterItemCount(
      'storage',
      countBotStorageEntriesAfterAdding(parts, changed),
      MAX_BOT_STORAGE_ENTRIES_PER_OWNER,
    );
    const size = (state.storage ?? 0) + growth;
    if (size > MAX_BOT_STORAGE_CHARACTERS_PER_OWNER)
      throw apiError('STORAGE_FULL', {
        n: size - MAX_BOT_STORAGE_CHARACTERS_PER_OWNER,
        limit: MAX_BOT_STORAGE_CHARACTERS_PER_OWNER,
      });
    return { reply: makeSuccessReply(), state: { ...state, storage: size }, parts: changed };
  },
};

export const removeBotStorageHandler: UserCommandHandler<typeof userActorCommands.removeStorage> = {
  handle({ state, parts }, { keys }) {
    const entries = readBotStorageEntriesByPart(parts, keys, makeMissingKeyError);
    const size = (state.storage ?? 0) - countBotStorageCharacters(Object.values(entries));
    return {
      reply: makeSuccessReply(),
      state: { ...state, storage: size },
      parts: Object.fromEntries(Object.keys(entries).map((part) => [part, null])),
    };
  },
};
