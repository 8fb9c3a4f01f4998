/** Previews of linked pictures and videos, shown below their paragraph (markdown.md § Previews). */
import { makeImageProxyPath } from '#domain/pictures';
import { wrapHtmlInElement } from './html.js';
import { type MarkdownTextReference, makeRawHtmlToken, type Token } from './tokens.js';

/** Maximum number of distinct addresses in a message with previews. A message with more has no previews at all. */
const MAX_LINKS_WITH_PREVIEWS = 24;

const PICTURE_PATH_PATTERN = /\.(?:bmp|gif|jpe|jpeg|jpg|png|webp)$/i;

interface InlineMediaPreviewSettings {
  readonly imageProxySecret: string;
  readonly origin: string;
}

interface RenderedMediaPreview {
  readonly html: string;
  /** True if the preview replaces a paragraph or item that has nothing but the address. */
  readonly replaces: boolean;
}

/** An element that contains a link to preview. */
interface LinkContainerElement {
  readonly tag: string;
  /** Index of the element's opening token. */
  readonly open: number;
}

/** Changes of a token list: HTML to insert after tokens, and tokens to drop, by index. */
interface PlannedTokenEdits {
  readonly inserted: Map<number, string[]>;
  readonly dropped: Set<number>;
}

/** Adds previews to the tokens of a message. */
export function addInlineMediaPreviews(
  tokens: readonly Token[],
  settings: InlineMediaPreviewSettings,
): { tokens: readonly Token[]; hasPreviews: boolean } {
  const links = findUnquotedLinks(tokens);
  if (!links.some(({ link }) => PREVIEWABLE_URL_PATTERN.test(link.url))) return { tokens, hasPreviews: false };
  const closers = closingIndexByOpeningIndex(tokens);
  if (new Set(links.map(({ link }) => link.url)).size > MAX_LINKS_WITH_PREVIEWS) return { tokens, hasPreviews: false };
  const edits: PlannedTokenEdits = { inserted: new Map(), dropped: new Set() };
  const done = new Set<string>();
  for (const { link, at, parent, alone } of links) {
    if (done.has(link.url)) continue;
    const preview = makeMediaPreviewOrNull(link.url, link.text, settings);
    if (!preview) continue;
    done.add(link.url);
    planPreviewEdits(
      edits,
      preview,
      tokens,
      { at, parent, alone: alone && link.text === readerVisibleUrlOf(link) },
      closers,
    );
  }
  return { tokens: copyTokensWithEdits(tokens, edits), hasPreviews: edits.inserted.size > 0 };
}

/** The address as readers see it. In `url`, addresses of this organization are relative. */
const readerVisibleUrlOf = ({ url, text }: LinkReference): string => (text.endsWith(url) ? text : url);

type LinkReference = Extract<MarkdownTextReference, { kind: 'link' }>;

interface LinkOccurrence {
  readonly link: LinkReference;
  /** Index of the inline token that has the link. */
  readonly at: number;
  readonly parent: LinkContainerElement | undefined;
  /** True if the inline token has nothing but this link. */
  readonly alone: boolean;
}

function findUnquotedLinks(tokens: readonly Token[]): LinkOccurrence[] {
  const open: LinkContainerElement[] = [];
  const out: LinkOccurrence[] = [];
  for (const [at, token] of tokens.entries()) {
    if (token.type !== 'inline') {
      if (token.nesting === 1) open.push({ tag: token.tag, open: at });
      else if (token.nesting === -1) open.pop();
      continue;
    }
    if (token.meta?.quoted) continue;
    const children = token.children ?? [];
    for (const child of children) {
      const meaning = child.meta as MarkdownTextReference | null;
      if (meaning?.kind !== 'link' || child.attrs?.some(([name]) => name === 'data-stream-id')) continue;
      out.push({ link: meaning, at, parent: open.at(-1), alone: children.length === 3 && child === children[0] });
    }
  }
  return out;
}

function closingIndexByOpeningIndex(tokens: readonly Token[]): Map<number, number> {
  const open: number[] = [];
  const out = new Map<number, number>();
  for (const [at, token] of tokens.entries()) {
    if (token.nesting === 1) open.push(at);
    else if (token.nesting === -1) out.set(open.pop() ?? 0, at);
  }
  return out;
}

function planPreviewEdits(
  { inserted, dropped }: PlannedTokenEdits,
  preview: RenderedMediaPreview,
  tokens: readonly Token[],
  { at, parent, alone }: { at: number; parent: LinkContainerElement | undefined; alone: boolean },
  closers: ReadonlyMap<number, number>,
): void {
  const close = parent ? (closers.get(parent.open) ?? tokens.length - 1) : tokens.length - 1;
  let after = tokens.length - 1;
  // The preview comes after the line break of a paragraph, at the end of an item, or else at the end of the message.
  if (parent?.tag === 'p') after = close + 1;
  else if (parent?.tag === 'li') after = close - 1;
  const present = inserted.get(after);
  if (present) present.push(preview.html);
  else inserted.set(after, [preview.html]);
  if (!preview.replaces || !alone) return;
  if (parent?.tag === 'p') for (let index = parent.open; index <= close + 1; index++) dropped.add(index);
  else if (parent?.tag === 'li') dropped.add(at);
}

function copyTokensWithEdits(tokens: readonly Token[], { inserted, dropped }: PlannedTokenEdits): Token[] {
  const out: Token[] = [];
  for (const [at, token] of tokens.entries()) {
    if (!dropped.has(at)) out.push(token);
    for (const html of inserted.get(at) ?? []) out.push(makeRawHtmlToken(html));
  }
  return out;
}

function makeMediaPreviewOrNull(
  url: string,
  text: string,
  settings: InlineMediaPreviewSettings,
): RenderedMediaPreview | null {
  const parsed = parsePreviewableUrl(url);
  if (!parsed) return null;
  const title = text === url || text.endsWith(`/${url}`) ? '' : text;
  const video = youTubeVideoIdOfUrl(parsed);
  if (video !== undefined) {
    const picture = readerPictureSource(`https://i.ytimg.com/vi/${video}/default.jpg`, settings);
    const image = makeOpeningTagHtml('img', { src: picture ?? '' });
    const anchor = wrapHtmlInElement('a', { 'data-id': video, href: url, ...(title === '' ? {} : { title }) }, image);
    return { html: wrapHtmlInElement('div', { class: 'youtube-video message_inline_image' }, anchor), replaces: false };
  }
  const image = findPicturePreviewUrls(url, parsed);
  if (!image) return null;
  const source = readerPictureSource(image.source, settings);
  if (source === undefined) return null;
  const shown = makeOpeningTagHtml('img', { src: source });
  const anchor = wrapHtmlInElement('a', { href: image.link, ...(title === '' ? {} : { title }) }, shown);
  return { html: wrapHtmlInElement('div', { class: 'message_inline_image' }, anchor), replaces: true };
}

function makeOpeningTagHtml(tag: string, attrs: Record<string, string>): string {
  return wrapHtmlInElement(tag, attrs, '').replace(`</${tag}>`, '');
}

/** Matches every address that can have a preview: of a picture, or of a host that may be written with escapes. */
const PREVIEWABLE_URL_PATTERN = /\.(?:bmp|gif|jpe|jpg|png|webp)|youtu|[^ -~]|%/i;

/** Parts of a link's address; `host` is '' for a relative one. Null if the address can't have a preview. */
function parsePreviewableUrl(url: string): { host: string; path: string; query: URLSearchParams } | null {
  if (!PREVIEWABLE_URL_PATTERN.test(url)) return null;
  if (!/^(?:https?:\/\/|\/|user_uploads\/)/.test(url) || !URL.canParse(url, 'http://relative.invalid/')) return null;
  const parsed = new URL(url, 'http://relative.invalid/');
  const host = parsed.host === 'relative.invalid' ? '' : parsed.host;
  return { host, path: parsed.pathname, query: parsed.searchParams };
}

function findPicturePreviewUrls(
  url: string,
  { host, path }: { host: string; path: string },
): { link: string; source: string } | null {
  const isPicture = PICTURE_PATH_PATTERN.test(path);
  if (/(?:^|\.)dropbox\.com$/.test(host) && /^\/sh?\//.test(path)) {
    return isPicture ? { link: url, source: `${url.replace(/[?#].*$/s, '')}?raw=1` } : null;
  }
  if (!isPicture) return null;
  if (/(?:^|\.)wikipedia\.org$/.test(host) && path.startsWith('/wiki/File:')) {
    const raw = url.replace('/wiki/File:', '/wiki/Special:FilePath/File:');
    return { link: raw, source: raw };
  }
  const blob = /^https?:\/\/(?:www\.)?github\.com\/([^/]+\/[^/]+)\/blob\/(.+)$/.exec(url);
  if (blob) return { link: url, source: `https://raw.githubusercontent.com/${blob[1]}/${blob[2]}` };
  return { link: url, source: url };
}

function youTubeVideoIdOfUrl({
  host,
  path,
  query,
}: {
  host: string;
  path: string;
  query: URLSearchParams;
}): string | undefined {
  const name = host.replace(/^(?:www|m)\./, '');
  let id: string | null | undefined;
  if (name === 'youtu.be') id = path.slice(1);
  else if (name === 'youtube.com' || name === 'youtube-nocookie.com') {
    id = path === '/watch' ? query.get('v') : /^\/(?:v|embed|e|shorts)\/([^/]+)/.exec(path)?.[1];
  }
  return id && /^[\w-]{6,20}$/.test(id) ? id : undefined;
}

/**
 * The address from which readers load a picture. Pictures of other hosts are loaded through the image proxy, so that
 * those hosts learn nothing about the readers.
 * @returns undefined if the proxy doesn't accept the address: there is no preview
 */
function readerPictureSource(
  source: string,
  { imageProxySecret: secret, origin }: InlineMediaPreviewSettings,
): string | undefined {
  const isOwn = !/^https?:/i.test(source) || (origin !== '' && source.startsWith(`${origin}/`));
  return secret === '' || isOwn ? source : makeImageProxyPath(source, secret);
}
