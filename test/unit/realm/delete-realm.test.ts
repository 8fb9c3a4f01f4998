/** The deletion of an organization, from its actor's decision to the end of its reservation. */
import t from 'tap';
import { realmActorKind } from '#actors/realm';
import { deleteRealm, listRealms, requireDeletableRealm, requireRealmBySubdomain } from '#app/admin';
import { realmActorKey, toEpoch, toRealmId } from '#model';
import { realmActorCommands } from '#model/commands';
import { Harness } from '../runtime/harness.js';
import { HarnessCaller } from '../runtime/harness-caller.js';

const REALM_ZERO = realmActorKey(toRealmId(0));
const REALM = realmActorKey(toRealmId(1));

/** Makes realm 0, which lists the organization 'team' as number 1, and the actor of that organization. */
async function world() {
  const harness = new Harness({ realm: realmActorKind }, true, (clock) => ({ clock }));
  for (const key of [REALM_ZERO, REALM]) {
    const root = { key, epoch: toEpoch(0), expected: 0, outbox: [], due: null };
    const value = { id: 1, subdomain: 'team', deactivated: false };
    const entry = { type: 'part', key, part: 'realm/1', rev: 1, value } as const;
    const state = { ...realmActorKind.makeInitialState(key), nextRealm: 2 };
    await harness.store.commit({ ...root, state, records: key === REALM_ZERO ? [entry] : [] });
    await harness.take(key);
  }
  return { harness, actors: new HarnessCaller(harness) };
}

t.test('a deletion that stopped in the middle is continued, and the subdomain is free only at its end', async (t) => {
  const { harness, actors } = await world();
  await t.rejects(requireDeletableRealm(actors, 'team'), /is active: close it first by conclave realm deactivate/);
  await harness.ask(REALM, 'deactivate', {});
  const realm = await requireDeletableRealm(actors, 'team');
  await t.rejects(
    deleteRealm(actors, realm, () => Promise.reject(new Error('killed'))),
    /killed/,
  );

  t.match(await listRealms(actors), [{ id: 1, subdomain: 'team', isBeingDeleted: true }]);
  await t.rejects(requireRealmBySubdomain(actors, 'team'), /'team' is being deleted/, 'no other command changes it');
  const anew = { subdomain: 'team', source: 'x', seed: 's', holder: 'h', place: 'p', stale: null };
  t.match(await actors.sendForReply(REALM_ZERO, 'begin-import', anew), { error: { msg: /'team' exists already/ } });
  for (const command of ['reactivate', 'take-ids', 'snapshot'])
    t.match(await actors.sendForReply(REALM, command, {}), { error: { msg: 'Invalid subdomain' } }, command);

  const removed: number[] = [];
  await deleteRealm(actors, await requireDeletableRealm(actors, 'team'), async (id) => {
    t.match(await listRealms(actors), [{ id: 1 }], 'the reservation ends last');
    removed.push(id);
  });
  t.strictSame(removed, [1]);
  t.strictSame(await listRealms(actors), []);
  t.equal(
    await actors.sendForValueOrThrow(REALM_ZERO, realmActorCommands.peekRealm, {}),
    2,
    'number 1 is not used again',
  );
  await t.rejects(requireDeletableRealm(actors, 'team'), /there is no organization 'team'/);
});

t.test('an organization that was reactivated just before its deletion is not deleted', async (t) => {
  const { harness, actors } = await world();
  await harness.ask(REALM, 'deactivate', {});
  const realm = await requireDeletableRealm(actors, 'team');
  await harness.ask(REALM, 'reactivate', {});
  await t.rejects(
    deleteRealm(actors, realm, async () => void t.fail('nothing is removed')),
    /only a deactivated one can be deleted/,
  );
  t.match(await listRealms(actors), [{ id: 1, subdomain: 'team', deactivated: false }]);
});

t.test('a deletion is refused while an import has the subdomain', async (t) => {
  const { actors } = await world();
  const args = { subdomain: 'new', source: 'x', seed: 's', holder: 'h', place: 'p', stale: null };
  await actors.sendForReply(REALM_ZERO, 'begin-import', args);
  await t.rejects(requireDeletableRealm(actors, 'new'), /an import to 'new' has not ended: .* conclave import --drop/);
});
