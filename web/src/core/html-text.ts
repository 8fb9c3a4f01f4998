/** Plain text of the HTML that the server renders, without the DOM. */

const CHAR_BY_HTML_ENTITY: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  '#39': "'",
  '#x27': "'",
  nbsp: ' ',
};

export const decodeHtmlEntities = (text: string): string =>
  text.replace(/&(#?\w+);/g, (whole, name: string) => CHAR_BY_HTML_ENTITY[name] ?? whole);

/**
 * The text of HTML on one line, without its tags; the renderer ends blocks with line breaks. An emoji is its character.
 * A formula is its source: its MathML and its typeset form are left out.
 *
 * @param fallback HTML text that stands for one without text
 */
export function extractPlainText(html: string, fallback = ''): string {
  let text = '';
  let isMathml = false;
  /** Number of open elements within the typeset form of a formula, with its own. */
  let typesetDepth = 0;
  const shown = html
    .replace(/<span [^>]*class="emoji emoji-([-0-9a-f]+)"[^>]*>[^<]*/g, (_, code: string) =>
      String.fromCodePoint(...code.split('-').map((point) => Number.parseInt(point, 16))),
    )
    .replace(/<img alt="([^"]*)"[^>]*>/g, '$1');
  for (const [token] of shown.matchAll(/<[^>]*>|[^<]+/g)) {
    if (typesetDepth > 0) {
      if (token.startsWith('<span')) typesetDepth++;
      else if (token === '</span>') typesetDepth--;
    } else if (token.startsWith('<span class="katex-html"')) typesetDepth = 1;
    else if (!token.startsWith('<')) text += isMathml ? '' : token;
    else if (token.startsWith('<math') || token === '</annotation>') isMathml = true;
    else if (token.startsWith('<annotation') || token === '</math>') isMathml = false;
  }
  return decodeHtmlEntities(text.trim() || fallback)
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
}
