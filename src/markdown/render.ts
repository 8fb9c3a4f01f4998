/** Message text to HTML: CommonMark, with no HTML of the author's own. */
import MarkdownIt from 'markdown-it';

const parser = new MarkdownIt('commonmark', { html: false, linkify: false, breaks: true });
/** Longest HTML: 100 × the longest message (conventions.md § Limits). */
const MAX_HTML = 1_000_000;

export interface Rendered {
  readonly html: string;
}

/** The text could not be rendered within its limits. */
export class CannotRender extends Error {
  override name = 'CannotRender';
}

export function renderMarkdown(text: string): Rendered {
  const html = parser.render(text).trimEnd();
  if (html.length > MAX_HTML) throw new CannotRender('rendered text is too long');
  return { html };
}
