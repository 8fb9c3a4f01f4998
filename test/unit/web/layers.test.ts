/** Directions of imports in the web client. */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';
import t from 'tap';

const ROOT = 'web/src';

/** Views of the client. They know each other only by the shell, or by signals of the core. */
const VIEWS = ['sign-in', 'sidebar', 'messages', 'compose', 'search', 'overviews', 'settings'];
const BASE = ['client', 'contract', 'core', 'keyboard', 'kit', 'text'];

/** Folders that each folder may import. */
const MAY: Readonly<Record<string, readonly string[]>> = {
  main: ['core', 'platform', 'shell', 'style'],
  shell: [...VIEWS, ...BASE],
  ...Object.fromEntries(VIEWS.map((view) => [view, BASE])),
  client: ['core'],
  kit: ['keyboard', 'text'],
  keyboard: ['text'],
  text: [],
  platform: ['core'],
  core: ['contract'],
  contract: [],
  style: [],
};

interface Import {
  readonly file: string;
  readonly from: string;
  readonly to: string;
  readonly target: string;
}

const folderOf = (path: string): string => (path.split('/').length > 3 ? path.split('/')[2]! : 'main');

function* filesBelow(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) yield* filesBelow(join(folder, entry.name));
    else if (/\.tsx?$/.test(entry.name)) yield join(folder, entry.name);
  }
}

const STATEMENT = /(?:^|\n)(?:import|export)\s(?:[^;']*?\sfrom\s)?'([^']+)'|\bimport\('([^']+)'\)/g;
const COMMENT = /\/\*[\s\S]*?\*\//g;

const texts = [...filesBelow(ROOT)].map((file) => [file, readFileSync(file, 'utf8').replace(COMMENT, '')] as const);
const imports: readonly Import[] = texts.flatMap(([file, text]) =>
  [...text.matchAll(STATEMENT)]
    .map(([, one, other]) => one ?? other ?? '')
    .filter((specifier) => specifier.startsWith('.'))
    .map((specifier) => {
      const target = normalize(join(dirname(file), specifier));
      return { file, from: folderOf(file), to: folderOf(target), target };
    })
    .filter(({ from, to }) => from !== to),
);

t.test('folders of the web client import only those below them', async (t) => {
  t.ok(imports.length > 20);
  const wrong = imports.filter(({ from, to }) => !MAY[from]?.includes(to));
  t.strictSame(
    wrong.map(({ file, target }) => `${file} → ${target}`),
    [],
  );
});

t.test('other folders of the web client are imported by their door', async (t) => {
  const wrong = imports.filter(({ target }) => basename(target) !== 'index.js' && !target.endsWith('.css'));
  t.strictSame(
    wrong.map(({ file, target }) => `${file} → ${target}`),
    [],
  );
});

t.test('the core knows signals and no components', async (t) => {
  const packages = texts
    .filter(([file]) => folderOf(file) === 'core')
    .flatMap(([file, text]) =>
      [...text.matchAll(STATEMENT)].map(([, one, other]) => [file, one ?? other ?? ''] as const),
    )
    .filter(([, specifier]) => !specifier.startsWith('.') && specifier !== '@preact/signals-core');
  t.strictSame(packages, []);
});
