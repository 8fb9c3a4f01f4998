import { join } from 'node:path';
import { open } from 'lmdb';
import t from 'tap';
import { REAL_CLOCK } from '#base/clock';
import { realmActorKey, toEpoch, toRealmId } from '#model';
import {
  CURRENT_STORAGE_FORMAT,
  checkReadableStorageFormat,
  LmdbStore,
  openLmdbEnvironment,
  openLmdbEnvironmentForInspection,
  openSharedLmdbEnvironment,
} from '#ports/store';

t.test('a program reads its own format and the previous one', async (test) => {
  test.equal(checkReadableStorageFormat('it', 3, 3), 'own');
  test.equal(checkReadableStorageFormat('it', 2, 3), 'before');
  test.throws(() => checkReadableStorageFormat('it', 4, 3), {
    name: 'StorageFormatMismatchError',
    message: 'it is in format 4, this program knows up to 3: use the newer program that wrote it',
  });
  test.throws(() => checkReadableStorageFormat('it', 1, 3), {
    name: 'StorageFormatMismatchError',
    message: 'it is in format 1, this program reads 2 and 3: upgrade one version at a time',
  });
  for (const odd of [undefined, null, 0, -1, 1.5, '3', Number.NaN, {}]) {
    test.throws(() => checkReadableStorageFormat('it', odd, 3), { name: 'StorageFormatMismatchError' }, String(odd));
  }
});

t.test('a data directory is upgraded by the next version and refused by others', async (test) => {
  const place = join(test.testdir(), 'data');
  const with_ = async (known?: number): Promise<void> => (await openLmdbEnvironment(place, known)).close();
  await with_(5);
  await test.rejects(with_(4), /in format 5, this program knows up to 4/);
  await test.rejects(with_(7), /in format 5, this program reads 6 and 7: upgrade one version at a time/);
  await test.resolves(with_(6), 'nobody keeps the lock of a directory that it may not use');
  await test.rejects(with_(5), /in format 6/);
  await test.resolves(with_(7));
});

t.test('a data directory that an older server has open is not opened beside it', async (test) => {
  const place = join(test.testdir(), 'data');
  const older = await openLmdbEnvironment(place, CURRENT_STORAGE_FORMAT - 1);
  await test.rejects(openSharedLmdbEnvironment(place), {
    name: 'StorageFormatMismatchError',
    message: `data directory ${place} is in format ${CURRENT_STORAGE_FORMAT - 1}: start its server with this program first`,
  });
  await older.close();
  const server = await openLmdbEnvironment(place);
  await (await openSharedLmdbEnvironment(place)).close();
  await server.close();
});

t.test('a backup or a check leaves the format of a data directory unchanged', async (test) => {
  const place = join(test.testdir(), 'data');
  const older = CURRENT_STORAGE_FORMAT - 1;
  await (await openLmdbEnvironment(place, older)).close();
  const inspected = await openLmdbEnvironmentForInspection(place);
  test.equal(inspected.format, older);
  await inspected.close();
  const used = await openLmdbEnvironment(place, older);
  test.equal(used.format, older);
  await used.close();
});

t.test('data written before format numbers has the first format', async (test) => {
  const place = test.testdir();
  const old = open({ path: place, noSubdir: false, maxDbs: 32, encoding: 'binary' });
  await old.openDB({ name: 'roots', encoding: 'binary' }).put('x', Buffer.from([1]));
  await old.close();
  await test.rejects(openLmdbEnvironment(place, 3), /in format 1, this program reads 2 and 3/);
  const environment = await openLmdbEnvironment(place, 2);
  const write = { epoch: toEpoch(1), expected: 0, outbox: [], due: null, records: [], state: {} };
  await new LmdbStore(environment, REAL_CLOCK).commit({ ...write, key: realmActorKey(toRealmId(1)) });
  test.equal(environment.tagsReactions, false, 'and no tags of reactions');
  await environment.close();
  await test.rejects(openLmdbEnvironment(place, 1), /in format 2/);
});

t.test(
  'a data directory remembers that messages with reactions have had their tag from the beginning',
  async (test) => {
    const place = join(test.testdir(), 'data');
    for (const known of [5, 5, 6]) {
      const environment = await openLmdbEnvironment(place, known);
      test.equal(environment.tagsReactions, true);
      test.equal(new LmdbStore(environment, REAL_CLOCK).tagsReactions, true);
      await environment.close();
    }
  },
);
