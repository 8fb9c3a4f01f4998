/** Members and subgroups of user groups (users.md § User groups): adds, then removes; all or nothing. */

import { directNoticeCommand, silentMention, successReply } from '#actors/shared';
import { SYSTEM_GROUP_NAMES } from '#domain/people';
import { type LogItem, userId } from '#model';
import type { OutboxCommand, realmCommands } from '#model/commands';
import { apiError } from '#model/errors';
import type { DirectoryUser } from '#model/records';
import { everyoneEventItem } from '../../log-items.js';
import { groupRecord, userRecord } from '../../state.js';
import { type RealmCommand, SETTINGS_LANE } from '../command.js';
import {
  checkMembersExist,
  requireEditableGroup,
  requireGroupEditor,
  storeUserGroup,
  uniqueAscending,
} from './user-groups.js';

export const editGroupMembersHandler: RealmCommand<typeof realmCommands.editMembers> = {
  lane: SETTINGS_LANE,
  handle({ state, parts }, args, _inputs, { caller, now, realm, version }) {
    const acting = requireGroupEditor(parts, caller, state.settings, now);
    const before = requireEditableGroup(parts, args.user_group_id, acting);
    const adding = uniqueAscending(args.add.map(userId));
    const removing = uniqueAscending(args.delete.map(userId));
    checkMembersExist(parts, args.add);
    const members = new Set(before.members);
    for (const user of args.add) {
      if (members.has(userId(user))) throw apiError('ALREADY_MEMBER', { user_id: user });
    }
    for (const user of adding) members.add(user);
    checkMembersExist(parts, args.delete);
    for (const user of args.delete) {
      if (!members.has(userId(user))) throw apiError('NO_SUCH_MEMBER', { user_id: user });
    }
    for (const user of removing) members.delete(user);
    const { parts: written, change } = storeUserGroup({ ...before, members: uniqueAscending(members) });
    const changed = (op: string, user_ids: readonly number[]): LogItem[] =>
      user_ids.length === 0
        ? []
        : [everyoneEventItem(version, { type: 'user_group', op, group_id: before.id, user_ids })];
    const group = `@_*${before.name}*`;
    const noticesTo = (users: readonly number[], what: string): OutboxCommand[] =>
      users
        .map((user) => userRecord(parts, user))
        .filter((user): user is DirectoryUser => user !== undefined && user.id !== caller)
        .filter((user) => user.isActive && user.botType === null)
        .map((user) =>
          directNoticeCommand(realm, user.id, {
            content: `${silentMention(acting)} ${what} ${group}.`,
            origin: args.origin,
            after: version,
          }),
        );
    const notices = [noticesTo(adding, 'added you to the group'), noticesTo(removing, 'removed you from the group')];
    return {
      reply: successReply(undefined, version),
      parts: written,
      events: [change, ...changed('add_members', adding), ...changed('remove_members', removing)],
      commands: notices.filter((stage) => stage.length > 0),
      replyAfterCommands: true,
    };
  },
};

export const editGroupSubgroupsHandler: RealmCommand<typeof realmCommands.editSubgroups> = {
  lane: SETTINGS_LANE,
  handle({ state, parts }, args, _inputs, { caller, now, version }) {
    const acting = requireGroupEditor(parts, caller, state.settings, now);
    const before = requireEditableGroup(parts, args.user_group_id, acting);
    const check = (ids: readonly number[]): void => {
      for (const id of ids) {
        if (SYSTEM_GROUP_NAMES[id] === undefined && !groupRecord(parts, id)) throw apiError('INVALID_GROUP_ID', { id });
      }
    };
    const subgroups = new Set(before.subgroups);
    check(args.add);
    for (const id of args.add) if (subgroups.has(id)) throw apiError('ALREADY_SUBGROUP', { group_id: id });
    for (const id of args.add) subgroups.add(id);
    check(args.delete);
    for (const id of args.delete) if (!subgroups.has(id)) throw apiError('NO_SUCH_SUBGROUP', { group_id: id });
    for (const id of args.delete) subgroups.delete(id);
    const { parts: written, change } = storeUserGroup({ ...before, subgroups: uniqueAscending(subgroups) });
    const changed = (op: string, ids: readonly number[]): LogItem[] =>
      ids.length === 0
        ? []
        : [
            everyoneEventItem(version, {
              type: 'user_group',
              op,
              group_id: before.id,
              direct_subgroup_ids: uniqueAscending(ids),
            }),
          ];
    return {
      reply: successReply(undefined, version),
      parts: written,
      events: [change, ...changed('add_subgroups', args.add), ...changed('remove_subgroups', args.delete)],
    };
  },
};
