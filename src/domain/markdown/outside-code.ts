/** Changes a source text except for its code: fenced blocks and text between backticks. */
import { findInlineCode } from './code.js';
import { FENCE_OPENING_PATTERN } from './fence.js';

/** Languages of fenced blocks that contain text. */
const TEXT_FENCE_LANGUAGES: ReadonlySet<string> = new Set(['quote', 'quoted', 'spoiler']);

/** Applies a function to the parts of a text outside of code. @param map gets a part of one or several lines */
export function mapTextOutsideCode(text: string, map: (part: string) => string): string {
  if (!text.includes('`') && !text.includes('~~~')) return map(text);
  const out: string[] = [];
  let paragraph: string[] = [];
  const openFences: { readonly fence: string; readonly isCode: boolean }[] = [];
  const endParagraph = (): void => {
    if (paragraph.length > 0) out.push(mapTextOutsideInlineCode(paragraph.join('\n'), map));
    paragraph = [];
  };
  for (const line of text.split('\n')) {
    const innermost = openFences.at(-1);
    const isClosing = innermost !== undefined && line.trimEnd() === innermost.fence;
    const opened = innermost?.isCode ? null : FENCE_OPENING_PATTERN.exec(line);
    if (!isClosing && !innermost?.isCode && !opened && line !== '') {
      paragraph.push(line);
      continue;
    }
    endParagraph();
    if (isClosing) openFences.pop();
    else if (opened) {
      const { fence = '', language = '' } = opened.groups ?? {};
      const isCode = !TEXT_FENCE_LANGUAGES.has(language.toLowerCase());
      openFences.push({ fence, isCode });
      // The header of a spoiler is text.
      out.push(isCode ? line : map(line));
      continue;
    }
    out.push(line);
  }
  endParagraph();
  return out.join('\n');
}

function mapTextOutsideInlineCode(text: string, map: (part: string) => string): string {
  let out = '';
  let done = 0;
  for (const { start, end } of findInlineCode(text)) {
    out += map(text.slice(done, start)) + text.slice(start, end);
    done = end;
  }
  return out + map(text.slice(done));
}
