/** GET, PUT and DELETE /bot_storage (users.md § Bot storage): read, write and delete texts that a bot stores. */

import { successReply } from '#actors/shared';
import {
  countEntriesWith,
  countStorageCharacters,
  MAX_STORAGE_CHARACTERS,
  MAX_STORAGE_ENTRIES,
  MAX_STORAGE_ENTRIES_AT_ONCE,
  putStorageEntries,
  readStorageEntries,
} from '#domain/people';
import type { userCommands } from '#model/commands';
import { apiError, checkCount } from '#model/errors';
import type { UserCommand } from '../../state.js';

const missing = (): Error => apiError('KEY_DOES_NOT_EXIST');

/**
 * Entries as fields of an object. The fields are not assigned one by one, because an assignment to the key `__proto__`
 * would set the prototype.
 */
const asFields = (entries: Iterable<{ readonly key: string; readonly value: string }>) =>
  Object.fromEntries([...entries].map(({ key, value }) => [key, value]));

export const readBotStorageHandler: UserCommand<typeof userCommands.botStorage> = {
  lane: 'read',
  read: true,
  handle: ({ parts }, { keys }) => ({
    reply: successReply({ storage: asFields(Object.values(readStorageEntries(parts, keys, missing))) }),
  }),
};

export const putBotStorageHandler: UserCommand<typeof userCommands.putStorage> = {
  handle({ state, parts }, { storage }) {
    checkCount('storage', Object.keys(storage).length, MAX_STORAGE_ENTRIES_AT_ONCE);
    const { parts: changed, growth } = putStorageEntries(parts, storage);
    checkCount('storage', countEntriesWith(parts, changed), MAX_STORAGE_ENTRIES);
    const size = (state.storage ?? 0) + growth;
    if (size > MAX_STORAGE_CHARACTERS)
      throw apiError('STORAGE_FULL', { n: size - MAX_STORAGE_CHARACTERS, limit: MAX_STORAGE_CHARACTERS });
    return { reply: successReply(), state: { ...state, storage: size }, parts: changed };
  },
};

export const removeBotStorageHandler: UserCommand<typeof userCommands.removeStorage> = {
  handle({ state, parts }, { keys }) {
    const entries = readStorageEntries(parts, keys, missing);
    const size = (state.storage ?? 0) - countStorageCharacters(Object.values(entries));
    return {
      reply: successReply(),
      state: { ...state, storage: size },
      parts: Object.fromEntries(Object.keys(entries).map((part) => [part, null])),
    };
  },
};
