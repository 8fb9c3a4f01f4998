export {
  FETCH_LIMITS,
  type FetchedImage,
  type FetchLimits,
  type ImageFault,
  ImageFetcher,
  NoImage,
} from './fetcher.js';
export { imageType } from './image-type.js';
export { ImageProxy, PROXY_LIMITS, type ProxiedImage, type ProxyLimits } from './proxy.js';
