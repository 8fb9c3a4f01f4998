/**
 * Folder single-sign-on lets people sign in with an account of another service, by OpenID Connect.
 *
 * The way of a sign-in: `config.ts` has the providers of the server → `flow.ts` makes the state of a sign-in, which the
 * browser keeps in a sealed cookie → `provider.ts` (openid-client) sends the browser to the provider and exchanges the
 * code that it brings back → `claims.ts` reads the identity. `icon.ts` reads the
 * pictures for buttons. `fetch.ts` bounds requests to providers in networks, time
 * and size. The operations are in `frontend/api/operations/single-sign-on`; which account an identity has is decided by
 * the realm actor (actors/realm/commands/accounts/identities.ts).
 *
 * Invariants: PKCE, state and nonce are always used; the issuer of an answer must be the one that was asked (RFC 9207);
 * the signature of an ID token is checked. Addresses in requests come from the configuration and from the metadata of
 * an issuer, never from a browser. An address that the provider did not verify finds no account.
 *
 * Importers: `frontend/api`, `frontend/http`, `app`.
 */
export type { ExternalIdentity } from './claims.js';
export { type IdentityProviderConfig, parseIdentityProvidersSetting } from './config.js';
export {
  decryptSignInFlow,
  encryptSignInFlow,
  hashSignInFlow,
  makeExpiredSignInFlowCookie,
  makeSignInFlowCookie,
  makeSignInFlowExpiry,
  type SignInFlow,
  type SignInFlowTarget,
} from './flow.js';
export { type JwtKeysBySubdomain, parseJwtKeysSetting, verifyJwtAndGetClaims } from './jwt.js';
export { encryptApiKeyWithOneTimePad, encryptForDesktopClient, isOneTimePad } from './one-time-pad.js';
export { IdentityProviders, IdentityProviderUnavailableError, SingleSignOnRefusedError } from './provider.js';
