/**
 * Tokens of links that are sent by mail. Encrypted and authenticated under the server secret: nobody else can make one,
 * and it says itself whose it is and how long it holds. That it is used once, whoever made it looks after, by its hash.
 */
import { type RealmId, realmId, type UserId, userId } from '#model';
import type { Secrets } from './secrets.js';

export interface MailLink {
  readonly realm: RealmId;
  readonly user: UserId;
  /** Milliseconds since 1970. */
  readonly expires: number;
}

/** What the link is for: one for something else is none. */
export type MailLinkPurpose = 'change-email';

export function sealLink(secrets: Secrets, purpose: MailLinkPurpose, { realm, user, expires }: MailLink): string {
  const sealed = secrets.seal(JSON.stringify([`link/${purpose}`, realm, user, expires]));
  return Buffer.from(sealed, 'base64').toString('base64url');
}

/** undefined: it was never made here, or its time is over. */
export function openLink(secrets: Secrets, purpose: MailLinkPurpose, token: string, now: number): MailLink | undefined {
  let opened: unknown;
  try {
    opened = JSON.parse(secrets.open(Buffer.from(token, 'base64url').toString('base64')));
  } catch {
    return undefined;
  }
  if (!Array.isArray(opened) || opened[0] !== `link/${purpose}`) return undefined;
  const [, realm, user, expires] = opened as [string, number, number, number];
  return expires > now ? { realm: realmId(realm), user: userId(user), expires } : undefined;
}
