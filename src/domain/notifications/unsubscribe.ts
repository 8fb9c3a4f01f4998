/**
 * Links that unsubscribe one account from a kind of mail, without a log-in. The token names account and kind and is
 * signed with the server's secret. The token has no expiry, because a mail may be read late, and it can only turn mails
 * off.
 */
import { timingSafeEqual } from 'node:crypto';
import type { ServerCryptography } from '#domain/secrets';
import { type RealmId, toRealmId, toUserId, type UserId, type UserSettings } from '#model';

/** Kinds of mails that users can unsubscribe from, each with the settings that are turned off. */
export const SETTINGS_TURNED_OFF_BY_MAIL_KIND = {
  missed: [
    'enable_offline_email_notifications',
    'enable_stream_email_notifications',
    'enable_followed_topic_email_notifications',
  ],
  login: ['enable_login_emails'],
  digest: ['enable_digest_emails'],
} as const satisfies Readonly<Record<string, readonly (keyof UserSettings)[]>>;

export type UnsubscribableMailKind = keyof typeof SETTINGS_TURNED_OFF_BY_MAIL_KIND;

export interface UnsubscribeTokenContent {
  readonly realm: RealmId;
  readonly user: UserId;
  readonly kind: UnsubscribableMailKind;
}

/** Number in the place of a stream's id, which links of earlier versions name. */
const NO_STREAM = 0;

const UNSUBSCRIBE_TOKEN_PATTERN = /^([0-9a-z]{1,8})-([0-9a-z]{1,8})-([a-z]{1,10})-([0-9a-z]{1,8})-([A-Za-z0-9_-]{22})$/;

const signUnsubscribeTokenContent = (
  secrets: ServerCryptography,
  { realm, user, kind }: UnsubscribeTokenContent,
  stream: number,
): string => secrets.signPurposePrefixedText(`unsubscribe/${kind}/${realm}/${user}/${stream}`);

export function makeUnsubscribeLink(secrets: ServerCryptography, origin: string, of: UnsubscribeTokenContent): string {
  const { realm, user, kind } = of;
  const token = [
    realm.toString(36),
    user.toString(36),
    kind,
    NO_STREAM.toString(36),
    signUnsubscribeTokenContent(secrets, of, NO_STREAM),
  ].join('-');
  return `${origin}/unsubscribe/${token}`;
}

/** Reads the token of a link. Returns undefined if this server did not make the token. */
export function verifyUnsubscribeToken(
  secrets: ServerCryptography,
  token: string,
): UnsubscribeTokenContent | undefined {
  const [, realm = '', user = '', kind = '', stream = '', signed = ''] = UNSUBSCRIBE_TOKEN_PATTERN.exec(token) ?? [];
  if (!Object.hasOwn(SETTINGS_TURNED_OFF_BY_MAIL_KIND, kind)) return undefined;
  const of: UnsubscribeTokenContent = {
    realm: toRealmId(Number.parseInt(realm, 36)),
    user: toUserId(Number.parseInt(user, 36)),
    kind: kind as UnsubscribableMailKind,
  };
  const expected = signUnsubscribeTokenContent(secrets, of, Number.parseInt(stream, 36));
  return timingSafeEqual(Buffer.from(signed), Buffer.from(expected)) ? of : undefined;
}
