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

/** In three chunks of the encoded lists. */
const IDS = [8, 9, 255, 256, 1030];
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
            const got = Buffer.from(getEncodedUserList(directory, viewer, options).toBytes()).toString();
            if (!test.equal(got, JSON.stringify(plain(directory, viewer, options)))) throw new Error('differs');
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

t.test('a change of an account leaves the bytes of all other chunks as they are', async (test) => {
  const users = Array.from({ length: 1_000 }, (_, i) => person(8 + i));
  const directory = directoryWith({ users });
  const parts = () => getEncodedUserList(directory, users[0]!, { clientGravatar: true }).parts;
  const before = parts();
  directory.applyChange({ user: person(300, { fullName: 'Other' }) });
  directory.applyChange({ user: person(1_008) });
  test.equal(
    parts().filter((part) => !before.includes(part)).length,
    2,
    'the chunk of 300, and the one of the newcomer',
  );
});

t.test('lists are right after more changes than the directory remembers', async (test) => {
  const users = Array.from({ length: 600 }, (_, i) => person(8 + i));
  const directory = directoryWith({ users });
  const text = () =>
    Buffer.from(getEncodedUserList(directory, users[0]!, { clientGravatar: true }).toBytes()).toString();
  text();
  for (let turn = 0; turn < 3_000; turn++)
    directory.applyChange({ user: person(8 + (turn % 700), { fullName: `Turn ${turn}` }) });
  test.equal(text(), JSON.stringify(plain(directory, users[0]!, { clientGravatar: true })));
});
