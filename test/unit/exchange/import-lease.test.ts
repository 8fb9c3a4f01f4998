/** One import runs at a time: a second one is refused while the first lives, and takes over when it stands still. */
import t from 'tap';
import { realmActorKind } from '#actors/realm';
import { ServerStoppedError } from '#app/admin';
import { realmActorKey, toRealmId } from '#model';
import { IMPORT_LEASE_MS, ImportLeaseHolder } from '../../../src/app/cli/import-lease.js';
import { Gate } from '../../support/gate.js';
import { Harness, settle } from '../runtime/harness.js';
import { HarnessCaller } from '../runtime/harness-caller.js';

const REALM_ZERO = realmActorKey(toRealmId(0));

const removeNothing = async (): Promise<void> => {};

async function world() {
  const harness = new Harness({ realm: realmActorKind }, true, (clock) => ({ clock }));
  await harness.take(REALM_ZERO);
  const actors = new HarnessCaller(harness);
  const told: string[] = [];
  const importer = (subdomain: string): ImportLeaseHolder =>
    new ImportLeaseHolder(actors, subdomain, harness.clock, (text) => void told.push(text));
  /** Moves the clock until the promise settles. @returns its error's text, or 'done' */
  const outcome = async (pending: Promise<unknown>): Promise<string> => {
    let text: string | undefined;
    pending.then(
      () => (text = 'done'),
      (error: Error) => (text = error.message),
    );
    for (let i = 0; text === undefined && i < 100; i++) {
      harness.clock.advance(500);
      await settle();
    }
    return text ?? 'still waiting';
  };
  return { harness, importer, outcome, told };
}

t.test('while an import lives, another one is refused, of the same and of another organization', async (t) => {
  const { importer, outcome, told } = await world();
  await importer('one').takeAndReserve('export');
  for (const subdomain of ['one', 'two']) {
    t.match(await outcome(importer(subdomain).takeAndReserve('export')), /an import to 'one' is under way on .+/);
  }
  t.match(
    await outcome(importer('one').dropImport(removeNothing)),
    /an import to 'one' is under way/,
    'a drop is refused, too',
  );
  t.equal(told.length, 3, 'the operator is told about each wait');
  t.equal(await outcome(importer('two').dropImport(removeNothing)), 'done', 'another organization has nothing to drop');
});

t.test('an import that was killed is gone on with after a lease, under the same reservation', async (t) => {
  const { harness, importer, outcome } = await world();
  const killed = importer('one');
  const first = await killed.takeAndReserve('export');
  // Only the timers of the process end with it.
  Reflect.set(killed, 'actors', { sendForValueOrThrow: () => new Promise(() => undefined) });
  const before = harness.clock.monotonic();
  const pending = importer('one').takeAndReserve('export');
  t.equal(await outcome(pending), 'done');
  t.ok(harness.clock.monotonic() - before >= IMPORT_LEASE_MS, 'not before the lease lapsed');
  t.strictSame(await pending, first);
});

t.test('an import that stood still loses the lease, and can not open the organization', async (t) => {
  const { importer, outcome } = await world();
  const paused = importer('one');
  await paused.takeAndReserve('export');
  const actors = Reflect.get(paused, 'actors') as object;
  Reflect.set(paused, 'actors', { sendForValueOrThrow: () => new Promise(() => undefined) });
  const next = importer('one');
  t.equal(await outcome(next.takeAndReserve('export')), 'done');
  Reflect.set(paused, 'actors', actors);
  t.match(await outcome(paused.openOrganization(false)), /Another process imports now/);
  t.match(
    await outcome(
      new Promise((_, reject) => paused.lostSignal.addEventListener('abort', () => reject(paused.lostSignal.reason))),
    ),
    /taken over/,
  );
  t.equal(await outcome(next.openOrganization(false)), 'done');
  t.match(await outcome(paused.openOrganization(false)), 'done', 'the organization is open already');
});

t.test('an import ends at its next beat when its server has stopped', async (t) => {
  const { importer, outcome } = await world();
  const importing = importer('one');
  await importing.takeAndReserve('export');
  Reflect.set(importing, 'actors', { sendForValueOrThrow: () => Promise.reject(new ServerStoppedError()) });
  const { lostSignal } = importing;
  const lost = new Promise((_, reject) => lostSignal.addEventListener('abort', () => reject(lostSignal.reason)));
  t.equal(await outcome(lost), 'the server stopped; run the same command again');
});

t.test('an import that ends with an error frees the lease at once, but keeps its subdomain', async (t) => {
  const { importer } = await world();
  const failed = importer('one');
  const { realm } = await failed.takeAndReserve('export');
  await failed.release();
  t.notSame((await importer('two').takeAndReserve('export')).realm, realm);
});

t.test('a drop that was killed can be repeated, and until then the import can not continue', async (t) => {
  const { importer, outcome } = await world();
  const failed = importer('one');
  const { realm } = await failed.takeAndReserve('export');
  await failed.release();
  const killed = importer('one').dropImport(async () => Promise.reject(new Error('killed')));
  t.equal(await outcome(killed), 'killed');
  t.match(await outcome(importer('one').takeAndReserve('export')), /dropped in part: repeat --drop first/);
  const removed: number[] = [];
  t.equal(await outcome(importer('one').dropImport(async (of) => void removed.push(of))), 'done');
  t.strictSame(removed, [realm], 'the repeat removes all again');
  t.equal(await importer('one').dropImport(async (of) => void removed.push(of)), false, 'nothing is left to drop');
  t.not((await importer('one').takeAndReserve('export')).realm, realm, 'the subdomain is free');
});

t.test('an import with a lapsed lease can not open the organization that another process drops', async (t) => {
  const { importer, outcome } = await world();
  const paused = importer('one');
  await paused.takeAndReserve('export');
  const actors = Reflect.get(paused, 'actors') as object;
  Reflect.set(paused, 'actors', { sendForValueOrThrow: () => new Promise(() => undefined) });
  const dropping = importer('one').dropImport(async () => {
    Reflect.set(paused, 'actors', actors);
    await t.rejects(paused.openOrganization(false), /Another process imports now/);
  });
  t.equal(await outcome(dropping), 'done');
});

t.test('of two drops of an import at once one is refused, and a later import keeps its reservation', async (t) => {
  const { importer, outcome } = await world();
  const failed = importer('one');
  await failed.takeAndReserve('export');
  await failed.release();
  const removal = new Gate();
  const first = importer('one').dropImport(() => removal.opened);
  await settle();
  t.match(await outcome(importer('one').dropImport(removeNothing)), /^the import to 'one' is being given up on .+/);
  removal.open();
  t.equal(await outcome(first), 'done');
  t.equal(await importer('one').dropImport(removeNothing), false, 'nothing is left');
});

t.test('a drop that stood still until another one took over removes nothing of the import after it', async (t) => {
  const { importer, outcome } = await world();
  const failed = importer('one');
  await failed.takeAndReserve('export');
  await failed.release();
  const paused = importer('one');
  const removal = new Gate();
  const dropping = paused.dropImport(() => removal.opened);
  await settle();
  const actors = Reflect.get(paused, 'actors') as object;
  Reflect.set(paused, 'actors', { sendForValueOrThrow: () => new Promise(() => undefined) });
  t.equal(await outcome(importer('one').dropImport(removeNothing)), 'done');
  const later = importer('one');
  const { realm } = await later.takeAndReserve('export');
  await later.release();
  Reflect.set(paused, 'actors', actors);
  removal.open();
  await outcome(dropping);
  t.equal((await importer('one').takeAndReserve('export')).realm, realm, 'the later import continues');
});
