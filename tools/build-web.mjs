/**
 * Second half of `npm run build`: bundles web/ into dist/web/, only when web/ changed.
 *
 * dist/web/assets holds scripts, styles and fonts under names with a hash of their content, each beside its `.br` and
 * `.gz` form when that form is smaller; dist/web/index.html is the page with the addresses of the entry.
 * dist/web/manifest.json names them all: address → {file, type, bytes, etag, encodings}. The frontend serves exactly
 * the addresses of the manifest (src/frontend/web), which it reads at its start. Lazy chunks come from `import()`. All
 * styles are one file, since a chunk can't load a style of its own: `web/src/style/index.css` imports every style
 * sheet, but for LATER_STYLES. The service worker (web/worker) is a bundle of its own at a fixed address; it knows the
 * files of the first view.
 *
 * Assets of earlier builds stay on disk and in the manifest for a day, with the time of their end in `until` (ms since
 * 1970): a page that was loaded before an upgrade may still ask the new server for its chunks. MAX_KEPT_BYTES bounds
 * them, newest first, as frontends hold them in memory. A build in an empty folder has no earlier assets to keep.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, extname, join, relative, resolve } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import zopfli from '@gfx/zopfli';

const TARGET = 'dist/web';
const ASSETS = join(TARGET, 'assets');
const STAMP = join(TARGET, '.built');
const MANIFEST = join(TARGET, 'manifest.json');
const TOOL = 'tools/build-web.mjs';
const INPUTS = ['web', 'package-lock.json', TOOL];
const ADDRESS = '/web/assets';
const KEPT_MS = 24 * 3_600_000;
/** About ten builds that change every script. */
const MAX_KEPT_BYTES = 16 * 1024 * 1024;

const ENTRY = 'web/src/main.tsx';
/** Entry of the chunk of messages, which the early script requests if the address names a conversation. */
const MESSAGES = 'web/src/messages/index.ts';
/** Texts that a view of messages needs, by language; the early script requests them, too. */
const LANGUAGES = {
  en: ['web/src/text/en/later.ts'],
  de: ['web/src/text/de/index.ts', 'web/src/text/de/later.ts'],
};
const STYLE = 'web/src/style/index.css';
/**
 * The early script runs at the top of the page, before styles and modules: its requests are answered while these are
 * loaded.
 */
const EARLY = 'web/src/early.ts';

/** Style sheets that the page names without loading them; a view turns `link[data-later="NAME"]` on. */
const LATER_STYLES = { formulas: 'web/src/style/formulas.css', 'emoji-font': 'web/src/style/emoji-font.css' };

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

/**
 * Gives the emoji font a name of its own, since its usual name would hide the font of the system, and every weight,
 * since the browser would smear the emoji of bold texts otherwise.
 */
const emojiFont = {
  name: 'emoji-font',
  setup(build) {
    build.onLoad({ filter: /noto-color-emoji\/index\.css$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8')
        .replaceAll("'Noto Color Emoji'", "'Conclave Emoji'")
        .replaceAll('font-weight: 400', 'font-weight: 100 900'),
      loader: 'css',
    }));
  },
};

/**
 * Keeps all modules of the first view in one script. If lazy chunks also use modules of the entry, esbuild moves these
 * modules into a chunk for each set of chunks that share them: ten more requests before the first view. If each lazy
 * chunk imports the entry, which has run by then, all of them share all modules of the entry, and no such chunks arise.
 * @param chunks sources of lazy chunks
 */
const inOneScript = (chunks) => ({
  name: 'in-one-script',
  setup(build) {
    build.onLoad({ filter: /\.tsx?$/ }, ({ path }) => {
      if (!chunks.has(relative('.', path))) return undefined;
      const contents = `${readFileSync(path, 'utf8')}\nimport ${JSON.stringify(resolve(ENTRY))};`;
      return { contents, loader: extname(path).slice(1) };
    });
  },
});

/** Drops modules without a used export, because the early script needs only a few functions of the core. */
const onlyWhatIsUsed = {
  name: 'only-what-is-used',
  setup(build) {
    build.onResolve({ filter: /./ }, async ({ path, pluginData, kind, ...options }) => {
      if (kind === 'entry-point' || pluginData === onlyWhatIsUsed) return undefined;
      const found = await build.resolve(path, { ...options, kind, pluginData: onlyWhatIsUsed });
      return { path: found.path, errors: found.errors, sideEffects: false };
    });
  },
};

const CAMEL_CASE = /^[a-z]+(?:[A-Z][a-z0-9]*)+$/;
const wordsOf = (text) => text.match(/[A-Za-z_$][\w$]*/g) ?? [];

/** Files that declare the properties of browsers and of Preact's elements. */
function browserDeclarations() {
  const libraries = readdirSync('node_modules/@typescript').map((name) =>
    join('node_modules/@typescript', name, 'lib'),
  );
  const folder = libraries.find((path) => existsSync(join(path, 'lib.dom.d.ts')));
  if (folder === undefined) throw new Error('lib.dom.d.ts is missing: run `npm ci`');
  const names = readdirSync(folder).filter((name) => /^lib\..*\.d\.ts$/.test(name));
  return [
    ...names.map((name) => join(folder, name)),
    'node_modules/preact/src/jsx.d.ts',
    'node_modules/preact/src/dom.d.ts',
  ];
}

/**
 * Names of methods and properties that the bundle may shorten: full names cost 900 bytes of the first view. A name
 * keeps its spelling if a browser or library knows it, if it is in a string, if a module exports it, which `import()`
 * finds by name, or if it is the key of a type or literal, which may be stored or sent. Keys that only components have
 * are neither. esbuild shortens every use of a name alike, in all chunks.
 * @param libraries files of node_modules in the bundle
 */
function shortenedProperties(libraries) {
  const readSources = (ending) =>
    [...pathsBelow('web/src')]
      .filter((path) => ending.test(path))
      .map((path) => readFileSync(path, 'utf8'))
      .join('\n')
      .replace(/\/\*[\s\S]*?\*\//g, '');
  const text = readSources(/\.tsx?$/);
  const kept = new Set([...libraries, ...browserDeclarations()].flatMap((path) => wordsOf(readFileSync(path, 'utf8'))));
  const exported = /export (?:async )?(?:function\*?|const|let|class) (\w+)/g;
  for (const pattern of [/['"`](\w+)['"`]/g, /dataset\.(\w+)/g, exported]) {
    for (const [, name] of text.matchAll(pattern)) kept.add(name);
  }
  for (const [, name] of readSources(/\.ts$/).matchAll(/([A-Za-z_$][\w$]*)\??:/g)) kept.add(name);
  const used = new Set([...text.matchAll(/\.([A-Za-z_$][\w$]*)/g)].map(([, name]) => name));
  const names = [...used].filter((name) => CAMEL_CASE.test(name) && !kept.has(name)).sort();
  return new RegExp(`^(?:${names.join('|')})$`);
}

/**
 * First line of a script for which V8 compiles all functions at once, in a background thread during the download,
 * instead of each one in the main thread at its first call. That was a seventh of the main thread's work in a first
 * load.
 */
const CALLED_ON_LOAD = Buffer.from('//# allFunctionsCalledOnLoad\n');
/** Smallest script with this line, which adds 20 bytes to the compressed script. */
const MIN_BYTES_CALLED_ON_LOAD = 12_000;

/**
 * True for the scripts that get the line: those of the first view and of the messages, which most visits show soon
 * after.
 */
const isCalledOnLoad = (first, path, { length }) =>
  length >= MIN_BYTES_CALLED_ON_LOAD &&
  (basename(path) === basename(first) || /^messages-.*\.js$/.test(basename(path)));

async function bundle() {
  const { build } = await import('esbuild');
  const options = {
    entryPoints: { main: ENTRY, style: STYLE, ...LATER_STYLES },
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'browser',
    target: ['es2022'],
    tsconfig: 'web/tsconfig.json',
    minify: true,
    // Umlauts and emoji as they are, not as escapes: 1 KB less on the wire.
    charset: 'utf8',
    write: false,
    metafile: true,
    outdir: ASSETS,
    publicPath: ADDRESS,
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    assetNames: '[name]-[hash]',
    loader: { '.woff2': 'file', '.svg': 'file', '.png': 'file', '.webp': 'file' },
    legalComments: 'none',
    plugins: [onlyWoff2, emojiFont],
    logLevel: 'warning',
  };
  const { inputs } = (await build(options)).metafile;
  const libraries = Object.keys(inputs).filter((path) => /node_modules.*\.m?js$/.test(path));
  const chunks = Object.values(inputs)
    .flatMap(({ imports }) => imports)
    .filter(({ kind }) => kind === 'dynamic-import');
  const { outputFiles, metafile } = await build({
    ...options,
    mangleProps: shortenedProperties(libraries),
    plugins: [...options.plugins, inOneScript(new Set(chunks.map(({ path }) => path)))],
  });
  const outputOf = (source) => Object.entries(metafile.outputs).find(([, { entryPoint }]) => entryPoint === source)[0];
  /** An output and the outputs that it imports statically, directly or not. */
  const closureOf = (path) => [
    path,
    ...metafile.outputs[path].imports
      .filter(({ kind }) => kind === 'import-statement')
      .flatMap((of) => closureOf(of.path)),
  ];
  const later = Object.entries(LATER_STYLES).map(([name, source]) => ({ name, path: outputOf(source) }));
  const style = outputOf(STYLE);
  const known = new Set([style, ...later.map(({ path }) => path)]);
  if (Object.keys(metafile.outputs).some((path) => path.endsWith('.css') && !known.has(path))) {
    throw new Error(`a script imports a style; import it in ${STYLE} instead`);
  }
  const [entry, script, ...others] = closureOf(outputOf(ENTRY));
  if (others.length > 0) throw new Error(`the first view is cut into pieces: ${script}, ${others.join()}`);
  const messages = [...new Set(closureOf(outputOf(MESSAGES)))].filter((path) => path !== script);
  const files = outputFiles
    .filter(({ path }) => basename(path) !== basename(entry))
    .map(({ path, contents }) => ({
      path,
      contents: isCalledOnLoad(script, path, contents) ? Buffer.concat([CALLED_ON_LOAD, contents]) : contents,
    }));
  // English texts are in the script of the first view, except for the texts of later views.
  const texts = Object.fromEntries(
    Object.entries(LANGUAGES).map(([code, sources]) => [code, sources.map((of) => addressOf(outputOf(of)))]),
  );
  const [early] = (
    await build({
      ...options,
      entryPoints: { early: EARLY },
      splitting: false,
      format: 'iife',
      plugins: [onlyWhatIsUsed],
      define: { MESSAGE_SCRIPTS: JSON.stringify(messages.map(addressOf)), TEXT_SCRIPTS: JSON.stringify(texts) },
    })
  ).outputFiles;
  return { files: [...files, early], early: early.path, script, style, later };
}

/**
 * The service worker, which knows the files of the first view and their version.
 * @returns its bytes
 */
async function bundleWorker({ files, early, script, style }, page) {
  const { build } = await import('esbuild');
  const shell = [early, script, style].map(addressOf);
  const later = files
    .map(({ path }) => addressOf(path))
    .filter((path) => path.endsWith('.js') && !shell.includes(path));
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
    define: {
      SHELL_FILES: JSON.stringify(shell),
      LATER_SCRIPTS: JSON.stringify(later),
      SHELL_VERSION: JSON.stringify(version),
    },
    legalComments: 'none',
    logLevel: 'warning',
  });
  return outputFiles[0].contents;
}

const addressOf = (path) => `${ADDRESS}/${basename(path)}`;

/** The page: early script, style and the script of the first view. */
function pageOf({ early, script, style, later }) {
  const styles = [
    `<link rel="stylesheet" href="${addressOf(style)}">`,
    ...later.map(({ name, path }) => `<link rel="stylesheet" href="${addressOf(path)}" data-later="${name}" disabled>`),
  ];
  return readFileSync('web/index.html', 'utf8')
    .replace('<!-- early -->', `<script src="${addressOf(early)}"></script>`)
    .replace('<!-- styles -->', styles.join('\n    '))
    .replace('<!-- scripts -->', `<script type="module" src="${addressOf(script)}"></script>`);
}

/** Writes a file by a rename, so that a server that reads it never sees half of it. */
function put(path, bytes) {
  writeFileSync(`${path}.new`, bytes);
  renameSync(`${path}.new`, path);
}

/**
 * Writes a file and its compressed forms, unless the last build wrote the same file. Zopfli's gzip is 3.5 % smaller
 * than zlib's and takes 6 s for all scripts.
 * @param written manifest of the last build, if this tool has not changed since
 * @returns its row of the manifest
 */
async function publish(file, bytes, written) {
  const ending = extname(file);
  const type = TYPES[ending];
  if (type === undefined) throw new Error(`no type for ${file}`);
  const path = join(TARGET, file);
  const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;
  const { until: _, ...same } = Object.values(written).find((row) => row.file === file && row.etag === etag) ?? {};
  if (same.file && formsOf(same).every((name) => existsSync(join(TARGET, name)))) return same;
  put(path, bytes);
  const encodings = {};
  if (COMPRESSED.has(ending)) {
    const forms = {
      br: brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } }),
      gz: await zopfli.gzipAsync(bytes, { numiterations: 15 }),
    };
    for (const [name, form] of Object.entries(forms)) {
      if (form.length >= bytes.length) continue;
      put(`${path}.${name}`, form);
      encodings[name] = form.length;
    }
  }
  return { file, type, bytes: bytes.length, etag, encodings };
}

/** Names of a file and of its compressed forms. */
const formsOf = ({ file, encodings }) => [file, ...Object.keys(encodings).map((ending) => `${file}.${ending}`)];

/** Bytes of a file in all its forms. */
const sizeOf = ({ bytes, encodings }) => Object.values(encodings).reduce((sum, size) => sum + size, bytes);

/**
 * Adds the rows of earlier builds to a manifest, each until a day after the build that left it out.
 * @param earlier manifest of the last build, with the rows that it kept
 */
function keepOld(manifest, earlier) {
  const end = Date.now() + KEPT_MS;
  const old = Object.entries(earlier)
    .filter(([address]) => address.startsWith(ADDRESS) && !manifest[address])
    .filter(([, row]) => formsOf(row).every((name) => existsSync(join(TARGET, name))))
    .map(([address, row]) => [address, { ...row, until: row.until ?? end }])
    .filter(([, { until }]) => until > Date.now())
    .sort(([, a], [, b]) => b.until - a.until);
  let room = MAX_KEPT_BYTES;
  for (const [address, row] of old) {
    room -= sizeOf(row);
    if (room < 0) return;
    manifest[address] = row;
  }
}

/** Removes the assets that the manifest does not name. */
function removeOld(manifest) {
  const named = new Set(
    Object.values(manifest)
      .flatMap(formsOf)
      .map((name) => basename(name)),
  );
  for (const name of readdirSync(ASSETS)) if (!named.has(name)) rmSync(join(ASSETS, name));
}

const before = state();
if (existsSync(MANIFEST) && existsSync(STAMP) && readFileSync(STAMP, 'utf8') === before) process.exit(0);
mkdirSync(ASSETS, { recursive: true });
const made = await bundle();
const page = pageOf(made);
const worker = await bundleWorker(made, page);
const earlier = existsSync(MANIFEST) ? JSON.parse(readFileSync(MANIFEST, 'utf8')) : {};
const isToolNewer = existsSync(MANIFEST) && statSync(TOOL).mtimeMs > statSync(MANIFEST).mtimeMs;
const written = isToolNewer ? {} : earlier;
const manifest = {
  '/': await publish('index.html', Buffer.from(page), written),
  '/service-worker.js': await publish('service-worker.js', Buffer.from(worker), written),
};
for (const { path, contents } of made.files) {
  manifest[addressOf(path)] = await publish(`assets/${basename(path)}`, Buffer.from(contents), written);
}
keepOld(manifest, earlier);
put(MANIFEST, `${JSON.stringify(manifest, null, 1)}\n`);
removeOld(manifest);
writeFileSync(STAMP, before);
