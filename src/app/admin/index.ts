/**
 * Folder admin makes and changes organizations and accounts for the command line (`app/cli`).
 *
 * A command of the command line opens an `SystemActorCaller` (`actor-caller.ts`): `BusSystemActorCaller` sends over the
 * bus of a node that the command line starts itself, `RunningServerActorCaller` (`channel.ts`) through the embedded
 * server that runs in the data directory. Then it calls functions of `accounts.ts` (make, find, API keys), `changes.ts`
 * (roles, limits, deactivation) and `sign-in-link.ts` (links for browsers), which send the same commands to the same
 * actors as operations of the API do. The server's end
 * of the channel is `AdminChannelServer`; it also writes backups.
 *
 * Invariants: commands run as the system, so no role is checked; access to the data directory or the bus is the
 * permission. API keys travel sealed or hashed. Failures are `AdminError`s with a text for the terminal.
 * Importers: other folders of `app`.
 */
export {
  createRealmWithOwner,
  createUserAndReturnId,
  listRealms,
  readOrRenewUserApiKey,
  renewUserApiKeyByEmail,
  requireRealmBySubdomain,
} from './accounts.js';
export { BusSystemActorCaller, SystemActorCaller } from './actor-caller.js';
export { AdminError, InvalidArgumentError, ServerStoppedError } from './admin-error.js';
export {
  countAccountsAndStreams,
  deactivateUserWithoutMail,
  deleteRealm,
  forgetUserSignInIdentities,
  reactivateUser,
  requireDeletableRealm,
  setRateLimitsOfUser,
  setRealmActive,
  setUserManagesBilling,
  setUserPasswordAndEndSessions,
  setUserRole,
} from './changes.js';
export { AdminChannelServer, excessBytesOfDataDirPath, RunningServerActorCaller } from './channel.js';
export { createOneTimeSignInUrl } from './sign-in-link.js';
