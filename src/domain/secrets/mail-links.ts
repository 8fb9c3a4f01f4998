/**
 * Tokens of links that are sent by mail, encrypted and authenticated under the server secret. A token can't be forged,
 * and it names its account and its expiry. The caller ensures single use, by the hash of the token.
 */
import { type RealmId, toRealmId, toUserId, type UserId } from '#model';
import type { ServerCryptography } from './secrets.js';

interface MailLinkTokenContent {
  readonly realm: RealmId;
  readonly user: UserId;
  /** Time at which the link expires, ms since 1970. */
  readonly expires: number;
}

/** Purpose of a link. A token is valid for its purpose only. */
type MailLinkPurpose = 'change-email' | 'reset-password';

export function sealMailLinkToken(
  secrets: ServerCryptography,
  purpose: MailLinkPurpose,
  { realm, user, expires }: MailLinkTokenContent,
): string {
  const sealed = secrets.seal(JSON.stringify([`link/${purpose}`, realm, user, expires]));
  return Buffer.from(sealed, 'base64').toString('base64url');
}

/**
 * Reads the token of a mailed link. Undefined if the token was not made by this server, is for another purpose, or has
 * expired.
 */
export function openValidMailLinkToken(
  secrets: ServerCryptography,
  purpose: MailLinkPurpose,
  token: string,
  now: number,
): MailLinkTokenContent | undefined {
  let opened: unknown;
  try {
    opened = JSON.parse(secrets.unseal(Buffer.from(token, 'base64url').toString('base64')));
  } catch {
    return undefined;
  }
  if (!Array.isArray(opened) || opened[0] !== `link/${purpose}`) return undefined;
  const [, realm, user, expires] = opened as [string, number, number, number];
  return expires > now ? { realm: toRealmId(realm), user: toUserId(user), expires } : undefined;
}
