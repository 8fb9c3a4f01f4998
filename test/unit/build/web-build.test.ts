/** `tools/build-web.mjs` keeps what pages of earlier builds may still ask for, and no more than that. */
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import t from 'tap';
import { readWebClientFiles } from '../../../src/frontend/web/manifest.js';

interface Row {
  readonly file: string;
  readonly encodings: Readonly<Record<string, number>>;
  readonly until?: number;
}
type Manifest = Record<string, Row>;

const DAY_MS = 24 * 3_600_000;
const LATER = 'web/src/lazy.ts';
const longText = (word: string): string => `export const text = '${word.repeat(200)}';\n`;

const folder = t.testdir({
  'package.json': JSON.stringify({ type: 'module' }),
  'package-lock.json': '{}',
  web: {
    'tsconfig.json': '{}',
    'index.html': '<!doctype html><!-- styles --><!-- scripts -->',
    src: {
      'main.tsx': ['./lazy.js', './messages/index.js', './text/en/later.js', './text/de/index.js', './text/de/later.js']
        .map((path) => `void import('${path}').then(({ text }) => console.log(text));\n`)
        .join(''),
      'early.ts': 'globalThis.early = true;\n',
      'lazy.ts': longText('first '),
      messages: { 'index.ts': longText('messages ') },
      text: {
        en: { 'later.ts': longText('later ') },
        de: { 'index.ts': longText('German '), 'later.ts': longText('later German ') },
      },
      style: { 'index.css': 'p { color: blue }', 'formulas.css': 'p { color: red }', 'emoji-font.css': '' },
    },
    worker: { 'tsconfig.json': '{}', 'worker.ts': 'console.log(SHELL_FILES, SHELL_VERSION);\n' },
  },
});
const at = (path: string): string => join(folder, path);
mkdirSync(at('tools'));
copyFileSync('tools/build-web.mjs', at('tools/build-web.mjs'));
symlinkSync(resolve('node_modules'), at('node_modules'));

const manifest = (): Manifest => JSON.parse(readFileSync(at('dist/web/manifest.json'), 'utf8')) as Manifest;
const write = (rows: Manifest): void => writeFileSync(at('dist/web/manifest.json'), JSON.stringify(rows));

/** @returns address of the lazy chunk of this build */
function build(text: string): string {
  writeFileSync(at(LATER), longText(text));
  const { status, stderr } = spawnSync(process.execPath, ['tools/build-web.mjs'], { cwd: folder });
  if (status !== 0) throw new Error(String(stderr));
  const chunk = Object.entries(manifest()).find(([address, { until }]) => /\/lazy-/.test(address) && !until);
  if (!chunk) throw new Error('the build has no lazy chunk');
  return chunk[0];
}

t.test('the chunks of a page from before an upgrade are served for a day', async (t) => {
  const old = build('first ');
  const { encodings } = manifest()[old]!;
  t.ok(encodings.gz, 'the chunk has compressed forms');
  const began = Date.now();
  const now = build('second ');
  t.not(now, old);
  const kept = manifest()[old]!;
  t.ok(kept.until! >= began + DAY_MS && kept.until! <= Date.now() + DAY_MS);
  const files = await readWebClientFiles(at('dist/web'));
  t.match(Buffer.from(files!.get(old)!.uncompressedVariant.bytes).toString(), 'first first');
  t.ok(files!.get(old)!.variantsByCoding.br, 'also in its compressed forms');
  t.match(Buffer.from(files!.get(now)!.uncompressedVariant.bytes).toString(), 'second second');

  build('third ');
  t.equal(manifest()[old]!.until, kept.until, 'a further build does not prolong the day');
  t.ok(manifest()[now]!.until);

  build('first ');
  t.equal(manifest()[old]!.until, undefined, 'a chunk that a build makes again is a current one');
});

t.test('what is older than a day goes, on disk and in the manifest', async (t) => {
  const old = build('fourth ');
  build('fifth ');
  const rows = manifest();
  write({ ...rows, [old]: { ...rows[old]!, until: Date.now() - 1 } });
  build('sixth ');
  t.notOk(manifest()[old]);
  t.notOk(existsSync(at(`dist/web/${rows[old]!.file}`)));
  t.strictSame(
    readdirSync(at('dist/web/assets')).sort(),
    Object.entries(manifest())
      .filter(([address]) => address.startsWith('/web/assets/'))
      .flatMap(([, { file, encodings }]) => [file, ...Object.keys(encodings).map((ending) => `${file}.${ending}`)])
      .map((file) => file.replace('assets/', ''))
      .sort(),
    'the folder holds what the manifest names',
  );
});

t.test('kept files are few: the newest ones stay', async (t) => {
  const [older, newer] = [build('seventh '), build('eighth ')];
  const rows = manifest();
  const huge = 17 * 1024 * 1024;
  write({ ...rows, [older]: { ...rows[older]!, encodings: { ...rows[older]!.encodings, gz: huge } } });
  build('ninth ');
  t.ok(manifest()[newer]!.until);
  t.notOk(manifest()[older]);
});
