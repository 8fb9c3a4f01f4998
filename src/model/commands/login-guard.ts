import { commandOf, type Fields } from './command.js';
import type { LoginResult } from './user.js';

const command = commandOf<'stranger'>();

/** Commands of the actors that count log-ins with addresses of which no account is known. */
export const loginGuardCommands = {
  /** Always refused, as a wrong password is. `address`: hash of the address. */
  fetchKey: command<{ readonly address: string; readonly password: string }, Fields<LoginResult>>('fetch-key'),
};
