/** Bytes of script, style and fonts of the web client, as the build wrote them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { repositoryRoot } from '../api/support/wire.js';

interface Row {
  readonly file: string;
  readonly type: string;
  readonly bytes: number;
  readonly encodings: { readonly gz?: number };
  /** Only in rows of earlier builds. */
  readonly until?: number;
}

const FOLDER = join(repositoryRoot(), 'dist/web');
const KIB = 1024;
const MAX_FIRST_BYTES = 60 * KIB;
const MAX_ALL_BYTES = 200 * KIB;
const MAX_STYLE_BYTES = 12.5 * KIB;

const manifest = JSON.parse(readFileSync(join(FOLDER, 'manifest.json'), 'utf8')) as Record<string, Row>;
const textOf = (address: string): string => readFileSync(join(FOLDER, manifest[address]!.file), 'utf8');
const scripts = Object.entries(manifest).filter(
  ([, { type, until }]) => type.startsWith('text/javascript') && until === undefined,
);

/** Bytes on the wire. A script that gzip makes longer stands there in its plain form alone. */
const sizeOf = (address: string): number => manifest[address]!.encodings.gz ?? manifest[address]!.bytes;

/** Addresses of the modules that a minified module imports before it runs; `import()` has a parenthesis. */
const importsOf = (address: string): string[] =>
  [...textOf(address).matchAll(/\b(?:from|import)"([^"]+\.js)"/g)].map(([, at]) => at!);

/** The module and everything that it waits for. */
function closureOf(address: string, found = new Set<string>()): Set<string> {
  if (found.has(address)) return found;
  found.add(address);
  for (const next of importsOf(address)) closureOf(next, found);
  return found;
}

/** One row per script, largest first, for the reader of a failed run. */
function list(addresses: Iterable<string>): string {
  const rows = [...addresses].map((address) => [sizeOf(address), address] as const);
  return rows
    .sort(([a], [b]) => b - a)
    .map(([bytes, address]) => `${bytes} ${address}`)
    .join('\n');
}

const bytesOf = (addresses: Iterable<string>): number =>
  [...addresses].reduce((sum, address) => sum + sizeOf(address), 0);

t.test('the first view has two scripts, which are small: the early one and the client', async (t) => {
  const page = textOf('/');
  const entries = [...page.matchAll(/<script (?:type="module" )?src="([^"]+)"/g)].map(([, address]) => address!);
  const first = new Set<string>();
  for (const entry of entries) closureOf(entry, first);
  t.comment(`${bytesOf(first)} bytes before the first view\n${list(first)}`);
  t.ok(bytesOf(first) <= MAX_FIRST_BYTES, `${bytesOf(first)} of ${MAX_FIRST_BYTES} bytes`);
  t.equal(entries.length, 2);
  t.strictSame(new Set(entries), first, 'no script waits for another one to be read');
});

t.test('the early script runs before styles and modules are there', async (t) => {
  const page = textOf('/');
  const early = page.indexOf('<script src="/web/assets/early-');
  t.ok(early > 0);
  for (const later of ['<link rel="stylesheet"', '<script type="module"']) t.ok(page.indexOf(later) > early, later);
});

t.test('the early script names all scripts of a conversation, so that none waits for another one', async (t) => {
  const [early = '', client = ''] = [...textOf('/').matchAll(/<script [^>]*src="([^"]+)"/g)].map(
    ([, address]) => address!,
  );
  const [messages] = scripts.map(([address]) => address).filter((address) => /\/messages-[^/]*$/.test(address));
  const needed = closureOf(messages!);
  needed.delete(client);
  t.ok(needed.size > 0);
  t.strictSame(
    [...needed].filter((address) => !textOf(early).includes(address)),
    [],
  );
});

t.test('all scripts together are small', async (t) => {
  const all = scripts.map(([address]) => address);
  t.comment(list(all));
  t.ok(bytesOf(all) <= MAX_ALL_BYTES, `${bytesOf(all)} of ${MAX_ALL_BYTES} bytes`);
});

t.test('the style sheet of the first view is small, and has no font', async (t) => {
  const sheets = [...textOf('/').matchAll(/<link rel="stylesheet" href="([^"]+)"( data-later="[^"]+" disabled)?>/g)];
  const [first = '', ...others] = sheets.filter(([, , later]) => later === undefined).map(([, address]) => address!);
  t.strictSame(others, []);
  t.ok(sizeOf(first) <= MAX_STYLE_BYTES, `${sizeOf(first)} of ${MAX_STYLE_BYTES} bytes`);
  t.notMatch(textOf(first), /@font-face/);
});

t.test('fonts are files of one compressed format, and the service worker fetches none in advance', async (t) => {
  const fonts = Object.entries(manifest).filter(
    ([, { type, until }]) => type.startsWith('font/') && until === undefined,
  );
  t.ok(fonts.length > 20, `${fonts.length} fonts`);
  t.ok(fonts.every(([address, { type }]) => type === 'font/woff2' && address.startsWith('/web/assets/')));
  t.ok(fonts.every(([, { encodings }]) => Object.keys(encodings).length === 0));
  t.notMatch(textOf('/service-worker.js'), 'woff2');
});
