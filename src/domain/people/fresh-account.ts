import type { DirectoryUser } from '#model/records';

/** What the directory says of an account about which nothing was decided yet: an ordinary member, active, nobody's bot. */
export const FRESH_ACCOUNT = {
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
