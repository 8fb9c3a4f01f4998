import { appendFile, cp, mkdir, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { requireNoUnfinishedRestore, restoreBackupToDataDir, writeDataDirBackup } from '#app/backup';
import { REAL_CLOCK as clock } from '#base/clock';
import { copyFileAndHash, hashFile } from '#base/disk';
import { realmActorKey, toEpoch, toRealmId } from '#model';
import { type BlobDeletionHold, FolderBlobStorage } from '#ports/blobs';
import { LmdbEventLog } from '#ports/log';
import { CURRENT_STORAGE_FORMAT, LmdbStore, openLmdbEnvironment } from '#ports/store';

const ONE = toRealmId(1);
const LIMITS = { maxAgeMs: 60_000, maxBytes: 1_000_000 };
const bytes = (text: string): Buffer => Buffer.from(text);

interface Source {
  readonly place: string;
  readonly data: string;
  readonly blobs: FolderBlobStorage;
  backUp(target: string): Promise<unknown>;
}

/** Two organizations, whose ids are at 7 and 20,000, and one blob. */
async function source(
  test: Test,
  change: (blobs: FolderBlobStorage) => FolderBlobStorage = (b) => b,
  signal?: AbortSignal,
): Promise<Source> {
  const place = test.testdir();
  const data = join(place, 'data');
  const environment = await openLmdbEnvironment(data);
  const store = new LmdbStore(environment, clock);
  const write = { epoch: toEpoch(1), expected: 0, outbox: [{ to: 'do' }], due: 5, records: [] };
  await store.commit({ ...write, key: realmActorKey(toRealmId(0)), state: { nextRealm: 4 } });
  await store.commit({ ...write, key: realmActorKey(ONE), state: { reservedIds: 7, other: 'x' } });
  await store.commit({ ...write, key: realmActorKey(toRealmId(3)), state: { reservedIds: 20_000 } });
  await (await LmdbEventLog.open(environment, clock, LIMITS)).close();
  const blobs = await FolderBlobStorage.open(join(data, 'blobs'));
  await blobs.put(ONE, 'a', bytes('first'), 'text/plain');
  await writeFile(join(data, 'secret'), 'the secret\n');
  test.teardown(() => environment.close());
  return {
    place,
    data,
    blobs,
    backUp: (target) =>
      writeDataDirBackup({ environment, blobs: change(blobs), clock, ...(signal ? { signal } : {}) }, target),
  };
}

/** A view of the blob storage whose listing for a backup is changed. */
const withListing = (
  blobs: FolderBlobStorage,
  change: (listed: ReturnType<BlobDeletionHold['listFiles']>) => ReturnType<BlobDeletionHold['listFiles']>,
): FolderBlobStorage =>
  Object.assign(Object.create(blobs) as FolderBlobStorage, {
    async holdDeletions(): Promise<BlobDeletionHold> {
      const hold = await blobs.holdDeletions();
      return { ...hold, listFiles: () => change(hold.listFiles()) };
    },
  });

async function incarnationOf(data: string): Promise<string> {
  const environment = await openLmdbEnvironment(data);
  const log = await LmdbEventLog.open(environment, clock, LIMITS);
  const { incarnation } = await log.readBounds(ONE);
  await log.close();
  await environment.close();
  return incarnation;
}

t.test('a restored directory has the data of the backup, another log, and ids above the earlier ones', async (test) => {
  const { place, ...from } = await source(test);
  await from.backUp(join(place, 'backup'));
  const to = join(place, 'restored');
  test.match(await restoreBackupToDataDir(join(place, 'backup'), to, clock), {
    files: 3,
    format: CURRENT_STORAGE_FORMAT,
  });
  test.equal(await readFile(join(to, 'secret'), 'utf8'), 'the secret\n');
  test.strictSame((await readdir(to)).includes('restore-unfinished'), false);

  const environment = await openLmdbEnvironment(to);
  const store = new LmdbStore(environment, clock);
  const one = await store.loadRoot(realmActorKey(ONE), toEpoch(1_000));
  test.match(one, { state: { reservedIds: 1_000_007, other: 'x' }, version: 2, outbox: [{ to: 'do' }], due: 5 });
  const three = await store.loadRoot(realmActorKey(toRealmId(3)), toEpoch(1_000));
  test.match(three, { state: { reservedIds: 1_020_000 } });
  await environment.close();
  const blobs = await FolderBlobStorage.open(join(to, 'blobs'));
  const blob = await blobs.find(ONE, 'a');
  test.strictSame([blob?.mediaType, Buffer.from(await blob!.read()).toString()], ['text/plain', 'first']);

  await restoreBackupToDataDir(join(place, 'backup'), join(place, 'again'), clock);
  const [first, second] = [await incarnationOf(to), await incarnationOf(join(place, 'again'))];
  test.not(first, second);
  test.equal(first, await incarnationOf(to), 'which stays from then on');
});

t.test('data deleted while a backup reads is in the backup, and gone from the server', async (test) => {
  let begun = false;
  const { place, blobs, data, ...from } = await source(test, (whole) =>
    withListing(whole, async function* (listed) {
      await whole.delete(ONE, 'b');
      for await (const file of listed) {
        // This file is listed, and deleted with all of its organization before it is read.
        if (!begun) await whole.deleteAllOfRealm(ONE);
        begun = true;
        yield file;
      }
    }),
  );
  await blobs.put(ONE, 'b', bytes('second'), 'text/plain');
  await from.backUp(join(place, 'backup'));
  test.ok(begun);
  for (const path of ['a', 'b']) test.equal(await blobs.find(ONE, path), undefined);
  test.notOk((await readdir(join(data, 'blobs'))).includes('removed'));
  await blobs.put(ONE, 'c', bytes('third'), '');
  await blobs.delete(ONE, 'c');
  test.notOk((await readdir(join(data, 'blobs'))).includes('removed'), 'deleting is deleting again');

  await restoreBackupToDataDir(join(place, 'backup'), join(place, 'restored'), clock);
  const restored = await FolderBlobStorage.open(join(place, 'restored', 'blobs'));
  for (const path of ['a', 'b']) test.ok(await restored.find(ONE, path), `${path} is in the backup`);
});

t.test('a stop of the server ends a backup, which removes what it has written', async (test) => {
  const stopping = new AbortController();
  const { place, blobs, data, ...from } = await source(
    test,
    (whole) =>
      withListing(whole, async function* (listed) {
        for await (const file of listed) {
          yield file;
          stopping.abort(new Error('the server stops'));
        }
      }),
    stopping.signal,
  );
  await blobs.put(ONE, 'b', bytes('second'), 'text/plain');
  await test.rejects(from.backUp(join(place, 'backup')), /the server stops/);
  test.notOk((await readdir(place)).includes('backup'));
  test.notOk((await readdir(join(data, 'blobs'))).includes('removed'), 'deleting is deleting again');
});

t.test('a backup without files ends at the stop of its server, too', async (test) => {
  const { place, blobs, ...from } = await source(test, undefined, AbortSignal.abort(new Error('the server stops')));
  await blobs.delete(ONE, 'a');
  await test.rejects(from.backUp(join(place, 'backup')), /the server stops/);
  test.notOk((await readdir(place)).includes('backup'));
});

t.test('a file that is being copied or hashed is given up at a stop', async (test) => {
  const large = join(test.testdir(), 'large');
  await writeFile(large, Buffer.alloc(3_000_000));
  for (const run of [
    (signal: AbortSignal) => hashFile(large, signal),
    (signal: AbortSignal) => copyFileAndHash(large, `${large}-copy`, signal),
  ]) {
    const stopping = new AbortController();
    const running = run(stopping.signal);
    stopping.abort(new Error('the server stops'));
    await test.rejects(running, /the server stops/);
  }
});

t.test('a failed backup or restore leaves nothing', async (test) => {
  const { place, data, ...from } = await source(test);
  const good = join(place, 'good');
  await from.backUp(good);
  await test.rejects(from.backUp(good), /is not empty/);
  await test.rejects(from.backUp('here'), /not an absolute path/);
  await test.rejects(from.backUp(join(good, 'data.mdb', 'x')), /can't be written to/);
  await mkdir(join(place, 'empty'));
  await test.resolves(from.backUp(join(place, 'empty')), 'an empty folder is as good as none');

  await test.rejects(restoreBackupToDataDir(good, data, clock), /is not empty/);
  await test.rejects(restoreBackupToDataDir(good, join(good, 'data.mdb'), clock), /can't be restored to/);
  await test.rejects(
    restoreBackupToDataDir(join(place, 'nowhere'), join(place, 'x'), clock),
    /no backup, or an unfinished one/,
  );

  const target = join(place, 'target');
  const manifest = JSON.parse(await readFile(join(good, 'backup.json'), 'utf8')) as object;
  const bad = async (spoil: (file: (name: string) => string) => Promise<unknown>, says: RegExp): Promise<void> => {
    const copy = join(place, 'copy');
    await cp(good, copy, { recursive: true });
    await spoil((name) => join(copy, name));
    await test.rejects(restoreBackupToDataDir(copy, target, clock), says, String(says));
    test.notOk((await readdir(place)).includes('target'), 'no directory is made');
    await mkdir(target);
    await test.rejects(restoreBackupToDataDir(copy, target, clock), says);
    test.strictSame(await readdir(target), [], 'an empty one stays empty');
    await rm(target, { recursive: true });
    await rm(copy, { recursive: true });
  };
  const say = (change: object) => (file: (name: string) => string) =>
    writeFile(file('backup.json'), JSON.stringify({ ...manifest, ...change }));
  await bad((file) => rm(file('backup.json')), /no backup, or an unfinished one/);
  await bad((file) => truncate(file('backup.json'), 20), /backup\.json can't be read/);
  await bad((file) => writeFile(file('backup.json'), 'null'), /backup\.json can't be read/);
  await bad((file) => truncate(file('data.mdb'), 4_096), /damaged: data\.mdb differs from what was backed up/);
  await bad((file) => rm(file('secret')), /can't be copied: ENOENT/);
  await bad((file) => rm(file('SHA256SUMS')), /damaged: SHA256SUMS: ENOENT/);
  await bad((file) => appendFile(file('SHA256SUMS'), 'x'), /damaged: SHA256SUMS was changed/);
  await bad(say({ format: 999 }), /in format 999, this program knows up to \d+: use the newer program/);
  await bad(say({ format: -1 }), /has no valid format/);
});

t.test('a backup whose file list leads out of it is refused', async (test) => {
  const { createHash } = await import('node:crypto');
  const { place, ...from } = await source(test);
  const backup = join(place, 'backup');
  await from.backUp(backup);
  const manifest = JSON.parse(await readFile(join(backup, 'backup.json'), 'utf8')) as object;
  for (const name of ['../../etc/passwd', '/etc/passwd', 'blobs/../../x', './data.mdb', 'a//b', 'a\0b', '']) {
    const list = `${'0'.repeat(64)}  ${name}\n`;
    await writeFile(join(backup, 'SHA256SUMS'), list);
    const sums = createHash('sha256').update(list).digest('hex');
    await writeFile(join(backup, 'backup.json'), JSON.stringify({ ...manifest, sums }));
    await test.rejects(
      restoreBackupToDataDir(backup, join(place, 'x'), clock),
      /SHA256SUMS has the line/,
      JSON.stringify(name),
    );
  }
});

t.test('a restore that is interrupted leaves nothing', async (test) => {
  const { place, backUp } = await source(test);
  await backUp(join(place, 'backup'));
  const restore = restoreBackupToDataDir(join(place, 'backup'), join(place, 'new'), clock, AbortSignal.abort());
  await test.rejects(restore, { name: 'AdminError', message: /the restore was interrupted/ });
  test.notOk((await readdir(place)).includes('new'));
});

t.test('a directory with an unfinished restore is refused', async (test) => {
  const place = test.testdir();
  await test.resolves(requireNoUnfinishedRestore(place));
  await writeFile(join(place, 'restore-unfinished'), 'from /backups/1\n');
  await test.rejects(
    requireNoUnfinishedRestore(place),
    /restoring .* from \/backups\/1 did not end: empty it and restore again/,
  );
});
