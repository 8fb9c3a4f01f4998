/**
 * Word-by-word difference of two renderings of a message, as HTML (`content_html_diff`). Both inputs come from our own
 * renderer: their text is escaped, and every tag is complete. The functions have no side effects.
 */
import { diffArrays } from 'diff';

/** Matches a token: a tag, a word with the blanks after it, or blanks after a tag or at the start. */
const HTML_TOKEN_PATTERN = /<[^>]*>|[^<\s]+\s*|\s+/g;
/**
 * Maximum number of differing words that are compared, as the cost grows with their square; with more, the two versions
 * are shown one after the other.
 */
const MAX_DIFFED_WORD_EDITS = 2_000;

interface HtmlDiffRun {
  readonly kind: 'same' | 'inserted' | 'deleted';
  readonly tokens: readonly string[];
}

const splitHtmlTokens = (html: string): string[] => html.match(HTML_TOKEN_PATTERN) ?? [];
const isHtmlTagToken = (token: string): boolean => token.startsWith('<');
/** True if two tokens are equal but for the blanks after a word. */
const areTokensEqualIgnoringEndBlanks = (a: string, b: string): boolean => a.trimEnd() === b.trimEnd();

function computeHtmlDiffRuns(before: readonly string[], after: readonly string[]): HtmlDiffRun[] {
  const changes = diffArrays([...before], [...after], {
    comparator: areTokensEqualIgnoringEndBlanks,
    maxEditLength: MAX_DIFFED_WORD_EDITS,
  });
  if (!changes) {
    return [
      { kind: 'inserted', tokens: after },
      { kind: 'deleted', tokens: before },
    ];
  }
  const all: HtmlDiffRun[] = [];
  for (const { value, added, removed } of changes) {
    const run: HtmlDiffRun = { kind: added ? 'inserted' : removed ? 'deleted' : 'same', tokens: value };
    const last = all.at(-1);
    // Inserted words come before the deleted ones that they replace.
    if (run.kind === 'inserted' && last?.kind === 'deleted') all.splice(-1, 1, run, last);
    else all.push(run);
  }
  return all;
}

/**
 * Renders a run as HTML: unchanged text as it is, inserted or deleted words in spans of that class. Tags stay outside
 * the spans; tags of deleted text are left out.
 */
function renderHtmlDiffRun({ kind, tokens }: HtmlDiffRun): string {
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
    if (!isHtmlTagToken(token)) {
      words += token;
      continue;
    }
    flush();
    if (kind === 'inserted') html += token;
  }
  flush();
  return html;
}

export const renderHtmlWordDiff = (before: string, after: string): string =>
  `<div>${computeHtmlDiffRuns(splitHtmlTokens(before), splitHtmlTokens(after)).map(renderHtmlDiffRun).join('')}</div>`;
