/** docs/api-coverage.md names existing files and titles, and covers the whole specification. */
import { access, readFile } from 'node:fs/promises';
import t from 'tap';

const PAGE = 'docs/api-coverage.md';
/** Section of the specification → names of its fields, parameters, codes and limits; its operations are sections. */
const NAMES = 'test/fixtures/api/spec-names.json';

interface Row {
  readonly section: string;
  readonly line: number;
  readonly text: string;
  readonly cells: readonly string[];
}

async function readRows(): Promise<Row[]> {
  let section = '';
  const rows: Row[] = [];
  for (const [index, text] of (await readFile(PAGE, 'utf8')).split('\n').entries()) {
    section = /^## (.*)$/.exec(text)?.[1] ?? section;
    if (!text.startsWith('| ') || text.startsWith('| statement |')) continue;
    rows.push({ section, line: index + 1, text, cells: text.slice(2, -2).split(' | ') });
  }
  return rows;
}

const rows = await readRows();
const files = new Map<string, string>();

/** Content of a file; undefined if there is none. */
async function content(path: string): Promise<string | undefined> {
  if (
    !files.has(path) &&
    (await access(path).then(
      () => true,
      () => false,
    ))
  ) {
    files.set(path, await readFile(path, 'utf8'));
  }
  return files.get(path);
}

/** `path` or `path`: fact, several in a cell. */
const places = (cell: string): { path: string; fact: string }[] =>
  cell.split('<br>').flatMap((place) => {
    const [, path, fact = ''] = /^`([^`]+)`(?:: (.*))?$/.exec(place.trim()) ?? [];
    return path === undefined ? [] : [{ path, fact: fact.replaceAll('\\|', '|') }];
  });

t.test('every row names existing code and tests', async (t) => {
  t.ok(rows.length > 150, `${rows.length} rows`);
  const wrong: string[] = [];
  for (const { line, section, cells } of rows) {
    const [statement, built, tested, ...more] = cells;
    if (!statement || more.length > 0) wrong.push(`line ${line}: not three cells`);
    // Changes of the levels are built in the places of the sections before.
    if (places(built ?? '').length === 0 && section !== 'Versioning') wrong.push(`line ${line}: built nowhere`);
    if (places(tested ?? '').length === 0) wrong.push(`line ${line}: not tested`);
    for (const { path, fact } of [...places(built ?? ''), ...places(tested ?? '')]) {
      const text = await content(path);
      if (text === undefined) wrong.push(`line ${line}: no file ${path}`);
      else if (!text.includes(fact) && !text.includes(fact.replaceAll("'", "\\'"))) {
        wrong.push(`line ${line}: ${path} has no fact '${fact}'`);
      }
    }
  }
  t.strictSame(wrong, []);
});

t.test('every operation, field, parameter, code and limit of the specification is in a row', async (t) => {
  const names = JSON.parse(await readFile(NAMES, 'utf8')) as Record<string, string[]>;
  const missing: string[] = [];
  for (const [section, all] of Object.entries(names)) {
    const texts = rows.filter((row) => row.section === section).map(({ cells }) => cells[0]!);
    if (texts.length === 0) missing.push(`section '${section}'`);
    for (const name of all) {
      // Whole words: `user` is in `user_id`, too.
      const word = new RegExp(`(?<![a-z_])${name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?![a-z_])`);
      if (!texts.some((text) => word.test(text))) missing.push(`${section}: ${name}`);
    }
  }
  t.strictSame(missing, []);
  t.equal(Object.keys(names).filter((section) => /^[A-Z]+ \//.test(section)).length, 25, 'operations');
});
