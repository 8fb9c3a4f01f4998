/** Reads title, description and picture of a page from the head of its HTML. */
import { Parser } from 'htmlparser2';

/** Facts about a page that its preview shows. */
export interface WebPageHead {
  readonly title: string;
  /** '' for a page without a description. */
  readonly description: string;
  /** http or https address of the page's picture; '' for a page without one. */
  readonly image: string;
}

/** Maximum length of a title, characters; longer ones are cut. */
const MAX_TITLE_CHARACTERS = 200;
/** Maximum length of a description, characters; longer ones are cut. */
const MAX_DESCRIPTION_CHARACTERS = 500;
const MAX_PREVIEW_IMAGE_URL_CHARACTERS = 2_000;

const toTruncatedSingleLine = (text: string, length: number): string => {
  const line = text.replace(/\s+/g, ' ').trim();
  const characters = [...line];
  if (characters.length <= length) return line;
  const start = characters.slice(0, length - 1).join('');
  return `${start.trimEnd()}…`;
};

/** Names of `<meta>` elements by fact, best first: Open Graph, Twitter cards, plain HTML. */
const META_TAG_NAMES_BY_FACT = {
  title: ['og:title', 'twitter:title'],
  description: ['og:description', 'twitter:description', 'description'],
  image: ['og:image', 'og:image:url', 'twitter:image'],
} as const;

/**
 * Reads the head of a page. Elements behind the head are not looked at.
 *
 * @param html the page, or its beginning
 * @param url address of the page; a relative address of its picture is meant from there
 * @returns undefined for a page without a title
 */
export function parseWebPageHead(html: string, url: URL): WebPageHead | undefined {
  const meta = new Map<string, string>();
  let title = '';
  let inTitle = false;
  let isHead = true;
  const parser = new Parser({
    onopentag(tag, attributes) {
      if (tag === 'body') isHead = false;
      if (!isHead) return;
      if (tag === 'title') inTitle = title === '';
      const name = (attributes.property ?? attributes.name)?.toLowerCase();
      const { content = '' } = attributes;
      if (tag === 'meta' && name && content.trim() !== '' && !meta.has(name)) meta.set(name, content);
    },
    ontext(text) {
      if (inTitle) title += text;
    },
    onclosetag(tag) {
      if (tag === 'title') inTitle = false;
      if (tag === 'head') isHead = false;
    },
  });
  parser.end(html);
  const first = (names: readonly string[]): string | undefined => names.map((name) => meta.get(name)).find(Boolean);
  const shown = toTruncatedSingleLine(first(META_TAG_NAMES_BY_FACT.title) ?? title, MAX_TITLE_CHARACTERS);
  if (shown === '') return undefined;
  return {
    title: shown,
    description: toTruncatedSingleLine(first(META_TAG_NAMES_BY_FACT.description) ?? '', MAX_DESCRIPTION_CHARACTERS),
    image: resolveUsableImageUrl(first(META_TAG_NAMES_BY_FACT.image)?.trim(), url),
  };
}

function resolveUsableImageUrl(address: string | undefined, base: URL): string {
  if (!address || !URL.canParse(address, base)) return '';
  const { href, protocol, username, password } = new URL(address, base);
  const isOpen = (protocol === 'https:' || protocol === 'http:') && username === '' && password === '';
  return isOpen && href.length <= MAX_PREVIEW_IMAGE_URL_CHARACTERS ? href : '';
}
