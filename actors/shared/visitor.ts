import { FRESH_ACCOUNT, ROLE } from '#domain/people';
import { userId } from '#model';
import type { DirectoryUser } from '#model/records';

/** No account has this id: callers without credentials are 0. */
export const VISITOR: DirectoryUser = {
  id: userId(0),
  recipient: 0,
  deliveryEmail: '',
  email: 'username@example.com',
  fullName: 'Anonymous User',
  ...FRESH_ACCOUNT,
  role: ROLE.guest,
  emailVisibility: 4,
};
