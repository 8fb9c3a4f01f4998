/** System user groups: fixed in every realm, one chain, each a subgroup of the next (users.md § User groups). */
import type { DirectoryUser, RealmSettings } from '../directory/index.js';
import { isAdmin, isFullMember, isOwner, ROLE } from './roles.js';

export const SYSTEM_GROUP = {
  owners: 1,
  administrators: 2,
  moderators: 3,
  fullmembers: 4,
  members: 5,
  everyone: 6,
  internet: 7,
  nobody: 8,
} as const;

/** Is the user, by role, in this system group? */
export function inSystemGroup(group: number, user: DirectoryUser, settings: RealmSettings, now: number): boolean {
  switch (group) {
    case SYSTEM_GROUP.owners:
      return isOwner(user);
    case SYSTEM_GROUP.administrators:
      return isAdmin(user);
    case SYSTEM_GROUP.moderators:
      return user.role <= ROLE.moderator;
    case SYSTEM_GROUP.fullmembers:
      return isFullMember(user, settings, now);
    case SYSTEM_GROUP.members:
      return user.role <= ROLE.member;
    default:
      return group === SYSTEM_GROUP.everyone || group === SYSTEM_GROUP.internet;
  }
}

export const SYSTEM_GROUP_NAMES: Readonly<Record<number, string>> = Object.fromEntries(
  Object.entries(SYSTEM_GROUP).map(([name, id]) => [id, `@role:${name}`]),
);
