/** Links that the organization's own patterns make (markdown.md § Linkifiers). They run on RE2 only: linear time. */
import { RE2JS } from 're2js';
import { parseTemplate, type Template } from 'url-template';
import type { Linkifier } from './context.js';
import type { InlineRule } from './inline.js';
import { MARK_OPEN } from './normalize.js';
import { leaf } from './tokens.js';
import { safeUrl } from './url.js';

interface CompiledLinkifier {
  readonly pattern: RE2JS;
  readonly names: readonly string[];
  readonly template: Template;
}

export interface LinkifierMatch {
  /** Offset of the matched text, without what stands before it. */
  readonly at: number;
  readonly text: string;
  readonly url: string;
}

/** Instructions of a compiled pattern, at most: time grows with them. */
const MAX_PROGRAM = 5_000;
/** Matches of one linkifier in one text. */
const MAX_MATCHES = 1_000;
const CACHE_SIZE = 1_000;

/** By pattern and template; null = can't be used. */
const cache = new Map<string, CompiledLinkifier | null>();

function compile({ pattern, urlTemplate }: Linkifier): CompiledLinkifier | null {
  const key = JSON.stringify([pattern, urlTemplate]);
  const known = cache.get(key);
  if (known !== undefined) return known;
  const made = tryCompile(pattern, urlTemplate);
  if (cache.size >= CACHE_SIZE) cache.clear();
  cache.set(key, made);
  return made;
}

function tryCompile(pattern: string, urlTemplate: string): CompiledLinkifier | null {
  try {
    const whole = RE2JS.compile(`(?:^|[\\s'"(,:<])(${pattern})(?:$|[^\\pL\\pN])`);
    if (whole.programSize() > MAX_PROGRAM) return null;
    return { pattern: whole, names: Object.keys(whole.namedGroups()), template: parseTemplate(urlTemplate) };
  } catch {
    // Checked when it was stored; an engine that has become stricter must not make messages unsendable.
    return null;
  }
}

/** Can this linkifier be used? For checking it when it is stored. */
export const isUsableLinkifier = (linkifier: Linkifier): boolean => compile(linkifier) !== null;

/** Not overlapping, in order of the text. */
export function linkifierMatches(text: string, linkifier: Linkifier): LinkifierMatch[] {
  const usable = compile(linkifier);
  if (!usable) return [];
  const out: LinkifierMatch[] = [];
  const matcher = usable.pattern.matcher(text);
  // The end of one match can be what has to stand before the next, so the search goes on at the matched text's end.
  for (let from = 0; from <= text.length && out.length < MAX_MATCHES && matcher.find(from); ) {
    const at = matcher.start(1);
    const end = matcher.end(1);
    from = Math.max(end, from + 1);
    if (end === at) continue;
    const values = Object.fromEntries(usable.names.map((name) => [name, matcher.group(name)]));
    out.push({ at, text: text.slice(at, end), url: usable.template.expand(values) });
  }
  return out;
}

export const linkifiers: InlineRule = (text, inline) => {
  let marked = text;
  for (const linkifier of inline.context.linkifiers) {
    let out = '';
    let done = 0;
    for (const { at, text: found, url } of linkifierMatches(marked, linkifier)) {
      const safe = found.includes(MARK_OPEN) ? undefined : safeUrl(url);
      if (safe === undefined) continue;
      const tokens = leaf('a', { href: safe }, found, { kind: 'link', url: safe, text: found });
      out += marked.slice(done, at) + inline.mark(found, tokens);
      done = at + found.length;
    }
    marked = out + marked.slice(done);
  }
  return marked;
};
