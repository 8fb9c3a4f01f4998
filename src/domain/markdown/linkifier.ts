/** Links made by the organization's patterns (markdown.md § Linkifiers). The patterns run on RE2: linear time. */
import { RE2JS } from 're2js';
import { parseTemplate, type Template } from 'url-template';
import type { MarkdownLinkifier } from './context.js';
import type { InlineMarkdownRule, SearchBudget } from './inline.js';
import { INLINE_PLACEHOLDER_OPEN } from './normalize.js';
import { makeTextElementTokens } from './tokens.js';
import { toSafeLinkUrl } from './url.js';

interface CompiledLinkifier {
  readonly pattern: RE2JS;
  readonly instructions: number;
  readonly names: readonly string[];
  readonly template: Template;
}

interface LinkifierMatch {
  /** Offset of `text`, the part of the match without the characters around it. */
  readonly at: number;
  readonly text: string;
  readonly url: string;
}

/** Maximum number of instructions of a compiled pattern: the time of a search grows with them. */
const MAX_COMPILED_PATTERN_INSTRUCTIONS = 5_000;
/**
 * Maximum cost of all searches in one text, over all linkifiers: a search costs the instructions of its pattern times
 * the characters that it may read. The next search begins behind the match, so a pattern that looks far ahead for a
 * short match would take 48 s for 2,000 characters; the limit ends it after 0.7 s. Usual patterns have 15 to 300
 * instructions.
 */
const MAX_SEARCH_COST_PER_TEXT = 50_000_000;
/** Maximum number of compiled linkifiers in the cache; a full cache is cleared. */
const MAX_CACHED_LINKIFIERS = 1_000;

/** Compiled linkifiers by pattern and URL template; null = unusable. */
const cachedCompiledLinkifiers = new Map<string, CompiledLinkifier | null>();

function getOrCompileLinkifier({ pattern, urlTemplate }: MarkdownLinkifier): CompiledLinkifier | null {
  const key = JSON.stringify([pattern, urlTemplate]);
  const cached = cachedCompiledLinkifiers.get(key);
  if (cached !== undefined) return cached;
  const compiled = tryCompileLinkifier(pattern, urlTemplate);
  if (cachedCompiledLinkifiers.size >= MAX_CACHED_LINKIFIERS) cachedCompiledLinkifiers.clear();
  cachedCompiledLinkifiers.set(key, compiled);
  return compiled;
}

function tryCompileLinkifier(pattern: string, urlTemplate: string): CompiledLinkifier | null {
  try {
    const whole = RE2JS.compile(`(?:^|[\\s'"(,:<])(${pattern})(?:$|[^\\pL\\pN])`);
    const instructions = whole.programSize();
    if (instructions > MAX_COMPILED_PATTERN_INSTRUCTIONS) return null;
    return {
      pattern: whole,
      instructions,
      names: Object.keys(whole.namedGroups()),
      template: parseTemplate(urlTemplate),
    };
  } catch {
    // Patterns are checked when they are stored. A stricter version of the engine must not block messages.
    return null;
  }
}

/** True if the linkifier compiles within the limits. Operations check this before they store a linkifier. */
export const isUsableLinkifier = (linkifier: MarkdownLinkifier): boolean => getOrCompileLinkifier(linkifier) !== null;

/** Remaining cost of the searches in one text. */
export class LinkifierSearchBudget implements SearchBudget {
  #left = MAX_SEARCH_COST_PER_TEXT;

  countSearch(instructions: number, characters: number): boolean {
    this.#left -= instructions * characters;
    return this.#left >= 0;
  }
}

/** The address of a match, or null if its values have none: `{x:1}` may cut a character such as an emoji in half. */
function expandTemplateOrNull(template: Template, values: Record<string, string | null>): string | null {
  try {
    return template.expand(values);
  } catch {
    return null;
  }
}

/** Matches of a linkifier, in the order of the text, without overlaps. The search ends when the budget is used up. */
export function findLinkifierMatches(
  text: string,
  linkifier: MarkdownLinkifier,
  budget: SearchBudget,
): LinkifierMatch[] {
  const usable = getOrCompileLinkifier(linkifier);
  if (!usable) return [];
  const out: LinkifierMatch[] = [];
  const matcher = usable.pattern.matcher(text);
  // The character after a match may also be the one before the next: continue at the end of the matched text.
  for (let from = 0; from <= text.length; ) {
    if (!budget.countSearch(usable.instructions, text.length - from) || !matcher.find(from)) break;
    const at = matcher.start(1);
    const end = matcher.end(1);
    from = Math.max(end, from + 1);
    if (end === at) continue;
    const values = Object.fromEntries(usable.names.map((name) => [name, matcher.group(name)]));
    const url = expandTemplateOrNull(usable.template, values);
    if (url !== null) out.push({ at, text: text.slice(at, end), url });
  }
  return out;
}

export const linkifierMarkdownRule: InlineMarkdownRule = (text, inline) => {
  let marked = text;
  for (const linkifier of inline.context.linkifiers) {
    let out = '';
    let done = 0;
    for (const { at, text: found, url } of findLinkifierMatches(marked, linkifier, inline.linkifierBudget)) {
      const safe = found.includes(INLINE_PLACEHOLDER_OPEN) ? undefined : toSafeLinkUrl(url);
      if (safe === undefined) continue;
      const tokens = makeTextElementTokens('a', { href: safe }, found, { kind: 'link', url: safe, text: found });
      out += marked.slice(done, at) + inline.mark(found, tokens);
      done = at + found.length;
    }
    marked = out + marked.slice(done);
  }
  return marked;
};
