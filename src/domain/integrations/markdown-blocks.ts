/** Lines of quotes and lists: Markdown takes a line directly after one of them for its continuation. */

const QUOTE_MARKS_PATTERN = /^\s*>[>\s]*/;
const LIST_ITEM_PATTERN = /^\s*(?:[*+-]|\d+\.)\s/;

/** Joins lines, or texts of several lines, so that none becomes part of a quote or a list item before it. */
export function joinMarkdownBlocks(parts: readonly string[]): string {
  const joined: string[] = [];
  let previous = '';
  for (const part of parts) {
    const separator = separatingLineOrUndefined(previous, firstLineOf(part));
    if (separator !== undefined) joined.push(separator);
    joined.push(part);
    previous = part.slice(part.lastIndexOf('\n') + 1);
  }
  return joined.join('\n');
}

function separatingLineOrUndefined(previous: string, line: string): string | undefined {
  if (line.trim() === '') return undefined;
  const depth = quoteDepthOf(line);
  const endsQuote = quoteDepthOf(previous) > depth;
  const endsList = LIST_ITEM_PATTERN.test(previous) && !LIST_ITEM_PATTERN.test(line) && !/^\s/.test(line);
  return endsQuote || endsList ? '>'.repeat(depth * Number(endsQuote)) : undefined;
}

const firstLineOf = (text: string): string => text.split('\n', 1)[0] ?? '';

const quoteDepthOf = (line: string): number => (QUOTE_MARKS_PATTERN.exec(line)?.[0] ?? '').split('>').length - 1;
