/**
 * Names of code in comments and pages exist. A rename that leaves an example behind sends its reader to nothing: a
 * newcomer found 40 such names in doors of the web client.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import t from 'tap';

const SOURCES = ['src', 'actors', 'web/src', 'web/worker'];
/** Folders whose words a name may have. */
const WORD_SOURCES = ['src', 'actors', 'web', 'test', 'tools', 'deploy'];
/** Names of other programs: options of the MongoDB driver, a policy of Linux, an example of a key, endings of files. */
const FOREIGN_NAMES: ReadonlySet<string> = new Set(['maxIdleTimeMS', 'minPoolSize', 'SCHED_IDLE', 's12', 'mjs']);
/** Words with which an example goes on: properties of signals and collections, and the endings of files. */
const GENERAL_WORDS: ReadonlySet<string> = new Set(['value', 'get', 'set', 'has', 'ts', 'tsx', 'js', 'json', 'md']);

const COMMENT = /\/\*[\s\S]*?\*\/|(?<![:'"`\w])\/\/[^\n]*/g;
const IDENTIFIER = /[A-Za-z_$][\w$]*/g;
/** An example of a comment: a line that is indented by four more. */
const EXAMPLE_LINE = /^ *\* {4,}\S/;
const IN_BACKTICKS = /`([^`\n]+)`/g;
/** `object.member`, or a call. */
const MEMBER_OR_CALL = /\b([a-z]\w*)\.([A-Za-z]\w*)|\b([A-Za-z]\w*)\(/g;

const filesBelow = (folder: string, ending: RegExp): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => ending.test(path) && !path.includes('node_modules'));

const wordsOf = (text: string): readonly string[] => text.match(IDENTIFIER) ?? [];

/** Words outside of comments, by file. */
const wordsByFile = new Map(
  WORD_SOURCES.flatMap((folder) => filesBelow(folder, /\.(?:tsx?|m?js|json|css|sh|ya?ml|py|html)$/))
    .filter((path) => !path.endsWith('named-code.test.ts'))
    .map((path) => [path, new Set(wordsOf(readFileSync(path, 'utf8').replace(COMMENT, ' ')))]),
);
const allWords = new Set([...wordsByFile.values()].flatMap((words) => [...words]));
for (const word of wordsOf(readFileSync('package.json', 'utf8'))) allWords.add(word);

const wordsBelow = (folder: string): ReadonlySet<string> =>
  new Set([...wordsByFile].filter(([path]) => path.startsWith(`${folder}/`)).flatMap(([, words]) => [...words]));

/** Names in the comments of a file that no code has: in examples, code of the file's own folder. */
function unknownNamesOf(path: string): string[] {
  const comments = readFileSync(path, 'utf8').match(COMMENT) ?? [];
  const lines = comments.flatMap((comment) => comment.split('\n'));
  const examples = lines.filter((line) => EXAMPLE_LINE.test(line)).map((line) => line.replaceAll(IN_BACKTICKS, ' '));
  const quoted = lines.flatMap((line) => [...line.matchAll(IN_BACKTICKS)].map(([, text = '']) => text));
  const own = examples.length > 0 ? wordsBelow(dirname(path)) : allWords;
  const isUnknown = (name: string, words: ReadonlySet<string>): boolean =>
    !words.has(name) && !GENERAL_WORDS.has(name) && !FOREIGN_NAMES.has(name);
  const inExamples = examples.flatMap((line) =>
    [...line.matchAll(MEMBER_OR_CALL)].flatMap(([, object, member, call]) =>
      // A call of a function of another folder is shown as an argument.
      member !== undefined
        ? isUnknown(member, own)
          ? [`${object}.${member}`]
          : []
        : isUnknown(call!, allWords)
          ? [call!]
          : [],
    ),
  );
  const inBackticks = quoted
    .filter((text) => /^[\w.$#()]+$/.test(text))
    .flatMap(wordsOf)
    .filter((name) => isUnknown(name, allWords));
  return [...inExamples, ...inBackticks];
}

/** Members of objects that the API makes, in examples. */
const FIELDS_OF_THE_API: readonly string[] = ['value.twenty_four_hour_time'];

t.test('names of code in comments exist, those of examples in their own folder', async (t) => {
  for (const path of SOURCES.flatMap((folder) => filesBelow(folder, /\.tsx?$/))) {
    const unknown = unknownNamesOf(path).filter((name) => !FIELDS_OF_THE_API.includes(name));
    t.same(unknown, [], path);
  }
});

t.test('names of code in pages exist', async (t) => {
  const isName = (word: string): boolean => /[a-z][A-Z]/.test(word) || /^[A-Z][A-Z0-9]*_[A-Z0-9_]+$/.test(word);
  /** History and pages about the API have names of other times and of clients. */
  const others = /docs\/(?:api|decisions)\/|performance(?:\.md|\/)|api-coverage\.md/;
  for (const path of filesBelow('docs', /\.md$/).filter((path) => !others.test(path))) {
    const quoted = [...readFileSync(path, 'utf8').matchAll(IN_BACKTICKS)].map(([, text = '']) => text);
    const names = quoted
      .filter((text) => /^[\w.$#()]+$/.test(text))
      .flatMap(wordsOf)
      .filter(isName);
    t.same(
      names.filter((name) => !allWords.has(name) && !FOREIGN_NAMES.has(name)),
      [],
      path,
    );
  }
});
