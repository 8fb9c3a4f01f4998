/**
 * What changed between two renderings of a message, word by word, as HTML of its own (`content_html_diff`). Both inputs
 * are our own renderer's HTML: text there is escaped, and every tag is whole. Pure.
 */
import { diffArrays } from 'diff';

/** Tags, character references and words with the blanks after them; blanks at the start of a text stay alone. */
const TOKEN = /<[^>]*>|[^<\s]+\s*|\s+/g;
/** Beyond this many differing words the two are shown one after the other: the cost grows with its square. */
const MAX_EDITS = 2_000;

interface DiffRun {
  readonly kind: 'same' | 'inserted' | 'deleted';
  readonly tokens: readonly string[];
}

const tokensOf = (html: string): string[] => html.match(TOKEN) ?? [];
const isTag = (token: string): boolean => token.startsWith('<');
/** Words are equal when they only differ in the blanks that follow. */
const equal = (a: string, b: string): boolean => a.trimEnd() === b.trimEnd();

function runs(before: readonly string[], after: readonly string[]): DiffRun[] {
  const changes = diffArrays([...before], [...after], { comparator: equal, maxEditLength: MAX_EDITS });
  if (!changes) {
    return [
      { kind: 'inserted', tokens: after },
      { kind: 'deleted', tokens: before },
    ];
  }
  const all: DiffRun[] = [];
  for (const { value, added, removed } of changes) {
    const run: DiffRun = { kind: added ? 'inserted' : removed ? 'deleted' : 'same', tokens: value };
    const last = all.at(-1);
    // What is new is shown before what it took the place of.
    if (run.kind === 'inserted' && last?.kind === 'deleted') all.splice(-1, 1, run, last);
    else all.push(run);
  }
  return all;
}

/** The words of a run in a span of its class; tags keep their places, but those of deleted text are left out. */
function marked({ kind, tokens }: DiffRun): string {
  if (kind === 'same') return tokens.join('');
  let html = '';
  let words = '';
  const flush = (): void => {
    const text = words.trimEnd();
    if (text !== '') html += `<span class="highlight_text_${kind}">${text}</span> `;
    else html += words;
    words = '';
  };
  for (const token of tokens) {
    if (!isTag(token)) {
      words += token;
      continue;
    }
    flush();
    if (kind === 'inserted') html += token;
  }
  flush();
  return html;
}

export const htmlDiff = (before: string, after: string): string =>
  `<div>${runs(tokensOf(before), tokensOf(after)).map(marked).join('')}</div>`;
