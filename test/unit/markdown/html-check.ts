/** A strict reader of our own HTML: accepted HTML has no script, and closes its elements. */

const VOID = new Set(['br', 'hr', 'img']);

/** Elements and their attributes that rendering may make. */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  a: ['class', 'data-id', 'data-stream-id', 'href', 'title'],
  blockquote: [],
  br: [],
  code: [],
  del: [],
  div: ['aria-hidden', 'class', 'data-code-language'],
  em: [],
  h1: [],
  h2: [],
  h3: [],
  h4: [],
  h5: [],
  h6: [],
  hr: [],
  img: ['alt', 'class', 'src', 'title'],
  li: [],
  ol: ['start'],
  p: [],
  path: ['d'],
  line: ['x1', 'x2', 'y1', 'y2', 'stroke-width'],
  pre: [],
  span: ['aria-hidden', 'aria-label', 'class', 'data-user-group-id', 'data-user-id', 'role', 'style', 'title'],
  strong: [],
  svg: ['height', 'preserveAspectRatio', 'style', 'viewBox', 'width', 'xmlns'],
  table: [],
  tbody: [],
  td: ['style'],
  th: ['style'],
  thead: [],
  time: ['datetime'],
  tr: [],
  ul: [],
};

const MATH =
  /^(?:annotation|math|menclose|mfrac|mglyph|mi|mn|mo|mover|mpadded|mphantom|mroot|mrow|ms|mspace|msqrt|mstyle|msub|msubsup|msup|mtable|mtd|mtext|mtr|munder|munderover|semantics|mlabeledtr|mmultiscripts)$/;
const MATH_ATTRIBUTE =
  /^(?:xmlns|display|encoding|mathvariant|mathcolor|mathbackground|mathsize|stretchy|fence|separator|form|lspace|rspace|width|height|depth|voffset|accent|accentunder|linethickness|displaystyle|scriptlevel|rowspacing|columnspacing|columnalign|rowalign|columnlines|rowlines|notation|minsize|maxsize|largeop|movablelimits|symmetric|side|style|bevelled|class|linebreak)$/;

/** The first fault of the HTML; null if it has none. */
export function faultIn(html: string): string | null {
  const open: string[] = [];
  let at = 0;
  for (const found of html.matchAll(/<[^>]*>/g)) {
    const text = html.slice(at, found.index);
    if (/[<>]/.test(text)) return `stray bracket near ${text.slice(0, 80)}`;
    at = found.index + found[0].length;
    const closing = /^<\/([a-z0-9]+)>$/.exec(found[0]);
    if (closing) {
      const expected = open.pop();
      if (expected !== closing[1]) return `</${closing[1]}> closes <${expected}>`;
      continue;
    }
    const tag = /^<([a-z0-9]+)((?: [a-zA-Z0-9-]+(?:=(?:"[^"<>]*"|'[^'<>]*'))?)*)(\/?)>$/.exec(found[0]);
    if (!tag) return `unreadable tag ${found[0].slice(0, 120)}`;
    const [, name = '', attrs = '', selfClosed] = tag;
    const fault = attributeFault(name, attrs);
    if (fault !== null) return fault;
    if (!VOID.has(name) && selfClosed === '') open.push(name);
  }
  if (/[<>]/.test(html.slice(at))) return 'stray bracket at the end';
  return open.length === 0 ? null : `<${open.join('><')}> stay open`;
}

function attributeFault(tag: string, text: string): string | null {
  const known = ALLOWED[tag];
  const isMath = MATH.test(tag);
  if (!known && !isMath) return `<${tag}> is not allowed`;
  for (const [, name = '', value = ''] of text.matchAll(/ ([a-zA-Z0-9-]+)(?:=["']([^"']*)["'])?/g)) {
    if (!(known?.includes(name) || (isMath && MATH_ATTRIBUTE.test(name)))) return `<${tag} ${name}> is not allowed`;
    const read = decoded(value);
    if ((name === 'href' || name === 'src') && !isSafe(read)) return `<${tag} ${name}="${read}">`;
    if (name === 'style' && /url|expression|javascript|@import/i.test(read)) return `style ${read}`;
  }
  return null;
}

/** An address as browsers read it: entities resolved, control characters dropped. */
function decoded(value: string): string {
  return value
    .replace(/&#x([0-9a-f]+);?/gi, (_, code) => String.fromCodePoint(Math.min(Number.parseInt(code, 16), 0x10ffff)))
    .replace(/&#(\d+);?/g, (_, code) => String.fromCodePoint(Math.min(Number(code), 0x10ffff)))
    .replace(/&(amp|lt|gt|quot|colon|tab|newline|sol|num|lpar);/gi, (_, name: string) => {
      const all: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', colon: ':', sol: '/', num: '#' };
      return all[name.toLowerCase()] ?? '';
    })
    .replace(/\p{Cc}/gu, '');
}

function isSafe(url: string): boolean {
  const scheme = /^\s*([a-z][a-z0-9+.-]*):/i.exec(url)?.[1]?.toLowerCase();
  return scheme === undefined || !['javascript', 'data', 'vbscript', 'blob', 'about', 'filesystem'].includes(scheme);
}
