import { userId } from '../../src/core/index.js';
import type { DirectoryUser } from '../../src/directory/index.js';
import { FRESH_ACCOUNT } from '../../src/people/index.js';

/** An ordinary member with this id, as the directory holds it. */
export const person = (id: number, over: Partial<DirectoryUser> = {}): DirectoryUser => ({
  id: userId(id),
  recipient: id,
  deliveryEmail: `u${id}@example.com`,
  email: `u${id}@example.com`,
  fullName: `User ${id}`,
  ...FRESH_ACCOUNT,
  ...over,
});
