/** The phase of an organization is stored: a deactivated one refuses its users after its actor was loaded again. */
import t from 'tap';
import { realmKind } from '#actors/realm';
import { epoch, realmId, realmKey } from '#model';
import { Harness } from '../runtime/harness.js';

const KEY = realmKey(realmId(1));

t.test('a deactivated organization refuses its users also after its actor was loaded again', async (t) => {
  const harness = new Harness({ realm: realmKind });
  const root = { key: KEY, epoch: epoch(0), expected: 0, outbox: [], due: null, records: [] };
  await harness.store.commit({ ...root, state: realmKind.initial(KEY) });
  await harness.take(KEY);
  const asUser = () => harness.client.send(KEY, 'space-used', {}, { caller: 8 }).reply;
  t.same(await asUser(), { value: 0 });
  await harness.ask(KEY, 'deactivate', {});
  const refusal = await asUser();
  t.match(refusal, { error: { code: 'REALM_DEACTIVATED' } });
  await harness.lose('released', KEY);
  harness.newHost();
  await harness.take(KEY);
  t.same(await asUser(), refusal);
  t.equal(await harness.ask(KEY, 'space-used'), 0, 'the system is served');
  await harness.ask(KEY, 'reactivate', {});
  t.same(await asUser(), { value: 0 });
});
