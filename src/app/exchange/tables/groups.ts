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
import { DistinctNames } from '../format/distinct-names.js';
import { CheckedExportRow } from '../format/row.js';
import type { ImportedOrganizationDraft } from '../import/draft.js';

/** Newer versions of the format write the names of system groups without `@`. */
const SYSTEM_GROUP_NAME_PATTERN = /^@?role:(\w+)$/;
const SYSTEM_GROUP_ID_BY_NAME: Readonly<Record<string, number>> = SYSTEM_GROUP_IDS;
const MAX_GROUP_NAME_CHARACTERS = 100;
const HALF_CHARACTER_AT_END_PATTERN = /[\uD800-\uDBFF]$/;

/**
 * Returns the rows of groups that have names. Newer versions of the format write these into zerver_namedusergroup, with
 * the names; the other rows of zerver_usergroup are values of settings.
 */
export const namedGroupRows = (
  groups: readonly CheckedExportRow[],
  named: readonly CheckedExportRow[],
): readonly CheckedExportRow[] =>
  named.length === 0
    ? groups
    : named.map(
        (row) => new CheckedExportRow(row.table, { ...row.fields, id: row.requireNonNegativeInteger('usergroup_ptr') }),
      );

/**
 * Assigns ids to groups: those of the system groups are fixed. Streams name groups, so this function runs before the
 * import of streams.
 *
 * @param rows groups that have names
 */
export function assignGroupIdsAndAddGroups(rows: readonly CheckedExportRow[], draft: ImportedOrganizationDraft): void {
  let next = FIRST_CUSTOM_GROUP_ID;
  const names = new DistinctNames((name) => name, Object.values(SYSTEM_GROUP_NAME_BY_ID));
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
    if (row.booleanOrDefault('is_system_group') || row.booleanOrDefault('deactivated')) {
      draft.adjustedRowCounts.addCount('unknown system group, or deactivated group');
      continue;
    }
    const unique = takeGroupName(name.trim() === '' ? `group ${row.requiredId}` : name, names);
    if (unique !== name) draft.adjustedRowCounts.addCount('name of a group, which was shortened or numbered');
    draft.groupIdMap.addNewId(row.requiredId, next);
    draft.directoryRecords.groups.push({
      id: next++,
      name: unique,
      description: row.textOrDefault('description'),
      members: [],
      subgroups: [],
      system: false,
    });
    draft.addImportedCount('groups');
  }
}

/** Takes a name, shortened if it is too long, and numbered if it is taken. */
function takeGroupName(name: string, names: DistinctNames): string {
  const cutTo = (length: number): string => name.slice(0, length).replace(HALF_CHARACTER_AT_END_PATTERN, '');
  return names.take(cutTo(MAX_GROUP_NAME_CHARACTERS), (n) => {
    const number = ` (${n})`;
    return `${cutTo(MAX_GROUP_NAME_CHARACTERS - number.length)}${number}`;
  });
}

/**
 * Adds the members to the groups that users made; those of system groups follow from the roles. Groups without names,
 * and others that are not imported, are passed over.
 */
export function addMembersToCustomGroups(
  members: readonly CheckedExportRow[],
  subgroups: readonly CheckedExportRow[],
  draft: ImportedOrganizationDraft,
): void {
  const all = new Map(
    draft.directoryRecords.groups.map((group) => [group.id, { users: new Set<number>(), groups: new Set<number>() }]),
  );
  const newIdOf = (row: CheckedExportRow, column: string): number | undefined =>
    draft.groupIdMap.findNewId(row.requireNonNegativeInteger(column));
  for (const row of members) {
    const group = all.get(newIdOf(row, 'user_group') ?? 0);
    const user = draft.userIdMap.requireNewId(row, 'user_profile');
    group?.users.add(user);
  }
  for (const row of subgroups) {
    const below = newIdOf(row, 'subgroup');
    if (below !== undefined) all.get(newIdOf(row, 'supergroup') ?? 0)?.groups.add(below);
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
 * Returns the system group to which a column gives a permission; undefined if it names no group. On this server only
 * system groups can have one.
 * @param otherwise system group that gets the permissions of other groups
 */
export function findSystemGroupIdInColumn(
  row: CheckedExportRow,
  column: string,
  otherwise: number,
  draft: ImportedOrganizationDraft,
): number | undefined {
  if (!row.hasNonNullField(column)) return undefined;
  const group = draft.groupIdMap.findNewId(row.requireNonNegativeInteger(column));
  if (group !== undefined && group < FIRST_CUSTOM_GROUP_ID) return group;
  draft.adjustedRowCounts.addCount(`permission of a group that is no system group: ${column}`);
  return otherwise;
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
