/** Operations of the API for user groups (users.md § User groups). */
import { Type } from 'typebox';
import { getEncodedUserGroupList, getUserGroupsOfDirectory, type UserGroupsWithMembers } from '#domain/people';
import { realmActorKey, toUserId } from '#model';
import { realmActorCommands } from '#model/commands';
import { apiError } from '#model/errors';
import type { DirectoryUserGroup } from '#model/records';
import { type ApiCall, defineOperation, forwardCommand } from '../../operation.js';
import { declareBooleanParameterWithDefault, declarePathIdParameter } from '../../parameters.js';

const MAX_USER_GROUP_NAME_CHARACTERS = 100;
/** Every registration has the descriptions of all groups. */
const MAX_USER_GROUP_DESCRIPTION_CHARACTERS = 1_024;

const declareOptionalIdListParameter = (description: string) =>
  ({
    in: 'form',
    encoding: 'json',
    schema: Type.Array(Type.Integer()),
    required: false,
    default: [] as number[],
    description,
  }) as const;

const userGroupIdPathParameter = { user_group_id: declarePathIdParameter('The group.') } as const;

/** Finds a user group in the replica; an unknown group is looked up again at the end of the log. @throws ApiError */
async function getUserGroupOrThrow(
  call: ApiCall<{ readonly user_group_id: number }>,
): Promise<{ readonly groups: UserGroupsWithMembers; readonly group: DirectoryUserGroup }> {
  const id = call.params.user_group_id;
  const find = () => getUserGroupsOfDirectory(call.directory);
  let groups = find();
  if (!groups.findGroup(id)) {
    await call.refresh();
    groups = find();
  }
  const group = groups.findGroup(id);
  if (!group) throw apiError('INVALID_USER_GROUP');
  return { groups, group };
}

export const getUserGroupsOperation = defineOperation({
  id: 'get-user-groups',
  method: 'GET',
  path: '/user_groups',
  guard: 'member_human',
  summary: 'All user groups, system groups included.',
  parameters: {},
  run: ({ directory }) => ({ fields: { user_groups: getEncodedUserGroupList(directory) } }),
});

export const createUserGroupOperation = defineOperation({
  id: 'create-user-group',
  method: 'POST',
  path: '/user_groups/create',
  guard: 'user_group_edit_policy_human',
  summary: 'Create a user group.',
  parameters: {
    name: {
      in: 'form',
      encoding: 'string',
      schema: Type.String({ maxLength: MAX_USER_GROUP_NAME_CHARACTERS }),
      required: true,
      description: 'Name; case counts.',
    },
    description: {
      in: 'form',
      encoding: 'string',
      schema: Type.String({ maxLength: MAX_USER_GROUP_DESCRIPTION_CHARACTERS }),
      required: true,
      description: 'What the group is for.',
    },
    members: declareOptionalIdListParameter('Ids of the first members.'),
  },
  run: ({ params, realm }) =>
    forwardCommand({ to: realmActorKey(realm), command: realmActorCommands.createGroup, args: { ...params } }),
});

export const updateUserGroupOperation = defineOperation({
  id: 'update-user-group',
  method: 'PATCH',
  path: '/user_groups/{user_group_id}',
  guard: 'user_group_edit_policy_human',
  summary: 'Change name or description of a user group.',
  parameters: {
    ...userGroupIdPathParameter,
    name: {
      in: 'form',
      encoding: 'string',
      schema: Type.String({ maxLength: MAX_USER_GROUP_NAME_CHARACTERS }),
      required: false,
      description: 'New name.',
    },
    description: {
      in: 'form',
      encoding: 'string',
      schema: Type.String({ maxLength: MAX_USER_GROUP_DESCRIPTION_CHARACTERS }),
      required: false,
      description: 'New description.',
    },
  },
  run({ params, realm }) {
    const { user_group_id, name = null, description = null } = params;
    if (name === null && description === null) throw apiError('NO_NEW_DATA');
    return forwardCommand({
      to: realmActorKey(realm),
      command: realmActorCommands.updateGroup,
      args: { user_group_id, name, description },
    });
  },
});

export const removeUserGroupOperation = defineOperation({
  id: 'remove-user-group',
  method: 'DELETE',
  path: '/user_groups/{user_group_id}',
  guard: 'user_group_edit_policy_human',
  summary: 'Remove a user group.',
  parameters: userGroupIdPathParameter,
  run: ({ params, realm }) =>
    forwardCommand({ to: realmActorKey(realm), command: realmActorCommands.removeGroup, args: { ...params } }),
});

const addAndRemoveIdsParameters = {
  ...userGroupIdPathParameter,
  delete: declareOptionalIdListParameter('Ids to take out.'),
  add: declareOptionalIdListParameter('Ids to add.'),
} as const;

/** Refuses a change of a group that neither adds nor removes anything. @throws ApiError */
function checkEditIsNotEmpty({
  add,
  delete: gone,
}: {
  readonly add: readonly number[];
  readonly delete: readonly number[];
}): void {
  if (add.length === 0 && gone.length === 0) throw apiError('NOTHING_TO_DO');
}

export const updateUserGroupMembersOperation = defineOperation({
  id: 'update-user-group-members',
  method: 'POST',
  path: '/user_groups/{user_group_id}/members',
  guard: 'user_group_edit_policy_human',
  summary: 'Add and remove members of a user group.',
  parameters: addAndRemoveIdsParameters,
  run({ params, realm, site }) {
    checkEditIsNotEmpty(params);
    return forwardCommand({
      to: realmActorKey(realm),
      command: realmActorCommands.editMembers,
      args: { ...params, origin: site },
    });
  },
});

export const updateUserGroupSubgroupsOperation = defineOperation({
  id: 'update-user-group-subgroups',
  method: 'POST',
  path: '/user_groups/{user_group_id}/subgroups',
  guard: 'user_group_edit_policy_human',
  summary: 'Add and remove subgroups of a user group.',
  parameters: addAndRemoveIdsParameters,
  run({ params, realm }) {
    checkEditIsNotEmpty(params);
    return forwardCommand({ to: realmActorKey(realm), command: realmActorCommands.editSubgroups, args: { ...params } });
  },
});

export const getUserGroupMembersOperation = defineOperation({
  id: 'get-user-group-members',
  method: 'GET',
  path: '/user_groups/{user_group_id}/members',
  guard: 'member_human',
  summary: 'Ids of the members of a user group.',
  parameters: {
    ...userGroupIdPathParameter,
    direct_member_only: declareBooleanParameterWithDefault('query', false, 'Leave out members of subgroups.'),
  },
  async run(call) {
    const { groups, group } = await getUserGroupOrThrow(call);
    const members = call.params.direct_member_only ? group.members : groups.transitiveMemberIdsOf(group.id);
    return { fields: { members } };
  },
});

export const getUserGroupSubgroupsOperation = defineOperation({
  id: 'get-user-group-subgroups',
  method: 'GET',
  path: '/user_groups/{user_group_id}/subgroups',
  guard: 'member_human',
  summary: 'Ids of the subgroups of a user group.',
  parameters: {
    ...userGroupIdPathParameter,
    direct_subgroup_only: declareBooleanParameterWithDefault('query', false, 'Leave out subgroups of subgroups.'),
  },
  async run(call) {
    const { groups, group } = await getUserGroupOrThrow(call);
    const subgroups = call.params.direct_subgroup_only ? group.subgroups : groups.transitiveSubgroupIdsOf(group.id);
    return { fields: { subgroups } };
  },
});

export const isUserGroupMemberOperation = defineOperation({
  id: 'get-is-user-group-member',
  method: 'GET',
  path: '/user_groups/{user_group_id}/members/{user_id}',
  guard: 'member_human',
  summary: 'Is a user in a user group?',
  parameters: {
    ...userGroupIdPathParameter,
    user_id: declarePathIdParameter('The user.'),
    direct_member_only: declareBooleanParameterWithDefault('query', false, 'Membership in a subgroup does not count.'),
  },
  async run(call) {
    const { params, directory } = call;
    const { groups, group } = await getUserGroupOrThrow(call);
    const find = () => directory.user(toUserId(params.user_id));
    if (!find()) await call.refresh();
    const user = find();
    if (!user || user.botType !== null) throw apiError('NO_SUCH_USER');
    if (!user.isActive) throw apiError('USER_IS_DEACTIVATED');
    const members = params.direct_member_only ? group.members : groups.transitiveMemberIdsOf(group.id);
    return { fields: { is_user_group_member: members.includes(user.id) } };
  },
});
