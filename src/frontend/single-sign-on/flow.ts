/**
 * The state of a sign-in while the browser is at the provider. The browser keeps it in a cookie, sealed under the
 * server secret, so any frontend can go on. The realm actor sees to it that a flow ends in one sign-in.
 *
 * Behind TLS the cookie has the prefix `__Host-`: neither the network nor another organization's host can plant the
 * flow of an attacker. `SameSite=Lax`, because the browser comes back from another site.
 */
import type { ServerCryptography } from '#domain/secrets';
import { type RealmId, realmId } from '#model';
import type { FlowSecrets } from './provider.js';

/** Purpose of a sign-in: a session of this browser, or a client whose one-time pad is given (hexadecimal). */
export type FlowTarget = { readonly kind: 'web' } | { readonly kind: 'mobile' | 'desktop'; readonly pad: string };

export interface SignInFlow extends FlowSecrets {
  readonly realm: RealmId;
  readonly provider: string;
  readonly target: FlowTarget;
  /** Milliseconds since 1970. */
  readonly expires: number;
}

/** Time for signing in at the provider. */
const FLOW_VALID_MS = 600_000;

export const newFlowExpiry = (now: number): number => now + FLOW_VALID_MS;

const PURPOSE = 'sign-in-flow';
const STATE = /^[A-Za-z0-9_-]{16,128}$/;

/** Several flows of one browser have cookies of their own. */
const nameOf = (state: string, secure: boolean): string =>
  `${secure ? '__Host-' : ''}conclave_sign_in_${state.slice(0, 8)}`;

const cookie = (state: string, value: string, secure: boolean, maxAge: number): string =>
  `${nameOf(state, secure)}=${value}; Path=/; Max-Age=${maxAge}; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`;

/** Value of a new flow's cookie. */
export function sealFlow(secrets: ServerCryptography, flow: SignInFlow): string {
  return Buffer.from(secrets.seal(JSON.stringify([PURPOSE, flow])), 'base64').toString('base64url');
}

/** Value of Set-Cookie that begins a flow. @param secure the organization's address has TLS */
export const flowCookie = (state: string, sealed: string, secure: boolean): string =>
  cookie(state, sealed, secure, FLOW_VALID_MS / 1000);

/** Value of Set-Cookie that ends a flow. @param state from the query */
export const noFlowCookie = (state: string, secure: boolean): string => cookie(state, '', secure, 0);

/** Identifies a flow at the realm actor. */
export const flowHash = (secrets: ServerCryptography, { state }: SignInFlow): string =>
  secrets.keyHash(`${PURPOSE}/${state}`);

/**
 * The flow of the browser that came back.
 * @param header Cookie @param state from the query
 * @returns undefined if this browser has begun no such flow, or too long ago
 */
export function openFlow(
  secrets: ServerCryptography,
  header: string,
  state: string,
  { secure, now }: { readonly secure: boolean; readonly now: number },
): SignInFlow | undefined {
  if (!STATE.test(state)) return undefined;
  const name = `${nameOf(state, secure)}=`;
  const value = header
    .split(';')
    .map((one) => one.trim())
    .find((one) => one.startsWith(name));
  const text = secrets.tryOpen(Buffer.from(value?.slice(name.length) ?? '', 'base64url').toString('base64'));
  // Other sealed texts have another beginning.
  if (!text?.startsWith(`["${PURPOSE}",`)) return undefined;
  const [, flow] = JSON.parse(text) as [string, SignInFlow];
  if (flow.state !== state || flow.expires <= now) return undefined;
  return { ...flow, realm: realmId(flow.realm) };
}
