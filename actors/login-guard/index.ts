/**
 * The login guard: a fixed number of actors per organization that count failed log-ins with addresses of no account.
 * State: failures of up to 16 addresses, without parts or phases. Its one command, `fetchKey`, takes as long and
 * refuses in the same words as the command of the same name at a user actor (actors/user/commands/account/login.ts), so
 * that the answer does not show which addresses have accounts. The stored name of the kind is `stranger`. Importers:
 * src/app, which hosts the kind.
 */
export { loginGuardActorKind } from './kind.js';
