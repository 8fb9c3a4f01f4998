/** User groups of an export: zerver_usergroup, zerver_usergroupmembership, zerver_groupgroupmembership. */
import type { JsonObject } from '#base';
import {
  FIRST_CUSTOM_GROUP_ID,
  getUserGroupsOfDirectory,
  SYSTEM_GROUP_IDS,
  SYSTEM_GROUP_NAME_BY_ID,
} from '#domain/people';
import { toUserId } from '#model';
import type { DirectoryView } from '#model/records';
import type { CheckedExportRow } from '../format/row.js';
import type { ImportedOrganizationDraft } from '../import/draft.js';

/** Newer versions of the format write the names of system groups without `@`. */
const SYSTEM_GROUP_NAME_PATTERN = /^@?role:(\w+)$/;
const SYSTEM_GROUP_ID_BY_NAME: Readonly<Record<string, number>> = SYSTEM_GROUP_IDS;
const MAX_GROUP_NAME_CHARACTERS = 100;

/**
 * Assigns ids to groups: those of the system groups are fixed. Streams name groups, so this function runs before the
 * import of streams.
 */
export function assignGroupIdsAndAddGroups(rows: readonly CheckedExportRow[], draft: ImportedOrganizationDraft): void {
  let next = FIRST_CUSTOM_GROUP_ID;
  const names = new Set<string>();
  for (const row of [...rows].sort((a, b) => a.requiredId - b.requiredId)) {
    const name = row.textOrDefault('name');
    const [, system] = SYSTEM_GROUP_NAME_PATTERN.exec(name) ?? [];
    if (
      row.booleanOrDefault('is_system_group') &&
      system !== undefined &&
      SYSTEM_GROUP_ID_BY_NAME[system] !== undefined
    ) {
      draft.groupIdMap.addNewId(row.requiredId, SYSTEM_GROUP_ID_BY_NAME[system]);
      continue;
    }
    if (name === '' || name.length > MAX_GROUP_NAME_CHARACTERS || names.has(name))
      throw row.makeRowError(`${JSON.stringify(name.slice(0, 60))} can't be the name of a group`);
    names.add(name);
    draft.groupIdMap.addNewId(row.requiredId, next);
    draft.directoryRecords.groups.push({
      id: next++,
      name,
      description: row.textOrDefault('description'),
      members: [],
      subgroups: [],
      system: false,
    });
    draft.addImportedCount('groups');
  }
}

/** Adds the members to the groups that users made; those of system groups follow from the roles. */
export function addMembersToCustomGroups(
  members: readonly CheckedExportRow[],
  subgroups: readonly CheckedExportRow[],
  draft: ImportedOrganizationDraft,
): void {
  const all = new Map(
    draft.directoryRecords.groups.map((group) => [group.id, { users: new Set<number>(), groups: new Set<number>() }]),
  );
  for (const row of members) {
    const group = all.get(draft.groupIdMap.requireNewId(row.requireNonNegativeInteger('user_group'), row.table));
    const user = draft.userIdMap.requireNewId(row.requireNonNegativeInteger('user_profile'), row.table);
    group?.users.add(user);
  }
  for (const row of subgroups) {
    const group = all.get(draft.groupIdMap.requireNewId(row.requireNonNegativeInteger('supergroup'), row.table));
    const below = draft.groupIdMap.requireNewId(row.requireNonNegativeInteger('subgroup'), row.table);
    group?.groups.add(below);
  }
  draft.directoryRecords.groups.forEach((group, i) => {
    const { users, groups } = all.get(group.id)!;
    const ascending = (ids: Set<number>): number[] => [...ids].sort((a, b) => a - b);
    draft.directoryRecords.groups[i] = {
      ...group,
      members: ascending(users).map(toUserId),
      subgroups: ascending(groups),
    };
  });
}

/**
 * Returns the system group to which a column gives a permission; undefined if it names no group. Administrators get
 * the permissions of other groups: on this server only system groups can have one.
 */
export function findSystemGroupIdInColumn(
  row: CheckedExportRow,
  column: string,
  draft: ImportedOrganizationDraft,
): number | undefined {
  if (!row.hasNonNullField(column)) return undefined;
  const group = draft.groupIdMap.findNewId(row.requireNonNegativeInteger(column));
  if (group !== undefined && group < FIRST_CUSTOM_GROUP_ID) return group;
  draft.adjustedRowCounts.addCount(`permission of a group that is no system group: ${column}`);
  return SYSTEM_GROUP_IDS.administrators;
}

export function makeUserGroupTableRows(directory: DirectoryView): {
  readonly groups: JsonObject[];
  readonly members: JsonObject[];
  readonly subgroups: JsonObject[];
} {
  const system = getUserGroupsOfDirectory(directory);
  const groups: JsonObject[] = [];
  const members: JsonObject[] = [];
  const subgroups: JsonObject[] = [];
  const ids = [...Object.keys(SYSTEM_GROUP_NAME_BY_ID).map(Number), ...[...directory.groups()].map(({ id }) => id)];
  for (const id of ids) {
    const group = system.findGroup(id);
    if (!group) continue;
    const name = SYSTEM_GROUP_NAME_BY_ID[id] ?? group.name;
    groups.push({ id, realm: 1, name, description: group.description, is_system_group: group.system });
    for (const user of group.members) members.push({ id: members.length + 1, user_group: id, user_profile: user });
    for (const below of group.subgroups) subgroups.push({ id: subgroups.length + 1, supergroup: id, subgroup: below });
  }
  return { groups, members, subgroups };
}
