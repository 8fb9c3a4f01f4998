import { core } from '../../client/index.js';
import { ROLE } from '../../core/index.js';
import { t } from '../../text/index.js';

const NAME_KEY_BY_ROLE = {
  [ROLE.owner]: 'settings.role.owner',
  [ROLE.admin]: 'settings.role.admin',
  [ROLE.moderator]: 'settings.role.moderator',
  [ROLE.member]: 'settings.role.member',
  [ROLE.guest]: 'settings.role.guest',
} as const;

export type Role = keyof typeof NAME_KEY_BY_ROLE;

export const ROLES_HIGHEST_FIRST: readonly Role[] = [ROLE.owner, ROLE.admin, ROLE.moderator, ROLE.member, ROLE.guest];

export const isRole = (value: number): value is Role => value in NAME_KEY_BY_ROLE;

export const formatRoleName = (role: number): string => (isRole(role) ? t(NAME_KEY_BY_ROLE[role]) : '');

/** Roles that the reader may give: only owners make owners. */
export const listAssignableRoles = (): readonly Role[] =>
  ROLES_HIGHEST_FIRST.filter((role) => role !== ROLE.owner || core.state.me.role === ROLE.owner);

/** Roles for invitations: moderators and members invite members and guests. */
export const listInvitableRoles = (): readonly Role[] =>
  core.state.me.isAdmin ? listAssignableRoles() : ROLES_HIGHEST_FIRST.filter((role) => role >= ROLE.member);

export const makeRoleOptions = (roles: readonly Role[]): readonly { readonly value: Role; readonly label: string }[] =>
  roles.map((value) => ({ value, label: formatRoleName(value) }));
