import DOMPurify, { type Config } from 'dompurify';

const splitWords = (text: string): string[] => text.trim().split(/\s+/);

/** Elements that the server's Markdown makes; formulas are MathML, spans and SVG. */
const ALLOWED_HTML_TAGS = splitWords(`
  a b blockquote br code del div em h1 h2 h3 h4 h5 h6 hr i img ins li ol p pre s span strong table tbody td th thead time
  tr ul
  math semantics annotation mrow mi mn mo ms mtext mspace msup msub msubsup munder mover munderover mfrac msqrt mroot
  mtable mtr mtd mstyle mpadded mphantom menclose merror mglyph mmultiscripts mprescripts none
  svg path g line`);

const ALLOWED_HTML_ATTRIBUTES = splitWords(`
  href title class src alt datetime start colspan rowspan role aria-hidden aria-label
  data-user-id data-user-group-id data-stream-id data-code-language data-src-fullsize data-id data-style
  xmlns display encoding mathvariant mathcolor mathbackground mathsize stretchy fence separator lspace rspace columnalign
  columnlines columnspacing rowalign rowlines rowspacing scriptlevel displaystyle accent accentunder minsize maxsize
  largeop movablelimits symmetric linethickness notation depth voffset form
  d viewBox preserveAspectRatio width height x1 y1 x2 y2 stroke-width fill fill-rule`);

const SANITIZE_OPTIONS = {
  ALLOWED_TAGS: ALLOWED_HTML_TAGS,
  ALLOWED_ATTR: ALLOWED_HTML_ATTRIBUTES,
  // Values like `height:1em` are no addresses.
  ADD_URI_SAFE_ATTR: ['data-style', 'data-code-language', 'aria-label', 'datetime'],
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
  RETURN_DOM_FRAGMENT: true,
} satisfies Config & { readonly RETURN_DOM_FRAGMENT: true };

/** The address of a link or a picture in a text; undefined: it is not valid. */
export function parseAddress(address: string): URL | undefined {
  try {
    return new URL(address, location.href);
  } catch {
    return undefined;
  }
}

const isOwnOrigin = (address: string): boolean => parseAddress(address)?.origin === location.origin;

let isPrepared = false;

/** Configures DOMPurify once: it would parse options that are passed with each call again. */
function prepareSanitizing(): void {
  isPrepared = true;
  DOMPurify.setConfig(SANITIZE_OPTIONS);
  // The policy of the page refuses pictures of other hosts; a request for one would be reported as a violation.
  DOMPurify.addHook('uponSanitizeAttribute', (_, data) => {
    if (data.attrName === 'src' && !isOwnOrigin(data.attrValue)) data.keepAttr = false;
  });
}

/**
 * Turns the HTML of a message into harmless nodes.
 *
 * Browsers refuse `style` attributes while they parse. Those of formulas are therefore renamed before, within tags: in
 * texts, the server writes `<` as a reference.
 */
export function sanitizeHtml(html: string): DocumentFragment {
  if (!isPrepared) prepareSanitizing();
  const renamed = html.replace(/<[a-z][^<>]*>/g, (tag) => tag.replaceAll(' style="', ' data-style="'));
  // The argument gives the type of the result; the options of `setConfig` count.
  return DOMPurify.sanitize(renamed, SANITIZE_OPTIONS);
}
