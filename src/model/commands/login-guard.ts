import { commandOf, type FieldsReply } from './command.js';
import type { LoginResult } from './user.js';

const command = commandOf<'stranger'>();

/** Commands of the actors that count log-ins with unknown addresses. */
export const loginGuardCommands = {
  /**
   * Counts a log-in with an unknown address, and always refuses as for a wrong password. `address`: hash of the
   * address.
   */
  fetchKey: command<{ readonly address: string; readonly password: string }, FieldsReply<LoginResult>>('fetch-key'),
};
