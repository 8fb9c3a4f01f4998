/** A data export that ends with the activation of the realm actor starts again in the next one, within bounds. */
import t, { type Test } from 'tap';
import { realmActorKind } from '#actors/realm';
import { USER_ROLE } from '#domain/people';
import { realmActorKey, toEpoch, toRealmId } from '#model';
import type { DataExporter } from '../../../actors/services.js';
import { MemoryBlobs } from '../../support/memory-blobs.js';
import { Harness, settle } from '../runtime/harness.js';

const KEY = realmActorKey(toRealmId(1));
const OWNER = 8;

interface Run {
  readonly blobName: string;
  readonly signal: AbortSignal;
  readonly finish: () => void;
}

async function realm() {
  const runs: Run[] = [];
  const exporter: DataExporter = {
    storePublicExport: (_realm, blobName, signal) =>
      new Promise((resolve, reject) => {
        runs.push({ blobName, signal, finish: resolve });
        signal.addEventListener('abort', () => reject(new Error('given up')));
      }),
  };
  const blobs = new MemoryBlobs();
  const harness = new Harness({ realm: realmActorKind }, true, (clock) => ({ clock, exporter, blobs }));
  const email = 'owner@example.com';
  const owner = { id: OWNER, email, deliveryEmail: email, role: USER_ROLE.owner, isActive: true, botType: null };
  await harness.store.commit({
    key: KEY,
    epoch: toEpoch(0),
    expected: 0,
    outbox: [],
    due: null,
    state: realmActorKind.makeInitialState(KEY),
    records: [{ type: 'part', key: KEY, part: `user/${OWNER}`, rev: 1, value: owner }],
  });
  await harness.take(KEY);
  const start = async (): Promise<void> => {
    const args = { archive: '1/token/name.tar.gz', origin: 'http://a.example', administratorEmail: 'x@example.com' };
    await harness.client.send(KEY, 'start-export', args, { caller: OWNER }).reply;
    await settle();
  };
  const phase = async (): Promise<unknown> => {
    const [part] = await harness.store.getParts([{ key: KEY, part: 'export/1' }]);
    return (part?.value as { phase: string } | undefined)?.phase;
  };
  return { harness, runs, start, phase, blobs };
}

async function nextHost(harness: Harness): Promise<void> {
  harness.newHost();
  await harness.take(KEY);
  await harness.ask(KEY, 'space-used');
  await settle();
}

const running = async (t: Test) => {
  const all = await realm();
  await all.start();
  t.equal(all.runs.length, 1);
  t.equal(all.runs[0]!.blobName, 'exports/1/token/name.tar.gz');
  t.equal(await all.phase(), 'pending');
  return all;
};

t.test('an export keeps its actor in memory until its end', async (t) => {
  const { harness, runs, phase } = await running(t);
  await harness.host.passivateIdleActors(0);
  t.equal(harness.host.activeActorCount, 1);
  runs[0]!.finish();
  await settle();
  t.equal(await phase(), 'stored');
});

t.test('after a crash of its host an export begins anew, under another path', async (t) => {
  const { harness, runs, phase, blobs } = await running(t);
  await harness.lose('lapsed', KEY);
  t.ok(runs[0]!.signal.aborted);
  t.equal(await phase(), 'pending', 'the old host records nothing any more');
  await blobs.put(toRealmId(1), runs[0]!.blobName, new Uint8Array(1), 'application/gzip');
  await nextHost(harness);
  t.equal(runs.length, 2);
  t.equal(runs[1]!.blobName, 'exports/1/token/name-try2.tar.gz');
  t.equal(await blobs.find(toRealmId(1), runs[0]!.blobName), undefined, 'the archive of the first attempt is erased');
  runs[1]!.finish();
  await settle();
  t.equal(await phase(), 'stored');
});

t.test('an export begins anew when its partition was handed over, without a request', async (t) => {
  const { harness, runs, phase } = await running(t);
  await harness.lose('released', KEY);
  t.ok(runs[0]!.signal.aborted);
  t.equal(await phase(), 'pending');
  harness.newHost();
  await harness.take(KEY);
  await settle();
  harness.clock.advance(61_000);
  await settle();
  t.equal(runs.length, 2, 'the timer wakes the actor on the next host');
  runs[1]!.finish();
  await settle();
  t.equal(await phase(), 'stored');
  await nextHost(harness);
  t.equal(runs.length, 2, 'an export that has ended is not run again');
});

t.test('the end of an earlier attempt does not count', async (t) => {
  const { harness, runs, phase } = await running(t);
  await harness.lose('lapsed', KEY);
  await nextHost(harness);
  await harness.ask(KEY, 'end-export', { id: 1, archive: '1/token/name.tar.gz', stored: true });
  t.equal(await phase(), 'pending');
  runs[1]!.finish();
  await settle();
  t.equal(await phase(), 'stored');
});

t.test('an export that breaks off five times has failed', async (t) => {
  const { harness, runs, phase } = await running(t);
  for (let attempt = 1; attempt < 6; attempt++) {
    t.equal(runs.length, attempt);
    t.equal(await phase(), 'pending');
    await harness.lose('lapsed', KEY);
    await nextHost(harness);
  }
  t.equal(runs.length, 5);
  t.equal(await phase(), 'failed');
});
