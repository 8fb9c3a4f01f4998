/**
 * Folder image-proxy serves pictures from other hosts, so that readers of a message don't reveal their addresses to
 * those hosts. Rendered messages hold signed addresses of the proxy (domain/pictures), so the proxy fetches only
 * pictures that some message of this server shows.
 *
 * The way of a picture: the operation checks the signature (ImageProxy.address) → `proxy.ts`: cache, shared fetches, a
 * bounded queue for slots → `fetcher.ts`: one fetch with its redirects, bounded in networks, time and size →
 * `image-type.ts`: the type by the first bytes.
 *
 * Invariants: only networks that outgoing requests may reach are contacted, and nothing that identifies the reader is
 * sent. A file that is no picture is never served, and neither is SVG: it may hold scripts. Importers: `frontend/http`,
 * `frontend/api`, `app`.
 */
export {
  DEFAULT_IMAGE_FETCH_LIMITS,
  type FetchedImage,
  ImageFetchError,
  ImageFetcher,
  type ImageFetchFailureReason,
  type ImageFetchLimits,
} from './fetcher.js';
export { detectImageType } from './image-type.js';
export { DEFAULT_IMAGE_PROXY_LIMITS, ImageProxy, type ImageProxyLimits } from './proxy.js';
