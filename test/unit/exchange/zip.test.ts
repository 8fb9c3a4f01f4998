/**
 * Archives are unpacked without what a Mac adds. Zips are unpacked within limits; a hostile or damaged one is refused,
 * and nothing is written outside its folder.
 */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import t from 'tap';
import { create } from 'tar';
import { DEFAULT_EXPORT_ARCHIVE_LIMITS, unpackExportArchive } from '#app/exchange';
import { makeZip, type ZippedFile } from '../../support/zip.js';

const base = mkdtempSync(join(tmpdir(), 'conclave-zip-'));
t.teardown(() => rmSync(base, { recursive: true, force: true }));
let made = 0;

async function unpack(zip: Buffer, limits = DEFAULT_EXPORT_ARCHIVE_LIMITS): Promise<(path: string) => string> {
  const folder = join(base, `out${++made}`);
  writeFileSync(`${folder}.zip`, zip);
  await unpackExportArchive(`${folder}.zip`, folder, limits);
  return (path) => readFileSync(join(folder, path), 'utf8');
}

t.test('files of all kinds come out as they were', async (t) => {
  const long = 'word '.repeat(200_000);
  const read = await unpack(
    makeZip([
      { path: 'users.json', text: '[]' },
      { path: 'general/', unixMode: 0o040755, isStored: true },
      { path: 'general/2020-01-01.json', text: long },
      { path: 'stored.txt', text: 'as it is', isStored: true },
      { path: 'empty', isStored: true },
      { path: 'empty-packed' },
      { path: 'büro/ä.json', text: 'ä' },
      { path: '__MACOSX/._users.json', text: 'metadata' },
    ]),
  );
  t.equal(read('users.json'), '[]');
  t.equal(read('general/2020-01-01.json'), long);
  t.equal(read('stored.txt'), 'as it is');
  t.equal(read('empty'), '');
  t.equal(read('empty-packed'), '');
  t.equal(read('büro/ä.json'), 'ä');
  t.throws(() => read('__MACOSX/._users.json'), { code: 'ENOENT' });
});

t.test('a folder around all files is taken off', async (t) => {
  const read = await unpack(makeZip([{ path: 'export/' }, { path: 'export/a', text: '1' }, { path: 'export/b/c' }]));
  t.equal(read('a'), '1');
  t.equal(read('b/c'), '');
});

const MAC_FILES = ['__MACOSX/export/._a', '.DS_Store', '._export', 'export/.DS_Store', 'export/a'];

t.test('what a Mac adds is no part of a zip', async (t) => {
  await unpack(makeZip(MAC_FILES.map((path) => ({ path, text: '1' }))));
  t.strictSame(readdirSync(join(base, `out${made}`)), ['a']);
});

t.test('what a Mac adds is no part of a tarball', async (t) => {
  const [from, file, to] = ['mac', 'mac.tar.gz', 'mac-out'].map((name) => join(base, name)) as [string, string, string];
  for (const path of MAC_FILES) {
    mkdirSync(dirname(join(from, path)), { recursive: true });
    writeFileSync(join(from, path), '1');
  }
  await create({ file, cwd: from, gzip: true }, ['__MACOSX', '.DS_Store', '._export', 'export']);
  await unpackExportArchive(file, to);
  t.strictSame(readdirSync(to), ['a']);
});

const one = (more: Partial<ZippedFile>): Buffer => makeZip([{ path: 'a', text: 'hello hello hello', ...more }]);
const whole = one({});
const HOSTILE: readonly (readonly [string, Buffer, RegExp])[] = [
  ['a path that leads upwards', one({ path: 'x/../../evil' }), /path that no archive/],
  ['an absolute path', one({ path: '/tmp/conclave-evil' }), /path that no archive/],
  ['a backslash', one({ path: '..\\evil' }), /path that no archive/],
  ['a link', one({ unixMode: 0o120777 }), /neither a file nor a folder/],
  ['an encrypted file', one({ flags: 1 }), /is encrypted/],
  ['an unknown method', one({ method: 12 }), /method that is not supported/],
  ['a file that is larger than it says', one({ bytes: 3 }), /larger than the zip says/],
  ['a file that is smaller than it says', one({ bytes: 300 }), /is damaged/],
  ['a wrong checksum', one({ crc: 1 }), /is damaged/],
  [
    'files that share their bytes',
    makeZip([
      { path: 'a', text: 'x' },
      { path: 'b', text: 'x', sharesBytesOf: 0 },
    ]),
    /overlaps/,
  ],
  [
    'a name that occurs twice',
    makeZip([
      { path: 'a', text: 'x' },
      { path: 'a', text: 'y' },
    ]),
    /EEXIST/,
  ],
  ['a bomb', one({ text: '0'.repeat(90 * 1_048_576) }), /unpacks to more than/],
  ['a bomb that hides its size', makeZip([{ path: 'a', text: '0'.repeat(90 * 1_048_576), bytes: 10 }]), /larger than/],
  ['a truncated zip', whole.subarray(0, -30), /truncated/],
  ['a zip that ends within its list', Buffer.concat([whole.subarray(0, 40), whole.subarray(-22)]), /damaged/],
  ['more files than are listed', makeZip([{ path: 'a' }], 9), /damaged zip/],
  ['a zip without files', makeZip([{ path: 'folder/' }]), /is empty/],
];

for (const [title, zip, expected] of HOSTILE) {
  t.test(`refused: ${title}`, async (t) => {
    await t.rejects(unpack(zip), { name: 'ExportFormatError', message: expected });
    t.notOk(existsSync(join(base, 'evil')) || existsSync('/tmp/conclave-evil'), 'nothing is written outside');
  });
}

t.test('refused: more files than the limit', async (t) => {
  const limits = { ...DEFAULT_EXPORT_ARCHIVE_LIMITS, entries: 1 };
  await t.rejects(unpack(makeZip([{ path: 'a' }, { path: 'b' }]), limits), /more than 1 entries/);
});
