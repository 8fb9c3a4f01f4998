/** Members and subgroups of user groups (users.md § User groups): adds, then removes; all or nothing. */

import { formatSilentMention, makeDirectNoticeCommand, makeSuccessReply } from '#actors/shared';
import { SYSTEM_GROUP_NAME_BY_ID } from '#domain/people';
import { type LogItem, toUserId } from '#model';
import type { OutboxCommand, realmActorCommands } from '#model/commands';
import { apiError } from '#model/errors';
import type { DirectoryUser } from '#model/records';
import { makeEveryoneEventLogItem } from '../../log-items.js';
import { findUserGroupRecord, findUserRecord } from '../../state.js';
import { NO_INPUT_COMMAND_LANE, type RealmCommandHandler } from '../command.js';
import { noticeTextsOfAccount } from '../mails.js';
import {
  checkGroupMembersExist,
  getEditableUserGroupOrThrow,
  getUserGroupEditorOrThrow,
  makeStoredUserGroupChanges,
  sortUniqueIds,
} from './user-groups.js';

export const editGroupMembersHandler: RealmCommandHandler<typeof realmActorCommands.editMembers> = {
  lane: NO_INPUT_COMMAND_LANE,
  handle({ state, parts }, args, _inputs, { caller, now, realm, version }) {
    const acting = getUserGroupEditorOrThrow(parts, caller, state.settings, now);
    const before = getEditableUserGroupOrThrow(parts, args.user_group_id, acting);
    const adding = sortUniqueIds(args.add.map(toUserId));
    const removing = sortUniqueIds(args.delete.map(toUserId));
    checkGroupMembersExist(parts, args.add);
    const members = new Set(before.members);
    for (const user of args.add) {
      if (members.has(toUserId(user))) throw apiError('ALREADY_MEMBER', { user_id: user });
    }
    for (const user of adding) members.add(user);
    checkGroupMembersExist(parts, args.delete);
    for (const user of args.delete) {
      if (!members.has(toUserId(user))) throw apiError('NO_SUCH_MEMBER', { user_id: user });
    }
    for (const user of removing) members.delete(user);
    const { parts: written, change } = makeStoredUserGroupChanges({ ...before, members: sortUniqueIds(members) });
    const changed = (op: string, user_ids: readonly number[]): LogItem[] =>
      user_ids.length === 0
        ? []
        : [makeEveryoneEventLogItem(version, { type: 'user_group', op, group_id: before.id, user_ids })];
    const group = `@_*${before.name}*`;
    const noticesTo = (users: readonly number[], text: 'addedToGroup' | 'removedFromGroup'): OutboxCommand[] =>
      users
        .map((user) => findUserRecord(parts, user))
        .filter((user): user is DirectoryUser => user !== undefined && user.id !== caller)
        .filter((user) => user.isActive && user.botType === null)
        .map((user) =>
          makeDirectNoticeCommand(realm, user.id, {
            content: noticeTextsOfAccount(parts, user)[text](formatSilentMention(acting), group),
            origin: args.origin,
            after: version,
          }),
        );
    const notices = [noticesTo(adding, 'addedToGroup'), noticesTo(removing, 'removedFromGroup')];
    return {
      reply: makeSuccessReply(undefined, version),
      parts: written,
      events: [change, ...changed('add_members', adding), ...changed('remove_members', removing)],
      commands: notices.filter((stage) => stage.length > 0),
      replyAfterCommands: true,
    };
  },
};

export const editGroupSubgroupsHandler: RealmCommandHandler<typeof realmActorCommands.editSubgroups> = {
  lane: NO_INPUT_COMMAND_LANE,
  handle({ state, parts }, args, _inputs, { caller, now, version }) {
    const acting = getUserGroupEditorOrThrow(parts, caller, state.settings, now);
    const before = getEditableUserGroupOrThrow(parts, args.user_group_id, acting);
    const check = (ids: readonly number[]): void => {
      for (const id of ids) {
        if (SYSTEM_GROUP_NAME_BY_ID[id] === undefined && !findUserGroupRecord(parts, id))
          throw apiError('INVALID_GROUP_ID', { id });
      }
    };
    const subgroups = new Set(before.subgroups);
    check(args.add);
    for (const id of args.add) if (subgroups.has(id)) throw apiError('ALREADY_SUBGROUP', { group_id: id });
    for (const id of args.add) subgroups.add(id);
    check(args.delete);
    for (const id of args.delete) if (!subgroups.has(id)) throw apiError('NO_SUCH_SUBGROUP', { group_id: id });
    for (const id of args.delete) subgroups.delete(id);
    const { parts: written, change } = makeStoredUserGroupChanges({ ...before, subgroups: sortUniqueIds(subgroups) });
    const changed = (op: string, ids: readonly number[]): LogItem[] =>
      ids.length === 0
        ? []
        : [
            makeEveryoneEventLogItem(version, {
              type: 'user_group',
              op,
              group_id: before.id,
              direct_subgroup_ids: sortUniqueIds(ids),
            }),
          ];
    return {
      reply: makeSuccessReply(undefined, version),
      parts: written,
      events: [change, ...changed('add_subgroups', args.add), ...changed('remove_subgroups', args.delete)],
    };
  },
};
