import fc from 'fast-check';
import t from 'tap';
import type { DirectoryChange, RealmDirectory } from '#directory';
import { formatUserForApi, getEncodedUserList } from '#domain/people';
import { toUserId } from '#model';
import type { DirectoryProfileField, DirectoryUser } from '#model/records';
import { directoryWith } from '../../support/directory.js';
import { person } from '../../support/person.js';

const account = (id: number): fc.Arbitrary<DirectoryUser> =>
  fc
    .record({
      role: fc.constantFrom(100, 200, 300, 400, 600),
      emailVisibility: fc.constantFrom(1, 2, 3, 4, 5),
      isActive: fc.boolean(),
      fullName: fc.string(),
    })
    .map((over) => person(id, over));

const field = (id: number): DirectoryProfileField => ({
  id,
  type: 1,
  name: `field ${id}`,
  hint: '',
  data: '',
  order: id,
  inSummary: false,
  added: [],
});

const IDS = [8, 9, 10, 11, 12];
const accounts = fc.tuple(...IDS.map(account));
const shape = fc.record({
  clientGravatar: fc.boolean(),
  profile: fc.boolean(),
  withoutActive: fc.boolean(),
  active: fc.constantFrom(undefined, true, false),
});

const filled = { value: 'x', rendered: '', at: 2 };
const change: fc.Arbitrary<DirectoryChange> = fc.oneof(
  fc
    .record({ user: fc.constantFrom(...IDS.map(toUserId)), values: fc.constantFrom({}, { 1: filled }, { 2: filled }) })
    .map((profile) => ({ profile })),
  fc.subarray([field(1), field(2)]).map((profileFields) => ({ profileFields })),
);

/** Encodes object by object, without any cache. */
const plain = (directory: RealmDirectory, viewer: DirectoryUser, options: Parameters<typeof getEncodedUserList>[2]) =>
  [...directory.users()]
    .filter((user) => options.active === undefined || user.isActive === options.active)
    .map((user) => formatUserForApi(user, viewer, { ...options, profile: options.profile ? directory : undefined }));

t.test('encoded users equal presentUser for all viewers, also after changes', async (test) => {
  fc.assert(
    fc.property(
      accounts,
      fc.array(fc.tuple(accounts, fc.nat(4), change), { maxLength: 5 }),
      shape,
      (first, changes, options) => {
        const directory = directoryWith({ users: first });
        const check = (): void => {
          for (const id of IDS) {
            const viewer = directory.user(id as never)!;
            const got = JSON.parse(
              Buffer.from(getEncodedUserList(directory, viewer, options).toBytes()).toString(),
            ) as unknown;
            if (!test.same(got, plain(directory, viewer, options))) throw new Error('differs');
          }
        };
        check();
        for (const [others, changed, of] of changes) {
          directory.applyChange({ user: others[changed]! });
          check();
          directory.applyChange(of);
          check();
        }
      },
    ),
    { numRuns: 60 },
  );
});

t.test('a list is made once per class of viewers and change', async (test) => {
  const directory = directoryWith({ users: [person(8), person(9), person(10, { role: 600 })] });
  const list = (id: number) => getEncodedUserList(directory, directory.user(id as never)!, { clientGravatar: true });
  test.equal(list(8), list(9));
  test.not(list(8), list(10));
  const before = list(8);
  directory.applyChange({ user: person(9, { fullName: 'Other' }) });
  test.not(list(8), before);
});
