import { core } from '../../client/index.js';
import { ROLE } from '../../core/index.js';
import { t } from '../../text/index.js';

const ROLE_NAME_KEYS = {
  [ROLE.owner]: 'settings.role.owner',
  [ROLE.admin]: 'settings.role.admin',
  [ROLE.moderator]: 'settings.role.moderator',
  [ROLE.member]: 'settings.role.member',
  [ROLE.guest]: 'settings.role.guest',
} as const;

export type Role = keyof typeof ROLE_NAME_KEYS;

export const ROLES: readonly Role[] = [ROLE.owner, ROLE.admin, ROLE.moderator, ROLE.member, ROLE.guest];

export const isRole = (value: number): value is Role => value in ROLE_NAME_KEYS;

export const formatRoleName = (role: number): string => (isRole(role) ? t(ROLE_NAME_KEYS[role]) : '');

/** Roles that the reader may give: only owners make owners. */
export const listAssignableRoles = (): readonly Role[] =>
  ROLES.filter((role) => role !== ROLE.owner || core.state.me.role === ROLE.owner);

/** Roles for invitations: moderators and members invite members and guests. */
export const listInvitableRoles = (): readonly Role[] =>
  core.state.me.isAdmin ? listAssignableRoles() : ROLES.filter((role) => role >= ROLE.member);

export const makeRoleOptions = (roles: readonly Role[]): readonly { readonly value: Role; readonly label: string }[] =>
  roles.map((value) => ({ value, label: formatRoleName(value) }));
