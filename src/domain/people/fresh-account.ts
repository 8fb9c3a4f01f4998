import type { DirectoryUser } from '#model/records';

/** Fields that every new account has: an active human with the role of a member. */
export const NEW_HUMAN_MEMBER_DEFAULTS = {
  role: 400,
  isActive: true,
  isBillingAdmin: false,
  botType: null,
  botOwner: null,
  timezone: '',
  avatarSource: 'G',
  avatarVersion: 1,
  emailVisibility: 1,
  joined: 0,
  keyHash: '',
  pastRoles: [],
} as const satisfies Partial<DirectoryUser>;
