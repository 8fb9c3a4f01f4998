/**
 * Serves pictures from other hosts to the readers of this process. Requests for the same picture share one fetch, and a
 * picture is cached for some minutes: the readers of a message see it at about the same time.
 */
import { createHash } from 'node:crypto';
import type { Clock, TimerHandle } from '#base/clock';
import { verifyProxiedImageUrl } from '#domain/pictures';
import { type FetchedImage, ImageFetchError, type ImageFetcher } from './fetcher.js';

interface ProxiedImage extends FetchedImage {
  /** Hash of the picture's bytes, for the ETag header. */
  readonly tag: string;
}

export interface ImageProxyLimits {
  /** Maximum of concurrent fetches. */
  readonly fetches: number;
  /** Maximum of pictures that wait for a free slot. */
  readonly waiting: number;
  /** Longest wait of a picture for a slot, ms. */
  readonly waitMs: number;
  /** Maximum of bytes of cached pictures. */
  readonly cacheBytes: number;
  readonly cacheMs: number;
  /** Milliseconds during which a failed fetch is not tried again. */
  readonly failedMs: number;
  /** Maximum of failed fetches that are remembered. */
  readonly failures: number;
}

export const IMAGE_PROXY_LIMITS: ImageProxyLimits = {
  fetches: 32,
  waiting: 500,
  waitMs: 10_000,
  cacheBytes: 32 * 1024 * 1024,
  cacheMs: 5 * 60_000,
  failedMs: 30_000,
  failures: 1_000,
};

interface CachedOutcome<T> {
  readonly outcome: T;
  readonly until: number;
}

interface QueuedFetch {
  readonly start: () => void;
  readonly timer: TimerHandle;
}

export class ImageProxy {
  /** Cache of fetched pictures by URL, in the order in which the entries expire; `#failures` has the same order. */
  readonly #images = new Map<string, CachedOutcome<ProxiedImage>>();
  readonly #failures = new Map<string, CachedOutcome<ImageFetchError>>();
  readonly #running = new Map<string, Promise<ProxiedImage>>();
  readonly #waiting = new Set<QueuedFetch>();
  #fetching = 0;
  #cachedBytes = 0;

  /**
   * Makes the proxy.
   * @param key key that signs the URLs
   * @param fetcher undefined: readers are redirected to the original
   */
  constructor(
    private readonly clock: Clock,
    private readonly key: string,
    private readonly fetcher: Pick<ImageFetcher, 'fetch'> | undefined,
    private readonly limits: ImageProxyLimits = IMAGE_PROXY_LIMITS,
  ) {}

  /** True if pictures are fetched; otherwise readers are redirected to the original. */
  get fetches(): boolean {
    return this.fetcher !== undefined;
  }

  /** Returns the picture's URL that a path of the proxy names; undefined unless this server signed the path. */
  address(digest: string, hex: string): string | undefined {
    return verifyProxiedImageUrl(digest, hex, this.key);
  }

  /** Returns a picture from the cache, or fetches it. @throws ImageFetchError, and nothing else */
  async get(address: string): Promise<ProxiedImage> {
    this.#evict();
    const failure = this.#failures.get(address);
    if (failure) throw failure.outcome;
    const kept = this.#images.get(address);
    if (kept) return kept.outcome;
    let running = this.#running.get(address);
    if (!running) {
      running = this.#fetch(address).finally(() => this.#running.delete(address));
      this.#running.set(address, running);
    }
    return running;
  }

  async #fetch(address: string): Promise<ProxiedImage> {
    const turn = this.#acquireSlot();
    if (turn) await turn;
    try {
      const { type, bytes } = await this.fetcher!.fetch(address);
      const image = { type, bytes, tag: createHash('sha1').update(bytes).digest('hex') };
      this.#cachedBytes += bytes.byteLength;
      this.#images.set(address, { outcome: image, until: this.clock.monotonic() + this.limits.cacheMs });
      this.#evict();
      return image;
    } catch (error) {
      // A 'busy' proxy is no fault of the picture, so this failure is not cached.
      if (error instanceof ImageFetchError && error.fault !== 'busy') {
        this.#failures.set(address, { outcome: error, until: this.clock.monotonic() + this.limits.failedMs });
      }
      throw error;
    } finally {
      const [next] = this.#waiting;
      if (next) next.start();
      else this.#fetching--;
    }
  }

  /**
   * Waits for a free slot, which another fetch hands over at its end. Returns undefined if a slot was free.
   * @throws ImageFetchError busy
   */
  #acquireSlot(): Promise<void> | undefined {
    const { fetches, waiting, waitMs } = this.limits;
    if (this.#fetching < fetches) {
      this.#fetching++;
      return undefined;
    }
    if (this.#waiting.size >= waiting) throw new ImageFetchError('busy');
    return new Promise<void>((resolve, reject) => {
      const end = (): void => {
        this.#waiting.delete(one);
        this.clock.clearTimeout(one.timer);
      };
      const one: QueuedFetch = {
        start: () => {
          end();
          resolve();
        },
        timer: this.clock.setTimeout(() => {
          end();
          reject(new ImageFetchError('busy'));
        }, waitMs),
      };
      this.#waiting.add(one);
    });
  }

  /** Drops expired pictures and failures from the cache, and the oldest ones beyond its limits. */
  #evict(): void {
    const { cacheBytes, failures } = this.limits;
    const now = this.clock.monotonic();
    for (const [address, { outcome, until }] of this.#images) {
      if (until > now && this.#cachedBytes <= cacheBytes) break;
      this.#images.delete(address);
      this.#cachedBytes -= outcome.bytes.byteLength;
    }
    for (const [address, { until }] of this.#failures) {
      if (until > now && this.#failures.size <= failures) break;
      this.#failures.delete(address);
    }
  }
}
