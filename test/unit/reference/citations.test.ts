/** Citations, links and paths in comments and pages lead to something that is in the repository. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import t from 'tap';

/** tap runs in the folder of the package. */
const TEXTS = ['src', 'actors', 'test', 'tools', 'docs', 'deploy'];
const PAGES = ['docs', 'deploy'];
/** Folders in which `x.md` is looked for. */
const SHELVES = ['docs/api', 'docs', 'docs/architecture', 'docs/how-to', 'docs/decisions', '.'];
/** A second `§` belongs to the page named before it if so few characters lie between. */
const MAX_BETWEEN = 120;

function filesBelow(folder: string, ending: RegExp): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => ending.test(path) && !path.includes('node_modules'));
}

const topPages = readdirSync('.').filter((name) => name.endsWith('.md'));
const pages = [...PAGES.flatMap((folder) => filesBelow(folder, /\.md$/)), ...topPages];
const sources = TEXTS.flatMap((folder) => filesBelow(folder, /\.(?:ts|mjs|md|ya?ml)$/));
const texts = new Map([...new Set([...sources, ...pages])].map((path) => [path, readFileSync(path, 'utf8')]));

const plain = (text: string): string => text.replaceAll('`', '').trim();

/** Headings of a page, also without the text behind a bracket, a dash, a comma or an arrow. */
const headingsOf = (page: string): string[] =>
  [...(texts.get(page) ?? '').matchAll(/^#+ (.+)$/gm)].flatMap(([, heading]) => {
    const whole = plain(heading ?? '');
    return [whole, ...[' (', ' — ', ', ', ' → '].map((mark) => whole.split(mark)[0] ?? whole)];
  });

/** @returns the page that `named` means in the text at `path`; undefined if there is none. */
function pageOf(named: string, path: string): string | undefined {
  const places = named.includes('/') ? [named, join('docs', named)] : SHELVES.map((shelf) => join(shelf, named));
  return [join(dirname(path), named), ...places].map(normalize).find((place) => texts.has(place));
}

/** @returns whether `cited` begins with a heading of the page, or with first words that only one heading has. */
function isHeading(page: string, cited: string): boolean {
  const headings = headingsOf(page);
  const follows = (heading: string): boolean => cited.startsWith(heading) && !/^\w/.test(cited.slice(heading.length));
  const firstWords = /^[^.,;:()*]*[\w}]/.exec(cited)?.[0] ?? cited;
  const begun = new Set(
    headings.filter((heading) => heading.startsWith(`${firstWords} `)).map((heading) => heading.split(' (')[0]),
  );
  return headings.some(follows) || begun.size === 1;
}

/** @returns the wrong citations of one text */
function wrongCitations(path: string, source: string): string[] {
  const text = source.replace(/\s*\n\s*(?:\*(?!\/)|\/\/)? ?/g, ' ');
  const wrong: string[] = [];
  let page: string | undefined;
  let last = Number.NEGATIVE_INFINITY;
  for (const { index } of text.matchAll(/§/g)) {
    const before = text.slice(Math.max(0, index - 60), index);
    const cited = plain(text.slice(index + 1, index + 100));
    const named = /([\w./-]+\.md)\W{1,3}$/.exec(before)?.[1];
    const between = text.slice(Math.max(0, last), index);
    if (/\d{4}\s+$/.test(before)) continue; // a section of an RFC
    if (named !== undefined) page = pageOf(named, path);
    else if (path.endsWith('.md') && isHeading(path, cited)) page = path;
    else if (index - last > MAX_BETWEEN || between.includes('*/')) page = path.endsWith('.md') ? path : undefined;
    last = index;
    if (page === undefined || !isHeading(page, cited))
      wrong.push(`${named ?? page ?? '(no page)'} § ${cited.slice(0, 50)}`);
  }
  return wrong;
}

t.test('every citation of a section names a heading of a page', async (t) => {
  for (const [path, source] of texts) {
    if (path.endsWith('citations.test.ts')) continue;
    t.same(wrongCitations(path, source), [], path);
  }
});

t.test('every relative link of a page leads to a file, and its anchor to a heading', async (t) => {
  const anchorOf = (heading: string): string =>
    plain(heading)
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replace(/\s/g, '-');
  for (const path of pages) {
    const prose = (texts.get(path) ?? '').replace(/```[\s\S]*?```/g, '').replace(/`[^`\n]*`/g, '');
    for (const [, link = ''] of prose.matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^[a-z]+:/.test(link)) continue;
      const [file = '', anchor] = link.split('#');
      const target = file === '' ? path : normalize(join(dirname(path), file));
      t.ok(existsSync(target), `${path}: ${link}`);
      if (anchor === undefined || !texts.has(target)) continue;
      const anchors = [...(texts.get(target) ?? '').matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
        anchorOf(heading ?? ''),
      );
      t.ok(anchors.includes(anchor), `${path}: ${link}`);
    }
  }
});

/** Names that look like paths: a Deployment, and a file that operators make. */
const NO_PATHS: ReadonlySet<string> = new Set(['deploy/conclave-actors', 'deploy/conclave.env']);

t.test('every path that a page names is in the repository', async (t) => {
  const compiled = (path: string): string => path.replace(/^dist\//, '').replace(/\.js$/, '.ts');
  const pattern = /(?<![\w./-])(?:dist\/)?(?:src|actors|test|tools|docs|deploy)\/[\w./-]*\w(?![\w*{<…-]|\/[\w*{<…])/g;
  for (const path of pages) {
    for (const [named] of (texts.get(path) ?? '').matchAll(pattern)) {
      t.ok(NO_PATHS.has(named) || existsSync(compiled(named)), `${path}: ${named}`);
    }
  }
});
