import { commandOf, type FieldsReply } from './command.js';
import type { LoginResult } from './user.js';

const command = commandOf<'stranger'>();

/** Commands of the actors that count log-ins with unknown e-mail addresses. */
export const loginGuardCommands = {
  /**
   * Counts a log-in with an unknown e-mail address, and always refuses it as for a wrong password. `address`: hash of
   * the e-mail address.
   */
  fetchKey: command<{ readonly address: string; readonly password: string }, FieldsReply<LoginResult>>('fetch-key'),
};
