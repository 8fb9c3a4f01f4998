/** Links that confirm the address of a person who signs up. The token has all data, sealed, so nothing is stored. */

import type { Secrets } from '#domain/secrets';
import { type RealmId, realmId } from '#model';

export interface SignUp {
  readonly realm: RealmId;
  readonly email: string;
  /** Milliseconds since 1970. */
  readonly expires: number;
  /** The invitation link that led to the sign-up; null: none. */
  readonly by: { readonly id: number; readonly nonce: string } | null;
}

const PURPOSE = 'sign-up';

export function signUpLink(secrets: Secrets, origin: string, { realm, email, expires, by }: SignUp): string {
  const sealed = secrets.seal(JSON.stringify([PURPOSE, realm, email, expires, by]));
  return `${origin}/signup/${Buffer.from(sealed, 'base64').toString('base64url')}`;
}

/** Undefined if the token was not made by this server, or has expired. */
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
