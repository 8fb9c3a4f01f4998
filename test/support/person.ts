import { NEW_HUMAN_MEMBER_DEFAULTS } from '#domain/people';
import { toUserId } from '#model';
import type { DirectoryUser } from '#model/records';

/** Directory record of an ordinary member with this id. */
export const person = (id: number, over: Partial<DirectoryUser> = {}): DirectoryUser => ({
  id: toUserId(id),
  recipient: id,
  deliveryEmail: `u${id}@example.com`,
  email: `u${id}@example.com`,
  fullName: `User ${id}`,
  ...NEW_HUMAN_MEMBER_DEFAULTS,
  ...over,
});
