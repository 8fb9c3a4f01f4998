import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { toRealmId } from '#model';
import { FolderBlobStorage } from '#ports/blobs';
import { blobsContract } from './blobs.js';

const shared = t.testdir();
blobsContract(t, 'DirectoryBlobs', () => FolderBlobStorage.open(shared));

const realm = toRealmId(7);
const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

t.test('a file left unfinished by a crash is not found, and is removed at the next start', async (t) => {
  const folder = t.testdir();
  await FolderBlobStorage.open(folder);
  writeFileSync(join(folder, 'unfinished', 'half'), 'half of it');
  const blobs = await FolderBlobStorage.open(folder);
  t.same(filesIn(folder), []);
  t.equal(await blobs.find(realm, 'half'), undefined);
});

t.test('a failed put leaves the previous blob', async (t) => {
  const folder = t.testdir();
  const blobs = await FolderBlobStorage.open(folder);
  await blobs.put(realm, 'a', Buffer.from('before'), 'text/plain');
  await t.rejects(blobs.put(realm, 'a', Buffer.from('after'), 'x'.repeat(70_000)));
  t.equal(Buffer.from(await (await blobs.find(realm, 'a'))!.read()).toString(), 'before');
  t.equal(filesIn(folder).length, 1);
});

t.test("only the server's user can read the files, and no user-given name is a file name", async (t) => {
  const folder = t.testdir();
  const blobs = await FolderBlobStorage.open(folder);
  await blobs.put(realm, '../../private.txt', Buffer.from('secret'), 'text/plain');
  const [file, ...others] = filesIn(folder);
  t.same(others, []);
  t.equal(statSync(file!).mode & 0o077, 0);
  t.match(file!.slice(folder.length), /^\/7\/[0-9a-f]{2}\/[0-9a-f]{64}$/);
});

t.test('a damaged file is an error, not other bytes', async (t) => {
  const folder = t.testdir();
  const blobs = await FolderBlobStorage.open(folder);
  await blobs.put(realm, 'a', Buffer.from('0123456789'), 'text/plain');
  const found = (await blobs.find(realm, 'a'))!;
  const [file] = filesIn(folder);
  truncateSync(file!, readFileSync(file!).length - 4);
  await t.rejects(found.read(), /shorter/);
  writeFileSync(file!, 'nonsense');
  await t.rejects(blobs.find(realm, 'a'));
});

/** Limits the size of the files that this process may write to. @returns false without the program prlimit */
function limitFileSize(bytes: number | 'unlimited'): boolean {
  const args = ['--pid', String(process.pid), `--fsize=${bytes}:unlimited`];
  return spawnSync('prlimit', args).status === 0;
}

const ignoreSignal = (): void => undefined;
const skip = limitFileSize('unlimited') ? false : 'prlimit is not installed';
t.test('a blob that does not fit on the disk is refused as unavailable, not truncated', { skip }, async (t) => {
  const folder = t.testdir();
  const blobs = await FolderBlobStorage.open(folder);
  // tap's listener ends the process at the signal of such a write, unless there is another listener.
  process.on('SIGXFSZ', ignoreSignal);
  limitFileSize(50_000);
  try {
    await t.rejects(blobs.put(realm, 'a', Buffer.alloc(80_000), ''), { name: 'BlobStorageUnavailableError' });
  } finally {
    limitFileSize('unlimited');
    process.off('SIGXFSZ', ignoreSignal);
  }
  t.same(filesIn(folder), []);
});
