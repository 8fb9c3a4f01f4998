/**
 * The state of a sign-in while the browser is at the identity provider. The browser keeps the state in a cookie,
 * encrypted under the server secret, so any frontend can continue. The realm actor ensures that a flow ends in at most
 * one sign-in.
 *
 * Behind TLS the cookie has the prefix `__Host-`: neither the network nor another organization's host can plant the
 * flow of an attacker. The cookie is `SameSite=Lax`, because the browser comes back from another site.
 */
import type { ServerCryptography } from '#domain/secrets';
import { type RealmId, toRealmId } from '#model';
import type { SignInFlowSecrets } from './provider.js';

/** Target of a sign-in: a session of this browser, or a client with its one-time pad (hexadecimal). */
export type SignInFlowTarget = { readonly kind: 'web' } | { readonly kind: 'mobile' | 'desktop'; readonly pad: string };

export interface SignInFlow extends SignInFlowSecrets {
  readonly realm: RealmId;
  readonly provider: string;
  readonly target: SignInFlowTarget;
  /** Time at which the flow expires, milliseconds since 1970. */
  readonly expires: number;
}

/** Milliseconds within which the user must sign in at the provider. */
const SIGN_IN_FLOW_VALID_MS = 600_000;

export const makeSignInFlowExpiry = (now: number): number => now + SIGN_IN_FLOW_VALID_MS;

const SIGN_IN_FLOW_PURPOSE = 'sign-in-flow';
const FLOW_STATE_PATTERN = /^[A-Za-z0-9_-]{16,128}$/;

/** Name of a flow's cookie. It contains the state, so several flows of one browser have separate cookies. */
const flowCookieNameOf = (state: string, secure: boolean): string =>
  `${secure ? '__Host-' : ''}conclave_sign_in_${state.slice(0, 8)}`;

const formatFlowCookie = (state: string, value: string, secure: boolean, maxAge: number): string =>
  `${flowCookieNameOf(state, secure)}=${value}; Path=/; Max-Age=${maxAge}; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`;

/** Encrypts a new flow for its cookie. */
export function encryptSignInFlow(secrets: ServerCryptography, flow: SignInFlow): string {
  return Buffer.from(secrets.seal(JSON.stringify([SIGN_IN_FLOW_PURPOSE, flow])), 'base64').toString('base64url');
}

/** Makes the value of Set-Cookie that begins a flow. @param secure true if the organization's URL has TLS */
export const makeSignInFlowCookie = (state: string, sealed: string, secure: boolean): string =>
  formatFlowCookie(state, sealed, secure, SIGN_IN_FLOW_VALID_MS / 1000);

/** Makes the value of Set-Cookie that ends a flow. @param state state in the query of the request */
export const makeExpiredSignInFlowCookie = (state: string, secure: boolean): string =>
  formatFlowCookie(state, '', secure, 0);

/** Returns the hash that identifies a flow at the realm actor. */
export const hashSignInFlow = (secrets: ServerCryptography, { state }: SignInFlow): string =>
  secrets.hashApiKeyOrToken(`${SIGN_IN_FLOW_PURPOSE}/${state}`);

/**
 * Decrypts the flow of a browser that came back from the provider.
 * @param header Cookie header
 * @param state state in the query of the request
 * @returns undefined if this browser has not begun the flow, or the flow has expired
 */
export function decryptSignInFlow(
  secrets: ServerCryptography,
  header: string,
  state: string,
  { secure, now }: { readonly secure: boolean; readonly now: number },
): SignInFlow | undefined {
  if (!FLOW_STATE_PATTERN.test(state)) return undefined;
  const name = `${flowCookieNameOf(state, secure)}=`;
  const value = header
    .split(';')
    .map((one) => one.trim())
    .find((one) => one.startsWith(name));
  const text = secrets.unsealOrUndefined(Buffer.from(value?.slice(name.length) ?? '', 'base64url').toString('base64'));
  // Texts encrypted for other purposes have another beginning.
  if (!text?.startsWith(`["${SIGN_IN_FLOW_PURPOSE}",`)) return undefined;
  const [, flow] = JSON.parse(text) as [string, SignInFlow];
  if (flow.state !== state || flow.expires <= now) return undefined;
  return { ...flow, realm: toRealmId(flow.realm) };
}
