/** Fetches the heads of linked pages, with limits for networks, redirects, time and size. */
import type { IncomingMessage } from 'node:http';
import { type OutgoingAddressFilter, SERVER_VERSION } from '#base';
import type { Clock } from '#base/clock';
import { makeImageProxyPath } from '#domain/pictures';
import { getOkFollowingRedirects } from '#domain/webhooks';
import { parseWebPageHead, type WebPageHead } from './page-head.js';

/** Time limit of one page, all redirects included, ms. */
const PAGE_FETCH_TIMEOUT_MS = 5_000;
/** Maximum of bytes that are read of one page. The head of a page is at its beginning. */
const MAX_READ_BYTES_PER_PAGE = 512 * 1024;
const MAX_PAGE_REDIRECTS = 4;

const PAGE_REQUEST_HEADERS = {
  accept: 'text/html,application/xhtml+xml',
  'accept-encoding': 'identity',
  'user-agent': `ConclaveLinkPreview/${SERVER_VERSION}`,
};

export class WebPageHeadFetcher {
  /** Makes the fetcher. @param imageProxySecret '' without a proxy: readers load pictures of other hosts directly */
  constructor(
    private readonly clock: Clock,
    private readonly filter: OutgoingAddressFilter,
    private readonly imageProxySecret: string,
  ) {}

  /**
   * Fetches the head of a page. Never rejects: a page that can't be fetched has no preview.
   *
   * @returns facts for the preview, with the address from which readers load the picture; undefined: no preview
   */
  async fetchHeadOrUndefined(address: string): Promise<WebPageHead | undefined> {
    const ended = new AbortController();
    const timer = this.clock.setTimeout(() => ended.abort(), PAGE_FETCH_TIMEOUT_MS);
    const { filter } = this;
    try {
      const options = { filter, signal: ended.signal, headers: PAGE_REQUEST_HEADERS, maxRedirects: MAX_PAGE_REDIRECTS };
      const { response, url } = await getOkFollowingRedirects(address, options);
      const html = await readHtmlThroughHead(response);
      const head = html === undefined ? undefined : parseWebPageHead(html, url);
      return head && { ...head, image: this.#toReaderImageUrl(head.image) };
    } catch {
      return undefined;
    } finally {
      this.clock.clearTimeout(timer);
      ended.abort();
    }
  }

  #toReaderImageUrl(image: string): string {
    if (image === '' || this.imageProxySecret === '') return image;
    return makeImageProxyPath(image, this.imageProxySecret) ?? '';
  }
}

/** The page up to the end of its head, or the limit; undefined for a response that is no HTML. */
async function readHtmlThroughHead(response: IncomingMessage): Promise<string | undefined> {
  const { 'content-type': type = '', 'content-encoding': encoding = 'identity' } = response.headers;
  if (!/^\s*(?:text\/html|application\/xhtml\+xml)\s*(?:;|$)/i.test(type) || encoding !== 'identity') {
    response.destroy();
    return undefined;
  }
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    size += chunk.byteLength;
    // The end of the head may lie across two chunks; then a little more is read.
    if (size >= MAX_READ_BYTES_PER_PAGE || chunk.includes('</head')) break;
  }
  response.destroy();
  const bytes = Buffer.concat(chunks).subarray(0, MAX_READ_BYTES_PER_PAGE);
  return makePageTextDecoder(type, bytes).decode(bytes);
}

/** Decoder of the page's character set: that of the header, else that of a `<meta>` element, else UTF-8. */
function makePageTextDecoder(type: string, bytes: Buffer): TextDecoder {
  const named = /charset\s*=\s*["']?([\w-]+)/i;
  const name = named.exec(type)?.[1] ?? named.exec(bytes.subarray(0, 2_048).toString('latin1'))?.[1];
  try {
    return new TextDecoder(name ?? 'utf-8');
  } catch {
    return new TextDecoder();
  }
}
