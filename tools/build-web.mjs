/**
 * Second half of `npm run build`: bundles web/ into dist/web/, only when web/ changed.
 *
 * dist/web/assets holds scripts, styles and fonts under names with a hash of their content, each beside its `.br` and
 * `.gz` form when that form is smaller; dist/web/index.html is the page with the addresses of the entry.
 * dist/web/manifest.json names them all: address → {file, type, bytes, etag, encodings}. The frontend serves exactly
 * the addresses of the manifest (src/frontend/web). Lazy chunks come from `import()`. All styles are one file, since a
 * chunk can't load a style of its own: `web/src/style/index.css` imports every style sheet, but for LATER_STYLES. The
 * service worker (web/worker) is a bundle of its own at a fixed address; it knows the files of the first view.
 *
 * Old assets stay for a day: a page that was loaded before the build may still ask for its chunks.
 */
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, extname, join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const TARGET = 'dist/web';
const ASSETS = join(TARGET, 'assets');
const STAMP = join(TARGET, '.built');
const MANIFEST = join(TARGET, 'manifest.json');
const INPUTS = ['web', 'package-lock.json', 'tools/build-web.mjs'];
const ADDRESS = '/web/assets';
const KEPT_MS = 24 * 3_600_000;

const ENTRY = 'web/src/main.tsx';

/** Style sheets that the page names without loading them; a view turns `link[data-later="NAME"]` on. */
const LATER_STYLES = { formulas: 'web/src/style/formulas.css' };

/** Types by ending; the build fails for a file of another type. */
const TYPES = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
};
const COMPRESSED = new Set(['.js', '.css', '.html', '.json', '.svg']);

function* pathsBelow(path) {
  if (!statSync(path).isDirectory()) {
    yield path;
    return;
  }
  for (const name of readdirSync(path).sort()) yield* pathsBelow(join(path, name));
}

/** @returns a hash that changes when a source is written, added or removed */
function state() {
  const hash = createHash('sha256');
  for (const input of INPUTS) {
    for (const path of pathsBelow(input)) {
      const { size, mtimeMs } = statSync(path);
      hash.update(`${path}\0${size}\0${mtimeMs}\n`);
    }
  }
  return hash.digest('hex');
}

/** KaTeX names each font in three formats; every browser that runs the client reads the first one. */
const onlyWoff2 = {
  name: 'only-woff2',
  setup(build) {
    build.onLoad({ filter: /katex[^/]*\.css$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8').replace(/,\s*url\([^)]*\.(?:woff|ttf)\)\s*format\([^)]*\)/g, ''),
      loader: 'css',
    }));
  },
};

async function bundle() {
  const { build } = await import('esbuild');
  const { outputFiles, metafile } = await build({
    entryPoints: { main: ENTRY, ...LATER_STYLES },
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'browser',
    target: ['es2022'],
    tsconfig: 'web/tsconfig.json',
    minify: true,
    write: false,
    metafile: true,
    outdir: ASSETS,
    publicPath: ADDRESS,
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    assetNames: '[name]-[hash]',
    loader: { '.woff2': 'file', '.svg': 'file', '.png': 'file', '.webp': 'file' },
    legalComments: 'none',
    plugins: [onlyWoff2],
    logLevel: 'warning',
  });
  const outputOf = (source) => Object.entries(metafile.outputs).find(([, { entryPoint }]) => entryPoint === source);
  const [script, entry] = outputOf(ENTRY);
  const later = Object.entries(LATER_STYLES).map(([name, source]) => ({ name, path: outputOf(source)[0] }));
  const known = new Set([entry.cssBundle, ...later.map(({ path }) => path)]);
  if (Object.keys(metafile.outputs).some((path) => path.endsWith('.css') && !known.has(path))) {
    throw new Error('a lazy chunk imports a style; import it in web/src/style/index.css instead');
  }
  return { files: outputFiles, script, imports: entry.imports, style: entry.cssBundle, later };
}

/**
 * The service worker, which knows the files of the first view and their version.
 * @returns its bytes
 */
async function bundleWorker({ files, script, imports, style }, page) {
  const { build } = await import('esbuild');
  const shell = [script, ...imports.filter(({ kind }) => kind === 'import-statement').map(({ path }) => path), style]
    .filter(Boolean)
    .map(addressOf);
  const names = files.map(({ path }) => basename(path)).sort();
  const version = createHash('sha256').update(page).update(names.join()).digest('base64url').slice(0, 12);
  const { outputFiles } = await build({
    entryPoints: ['web/worker/worker.ts'],
    bundle: true,
    format: 'iife',
    platform: 'browser',
    target: ['es2022'],
    tsconfig: 'web/worker/tsconfig.json',
    minify: true,
    write: false,
    define: { SHELL_FILES: JSON.stringify(shell), SHELL_VERSION: JSON.stringify(version) },
    legalComments: 'none',
    logLevel: 'warning',
  });
  return outputFiles[0].contents;
}

const addressOf = (path) => `${ADDRESS}/${basename(path)}`;

/** The page: the entry, its static imports (fetched beside it instead of after it) and its style. */
function pageOf({ script, imports, style, later }) {
  const preloads = imports
    .filter(({ kind }) => kind === 'import-statement')
    .map(({ path }) => `<link rel="modulepreload" href="${addressOf(path)}">`);
  const scripts = [...preloads, `<script type="module" src="${addressOf(script)}"></script>`];
  const styles = [
    ...(style ? [`<link rel="stylesheet" href="${addressOf(style)}">`] : []),
    ...later.map(({ name, path }) => `<link rel="stylesheet" href="${addressOf(path)}" data-later="${name}" disabled>`),
  ];
  return readFileSync('web/index.html', 'utf8')
    .replace('<!-- styles -->', styles.join('\n    '))
    .replace('<!-- scripts -->', scripts.join('\n    '));
}

/** Writes a file by a rename, so that a server that reads it never sees half of it. */
function put(path, bytes) {
  writeFileSync(`${path}.new`, bytes);
  renameSync(`${path}.new`, path);
}

/** Writes a file with its compressed forms. @returns its row of the manifest */
function publish(file, bytes) {
  const ending = extname(file);
  const type = TYPES[ending];
  if (type === undefined) throw new Error(`no type for ${file}`);
  const path = join(TARGET, file);
  put(path, bytes);
  const encodings = {};
  if (COMPRESSED.has(ending)) {
    const forms = {
      br: brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } }),
      gz: gzipSync(bytes, { level: 9 }),
    };
    for (const [name, form] of Object.entries(forms)) {
      if (form.length >= bytes.length) continue;
      put(`${path}.${name}`, form);
      encodings[name] = form.length;
    }
  }
  const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;
  return { file, type, bytes: bytes.length, etag, encodings };
}

/** Removes assets that no build of the last day made. */
function removeOld(manifest) {
  const current = new Set(Object.values(manifest).map(({ file }) => basename(file)));
  for (const name of readdirSync(ASSETS)) {
    const path = join(ASSETS, name);
    if (current.has(name.replace(/\.(?:br|gz)$/, ''))) utimesSync(path, new Date(), new Date());
    else if (Date.now() - statSync(path).mtimeMs > KEPT_MS) rmSync(path);
  }
}

const before = state();
if (existsSync(MANIFEST) && existsSync(STAMP) && readFileSync(STAMP, 'utf8') === before) process.exit(0);
mkdirSync(ASSETS, { recursive: true });
const made = await bundle();
const page = pageOf(made);
const worker = await bundleWorker(made, page);
const manifest = {
  '/': publish('index.html', Buffer.from(page)),
  '/service-worker.js': publish('service-worker.js', Buffer.from(worker)),
};
for (const { path, contents } of made.files) {
  manifest[addressOf(path)] = publish(`assets/${basename(path)}`, Buffer.from(contents));
}
put(MANIFEST, `${JSON.stringify(manifest, null, 1)}\n`);
removeOld(manifest);
writeFileSync(STAMP, before);
