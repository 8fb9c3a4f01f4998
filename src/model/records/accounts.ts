/** Accounts and their preferences. */
import type { EmojiReference, RealmId, UserId, UserSettings } from '#model';

/** Facts of an account that other parts of the server need without asking the user actor. */
export interface DirectoryUser {
  readonly id: UserId;
  /** Id that stands for this account as the recipient of direct messages (`recipient_id`). */
  readonly recipient: number;
  readonly deliveryEmail: string;
  /** API e-mail of the account: the real address, or a made-up one that hides it. */
  readonly email: string;
  readonly fullName: string;
  /** Role of the account: 100 owner, 200 administrator, 300 moderator, 400 member, 600 guest. */
  readonly role: number;
  readonly isActive: boolean;
  readonly isBillingAdmin: boolean;
  /** Type of a bot: 1 generic, 2 incoming webhook, 3 outgoing webhook, 4 embedded; null for humans. */
  readonly botType: number | null;
  readonly botOwner: UserId | null;
  readonly timezone: string;
  readonly avatarSource: 'G' | 'U';
  /** Version of the avatar: 1 at first, raised by 1 with each change. */
  readonly avatarVersion: number;
  /** The uploaded avatar; present if `avatarSource` is U. */
  readonly avatar?: AvatarUploadRecord | null;
  /** Users who may see the real address (users.md): 1 everyone, 2 members, 3 admins, 4 nobody, 5 moderators. */
  readonly emailVisibility: number;
  /** Creation time of the account, ms since 1970. */
  readonly joined: number;
  /** Keyed hash of the API key, hexadecimal, by which the account is found. */
  readonly keyHash: string;
  /**
   * Earlier roles of the account, newest last: [role, first realm version with the next role]. The replay of old events
   * needs the role at that time.
   */
  readonly pastRoles: readonly (readonly [number, number])[];
  /**
   * Rate limits of this account as text, parsed by src/frontend/limits/rules.ts. Absent if the configured limits apply.
   */
  readonly rateLimits?: string | undefined;
}

/** Location of an account's uploaded avatar. */
export interface AvatarUploadRecord {
  readonly realm: RealmId;
  /** Hash that stands for the account in the URL of its avatar (secrets.ts). */
  readonly hash: string;
  /** Number of the avatar's upload. */
  readonly number: number;
}

/** Preferences of a user that the whole server needs. The realm actor keeps them, so that every replica has them. */
export interface DirectoryUserPreferences {
  readonly user: UserId;
  /** Settings of the user whose value differs from the default (users.md § Settings). */
  readonly settings: Partial<UserSettings>;
  readonly alertWords: readonly string[];
  /** Users muted by this user, in the order of muting, with the time in seconds since 1970. */
  readonly muted: readonly { readonly id: number; readonly timestamp: number }[];
  /** Status of the user; absent if none is set. */
  readonly status?: UserStatus;
}

/** The status that a user sets and others see beside the user's name. */
export interface UserStatus {
  readonly text: string;
  readonly emoji: EmojiReference | null;
  /** Away flag of older clients. The setting `presence_enabled` is off while this flag is set. */
  readonly away: boolean;
}
