import { userId } from '../../src/core/index.js';
import type { DirectoryUser } from '../../src/directory/index.js';

/** An ordinary member with this id, as the directory holds it. */
export const person = (id: number, over: Partial<DirectoryUser> = {}): DirectoryUser => ({
  id: userId(id),
  recipient: id,
  deliveryEmail: `u${id}@example.com`,
  email: `u${id}@example.com`,
  fullName: `User ${id}`,
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
  canCreateUsers: false,
  keyHash: '',
  pastRoles: [],
  ...over,
});
