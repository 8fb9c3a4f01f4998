/** User groups (users.md § User groups): groups that users make, and system groups, which follow from roles. */
import { EncodedJson, memoizeByObject, withNumberInOrOut } from '#base';
import type { UserId } from '#model';
import type { DirectoryUser, DirectoryUserGroup, DirectoryView } from '#model/records';
import { isFullMemberOrAbove, USER_ROLE, type WaitingPeriodSetting } from './roles.js';

/** Ids of the system groups, the same in every realm. Each is a subgroup of the next one, except `nobody`, the last. */
export const SYSTEM_GROUP_IDS = {
  owners: 1,
  administrators: 2,
  moderators: 3,
  fullmembers: 4,
  members: 5,
  everyone: 6,
  internet: 7,
  nobody: 8,
} as const;

/** Id of the system group whose members a `*_policy` setting allows, by the number of the policy. */
const SYSTEM_GROUP_ID_BY_POLICY: Readonly<Record<number, number>> = {
  1: SYSTEM_GROUP_IDS.members,
  2: SYSTEM_GROUP_IDS.administrators,
  3: SYSTEM_GROUP_IDS.fullmembers,
  4: SYSTEM_GROUP_IDS.moderators,
  5: SYSTEM_GROUP_IDS.everyone,
};

/** The system group whose members a `*_policy` setting allows; the empty group for a number without one. */
export const systemGroupIdOfPolicy = (policy: number): number =>
  SYSTEM_GROUP_ID_BY_POLICY[policy] ?? SYSTEM_GROUP_IDS.nobody;

/** The system group whose members may send to a stream, by its `stream_post_policy`. */
export const systemGroupIdOfPostPolicy = (policy: number): number =>
  policy === 1 ? SYSTEM_GROUP_IDS.everyone : systemGroupIdOfPolicy(policy);

/** Id of the first group that users make. */
export const FIRST_CUSTOM_GROUP_ID = 9;

export const SYSTEM_GROUP_NAME_BY_ID: Readonly<Record<number, string>> = Object.fromEntries(
  Object.entries(SYSTEM_GROUP_IDS).map(([name, id]) => [id, `@role:${name}`]),
);

/**
 * The system groups; a group's index is its id - 1. `role` is the role of the direct members (full members also need an
 * age), `contains` is the id of the subgroup.
 */
const SYSTEM_GROUP_DEFINITIONS: readonly {
  readonly description: string;
  readonly role?: number;
  readonly contains?: number;
}[] = [
  { description: 'Owners of this organization', role: USER_ROLE.owner },
  { description: 'Administrators of this organization, including owners', role: USER_ROLE.admin, contains: 1 },
  { description: 'Moderators of this organization, including administrators', role: USER_ROLE.moderator, contains: 2 },
  {
    description: 'Members of this organization, not including new accounts and guests',
    role: USER_ROLE.member,
    contains: 3,
  },
  { description: 'Members of this organization, not including guests', role: USER_ROLE.member, contains: 4 },
  { description: 'Everyone in this organization, including guests', role: USER_ROLE.guest, contains: 5 },
  { description: 'Everyone on the Internet', contains: 6 },
  { description: 'Nobody' },
];

/** The system groups that have the account as a direct member, by its role and age. */
export function directSystemGroupIdsOfUser(
  user: DirectoryUser,
  settings: WaitingPeriodSetting,
  now: number,
): readonly number[] {
  const direct = SYSTEM_GROUP_DEFINITIONS.flatMap(({ role }, i) => (role === user.role ? [i + 1] : []));
  if (user.role !== USER_ROLE.member) return direct;
  return isFullMemberOrAbove(user, settings, now)
    ? [SYSTEM_GROUP_IDS.members, SYSTEM_GROUP_IDS.fullmembers]
    : [SYSTEM_GROUP_IDS.members];
}

/**
 * The system groups of an account as clients know them. An event reports that an account became a full member by its
 * age, and clients see the change only with that event. Policies use the current time instead.
 *
 * @param fullMembersAt time of the last such event, ms
 */
export const directSystemGroupIdsShownToClients = (
  user: DirectoryUser,
  settings: WaitingPeriodSetting,
  fullMembersAt: number,
): readonly number[] => directSystemGroupIdsOfUser(user, settings, Math.max(fullMembersAt, user.joined));

/** True if the account is in the system group, directly or through subgroups; false for a group that users made. */
export const isInSystemGroup = (
  group: number,
  user: DirectoryUser,
  settings: WaitingPeriodSetting,
  now: number,
): boolean =>
  group < SYSTEM_GROUP_IDS.nobody && directSystemGroupIdsOfUser(user, settings, now).some((direct) => direct <= group);

type SystemGroupSource = Pick<DirectoryView, 'users' | 'fullMembersAt'> & { readonly settings: WaitingPeriodSetting };

/** The system groups with their members, by id. */
export function makeSystemGroups(directory: SystemGroupSource): readonly DirectoryUserGroup[] {
  const direct = new Map<number, UserId[]>(SYSTEM_GROUP_DEFINITIONS.map((_, i) => [i + 1, []]));
  for (const user of directory.users()) {
    for (const id of directSystemGroupIdsShownToClients(user, directory.settings, directory.fullMembersAt))
      direct.get(id)!.push(user.id);
  }
  return SYSTEM_GROUP_DEFINITIONS.map(({ description, contains }, i) => ({
    id: i + 1,
    name: SYSTEM_GROUP_NAME_BY_ID[i + 1]!,
    description,
    members: direct.get(i + 1)!.sort((a, b) => a - b),
    subgroups: contains === undefined ? [] : [contains],
    system: true,
  }));
}

/**
 * The system groups of a directory. A change of few accounts changes few lists of members, and groups that stay equal
 * stay the same objects: making the groups of 100,000 accounts again takes 60 ms.
 */
class SystemGroupCache {
  #usersVersion = -1;
  #membershipRule = '';
  #groups: readonly DirectoryUserGroup[] = [];

  constructor(private readonly directory: DirectoryView) {}

  current(): readonly DirectoryUserGroup[] {
    const { directory } = this;
    const { usersVersion, fullMembersAt, settings } = directory;
    const rule = `${fullMembersAt}/${settings.waiting_period_threshold}`;
    const changed = rule === this.#membershipRule ? directory.usersChangedSince(this.#usersVersion) : undefined;
    this.#groups = changed
      ? changed.reduce((groups, id) => this.#withUser(groups, id), this.#groups)
      : makeSystemGroups(directory);
    this.#usersVersion = usersVersion;
    this.#membershipRule = rule;
    return this.#groups;
  }

  #withUser(groups: readonly DirectoryUserGroup[], id: UserId): readonly DirectoryUserGroup[] {
    const { settings, fullMembersAt } = this.directory;
    const user = this.directory.user(id);
    const direct = user ? directSystemGroupIdsShownToClients(user, settings, fullMembersAt) : [];
    return groups.map((group) => {
      const members = withNumberInOrOut(group.members, id, direct.includes(group.id));
      return members === group.members ? group : { ...group, members };
    });
  }
}

const systemGroupCacheOf = memoizeByObject((directory: DirectoryView) => new SystemGroupCache(directory));

/** All user groups of an organization, by id. */
export class UserGroupsWithMembers {
  readonly #groupById: ReadonlyMap<number, DirectoryUserGroup>;

  constructor(system: readonly DirectoryUserGroup[], custom: Iterable<DirectoryUserGroup>) {
    const all = [...system, ...[...custom].sort((a, b) => a.id - b.id)];
    this.#groupById = new Map(all.map((group) => [group.id, group]));
  }

  allGroups(): Iterable<DirectoryUserGroup> {
    return this.#groupById.values();
  }

  findGroup(id: number): DirectoryUserGroup | undefined {
    return this.#groupById.get(id);
  }

  /** Ids of a group's subgroups at any depth, ascending, without the group itself. */
  transitiveSubgroupIdsOf(id: number): number[] {
    const found = this.#collectGroupAndSubgroupIds(id);
    found.delete(id);
    return [...found].sort((a, b) => a - b);
  }

  /** Members of the group and of its subgroups at any depth, ascending. */
  transitiveMemberIdsOf(id: number): UserId[] {
    const members = new Set<UserId>();
    for (const reached of this.#collectGroupAndSubgroupIds(id))
      for (const user of this.findGroup(reached)?.members ?? []) members.add(user);
    return [...members].sort((a, b) => a - b);
  }

  /** A group and its subgroups at any depth. Groups may contain each other. */
  #collectGroupAndSubgroupIds(id: number): Set<number> {
    const found = new Set([id]);
    for (const reached of found) for (const sub of this.findGroup(reached)?.subgroups ?? []) found.add(sub);
    return found;
  }
}

const userGroupsCacheVersionOf = ({ usersVersion, groupsVersion, fullMembersAt, settings }: DirectoryView): string =>
  `${usersVersion}/${groupsVersion}/${fullMembersAt}/${settings.waiting_period_threshold}`;

/** The user groups of an organization; brought up to date after a change of accounts or groups. */
export const getUserGroupsOfDirectory = memoizeByObject(
  (directory: DirectoryView) => new UserGroupsWithMembers(systemGroupCacheOf(directory).current(), directory.groups()),
  userGroupsCacheVersionOf,
);

/** A group as JSON text after a comma. Encoded once per change of the group. */
const encodeUserGroup = memoizeByObject((group: DirectoryUserGroup) =>
  Buffer.from(`,${JSON.stringify(formatUserGroupForApi(group))}`),
);

/** JSON list of all groups as the API shows them, by id; unchanged groups keep their bytes. */
export const getEncodedUserGroupList = memoizeByObject((directory: DirectoryView): EncodedJson => {
  const groups = [...getUserGroupsOfDirectory(directory).allGroups()];
  const [first, ...others] = groups.map(encodeUserGroup);
  return new EncodedJson([Buffer.from('['), first!.subarray(1), ...others, Buffer.from(']')]);
}, userGroupsCacheVersionOf);

/** Maximum number of user groups: every registration has all of them. */
export const MAX_USER_GROUPS = 2_000;

/** A group as the API shows it. */
export const formatUserGroupForApi = ({ id, name, description, members, subgroups, system }: DirectoryUserGroup) => ({
  id,
  name,
  description,
  members,
  direct_subgroup_ids: subgroups,
  is_system_group: system,
});
