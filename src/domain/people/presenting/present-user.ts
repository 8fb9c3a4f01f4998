/** User objects as the API shows them (users.md § User object). */
import { createHash } from 'node:crypto';
import type { JsonObject } from '#base';
import { type AvatarSize, uploadedAvatarUrl } from '#domain/pictures';
import type { DirectoryUser, DirectoryView } from '#model/records';
import { isAdminOrOwner, isGuest, isOwner, maySeeRealEmail } from '../roles.js';
import { isSystemBot } from '../system-bots.js';

const cachedGravatarHashByAddress = new Map<string, string>();
const MAX_CACHED_GRAVATAR_HASHES = 50_000;
const MAX_CACHED_GRAVATAR_ADDRESS_CHARACTERS = 320;

function gravatarHashOfAddress(address: string): string {
  const known = cachedGravatarHashByAddress.get(address);
  if (known) return known;
  if (cachedGravatarHashByAddress.size > MAX_CACHED_GRAVATAR_HASHES) cachedGravatarHashByAddress.clear();
  const hash = createHash('md5').update(address.toLowerCase()).digest('hex');
  // Requests may ask for the gravatar of any text: don't cache long ones.
  if (address.length <= MAX_CACHED_GRAVATAR_ADDRESS_CHARACTERS) cachedGravatarHashByAddress.set(address, hash);
  return hash;
}

export function avatarUrlOfUser(user: DirectoryUser, size: AvatarSize = 'small'): string {
  if (user.avatar) return uploadedAvatarUrl(user.avatar, user.avatarVersion, size);
  return gravatarUrlOfAddress(user.deliveryEmail, user.avatarVersion, size);
}

/** URL of the gravatar of an address. @param address of an account, or any text */
export function gravatarUrlOfAddress(address: string, version: number, size: AvatarSize = 'small'): string {
  return `https://secure.gravatar.com/avatar/${gravatarHashOfAddress(address)}?d=identicon${size === 'medium' ? '&s=500' : ''}&version=${version}`;
}

/** The fields of events that describe an account's avatar. */
export const formatAvatarFieldsForApi = (user: DirectoryUser): JsonObject => ({
  avatar_source: user.avatarSource,
  avatar_url: avatarUrlOfUser(user),
  avatar_url_medium: avatarUrlOfUser(user, 'medium'),
  avatar_version: user.avatarVersion,
});

/** URL of an account's avatar. Null if the client computes it: a gravatar of an address that everybody may see. */
function avatarUrlUnlessClientComputes(user: DirectoryUser, clientGravatar: boolean): string | null {
  return clientGravatar && user.avatarSource === 'G' && user.emailVisibility === 1 ? null : avatarUrlOfUser(user);
}

/** A time in ISO 8601 with offset. Microseconds are present only if they are not zero. */
function toIsoTimeWithUtcOffset(ms: number): string {
  const text = new Date(ms).toISOString();
  return `${text.endsWith('.000Z') ? text.slice(0, -5) : `${text.slice(0, -1)}000`}+00:00`;
}

export interface FormatUserOptions {
  readonly clientGravatar: boolean;
  /** Source of the field profile_data, which humans have. Absent: the field is left out. */
  readonly profile?: Pick<DirectoryView, 'profile'> | undefined;
  /** If true, leaves `is_active` out, as the lists of POST /register do. */
  readonly withoutActive?: boolean;
  /** If true, leaves `avatar_url` out. The client requests GET /avatar when it shows the account. */
  readonly withoutAvatar?: boolean;
  /**
   * True for callers without an account: they get no address, no time zone and no billing role, and only the day of
   * the creation time.
   */
  readonly web?: boolean;
}

/** The user object of an account with the fields that `viewer` may see. */
export function formatUserForApi(
  user: DirectoryUser,
  viewer: DirectoryUser | undefined,
  options: FormatUserOptions,
): JsonObject {
  return {
    user_id: user.id,
    delivery_email: !options.web && maySeeRealEmail(viewer, user) ? user.deliveryEmail : null,
    email: user.email,
    full_name: user.fullName,
    date_joined: options.web ? toIsoTimeWithUtcOffset(user.joined).slice(0, 10) : toIsoTimeWithUtcOffset(user.joined),
    ...(options.withoutActive ? {} : { is_active: user.isActive }),
    is_owner: isOwner(user),
    is_admin: isAdminOrOwner(user),
    is_guest: isGuest(user),
    ...(options.web ? {} : { is_billing_admin: user.isBillingAdmin }),
    is_bot: user.botType !== null,
    bot_type: user.botType,
    bot_owner_id: user.botOwner,
    ...(isSystemBot(user) ? { is_system_bot: true } : {}),
    role: user.role,
    ...(options.web ? {} : { timezone: user.timezone }),
    ...(options.withoutAvatar ? {} : { avatar_url: avatarUrlUnlessClientComputes(user, options.clientGravatar) }),
    avatar_version: user.avatarVersion,
    ...(options.profile && user.botType === null ? { profile_data: options.profile.profile(user.id) } : {}),
  };
}

/** Profile values of a new account: none. */
export const EMPTY_PROFILE_SOURCE: Pick<DirectoryView, 'profile'> = { profile: () => ({}) };
