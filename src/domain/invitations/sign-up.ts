/**
 * Links that confirm the address of a person who signs up. The token contains all data, sealed, so the Store keeps
 * nothing.
 */

import type { ServerCryptography } from '#domain/secrets';
import { type RealmId, toRealmId } from '#model';

export interface SignUpTokenContent {
  readonly realm: RealmId;
  readonly email: string;
  /** Time at which the link expires, ms since 1970. */
  readonly expires: number;
  /** The invitation link that led to the sign-up; null: none. */
  readonly by: { readonly id: number; readonly nonce: string } | null;
}

const SIGN_UP_TOKEN_PURPOSE = 'sign-up';

export function makeSignUpLink(
  secrets: ServerCryptography,
  origin: string,
  { realm, email, expires, by }: SignUpTokenContent,
): string {
  const sealed = secrets.seal(JSON.stringify([SIGN_UP_TOKEN_PURPOSE, realm, email, expires, by]));
  return `${origin}/signup/${Buffer.from(sealed, 'base64').toString('base64url')}`;
}

/** Reads the token of a sign-up link. Undefined if the token was not made by this server, or has expired. */
export function openSignUpToken(
  secrets: ServerCryptography,
  token: string,
  now: number,
): SignUpTokenContent | undefined {
  let opened: unknown;
  try {
    opened = JSON.parse(secrets.unseal(Buffer.from(token, 'base64url').toString('base64')));
  } catch {
    return undefined;
  }
  if (!Array.isArray(opened) || opened[0] !== SIGN_UP_TOKEN_PURPOSE) return undefined;
  const [, realm, email, expires, by] = opened as [
    string,
    number,
    string,
    number,
    SignUpTokenContent['by'] | undefined,
  ];
  return expires > now ? { realm: toRealmId(realm), email, expires, by: by ?? null } : undefined;
}
