import t from 'tap';
import { RealmDirectory } from '#directory';
import { extraEmoji } from '#domain/emoji';
import type { Caller } from '#frontend/http';
import { type RealmId, realmId, userId } from '#model';
import { Admissions } from '../../../src/frontend/http/admissions.js';
import { snapshotWith } from '../../support/directory.js';
import { person } from '../../support/person.js';

const REALM = realmId(1);
const HOST = 'chat.example.com';

function world() {
  const directory = () =>
    new RealmDirectory(REALM, snapshotWith({ version: 5, users: [person(8)] }), extraEmoji('conclave'));
  const open = new Map<RealmId, RealmDirectory>([[REALM, directory()]]);
  const admissions = new Admissions({ directoryNow: (realm) => open.get(realm) });
  const caller: Caller = { realm: REALM, user: open.get(REALM)!.user(userId(8))!, directory: open.get(REALM)! };
  admissions.add('Basic x', HOST, caller);
  return { admissions, caller, directory, open };
}

t.test('who was let in is, with the same header at the same host', (t) => {
  const { admissions, caller } = world();
  t.equal(admissions.find('Basic x', HOST), caller);
  t.equal(admissions.find('Basic y', HOST), undefined);
  t.equal(admissions.find('Basic x', 'other.example.com'), undefined, 'another host may name another organization');
  t.equal(admissions.find('', HOST), undefined);
  t.end();
});

t.test('any change of the directory ends it', (t) => {
  for (const change of [
    { user: { ...person(8), isActive: false } },
    { user: { ...person(8), keyHash: 'another' } },
    { user: { ...person(8), role: 600 } },
    { deactivated: true },
  ]) {
    const { admissions, open } = world();
    const directory = open.get(REALM)!;
    directory.apply(change as never);
    directory.version++;
    t.equal(admissions.find('Basic x', HOST), undefined, JSON.stringify(Object.keys(change)));
    t.equal(admissions.size, 0, 'and it is not kept');
  }
  t.end();
});

t.test('a replica that was closed, or made anew, ends it', (t) => {
  const { admissions, caller, directory, open } = world();
  open.delete(REALM);
  t.equal(admissions.find('Basic x', HOST), undefined);
  admissions.add('Basic x', HOST, caller);
  open.set(REALM, directory());
  t.equal(admissions.find('Basic x', HOST), undefined);
  t.end();
});

t.test('however many headers one account thinks of, memory stays bounded', (t) => {
  const { admissions, caller } = world();
  for (let i = 0; i < 50_000; i++) admissions.add(`Basic ${i}`, HOST, caller);
  t.ok(admissions.size <= 20_000);
  const size = admissions.size;
  admissions.add('x'.repeat(100_000), HOST, caller);
  t.equal(admissions.size, size, 'nor are long ones kept');
  t.end();
});
