// Lists habits of unclear writing in TypeScript comments and Markdown prose, as `path:line: habit: text`.
//
//     node tools/prose.mjs [--count] [file or folder …]
//
// Comments are found by a scanner that skips strings, templates and regular expressions. A run of `//` lines is one
// text, so a sentence may span lines. In Markdown, code blocks, headings and link targets are not looked at.
// `--count` prints a figure per folder instead of the findings. Exit code 1: something was found.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

const DEFAULTS = [
  'src',
  'actors',
  'test',
  'tools',
  'web',
  'docs',
  'deploy',
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'CHANGELOG.md',
];
const SKIPPED_FOLDERS = new Set(['node_modules', 'dist', '.tap', '.git', 'fixtures']);
const MAX_COLUMNS = 120;
const SHOWN_CHARACTERS = 90;

/** Habits found at the beginning of a sentence. A question may begin with any word. */
const OPENERS = [
  [/^(?:Who|Whoever|Whose|Whom|What|Whatever|Nobody|Untold)(?:'s|’s)?\b(?!-)/, 'no noun as subject'],
  [/^(?:Of (?:which|whom|whose|each)|In which|To whom|By which)\b/, 'inverted clause'],
  [/^(?:Only )?[Oo]f [^.:;,()]{1,50}:/, 'no noun as subject'],
];

/** Habits found at the beginning of a whole comment: a value without the thing that has it. */
const COMMENT_OPENERS = [
  [
    /^(?:Undefined|Null|False|True|Set|Unset|Empty|None|Without|With|Missing|Absent|Nothing|Zero|There|Here): /,
    'riddle',
  ],
];

/** Habits found anywhere. */
const PHRASES = [
  [/\b(?:he|his|him|himself)\b/gi, 'say "the user" or "they"'],
  [/(?<!\d )\b(?:whoever|nobody)\b/gi, 'name the noun'],
  [/\b(?:is|are|was|were) through\b(?! (?:a|an|the|its|their)\b)/gi, 'say "done"'],
  [/\banew\b/gi, 'say "again"'],
  [/\bso many\b/gi, 'give the number'],
  [/\bof which\b/gi, 'inverted clause'],
  [/\b(?:is|are|was|were|be|been) told\b(?! apart)/gi, 'name the act: sent, published, delivered'],
  [/\bhad better\b/gi, 'say "should"'],
  [/\bin the clothes\b/gi, 'idiom'],
];

/** @returns whether a `/` after `before` begins a regular expression rather than a division. */
function beginsRegex(before) {
  const text = before.trimEnd();
  if (text === '') {
    return true;
  }
  const word = /[\w$]+$/.exec(text)?.[0];
  if (word !== undefined) {
    return /^(?:return|typeof|case|in|of|delete|void|throw|new|else|do|await|yield)$/.test(word);
  }
  return '([{,;=:?!&|+-*%<>~^'.includes(text.at(-1));
}

/** @returns index behind the quoted string or regular expression that begins at `start`. */
function endOfQuoted(source, start, quote) {
  let inClass = false;
  for (let at = start + 1; at < source.length; at++) {
    const char = source[at];
    if (char === '\\') {
      at++;
    } else if (char === '\n') {
      return at;
    } else if (quote === '/' && char === '[') {
      inClass = true;
    } else if (quote === '/' && char === ']') {
      inClass = false;
    } else if (char === quote && !inClass) {
      return at + 1;
    }
  }
  return source.length;
}

/** @returns every comment of a TypeScript or JavaScript source: its first index, its end, and whether it is a block. */
function commentsOf(source) {
  const found = [];
  const templates = []; // depth of braces at which each open `${` ends
  let depth = 0;
  let at = 0;
  let inTemplate = false;
  while (at < source.length) {
    const char = source[at];
    if (inTemplate) {
      if (char === '\\') {
        at += 2;
      } else if (char === '`') {
        inTemplate = false;
        at++;
      } else if (char === '$' && source[at + 1] === '{') {
        templates.push(depth);
        inTemplate = false;
        at += 2;
      } else {
        at++;
      }
      continue;
    }
    if (char === '/' && (source[at + 1] === '/' || source[at + 1] === '*')) {
      const block = source[at + 1] === '*';
      const mark = source.indexOf(block ? '*/' : '\n', at + 2);
      const end = mark < 0 ? source.length : mark + (block ? 2 : 0);
      found.push({ start: at, end, block });
      at = end;
    } else if (char === '/' && beginsRegex(source.slice(Math.max(0, at - 40), at))) {
      at = endOfQuoted(source, at, '/');
    } else if (char === "'" || char === '"') {
      at = endOfQuoted(source, at, char);
    } else if (char === '`') {
      inTemplate = true;
      at++;
    } else if (char === '{') {
      depth++;
      at++;
    } else if (char === '}') {
      if (templates.at(-1) === depth) {
        templates.pop();
        inTemplate = true;
      } else {
        depth--;
      }
      at++;
    } else {
      at++;
    }
  }
  return found;
}

/** @returns the texts of a source's comments: lists of `{ line, text }`, one list for each comment. */
function commentTexts(source) {
  const texts = [];
  let line = 1;
  let counted = 0;
  let last; // the last text, while `//` lines may go on with it
  for (const { start, end, block } of commentsOf(source)) {
    for (; counted < start; counted++) {
      line += source[counted] === '\n' ? 1 : 0;
    }
    const alone = /(?:^|\n)[ \t]*$/.test(source.slice(Math.max(0, start - 200), start));
    const rows = source
      .slice(start, end)
      .split('\n')
      .map((row, index) => ({
        line: line + index,
        text: block ? row.replace(/^\s*\/?\*+ ?|\s*\*\/$/g, '') : row.replace(/^\/\/+ ?/, ''),
      }));
    if (!block && alone && last !== undefined && last.at(-1).line === line - 1) {
      last.push(...rows);
    } else {
      texts.push(rows);
      last = !block && alone ? rows : undefined;
    }
  }
  return texts;
}

/** @returns the texts of a Markdown page: paragraphs, list items and table cells. */
function markdownTexts(source) {
  const texts = [];
  let open;
  let fence;
  for (const [index, row] of source.split('\n').entries()) {
    const line = index + 1;
    const mark = /^\s*(```+|~~~+)/.exec(row)?.[1];
    if (mark !== undefined) {
      fence = fence === undefined ? mark : row.trim() === fence ? undefined : fence;
      open = undefined;
    } else if (fence !== undefined || /^\s*(?:#|<|$)/.test(row) || (open === undefined && /^(?: {4}|\t)/.test(row))) {
      open = undefined;
    } else if (/^\s*\|/.test(row)) {
      open = undefined;
      // Titles of tests are quoted behind their file, as `test/….ts`: title.
      for (const cell of row.replace(/`test\/[^`]+`: [^|<]*/g, '').split(/(?<!\\)\|/)) {
        if (cell.trim().split(/\s+/).length > 4) {
          texts.push([{ line, text: cell.trim(), table: true }]);
        }
      }
    } else {
      const item = /^\s*(?:[-*+]|\d+[.)])\s+/.exec(row);
      if (item !== null || open === undefined) {
        open = [];
        texts.push(open);
      }
      open.push({ line, text: row.slice(item?.[0].length ?? 0).replace(/^[\s>]+/, '') });
    }
  }
  return texts;
}

/** @returns `text` with inline code, link targets and quoted words blanked out, so that only prose is judged. */
function proseOf(text) {
  return text
    .replace(/`[^`]*`/g, (code) => `\`${'x'.repeat(Math.max(0, code.length - 2))}\``)
    .replace(/\]\([^)]*\)/g, (link) => ' '.repeat(link.length))
    .replace(/https?:\/\/\S+/g, (link) => ' '.repeat(link.length))
    .replace(/"[^"]*"|“[^”]*”/g, (quoted) => `"${'x'.repeat(quoted.length - 2)}"`);
}

/** Calls `found(line, habit, text)` for every habit of one text. */
function judge(rows, found) {
  let joined = '';
  const starts = [];
  for (const row of rows) {
    starts.push(joined.length);
    // A tag or an empty row ends the sentence before it.
    joined +=
      row.text.trim() === '' || /^\s*@\w+/.test(row.text) ? `. ${row.text.replace(/^\s*@\w+/, '')} ` : `${row.text} `;
  }
  const prose = proseOf(joined);
  const lineAt = (at) =>
    rows[
      Math.max(
        0,
        starts.findLastIndex((start) => start <= at),
      )
    ].line;
  const shown = (at) => joined.slice(at, at + SHOWN_CHARACTERS).trim();
  const sentences = prose.matchAll(/(?<=^|[.!?]["')*_]*\s+)[\s*_"(]*(?=\S)((?:[^.!?]|[.!?](?![\s"')*_]))+[.!?]?)/g);
  let first = true;
  for (const sentence of sentences) {
    const text = sentence[1].trimStart();
    const at = sentence.index + sentence[0].indexOf(text);
    const openers = first ? [...OPENERS, ...COMMENT_OPENERS] : OPENERS;
    first = false;
    if (!text.trimEnd().endsWith('?')) {
      for (const [pattern, habit] of openers) {
        if (pattern.test(text)) {
          found(lineAt(at), habit, shown(at));
        }
      }
    }
  }
  for (const [pattern, habit] of PHRASES) {
    for (const match of prose.matchAll(pattern)) {
      found(lineAt(match.index), habit, shown(Math.max(0, match.index - 20)));
    }
  }
}

/** Calls `found` for rows that are too long; rows with an address or a directive for a tool can't be shorter. */
function judgeWidth(rows, lines, found) {
  for (const { line, table } of rows) {
    const row = lines[line - 1];
    // A long code span can't be broken in Markdown.
    const width = [...row.replace(/\]\([^)]*\)|`[^`]{80,}`/g, '')].length;
    if (!table && width > MAX_COLUMNS && !/https?:\/\/|biome-ignore/.test(row)) {
      found(line, `${width} columns`, row.trim().slice(0, SHOWN_CHARACTERS));
    }
  }
}

/** @yields the files to read below a path. */
function* filesBelow(path) {
  if (!statSync(path).isDirectory()) {
    yield path;
    return;
  }
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    if (entry.isDirectory() && !SKIPPED_FOLDERS.has(entry.name)) {
      yield* filesBelow(join(path, entry.name));
    } else if (entry.isFile() && /\.(?:[cm]?[jt]s|tsx|md)$/.test(entry.name)) {
      yield join(path, entry.name);
    }
  }
}

const options = process.argv.slice(2).filter((argument) => argument.startsWith('--'));
const named = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
if (options.some((option) => option !== '--count')) {
  console.error('usage: node tools/prose.mjs [--count] [file or folder …]');
  process.exit(2);
}
const counts = new Map();
let total = 0;
for (const root of named.length > 0 ? named : DEFAULTS.filter((path) => existsSync(path))) {
  for (const path of filesBelow(root)) {
    if (path.endsWith(join('tools', 'prose.mjs')) || path.endsWith('house/prose.mjs')) {
      continue;
    }
    const source = readFileSync(path, 'utf8');
    const lines = source.split('\n');
    const seen = new Set();
    const found = (line, habit, text) => {
      const row = `${path}:${line}: ${habit}: ${text}`;
      if (seen.has(row)) {
        return;
      }
      seen.add(row);
      total++;
      counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1);
      if (!options.includes('--count')) {
        console.log(row);
      }
    };
    for (const rows of path.endsWith('.md') ? markdownTexts(source) : commentTexts(source)) {
      judge(rows, found);
      judgeWidth(rows, lines, found);
    }
  }
}
if (options.includes('--count')) {
  for (const [folder, count] of [...counts].sort(([, one], [, other]) => other - one)) {
    console.log(`${String(count).padStart(5)}  ${folder}`);
  }
  console.log(`${String(total).padStart(5)}  in all`);
}
process.exitCode = total > 0 ? 1 : 0;
