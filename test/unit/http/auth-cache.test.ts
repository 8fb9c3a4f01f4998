import t from 'tap';
import { RealmDirectory } from '#directory';
import { productEmojiForm } from '#domain/emoji';
import type { AuthenticatedCaller } from '#frontend/http';
import { type RealmId, toRealmId, toUserId } from '#model';
import { AuthenticatedCallerCache } from '../../../src/frontend/http/authenticate.js';
import { snapshotWith } from '../../support/directory.js';
import { person } from '../../support/person.js';

const REALM = toRealmId(1);
const HOST = 'chat.example.com';

function world() {
  const directory = () =>
    new RealmDirectory(REALM, snapshotWith({ version: 5, users: [person(8)] }), productEmojiForm('conclave'));
  const open = new Map<RealmId, RealmDirectory>([[REALM, directory()]]);
  const cache = new AuthenticatedCallerCache({ findOpenDirectory: (realm) => open.get(realm) });
  const caller: AuthenticatedCaller = {
    realm: REALM,
    user: open.get(REALM)!.user(toUserId(8))!,
    directory: open.get(REALM)!,
  };
  cache.addCaller('Basic x', HOST, caller);
  return { cache, caller, directory, open };
}

t.test('an authenticated header is accepted again at the same host', (t) => {
  const { cache, caller } = world();
  t.equal(cache.findStillValidCaller('Basic x', HOST), caller);
  t.equal(cache.findStillValidCaller('Basic y', HOST), undefined);
  t.equal(
    cache.findStillValidCaller('Basic x', 'other.example.com'),
    undefined,
    'another host may name another organization',
  );
  t.equal(cache.findStillValidCaller('', HOST), undefined);
  t.end();
});

t.test('any change of the directory ends the cached authentication', (t) => {
  for (const change of [
    { user: { ...person(8), isActive: false } },
    { user: { ...person(8), keyHash: 'another' } },
    { user: { ...person(8), role: 600 } },
    { deactivated: true },
  ]) {
    const { cache, open } = world();
    const directory = open.get(REALM)!;
    directory.applyChange(change as never);
    directory.version++;
    t.equal(cache.findStillValidCaller('Basic x', HOST), undefined, JSON.stringify(Object.keys(change)));
    t.equal(cache.callerCount, 0, 'and it is not kept');
  }
  t.end();
});

t.test('a replica that was closed or reloaded ends the cached authentication', (t) => {
  const { cache, caller, directory, open } = world();
  open.delete(REALM);
  t.equal(cache.findStillValidCaller('Basic x', HOST), undefined);
  cache.addCaller('Basic x', HOST, caller);
  open.set(REALM, directory());
  t.equal(cache.findStillValidCaller('Basic x', HOST), undefined);
  t.end();
});

t.test('memory stays bounded, however many headers one account sends', (t) => {
  const { cache, caller } = world();
  for (let i = 0; i < 50_000; i++) cache.addCaller(`Basic ${i}`, HOST, caller);
  t.ok(cache.callerCount <= 20_000);
  const size = cache.callerCount;
  cache.addCaller('x'.repeat(100_000), HOST, caller);
  t.equal(cache.callerCount, size, 'nor are long ones kept');
  t.end();
});
