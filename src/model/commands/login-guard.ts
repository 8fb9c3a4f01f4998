import { type ActorFieldsReply, makeCommandDeclarer } from './command.js';
import type { LoginResult } from './user.js';

const declareCommand = makeCommandDeclarer<'stranger'>();

/** Commands of the actors that count log-ins with unknown e-mail addresses. */
export const unknownEmailLoginActorCommands = {
  /**
   * Counts a log-in with an unknown e-mail address, and always refuses it as for a wrong password. `address`: hash of
   * the e-mail address.
   */
  fetchKey: declareCommand<{ readonly address: string; readonly password: string }, ActorFieldsReply<LoginResult>>(
    'fetch-key',
  ),
};
