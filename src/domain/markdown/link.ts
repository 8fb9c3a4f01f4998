/** Rule for links `[text](url "title")`. The text of a link is shown as it is written. */
import type { InlineMarkdownRule, InlineMarkdownRuleTools } from './inline.js';
import { makeTextElementTokens, type Token } from './tokens.js';
import { toRelativeOwnNarrowOrUploadUrl, toSafeLinkUrl } from './url.js';

/** Matches the address and title of a link. The address has no blanks; the title may have unbalanced brackets. */
const TITLED_LINK_TARGET_PATTERN = /\(([^\s()"']*(?:\([^\s()"']*\)[^\s()"']*)*)\s+(?:"([^"\n]*)"|'([^'\n]*)')\s*\)/y;

export const linkMarkdownRule: InlineMarkdownRule = (text, inline) => {
  if (!text.includes('](')) return text;
  const squares = findBracketPairOffsets(text, '[', ']');
  const rounds = findBracketPairOffsets(text, '(', ')');
  let out = '';
  let done = 0;
  for (const [open, close] of squares) {
    if (open < done || text[close + 1] !== '(' || text[open - 1] === '!') continue;
    const target = parseLinkTargetAt(text, close + 1, rounds);
    if (!target) continue;
    const source = text.slice(open, target.end);
    const tokens = makeLinkTokensIfSafe(inline.source(text.slice(open + 1, close)), target, inline);
    if (!tokens) continue;
    out += text.slice(done, open) + inline.mark(source, tokens);
    done = target.end;
  }
  return out + text.slice(done);
};

/** Offsets of opening brackets and of their closing ones, in the order of the text. */
function findBracketPairOffsets(text: string, open: string, close: string): Map<number, number> {
  const unclosed: number[] = [];
  const pairs: [number, number][] = [];
  for (let at = 0; at < text.length; at++) {
    if (text[at] === open) unclosed.push(at);
    else if (text[at] === close) {
      const start = unclosed.pop();
      if (start !== undefined) pairs.push([start, at]);
    }
  }
  return new Map(pairs.sort(([a], [b]) => a - b));
}

interface ParsedLinkTarget {
  readonly url: string;
  readonly title: string;
  /** Offset after the closing bracket of the link. */
  readonly end: number;
}

function parseLinkTargetAt(text: string, at: number, rounds: ReadonlyMap<number, number>): ParsedLinkTarget | null {
  TITLED_LINK_TARGET_PATTERN.lastIndex = at;
  const titled = TITLED_LINK_TARGET_PATTERN.exec(text);
  if (titled)
    return { url: titled[1] ?? '', title: titled[2] ?? titled[3] ?? '', end: TITLED_LINK_TARGET_PATTERN.lastIndex };
  const close = rounds.get(at);
  if (close === undefined) return null;
  const inside = text.slice(at + 1, close).trim();
  const split = /^(\S*)\s+(["'])(.*)\2$/s.exec(inside);
  const url = split?.[1] ?? inside;
  const bare = url.startsWith('<') && url.endsWith('>') ? url.slice(1, -1) : url;
  return { url: bare, title: split?.[3] ?? '', end: close + 1 };
}

function makeLinkTokensIfSafe(text: string, target: ParsedLinkTarget, inline: InlineMarkdownRuleTools): Token[] | null {
  const safe = toSafeLinkUrl(inline.source(target.url));
  if (safe === undefined) return null;
  const url = toRelativeOwnNarrowOrUploadUrl(safe, inline.context.origin);
  const shown = text.trim() === '' ? url : text;
  const title = inline.source(target.title);
  return makeTextElementTokens('a', title === '' ? { href: url } : { href: url, title }, shown, {
    kind: 'link',
    url,
    text: shown,
  });
}
