import type { ApiChange } from '../change.js';
import { inRenderedHtml } from '../rendered-html.js';

const FORMULA_START = '<span class="katex-display">';
/** Start of a part that is no valid TeX, and is shown as source. */
const INVALID_PART_START = '<span class="tex-error">';
/** Text between two parts of a block; neither formulas nor source have it. */
const PART_SEPARATOR = '<br>\n';

/** Matches the paragraph of a block of formulas, and others that begin with invalid TeX. */
const BLOCK_PATTERN = /<p>(<span class="(?:katex-display|tex-error)">.*?)<\/p>/gs;

/** Paragraphs of a block: clients read a paragraph of formulas alone, so invalid parts stand by themselves. */
function separateParts(paragraph: string, parts: string): string {
  // Only blocks have displayed formulas: this paragraph begins with invalid TeX within a line.
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
    'Displayed formulas of one block are separated by a blank line instead of <br>; parts that are no valid TeX are paragraphs.',
  ...inRenderedHtml([PART_SEPARATOR + FORMULA_START, PART_SEPARATOR + INVALID_PART_START], (html) =>
    html.replace(BLOCK_PATTERN, separateParts),
  ),
};
