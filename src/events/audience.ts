/** Who gets an event: decided by what was true at its commit, never by what is true now. */
import { userId } from '../core/index.js';
import type { DirectoryUser, DirectoryView } from '../directory/index.js';
import { ROLE } from '../people/index.js';
import type { Audience } from '../runtime/log-entry.js';
import { hasCopy, type Member, wasMember } from '../streams/index.js';

/** Role of the account at a realm version. */
export function roleAt(user: DirectoryUser, version: number): number {
  for (const [role, until] of user.pastRoles) if (version < until) return role;
  return user.role;
}

export interface Recipient {
  readonly user: number;
  /** Registered with all_public_streams. */
  readonly allPublic: boolean;
}

/** @param members of the audience's stream; undefined when it names none */
export function receives(
  to: Audience,
  recipient: Recipient,
  directory: DirectoryView,
  members: ReadonlyMap<number, Member> | undefined,
): boolean {
  const { user } = recipient;
  if (to.except?.includes(user)) return false;
  if (to.users?.includes(user)) return true;
  if (to.mv !== undefined && members && wasMember(members.get(user), to.mv)) return true;
  if (to.copyOf !== undefined && hasCopy(members?.get(user), to.copyOf)) return true;
  if (to.rv === undefined) return false;
  const account = directory.user(userId(user));
  if (!account) return false;
  const role = roleAt(account, to.rv);
  if (to.role !== undefined && role <= to.role && role > (to.weakerThan ?? 0)) return true;
  return to.publicStream === true && recipient.allPublic && role < ROLE.guest;
}
