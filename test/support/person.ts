import { NEW_ACCOUNT_FIELDS } from '#domain/people';
import { userId } from '#model';
import type { DirectoryUser } from '#model/records';

/** An ordinary member with this id, as the directory holds it. */
export const person = (id: number, over: Partial<DirectoryUser> = {}): DirectoryUser => ({
  id: userId(id),
  recipient: id,
  deliveryEmail: `u${id}@example.com`,
  email: `u${id}@example.com`,
  fullName: `User ${id}`,
  ...NEW_ACCOUNT_FIELDS,
  ...over,
});
