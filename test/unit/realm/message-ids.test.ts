/** Message ids continue without a gap after a clean passivation of the realm actor, and never repeat. */
import t from 'tap';
import { realmActorKind } from '#actors/realm';
import { realmActorKey, toEpoch, toRealmId } from '#model';
import type { RealmActorState } from '../../../actors/realm/state.js';
import { Harness, settle } from '../runtime/harness.js';

const KEY = realmActorKey(toRealmId(1));

async function realm() {
  const harness = new Harness({ realm: realmActorKind });
  const root = { key: KEY, epoch: toEpoch(0), expected: 0, outbox: [], due: null, records: [] };
  await harness.store.commit({ ...root, state: realmActorKind.makeInitialState(KEY) });
  await harness.take(KEY);
  const next = async (count = 1) => Number(await harness.ask(KEY, 'take-ids', { count }));
  const reserved = () => (harness.root(KEY)!.state as RealmActorState).reservedIds;
  return { harness, next, reserved };
}

t.test('a passivated actor returns its unused ids', async (t) => {
  const { harness, next, reserved } = await realm();
  t.same([await next(), await next(3), await next()], [1, 2, 5]);
  t.ok(reserved() > 5, 'ids are reserved in blocks');
  await harness.host.passivateIdleActors(0);
  t.equal(harness.host.activeActorCount, 0);
  t.equal(reserved(), 5);
  t.equal(await next(), 6);
  await harness.host.passivateIdleActors(0);
  const { version } = harness.root(KEY)!;
  await harness.ask(KEY, 'space-used');
  await harness.host.passivateIdleActors(0);
  t.equal(harness.root(KEY)?.version, version, 'without a message there is nothing to give back');
});

t.test('a partition handed over takes the unused ids along', async (t) => {
  const { harness, next } = await realm();
  await next(7);
  await harness.lose('released', KEY);
  harness.newHost();
  await harness.take(KEY);
  t.equal(await next(), 8);
});

t.test('ids taken while the actor leaves are neither given twice nor followed by a gap', async (t) => {
  const { harness, next } = await realm();
  await next(2);
  const gate = harness.hold('before:commit');
  const leaving = harness.lose('released', KEY);
  await settle();
  t.equal(gate.waiting(), 1, 'the rest is being given back');
  // A command of a stream on another host, which may wait for it while it drains.
  const taken = harness.client.send(KEY, 'take-ids', { count: 2 }, { asked: true }).reply;
  await settle();
  gate.open();
  t.same(await taken, { value: 3 });
  await leaving;
  harness.newHost();
  await harness.take(KEY);
  t.equal(await next(), 5);
});

t.test('a command keeps the actor in memory: the next block begins with the next id', async (t) => {
  const { harness, next, reserved } = await realm();
  await next(2);
  const gate = harness.hold('before:commit');
  const resting = harness.host.passivateIdleActors(0);
  await settle();
  harness.clock.advance(1);
  const taken = next();
  await settle();
  gate.open();
  t.equal(await taken, 3);
  await resting;
  t.equal(harness.host.activeActorCount, 1);
  t.ok(reserved() > 3);
  t.equal(await next(), 4);
});

t.test('a lost actor skips the rest of its block', async (t) => {
  const { harness, next, reserved } = await realm();
  await next(2);
  const before = reserved();
  await harness.lose('lapsed', KEY);
  harness.newHost();
  await harness.take(KEY);
  t.equal(await next(), before + 1);
});
