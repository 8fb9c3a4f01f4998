/** Changes of an account's role (users.md § PATCH /users/{user_id}). */

import { isOwner, systemGroupsShownToClients } from '#domain/people';
import type { Subscription } from '#domain/streams';
import type { LogItem } from '#model';
import { apiError } from '#model/errors';
import type { DirectoryUser } from '#model/records';
import type { CommandContext } from '#runtime';
import { everyoneEventItem } from '../../log-items.js';
import type { ActorParts, RealmState } from '../../state.js';
import { checkIsOwner, isLastOwner } from '../callers.js';
import type { RealmView } from '../command.js';
import { accountChangeEffect } from './account-changes.js';
import { type CommitEffect, mergeCommitEffects } from './effect.js';
import { personUpdatedEvent } from './person-events.js';
import { visibilityChangeEffect } from './visibility-change.js';

/** Only owners may grant or revoke the owner role. @param acting undefined = the system @throws ApiError */
export function checkMaySetRole(
  parts: ActorParts,
  acting: DirectoryUser | undefined,
  user: DirectoryUser,
  role: number,
): void {
  const ofOwners = isOwner(user) || isOwner({ ...user, role });
  if (ofOwners) checkIsOwner(acting);
  if (isLastOwner(parts, user)) throw apiError('ONLY_OWNER_ROLE');
}

/** Maximum number of past roles kept per account; older ones are merged. */
const MAX_PAST_ROLES = 64;

/**
 * Past roles with the present one added. Two merged roles count as the weaker one: replay may then omit an event, but
 * never shows one that the user could not see.
 */
function nextPastRoles({ pastRoles: past, role }: DirectoryUser, version: number): DirectoryUser['pastRoles'] {
  const [oldest, next, ...rest] = [...past, [role, version] as const];
  if (!oldest || !next || rest.length + 2 <= MAX_PAST_ROLES) return [...past, [role, version]];
  return [[Math.max(oldest[0], next[0]), next[1]], ...rest];
}

/** Events of the system groups: first those of the roles, then that of full members. */
function systemGroupEvents(before: DirectoryUser, after: DirectoryUser, state: RealmState, version: number): LogItem[] {
  const { settings, fullMembersAt } = state;
  const [was, is] = [before, after].map((user) => systemGroupsShownToClients(user, settings, fullMembersAt)) as [
    readonly number[],
    readonly number[],
  ];
  const changed = (op: 'add_members' | 'remove_members', groups: readonly number[]): LogItem[] =>
    groups.map((group_id) => everyoneEventItem(version, { type: 'user_group', op, group_id, user_ids: [after.id] }));
  const left = was.filter((group) => !is.includes(group));
  const joined = is.filter((group) => !was.includes(group));
  return [
    ...changed('remove_members', left.slice(0, 1)),
    ...changed('add_members', joined.slice(0, 1)),
    ...changed('remove_members', left.slice(1)),
    ...changed('add_members', joined.slice(1)),
  ];
}

/** Effect of a changed role. @param subscriptions of the account, ended ones included */
export function roleChangeEffect(
  before: DirectoryUser,
  role: number,
  subscriptions: readonly Subscription[],
  view: RealmView,
  context: CommandContext,
): { readonly user: DirectoryUser; readonly effect: CommitEffect } {
  const { version } = context;
  const after: DirectoryUser = { ...before, role, pastRoles: nextPastRoles(before, version) };
  const own: CommitEffect = {
    events: [personUpdatedEvent(version, after.id, { role }), ...systemGroupEvents(before, after, view.state, version)],
  };
  // The clients of an active account must learn what the new role shows or hides. A deactivated account has no clients.
  const visibility = after.isActive
    ? visibilityChangeEffect({ before, after }, subscriptions, view.parts, context)
    : {};
  return {
    user: after,
    effect: accountChangeEffect({ before, after }, mergeCommitEffects([own, visibility]), view, context),
  };
}
