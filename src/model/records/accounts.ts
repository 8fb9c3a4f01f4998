/** Accounts, and what they choose for themselves. */

import type { EmojiRef, RealmId, UserId } from '#model';

/** Public facts of an account, as far as other parts need them without asking the user actor. */
export interface DirectoryUser {
  readonly id: UserId;
  /** recipient_id of direct messages to this account. */
  readonly recipient: number;
  readonly deliveryEmail: string;
  /** API e-mail. */
  readonly email: string;
  readonly fullName: string;
  /** 100 owner, 200 administrator, 300 moderator, 400 member, 600 guest. */
  readonly role: number;
  readonly isActive: boolean;
  readonly isBillingAdmin: boolean;
  /** null for humans; 1 generic, 2 incoming webhook, 3 outgoing webhook, 4 embedded. */
  readonly botType: number | null;
  readonly botOwner: UserId | null;
  readonly timezone: string;
  readonly avatarSource: 'G' | 'U';
  /** 1, and one more with each change. */
  readonly avatarVersion: number;
  /** With source U. */
  readonly avatar?: UploadedAvatar | null;
  /** users.md: 1 everyone, 2 members, 3 admins, 4 nobody, 5 moderators. */
  readonly emailVisibility: number;
  /** Milliseconds since 1970. */
  readonly joined: number;
  /** Keyed hash (hex) under which the API key is looked up. */
  readonly keyHash: string;
  /** Roles held before, newest last: [role, first realm version with the next role]. Replay needs the role of then. */
  readonly pastRoles: readonly (readonly [number, number])[];
  /** Rate limits of its own, as src/frontend/limits/rules.ts reads them; absent: those of all. */
  readonly rateLimits?: string;
}

/** Where an account's uploaded avatar is. */
export interface UploadedAvatar {
  readonly realm: RealmId;
  /** Names the account in addresses (secrets.ts). */
  readonly hash: string;
  /** Of the upload; each has one of its own. */
  readonly number: number;
}

/** What others need of a user's own choices: kept by the realm actor, so that every replica has it. */
export interface DirectoryPersonal {
  readonly user: UserId;
  /** Settings of users.md that differ from the default. */
  readonly settings: { readonly [name: string]: boolean | number | string | null };
  readonly alertWords: readonly string[];
  /** Muted users, in the order of muting; seconds since 1970. */
  readonly muted: readonly { readonly id: number; readonly timestamp: number }[];
  /** Absent: says nothing. */
  readonly status?: UserStatus;
}

/** What a person tells of himself, beside his name. */
export interface UserStatus {
  readonly text: string;
  readonly emoji: EmojiRef | null;
  /** Said to be away, in the old way; the setting `presence_enabled` is off then. */
  readonly away: boolean;
}
