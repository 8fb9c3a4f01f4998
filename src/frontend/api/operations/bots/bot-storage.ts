/** Operations of the API for bot storage: text by key that an account keeps on the server (users.md § Bot storage). */
import { Type } from 'typebox';
import { userActorKey } from '#model';
import { userActorCommands } from '#model/commands';
import { type ApiOperation, defineOperation, forwardCommand } from '../../operation.js';
import { declareOptionalJsonParameter } from '../../parameters.js';

/** Maximum of MiB of one request, equal to the bound of the whole storage of an account. */
const MAX_BOT_STORAGE_REQUEST_MIB = 10;

const declareOptionalStorageKeysParameter = (where: 'query' | 'form') =>
  declareOptionalJsonParameter(where, Type.Array(Type.String()), 'Which; absent: all.');

const getBotStorageOperation = defineOperation({
  id: 'get-bot-storage',
  method: 'GET',
  path: '/bot_storage',
  guard: 'user',
  compressed: false,
  summary: 'Read what the caller has stored.',
  parameters: { keys: declareOptionalStorageKeysParameter('query') },
  run: ({ realm, caller, params }) =>
    forwardCommand({
      to: userActorKey(realm, caller),
      command: userActorCommands.botStorage,
      args: { keys: params.keys ?? null },
    }),
});

const putBotStorageOperation = defineOperation({
  id: 'put-bot-storage',
  method: 'PUT',
  path: '/bot_storage',
  guard: 'user',
  summary: 'Store text by key; what is stored under other keys stays.',
  maxBodyMib: MAX_BOT_STORAGE_REQUEST_MIB,
  parameters: {
    storage: {
      in: 'form',
      encoding: 'json',
      schema: Type.Record(Type.String(), Type.String()),
      required: true,
      description: 'Text by key.',
      maxCharacters: MAX_BOT_STORAGE_REQUEST_MIB * 1_048_576,
    },
  },
  run: ({ realm, caller, params }) =>
    forwardCommand({
      to: userActorKey(realm, caller),
      command: userActorCommands.putStorage,
      args: { storage: params.storage },
    }),
});

const removeBotStorageOperation = defineOperation({
  id: 'remove-bot-storage',
  method: 'DELETE',
  path: '/bot_storage',
  guard: 'user',
  summary: 'Remove what is stored.',
  parameters: { keys: declareOptionalStorageKeysParameter('form') },
  run: ({ realm, caller, params }) =>
    forwardCommand({
      to: userActorKey(realm, caller),
      command: userActorCommands.removeStorage,
      args: { keys: params.keys ?? null },
    }),
});

export const BOT_STORAGE_OPERATIONS = [
  getBotStorageOperation,
  putBotStorageOperation,
  removeBotStorageOperation,
] as unknown as readonly ApiOperation[];
