import type { ApiChange } from '../change.js';
import { inRenderedHtml } from '../rendered-html.js';

const FORMULA_START = '<span class="katex-display">';
/** Start of a part that is not valid TeX and is shown as source. */
const INVALID_PART_START = '<span class="tex-error">';
/** Separator of two parts of a block; it occurs neither in formulas nor in source. */
const PART_SEPARATOR = '<br>\n';

/** Matches the paragraph of a block of formulas. Also matches other paragraphs that begin with invalid TeX. */
const BLOCK_PATTERN = /<p>(<span class="(?:katex-display|tex-error)">.*?)<\/p>/gs;

/**
 * Splits a block into paragraphs: clients show formulas only in paragraphs of nothing else, so each invalid part
 * becomes a paragraph of its own.
 */
function separateParts(paragraph: string, parts: string): string {
  // Only blocks have displayed formulas, so this is a paragraph of text that begins with invalid TeX.
  if (!parts.includes(FORMULA_START)) return paragraph;
  const paragraphs: string[] = [];
  let isAfterFormula = false;
  for (const part of parts.split(PART_SEPARATOR)) {
    const isFormula = part.startsWith(FORMULA_START);
    paragraphs.push(isFormula && isAfterFormula ? `${paragraphs.pop()}\n\n${part}` : part);
    isAfterFormula = isFormula;
  }
  return paragraphs.map((content) => `<p>${content}</p>`).join('\n');
}

export const SEPARATED_FORMULAS: ApiChange = {
  since: 277,
  summary:
    'Displayed formulas of one block are separated by a blank line instead of <br>; parts that are not valid TeX are paragraphs.',
  ...inRenderedHtml([PART_SEPARATOR + FORMULA_START, PART_SEPARATOR + INVALID_PART_START], (html) =>
    html.replace(BLOCK_PATTERN, separateParts),
  ),
};
