/** The link with which somebody without an invitation confirms an address; it holds all there is to know, so nothing is stored for it. */
import { type RealmId, realmId } from '../core/index.js';
import type { Secrets } from '../secrets/index.js';

export interface SignUp {
  readonly realm: RealmId;
  readonly email: string;
  /** Milliseconds since 1970. */
  readonly expires: number;
}

const PURPOSE = 'sign-up';

export function signUpLink(secrets: Secrets, origin: string, { realm, email, expires }: SignUp): string {
  const sealed = secrets.seal(JSON.stringify([PURPOSE, realm, email, expires]));
  return `${origin}/signup/${Buffer.from(sealed, 'base64').toString('base64url')}`;
}

/** Undefined: this server did not make it, or its time is over. */
export function readSignUp(secrets: Secrets, token: string, now: number): SignUp | undefined {
  let opened: unknown;
  try {
    opened = JSON.parse(secrets.open(Buffer.from(token, 'base64url').toString('base64')));
  } catch {
    return undefined;
  }
  if (!Array.isArray(opened) || opened[0] !== PURPOSE) return undefined;
  const [, realm, email, expires] = opened as [string, number, string, number];
  return expires > now ? { realm: realmId(realm), email, expires } : undefined;
}
