/** users.md § User groups. */
import fc from 'fast-check';
import t from 'tap';
import type { DirectoryChange } from '#directory';
import {
  directSystemGroupIdsOfUser,
  FIRST_CUSTOM_GROUP_ID,
  formatUserGroupForApi,
  getEncodedUserGroupList,
  getUserGroupsOfDirectory,
  isInSystemGroup,
  makeSystemGroups,
  SYSTEM_GROUP_IDS,
  UserGroupsWithMembers,
} from '#domain/people';
import { toUserId } from '#model';
import type { DirectoryUserGroup } from '#model/records';
import { directoryWith } from '../../support/directory.js';
import { person } from '../../support/person.js';

const DAY = 86_400_000;

const group = (id: number, members: number[], subgroups: number[]): DirectoryUserGroup => ({
  id,
  name: `group ${id}`,
  description: '',
  members: members.map(toUserId),
  subgroups,
  system: false,
});

const made = (groups: DirectoryUserGroup[]) =>
  new UserGroupsWithMembers(
    makeSystemGroups({
      users: () => [person(8), person(9, { role: 100 })],
      settings: { waiting_period_threshold: 0 },
      fullMembersAt: 0,
    }),
    groups,
  );

t.test('nobody has the permissions of system groups through a group that users made', async (t) => {
  const settings = { waiting_period_threshold: 0 };
  for (const role of [100, 200, 600])
    t.notOk(isInSystemGroup(FIRST_CUSTOM_GROUP_ID, person(8, { role }), settings, DAY));
});

t.test('system groups follow from role and age', async (t) => {
  const settings = { waiting_period_threshold: 3 };
  const { members, fullmembers, owners, everyone } = SYSTEM_GROUP_IDS;
  t.same(directSystemGroupIdsOfUser(person(8), settings, 2 * DAY), [members]);
  t.same(directSystemGroupIdsOfUser(person(8), settings, 3 * DAY), [members, fullmembers]);
  t.same(directSystemGroupIdsOfUser(person(8, { role: 100 }), settings, 0), [owners]);
  t.same(directSystemGroupIdsOfUser(person(8, { role: 600 }), settings, 9 * DAY), [everyone]);
});

t.test('members are found at any depth, each once, in any nesting', async (t) => {
  const ids = fc.array(fc.integer({ min: 9, max: 14 }), { maxLength: 4 });
  fc.assert(
    fc.property(fc.array(fc.tuple(ids, ids), { minLength: 6, maxLength: 6 }), (shape) => {
      const groups = shape.map(([members, subgroups], i) => group(i + 9, members, subgroups));
      const all = made(groups);
      for (const { id } of groups) {
        const subgroups = all.transitiveSubgroupIdsOf(id);
        t.notOk(subgroups.includes(id), 'not its own subgroup');
        const expected = new Set([id, ...subgroups].flatMap((of) => all.findGroup(of)?.members ?? []));
        t.same(
          all.transitiveMemberIdsOf(id),
          [...expected].sort((a, b) => a - b),
        );
        for (const sub of all.findGroup(id)!.subgroups) if (sub !== id) t.ok(subgroups.includes(sub));
      }
    }),
    { numRuns: 50 },
  );
});

t.test('a group that does not exist is empty', async (t) => {
  t.same(
    [made([]).transitiveMemberIdsOf(99), made([]).transitiveSubgroupIdsOf(99), made([]).findGroup(99)],
    [[], [], undefined],
  );
});

const change: fc.Arbitrary<DirectoryChange> = fc.oneof(
  fc
    .record({
      id: fc.integer({ min: 8, max: 14 }),
      role: fc.constantFrom(100, 200, 300, 400, 600),
      joined: fc.constantFrom(0, 5 * DAY),
    })
    .map(({ id, ...over }) => ({ user: person(id, over) })),
  fc.constantFrom(0, 3, 10).map((days) => ({ settings: { waiting_period_threshold: days } })),
  fc.integer({ min: 0, max: 20 }).map((days) => ({ fullMembersAt: days * DAY })),
  fc.integer({ min: 9, max: 11 }).map((id) => ({ group: group(id, [8, id], []) })),
  fc.integer({ min: 9, max: 11 }).map((groupGone) => ({ groupGone })),
);

t.test('groups that were brought up to date by changes equal those of a fresh directory', async (t) => {
  fc.assert(
    fc.property(fc.array(fc.array(change, { minLength: 1, maxLength: 3 }), { maxLength: 12 }), (turns) => {
      const directory = directoryWith({ users: [person(8), person(9, { role: 100 })] });
      for (const changes of turns) {
        for (const one of changes) directory.applyChange(one);
        const fresh = [...new UserGroupsWithMembers(makeSystemGroups(directory), directory.groups()).allGroups()];
        if (JSON.stringify([...getUserGroupsOfDirectory(directory).allGroups()]) !== JSON.stringify(fresh))
          return false;
        const encoded = Buffer.from(getEncodedUserGroupList(directory).toBytes()).toString();
        if (encoded !== JSON.stringify(fresh.map(formatUserGroupForApi))) return false;
      }
      return true;
    }),
    { numRuns: 300 },
  );
  t.pass();
});

t.test('a change of an account leaves the groups alone that it does not change', async (t) => {
  const directory = directoryWith({ users: [person(8), person(9, { role: 100 })] });
  const parts = () => getEncodedUserGroupList(directory).parts.filter(({ byteLength }) => byteLength > 1);
  const before = parts();
  directory.applyChange({ user: person(8, { fullName: 'Other' }) });
  t.same(
    parts().map((part, i) => i > 0 && part !== before[i]),
    parts().map(() => false),
  );
  directory.applyChange({ user: person(8, { role: 300 }) });
  t.equal(parts().filter((part, i) => i > 0 && part !== before[i]).length, 3, 'members, full members and moderators');
});
