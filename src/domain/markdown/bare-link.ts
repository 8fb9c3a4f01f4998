/** Links to addresses that are written without brackets (markdown.md § Bare links). */
import { createRequire } from 'node:module';
import type { InlineMarkdownRule } from './inline.js';
import { makeTextElementTokens } from './tokens.js';
import { toRelativeOwnNarrowOrUploadUrl, toSafeLinkUrl } from './url.js';

// The package is a JSON file, which Node 20 can't import without a warning.
const allTopLevelDomains = createRequire(import.meta.url)('tlds') as readonly string[];

/**
 * Top-level domains that are mostly meant as a file extension or a name, so that bare words with them are not linked.
 */
const UNLINKED_TOP_LEVEL_DOMAINS = new Set(['java', 'md', 'mov', 'py', 'zip']);
const LINKED_TOP_LEVEL_DOMAINS: ReadonlySet<string> = new Set(
  allTopLevelDomains.filter((name) => !UNLINKED_TOP_LEVEL_DOMAINS.has(name)),
);

const MAX_OPEN_PARENTHESES_IN_LINK = 6;

const BARE_LINK_START_PATTERN = /(?<![^\s'"(,:<])[\p{L}\p{N}_.-]/gu;
const WEB_ORIGIN_PATTERN = /https?:\/\/[\p{L}\p{N}_.:@-]+/uy;
const DOTTED_DOMAIN_PATTERN = /(?:[\p{L}\p{N}_-]+\.)+([\p{L}\p{N}-]+)/uy;
const EMAIL_ADDRESS_PATTERN = /[\p{L}\p{N}_.-]+@[\p{L}\p{N}_.-]+\.[\p{L}\p{N}_]+/uy;
const BITCOIN_URI_PATTERN = /bitcoin:[13][a-km-zA-HJ-NP-Z1-9]{25,34}/y;
const FILE_URL_START_PATTERN = /file:\/\/\//y;
const TRAILING_PUNCTUATION = new Set('!:;?),.\'">');

interface BareLinkMatch {
  readonly end: number;
  readonly mail: boolean;
}

export const bareLinkMarkdownRule: InlineMarkdownRule = (text, inline) => {
  if (!/[.:]/.test(text)) return text;
  let out = '';
  let done = 0;
  for (const found of findBareLinks(text, inline.context.fileLinks)) {
    const written = inline.source(text.slice(found.at, found.end));
    const safe = found.mail ? `mailto:${written}` : toSafeLinkUrl(written);
    if (safe === undefined) continue;
    const url = toRelativeOwnNarrowOrUploadUrl(safe, inline.context.origin);
    const tokens = makeTextElementTokens('a', { href: url }, written, { kind: 'link', url, text: written });
    out += text.slice(done, found.at) + inline.mark(text.slice(found.at, found.end), tokens);
    done = found.end;
  }
  return out + text.slice(done);
};

/** Finds addresses without brackets. An address ends at white space, or before punctuation that white space follows. */
export function findBareLinks(text: string, fileLinks: boolean): (BareLinkMatch & { readonly at: number })[] {
  const out: (BareLinkMatch & { at: number })[] = [];
  let last = -1;
  let wordEnd = -1;
  let bodyEnd = -1;
  // Most words have neither a dot nor a colon: no address begins in them.
  let nextMark = findDotOrColonOrEnd(text, 0);
  BARE_LINK_START_PATTERN.lastIndex = 0;
  for (let start = BARE_LINK_START_PATTERN.exec(text); start; start = BARE_LINK_START_PATTERN.exec(text)) {
    const { index } = start;
    if (index < last) continue;
    if (index >= wordEnd) {
      wordEnd = findNextWhitespaceOrEnd(text, index);
      bodyEnd = wordEnd;
      while (bodyEnd > index && TRAILING_PUNCTUATION.has(text[bodyEnd - 1] ?? '')) bodyEnd--;
    }
    if (nextMark < index) nextMark = findDotOrColonOrEnd(text, index);
    if (nextMark >= wordEnd) {
      BARE_LINK_START_PATTERN.lastIndex = wordEnd;
      continue;
    }
    const found = matchBareLinkAt(text, index, bodyEnd, wordEnd, fileLinks);
    if (!found) continue;
    out.push({ at: index, ...found });
    last = found.end;
  }
  return out;
}

const WHITESPACE_PATTERN = /\s/g;

function findNextWhitespaceOrEnd(text: string, at: number): number {
  WHITESPACE_PATTERN.lastIndex = at;
  return WHITESPACE_PATTERN.test(text) ? WHITESPACE_PATTERN.lastIndex - 1 : text.length;
}

const DOT_OR_COLON_PATTERN = /[.:]/g;

function findDotOrColonOrEnd(text: string, at: number): number {
  DOT_OR_COLON_PATTERN.lastIndex = at;
  return DOT_OR_COLON_PATTERN.test(text) ? DOT_OR_COLON_PATTERN.lastIndex - 1 : text.length;
}

/**
 * The address that begins at `at`.
 * @param bodyEnd offset of the word's trailing punctuation; an address ends there or later
 */
function matchBareLinkAt(
  text: string,
  at: number,
  bodyEnd: number,
  wordEnd: number,
  fileLinks: boolean,
): BareLinkMatch | null {
  const web = matchEndOffsetAt(WEB_ORIGIN_PATTERN, text, at);
  if (web !== null) {
    const first = at + (text.startsWith('https', at) ? 9 : 8);
    const end = text[web] === '/' ? findBalancedUrlEnd(text, web, bodyEnd, wordEnd) : null;
    if (end !== null) return { end, mail: false };
    return web >= bodyEnd ? { end: Math.max(first, bodyEnd), mail: false } : null;
  }
  DOTTED_DOMAIN_PATTERN.lastIndex = at;
  const domain = DOTTED_DOMAIN_PATTERN.exec(text);
  if (domain && LINKED_TOP_LEVEL_DOMAINS.has(domain[1] ?? '')) {
    const end = DOTTED_DOMAIN_PATTERN.lastIndex;
    const path = text[end] === '/' ? findBalancedUrlEnd(text, end, bodyEnd, wordEnd) : null;
    if (path !== null) return { end: path, mail: false };
    if (end >= bodyEnd) return { end, mail: false };
  }
  for (const pattern of [EMAIL_ADDRESS_PATTERN, BITCOIN_URI_PATTERN]) {
    const end = matchEndOffsetAt(pattern, text, at);
    if (end !== null && end >= bodyEnd) return { end, mail: pattern === EMAIL_ADDRESS_PATTERN };
  }
  if (fileLinks && matchEndOffsetAt(FILE_URL_START_PATTERN, text, at) !== null)
    return { end: Math.max(at + 8, bodyEnd), mail: false };
  return null;
}

function matchEndOffsetAt(pattern: RegExp, text: string, at: number): number | null {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : null;
}

/** The first offset from `bodyEnd` on before which parentheses are balanced; null if there is none. */
function findBalancedUrlEnd(text: string, slash: number, bodyEnd: number, wordEnd: number): number | null {
  let open = 0;
  for (let at = slash; at <= wordEnd; at++) {
    if (open === 0 && at >= bodyEnd) return at;
    const char = text[at];
    if (char === '"') return null;
    if (char === '(' && ++open > MAX_OPEN_PARENTHESES_IN_LINK) return null;
    if (char === ')' && --open < 0) return null;
  }
  return null;
}
