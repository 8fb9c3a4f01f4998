/** Directions of imports in web/src: entry → shell → views → kit, core. Views don't import each other. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import t from 'tap';

const ROOT = 'web/src';

/** Folders that each folder may import. `type` imports count like others. */
const VIEW = [
  'client',
  'completion',
  'contract',
  'core',
  'editing',
  'failures',
  'keyboard',
  'kit',
  'kit-later',
  'moves',
  'text',
  'toggles',
  'topics',
  'topics-later',
];
const MAY: Readonly<Record<string, readonly string[]>> = {
  contract: [],
  text: [],
  keyboard: [],
  core: ['contract'],
  platform: ['contract', 'core'],
  client: ['core', 'text'],
  completion: ['client', 'core', 'editing', 'kit', 'text', 'topics'],
  editing: ['client', 'kit'],
  failures: ['client', 'kit'],
  moves: ['client', 'contract', 'core'],
  toggles: ['client', 'core'],
  topics: ['core', 'kit', 'text', 'topics-later'],
  'topics-later': ['client', 'contract', 'core', 'failures', 'kit', 'kit-later', 'text', 'toggles'],
  kit: ['keyboard', 'text'],
  'kit-later': ['kit', 'text'],
  style: [],
};
const NOT_VIEWS = new Set([...Object.keys(MAY), 'shell', '']);

interface Import {
  readonly from: string;
  readonly to: string;
}

/** The folder of web/src that has the file; empty for the entry. */
const folderOf = (path: string): string => (path.split('/').length > 3 ? path.split('/')[2]! : '');

const files = readdirSync(ROOT, { recursive: true, encoding: 'utf8' })
  .map((name) => join(ROOT, name))
  .filter((path) => /\.tsx?$/.test(path) && !path.endsWith('.d.ts'));

/** Source without the lines of comments, which show uses of other folders. */
const codeOf = (path: string): string => readFileSync(path, 'utf8').replace(/^\s*(?:\/?\*|\/\/).*$/gm, '');

const imports: readonly Import[] = files.flatMap((from) =>
  [...codeOf(from).matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map(([, to = '']) => ({
    from,
    to: normalize(join(dirname(from), to)),
  })),
);
const crossing = imports.filter(({ from, to }) => folderOf(from) !== folderOf(to) && !to.endsWith('.css'));
const shown = ({ from, to }: Import): string => `${from} → ${to}`;

t.test('folders of the web client are imported by their doors', async (t) => {
  t.ok(crossing.length > 50);
  t.strictSame(crossing.filter(({ to }) => to !== join(ROOT, folderOf(to), 'index.js')).map(shown), []);
});

t.test('imports of the web client follow the directions', async (t) => {
  const wrong = crossing.filter(({ from, to }) => {
    const folder = folderOf(from);
    if (folder === '') return !['contract', 'core', 'platform', 'shell', 'style'].includes(folderOf(to));
    if (folder === 'shell') return NOT_VIEWS.has(folderOf(to)) && !VIEW.includes(folderOf(to));
    return !(MAY[folder] ?? VIEW).includes(folderOf(to));
  });
  t.strictSame(wrong.map(shown), []);
});

t.test('each folder of the web client has a door that begins with a comment', async (t) => {
  const folders = new Set(files.map(folderOf).filter((folder) => folder !== ''));
  const wrong = [...folders].filter((folder) => {
    const doors = files.filter((path) => path === join(ROOT, folder, 'index.ts'));
    return doors.length !== 1 || !readFileSync(doors[0]!, 'utf8').startsWith('/**');
  });
  t.strictSame(wrong, []);
});

t.test('core, keyboard and text have no components', async (t) => {
  const wrong = files
    .filter((path) => ['core', 'keyboard', 'text', 'contract'].includes(folderOf(path)))
    .filter((path) => path.endsWith('.tsx') || /from '(?:preact|@preact\/signals)'/.test(codeOf(path)));
  t.strictSame(wrong, []);
});
