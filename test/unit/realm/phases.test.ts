/** The phase of an organization is stored: a deactivated one refuses its users after its actor was loaded again. */
import t from 'tap';
import { realmActorKind } from '#actors/realm';
import { SERVER_REALM_ID } from '#directory';
import { realmActorKey, toEpoch, toRealmId } from '#model';
import { Harness } from '../runtime/harness.js';

const KEY = realmActorKey(toRealmId(1));
/** The server's realm is informed of each change of the phase. */
const KEYS = [KEY, realmActorKey(SERVER_REALM_ID)];

t.test('a deactivated organization refuses its users also after its actor was loaded again', async (t) => {
  const harness = new Harness({ realm: realmActorKind });
  for (const key of KEYS) {
    const root = { key, epoch: toEpoch(0), expected: 0, outbox: [], due: null, records: [] };
    await harness.store.commit({ ...root, state: realmActorKind.makeInitialState(key) });
    await harness.take(key);
  }
  const asUser = () => harness.client.send(KEY, 'space-used', {}, { caller: 8 }).reply;
  t.same(await asUser(), { value: 0 });
  await harness.ask(KEY, 'deactivate', {});
  const refusal = await asUser();
  t.match(refusal, { error: { msg: 'This organization has been deactivated' } });
  for (const key of KEYS) await harness.lose('released', key);
  harness.newHost();
  for (const key of KEYS) await harness.take(key);
  t.same(await asUser(), refusal);
  t.equal(await harness.ask(KEY, 'space-used'), 0, 'the system is served');
  await harness.ask(KEY, 'reactivate', {});
  t.same(await asUser(), { value: 0 });
});
