import t from 'tap';
import type { Json } from '#base';
import { countMailToAddressIfAllowed } from '../../../actors/realm/mail-limits.js';

const HOUR = 3_600_000;

/** A realm's parts, which store the counts. */
class Realm {
  readonly parts = new Map<string, Json>();

  ask(address: string, now: number): number {
    const { wait, parts } = countMailToAddressIfAllowed(this.parts, address, now);
    for (const [name, part] of Object.entries(parts)) {
      if (part === null) this.parts.delete(name);
      else this.parts.set(name, part);
    }
    return wait;
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
