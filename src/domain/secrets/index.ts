/**
 * Cryptography under the server secret, passwords, and the rate limit of logins.
 *
 * - `secrets.ts`: API keys, sealed texts, signatures and password hashes, all with keys derived from one secret.
 * - `mail-links.ts`: tokens of links in mails.
 * - `login-attempts.ts`: the rate limit of failed logins, from the times of failures that an actor stores.
 * - `login-guard.ts`: the actor that counts failures for addresses without an account.
 * - `web-sessions.ts`: secrets and rules of sessions of browsers, and of links that sign in once.
 * - `service.ts`, `password-strength.ts`, `strength-worker.ts`: password strength, estimated in a thread.
 *
 * Invariants: the Store never holds an API key, a password or a link in clear. A login takes the same time whether or
 * not the account exists. All processes of a cluster share one secret.
 *
 * Other domain folders, actors and the frontend may import this folder. Only src/app/server creates the
 * `PasswordStrengthThread`; others use the interface `PasswordStrengthChecker`.
 */
export {
  loginRateLimitError,
  msUntilLoginAllowed,
  withLoginFailureAdded,
  wrongPasswordError,
} from './login-attempts.js';
export { loginGuardKeyAndAddressHash } from './login-guard.js';
export { openValidMailLinkToken, sealMailLinkToken } from './mail-links.js';
export { PasswordStrengthThread } from './password-strength.js';
export { ServerCryptography } from './secrets.js';
export type { PasswordStrengthChecker } from './service.js';
export {
  hashSessionToken,
  hashSignInLinkToken,
  isSessionUnexpired,
  isSessionUseToBeRecorded,
  makeSessionToken,
  makeSignInLinkToken,
  withoutEndedSessions,
  withoutPushEndpoint,
  withoutSpentSignInLink,
  withSessionAdded,
  withSessionPushSet,
  withSessionsEndedByDeactivation,
  withSessionUseRecorded,
  withSignInLinkAdded,
} from './web-sessions.js';
