/** users.md § User groups. */
import fc from 'fast-check';
import t from 'tap';
import { directSystemGroupIdsOfUser, SYSTEM_GROUP_IDS, UserGroupsWithMembers } from '#domain/people';
import { toUserId } from '#model';
import type { DirectoryUserGroup } from '#model/records';
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
  new UserGroupsWithMembers({
    users: () => [person(8), person(9, { role: 100 })],
    groups: () => groups,
    settings: { waiting_period_threshold: 0 },
    fullMembersAt: 0,
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
