import t from 'tap';
import { hasEmailAddressForm, isAllowedByPolicy, maySeeRealEmail, toCheckedFullName } from '#domain/people';
import { toUserId } from '#model';
import type { DirectoryUser } from '#model/records';
import { person } from '../../support/person.js';

const DAY = 86_400_000;
const user = (role: number, over: Partial<DirectoryUser> = {}): DirectoryUser => person(role, { role, ...over });

t.test('policies admit the roles in the table of conventions.md', async (t) => {
  const settings = { waiting_period_threshold: 3 };
  // Columns: owner, admin, moderator, old member, new member, guest.
  const expected: Record<number, string> = {
    1: 'yyyyyn',
    2: 'yynnnn',
    3: 'yyyynn',
    4: 'yyynnn',
    5: 'yyyyyy',
    6: 'nnnnnn',
    7: 'ynnnnn',
  };
  const now = 10 * DAY;
  const people = [user(100), user(200), user(300), user(400), user(400, { joined: 9 * DAY }), user(600)];
  for (const [policy, row] of Object.entries(expected)) {
    const actual = people.map((one) => (isAllowedByPolicy(Number(policy), one, settings, now) ? 'y' : 'n')).join('');
    t.equal(actual, row, `policy ${policy}`);
  }
});

t.test('a real address is visible to the users whom its owner admits, and always to the owner', async (t) => {
  const rows: [number, string][] = [
    [1, 'yyyyy'],
    [2, 'yyyyn'],
    [5, 'yyynn'],
    [3, 'yynnn'],
    [4, 'nnnnn'],
  ];
  for (const [emailVisibility, row] of rows) {
    const of = user(400, { id: toUserId(1), emailVisibility });
    const actual = [100, 200, 300, 400, 600].map((role) => (maySeeRealEmail(user(role), of) ? 'y' : 'n')).join('');
    t.equal(actual, row, `visibility ${emailVisibility}`);
    t.ok(maySeeRealEmail(of, of));
    t.equal(maySeeRealEmail(undefined, of), emailVisibility === 1);
  }
});

t.test('names and addresses that break the rules are refused', async (t) => {
  t.equal(toCheckedFullName('  King Hamlet '), 'King Hamlet');
  for (const bad of ['x', '', 'a'.repeat(101), 'a*b', 'a@b', 'ab\u0000', 'Hamlet|12', 'a"b', 'a\u202eb']) {
    t.throws(() => toCheckedFullName(bad), { name: 'ApiError' }, JSON.stringify(bad));
  }
  for (const good of ['a@example.com', 'o.k+x@sub.example.org', 'owner@localhost'])
    t.ok(hasEmailAddressForm(good), good);
  for (const bad of ['', 'a', '@b.c', 'a@b', 'a b@c.de', 'a@-b.de', '.a@b.de', `${'a'.repeat(65)}@b.de`]) {
    t.notOk(hasEmailAddressForm(bad), bad);
  }
});
