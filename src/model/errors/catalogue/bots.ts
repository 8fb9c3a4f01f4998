/** Bots and their storage (users.md § Bots). */
import { bad, type CatalogueEntry } from './entry.js';

export const bots = {
  NO_SUCH_BOT: bad('No such bot'),
  EMBEDDED_BOTS_OFF: bad('Embedded bots are not enabled.'),
  USERNAME_IN_USE: bad('Username already in use'),
  BOT_NAME_IN_USE: bad('Name is already in use!'),
  INVALID_BOT_TYPE: bad('Invalid bot type'),
  INVALID_INTERFACE_TYPE: bad('Invalid interface type'),
  INVALID_INTEGRATION: bad("Invalid integration '{name}'."),
  OWNER_NO_SUCH_USER: bad('Failed to change owner, no such user'),
  OWNER_DEACTIVATED: bad('Failed to change owner, user is deactivated'),
  OWNER_IS_BOT: bad("Failed to change owner, bots can't own other bots"),
  KEY_DOES_NOT_EXIST: bad('Key does not exist.'),
  STORAGE_FULL: bad('Request exceeds storage limit by {n} characters. The limit is {limit} characters.'),
} as const satisfies Record<string, CatalogueEntry>;
