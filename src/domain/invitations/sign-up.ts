/** The link with which somebody who was not invited by letter confirms an address; it holds all there is to know, so nothing is stored for it. */

import type { Secrets } from '#domain/secrets';
import { type RealmId, realmId } from '#model';

export interface SignUp {
  readonly realm: RealmId;
  readonly email: string;
  /** Milliseconds since 1970. */
  readonly expires: number;
  /** The link of an invitation with which he came; null: without one. */
  readonly by: { readonly id: number; readonly nonce: string } | null;
}

const PURPOSE = 'sign-up';

export function signUpLink(secrets: Secrets, origin: string, { realm, email, expires, by }: SignUp): string {
  const sealed = secrets.seal(JSON.stringify([PURPOSE, realm, email, expires, by]));
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
  const [, realm, email, expires, by] = opened as [string, number, string, number, SignUp['by'] | undefined];
  return expires > now ? { realm: realmId(realm), email, expires, by: by ?? null } : undefined;
}
