/** Changes of an account's role (users.md § PATCH /users/{user_id}). */

import { readUserOwnState } from '#actors/shared';
import { directSystemGroupIdsShownToClients, isOwner } from '#domain/people';
import type { Subscription } from '#domain/streams';
import type { LogItem, RealmId } from '#model';
import { apiError } from '#model/errors';
import type { DirectoryUser } from '#model/records';
import type { CommandContext } from '#runtime';
import type { ActorInputSources } from '../../../services.js';
import { makeEveryoneEventLogItem } from '../../log-items.js';
import { type ActorParts, listUserRecords, type RealmActorState } from '../../state.js';
import { checkMayChangeOwners, isLastActiveOwner } from '../callers.js';
import type { RealmActorView } from '../command.js';
import { makeAccountChangeCommit } from './account-changes.js';
import { mergePartialCommits, type PartialCommit } from './effect.js';
import { makeUserUpdatedEvent } from './person-events.js';
import { makeVisibilityChangeCommit } from './visibility-change.js';

/**
 * Refuses to grant or revoke the owner role, unless the caller is an owner.
 * @param acting undefined: the system
 * @throws ApiError
 */
export function checkMaySetRole(
  parts: ActorParts,
  acting: DirectoryUser | undefined,
  user: DirectoryUser,
  role: number,
): void {
  const ofOwners = isOwner(user) || isOwner({ ...user, role });
  if (ofOwners) checkMayChangeOwners(acting);
  if (isLastActiveOwner(parts, user)) throw apiError('ONLY_OWNER_ROLE');
}

/** Maximum number of past roles kept per account; older ones are merged. */
const MAX_PAST_ROLES_PER_ACCOUNT = 64;

/**
 * Past roles with the present one added. Two merged roles count as the weaker one: replay may then omit an event, but
 * never shows one that the user could not see.
 */
function appendPresentRoleToPastRoles(
  { pastRoles: past, role }: DirectoryUser,
  version: number,
): DirectoryUser['pastRoles'] {
  const [oldest, next, ...rest] = [...past, [role, version] as const];
  if (!oldest || !next || rest.length + 2 <= MAX_PAST_ROLES_PER_ACCOUNT) return [...past, [role, version]];
  return [[Math.max(oldest[0], next[0]), next[1]], ...rest];
}

/** Events of the system groups: first those of the roles, then that of full members. */
function makeSystemGroupEventsOfRoleChange(
  before: DirectoryUser,
  after: DirectoryUser,
  state: RealmActorState,
  version: number,
): LogItem[] {
  const { settings, fullMembersAt } = state;
  const [was, is] = [before, after].map((user) =>
    directSystemGroupIdsShownToClients(user, settings, fullMembersAt),
  ) as [readonly number[], readonly number[]];
  const changed = (op: 'add_members' | 'remove_members', groups: readonly number[]): LogItem[] =>
    groups.map((group_id) =>
      makeEveryoneEventLogItem(version, { type: 'user_group', op, group_id, user_ids: [after.id] }),
    );
  const left = was.filter((group) => !is.includes(group));
  const joined = is.filter((group) => !was.includes(group));
  return [
    ...changed('remove_members', left.slice(0, 1)),
    ...changed('add_members', joined.slice(0, 1)),
    ...changed('remove_members', left.slice(1)),
    ...changed('add_members', joined.slice(1)),
  ];
}

/**
 * Bots that are lowered with their owner, deactivated ones included: the owner has their keys, and so would keep the
 * rights of the former role.
 */
function listBotsLoweredWithOwner(parts: ActorParts, owner: DirectoryUser, role: number): DirectoryUser[] {
  if (role <= owner.role) return [];
  return [...listUserRecords(parts)]
    .filter((one) => one.botOwner === owner.id && one.role < role)
    .sort((a, b) => a.id - b.id);
}

/** All subscriptions of each account whose role changes, by the account's id, ended ones included. */
export type SubscriptionsByAccount = ReadonlyMap<number, readonly Subscription[]>;

/** Reads the subscriptions for a role that is given to the user: none if the user has it already. */
export async function readSubscriptionsForRoleChange(
  user: DirectoryUser | undefined,
  role: number | null,
  parts: ActorParts,
  realm: RealmId,
  sources: ActorInputSources,
): Promise<SubscriptionsByAccount> {
  if (!user || role === null || role === user.role) return new Map();
  const read = [user, ...listBotsLoweredWithOwner(parts, user, role)].map(async ({ id }) => {
    const { subscriptions } = await readUserOwnState(realm, id, ['subscriptions'], sources);
    return [id, subscriptions] as const;
  });
  return new Map(await Promise.all(read));
}

interface RoleChangeResult {
  readonly user: DirectoryUser;
  readonly effect: PartialCommit;
}

/** Effect of a changed role, with that of the bots that are lowered with their owner. */
export function makeRoleChangeCommit(
  before: DirectoryUser,
  role: number,
  subscriptions: SubscriptionsByAccount,
  view: RealmActorView,
  context: CommandContext,
): RoleChangeResult {
  const bots = listBotsLoweredWithOwner(view.parts, before, role);
  const [own, ...ofBots] = [before, ...bots].map((account) =>
    // A bot that was made after the subscriptions were read has none.
    makeAccountRoleChangeCommit(account, role, subscriptions.get(account.id) ?? [], view, context),
  ) as [RoleChangeResult, ...RoleChangeResult[]];
  return { user: own.user, effect: mergePartialCommits([own, ...ofBots].map(({ effect }) => effect)) };
}

function makeAccountRoleChangeCommit(
  before: DirectoryUser,
  role: number,
  subscriptions: readonly Subscription[],
  view: RealmActorView,
  context: CommandContext,
): RoleChangeResult {
  const { version } = context;
  const after: DirectoryUser = { ...before, role, pastRoles: appendPresentRoleToPastRoles(before, version) };
  const own: PartialCommit = {
    events: [
      makeUserUpdatedEvent(version, after.id, { role }),
      ...makeSystemGroupEventsOfRoleChange(before, after, view.state, version),
    ],
  };
  // The clients of an active account must learn what the new role shows or hides. A deactivated account has no clients.
  const visibility = after.isActive
    ? makeVisibilityChangeCommit({ before, after }, subscriptions, view.parts, context)
    : {};
  return {
    user: after,
    effect: makeAccountChangeCommit({ before, after }, mergePartialCommits([own, visibility]), view, context),
  };
}
