import t from 'tap';
import type { Json } from '#base';
import type { DirectoryUser } from '#model/records';
import {
  countDailyInvitationsOrThrow,
  countMailToAddressIfAllowed,
  type LimitedMailKind,
  MAX_DAILY_INVITATIONS,
  MAX_DAILY_INVITATIONS_OF_ADMIN,
} from '../../../actors/realm/mail-limits.js';
import { person } from '../../support/person.js';

const HOUR = 3_600_000;

/** A realm's parts, which store the counts. */
class Realm {
  readonly parts = new Map<string, Json>();

  ask(address: string, now: number, kind: LimitedMailKind = 'invitation'): number {
    const { wait, parts } = countMailToAddressIfAllowed(this.parts, kind, address, now);
    this.#store(parts);
    return wait;
  }

  invite(by: DirectoryUser, count: number, now: number): void {
    this.#store(countDailyInvitationsOrThrow(this.parts, by, count, now));
  }

  #store(parts: Readonly<Record<string, Json>>): void {
    for (const [name, part] of Object.entries(parts)) {
      if (part === null) this.parts.delete(name);
      else this.parts.set(name, part);
    }
  }
}

t.test('an address gets two mails an hour and five a day, in any case of its letters', async (t) => {
  const realm = new Realm();
  t.same([realm.ask('a@b.de', 0), realm.ask('A@b.de', 1), realm.ask('a@B.de', 2)], [0, 0, HOUR - 2]);
  t.equal(realm.ask('c@b.de', 2), 0);
  t.same(
    [1, 2, 3, 4].map((hour) => realm.ask('a@b.de', hour * HOUR + 1)),
    [0, 0, 0, 20 * HOUR - 1],
  );
});

t.test('each kind of mail to an address has a count of its own, and all counts are stored', async (t) => {
  const realm = new Realm();
  const kinds: readonly LimitedMailKind[] = ['passwordReset', 'invitation', 'signUp'];
  for (const kind of kinds) t.same([realm.ask('a@b.de', 0, kind), realm.ask('a@b.de', 1, kind)], [0, 0], kind);
  for (const kind of kinds) t.equal(realm.ask('a@b.de', 2, kind), HOUR - 2, kind);
  realm.ask('b@b.de', 24 * HOUR + 1, 'passwordReset');
  t.same([...realm.parts.keys()], ['letters/b@b.de']);
});

t.test('mails that an earlier version has counted together count as invitations', async (t) => {
  const realm = new Realm();
  realm.parts.set('letters/a@b.de', { address: 'a@b.de', times: [0, 1] });
  t.same([realm.ask('a@b.de', 2, 'signUp'), realm.ask('a@b.de', 2, 'invitation')], [0, HOUR - 2]);
});

t.test('expired counts are removed when another mail is counted', async (t) => {
  const realm = new Realm();
  realm.ask('a@b.de', 0);
  realm.ask('b@b.de', 20 * HOUR);
  t.equal(realm.parts.size, 2);
  realm.ask('c@b.de', 24 * HOUR);
  t.same([...realm.parts.keys()], ['letters/b@b.de', 'letters/c@b.de']);
});

t.test('the address idle for longest is forgotten when there are too many', async (t) => {
  const realm = new Realm();
  for (let i = 0; i < 10_000; i++) {
    realm.parts.set(`letters/a${i}@b.de`, { address: `a${i}@b.de`, times: [i, 20_000 - i] });
  }
  t.equal(realm.ask('new@b.de', 20_000), 0);
  t.notOk(realm.parts.has('letters/a9999@b.de'));
  t.equal(realm.parts.size, 10_000);
  t.equal(realm.ask('a5@b.de', 20_001), HOUR - 19_996, 'those that stay are still counted');
});

t.test('a member can invite 1,000 people a day, an administrator 10,000', async (t) => {
  const realm = new Realm();
  const spent = { code: 'INVITATION_FAILED', extra: { daily_limit_reached: true, sent_invitations: false } };
  for (const [user, limit] of [
    [person(8), MAX_DAILY_INVITATIONS],
    [person(9, { role: 200 }), MAX_DAILY_INVITATIONS_OF_ADMIN],
  ] as const) {
    t.throws(() => realm.invite(user, limit + 1, 0), spent);
    realm.invite(user, limit - 1, 0);
    t.throws(() => realm.invite(user, 2, 23 * HOUR), spent, 'the day is not over');
    realm.invite(user, 1, 23 * HOUR);
    t.throws(() => realm.invite(user, 1, 24 * HOUR - 1), spent);
    realm.invite(user, limit, 24 * HOUR);
    t.throws(() => realm.invite(user, 1, 24 * HOUR), spent);
  }
});

t.test('invitations mailed while the clock was ahead do not count once it is right', async (t) => {
  const realm = new Realm();
  realm.invite(person(8), MAX_DAILY_INVITATIONS, 1_000 * HOUR);
  realm.invite(person(8), MAX_DAILY_INVITATIONS, 0);
  t.throws(() => realm.invite(person(8), 1, 1), { code: 'INVITATION_FAILED' });
});

t.test('counts of invitations whose day is over are deleted', async (t) => {
  const realm = new Realm();
  realm.invite(person(8), 1, 0);
  realm.invite(person(9), 1, HOUR);
  realm.invite(person(10), 1, 24 * HOUR);
  t.same([...realm.parts.keys()], ['inviter/9', 'inviter/10']);
});
