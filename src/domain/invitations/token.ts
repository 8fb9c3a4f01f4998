/**
 * Tokens of invitation links. A token names the invitation and is signed with the server's secret: it can't be forged,
 * the Store doesn't hold it, and an invitation always has the same link.
 */
import { timingSafeEqual } from 'node:crypto';
import type { ServerCryptography } from '#domain/secrets';
import { type RealmId, toRealmId } from '#model';

export interface InvitationTokenContent {
  readonly realm: RealmId;
  /** Kind of invitation: 'single' is to one address, 'link' is a link for any number of people. */
  readonly kind: 'single' | 'link';
  readonly id: number;
  /**
   * Random text of the invitation. The number alone identifies no invitation: a new Store under the same secret uses
   * the same numbers again.
   */
  readonly nonce: string;
}

/** First segment of the path of an invitation link, by kind of invitation. */
export const INVITATION_LINK_PATH_SEGMENT_BY_KIND = { single: 'invitation', link: 'join' } as const;

const INVITATION_NONCE_PATTERN = /^[0-9a-f]{8}$/;
const INVITATION_TOKEN_PATTERN = /^([0-9a-z]{1,8})-([0-9a-z]{1,8})-([0-9a-f]{8})-([A-Za-z0-9_-]{22})$/;

const signInvitationContent = (
  secrets: ServerCryptography,
  { realm, kind, id, nonce }: InvitationTokenContent,
): string => secrets.signPurposePrefixedText(`invitation/${kind}/${realm}/${id}/${nonce}`);

function makeInvitationToken(secrets: ServerCryptography, of: InvitationTokenContent): string {
  if (!INVITATION_NONCE_PATTERN.test(of.nonce)) throw new Error('a nonce has 8 hexadecimal digits');
  return [of.realm.toString(36), of.id.toString(36), of.nonce, signInvitationContent(secrets, of)].join('-');
}

export const makeInvitationLink = (secrets: ServerCryptography, origin: string, of: InvitationTokenContent): string =>
  `${origin}/${INVITATION_LINK_PATH_SEGMENT_BY_KIND[of.kind]}/${makeInvitationToken(secrets, of)}`;

/**
 * Reads the token of an invitation link. Undefined if the token was not made by this server. The invitation itself may
 * be gone.
 */
export function verifyInvitationToken(
  secrets: ServerCryptography,
  kind: InvitationTokenContent['kind'],
  token: string,
): InvitationTokenContent | undefined {
  const [, realm = '', id = '', nonce = '', signed = ''] = INVITATION_TOKEN_PATTERN.exec(token) ?? [];
  if (signed === '') return undefined;
  const of = { realm: toRealmId(Number.parseInt(realm, 36)), kind, id: Number.parseInt(id, 36), nonce };
  return timingSafeEqual(Buffer.from(signed), Buffer.from(signInvitationContent(secrets, of))) ? of : undefined;
}
