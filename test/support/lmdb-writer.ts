/**
 * Child process that store-lmdb.test traces and kills. Opens the directory, prints "ready", writes one root after
 * another, and prints "ack <n>" once the Store has acknowledged the nth. The option `nosync` opens an environment that
 * never flushes, which proves that the test would detect a missing flush.
 */
import { writeSync } from 'node:fs';
import { open } from 'lmdb';
import { REAL_CLOCK } from '#base/clock';
import { realmActorKey, toEpoch, toRealmId } from '#model';
// The folder's index would load MongoDB's driver too, half of the start of this process.
import { openLmdbEnvironment } from '../../src/ports/store/lmdb-environment.js';
import { LmdbStore } from '../../src/ports/store/store-lmdb.js';

const [mode, directory = '', count = '1'] = process.argv.slice(2);
const say = (line: string): void => {
  writeSync(1, `${line}\n`);
};

const empty = { epoch: toEpoch(1), expected: 0, outbox: [], due: null, records: [] } as const;

async function writer(): Promise<(n: number) => Promise<unknown>> {
  if (mode === 'nosync') {
    const root = open({ path: directory, noSync: true });
    return (n) => root.put(n, 'x');
  }
  const store = new LmdbStore(await openLmdbEnvironment(directory), REAL_CLOCK);
  return (n) => store.commit({ ...empty, key: realmActorKey(toRealmId(n)), state: { n } });
}

const write = await writer();
await write(1);
say('ready');
for (let n = 2; n <= 1 + Number(count); n++) {
  await write(n);
  say(`ack ${n}`);
}
say('done');
// Keeps the process alive until its parent kills it.
setInterval(() => undefined, 1_000);
