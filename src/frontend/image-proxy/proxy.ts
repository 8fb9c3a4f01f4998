/**
 * Serves pictures from other hosts to the readers of this process. Requests for the same picture share one fetch, and a
 * picture is cached for some minutes: the readers of a message see it at about the same time.
 */
import { createHash } from 'node:crypto';
import type { Clock, TimerHandle } from '#base/clock';
import { openProxiedImageAddress } from '#domain/pictures';
import { type FetchedImage, ImageFetchError, type ImageFetcher } from './fetcher.js';

interface ProxiedImage extends FetchedImage {
  /** Hash of the picture's bytes, for the ETag header. */
  readonly tag: string;
}

export interface ImageProxyLimits {
  /** Maximum of concurrent fetches. */
  readonly maxConcurrentFetches: number;
  /** Maximum of pictures that wait for a free slot. */
  readonly maxWaitingFetches: number;
  /** Longest wait of a picture for a slot, ms. */
  readonly maxWaitMs: number;
  /** Maximum of bytes of cached pictures. */
  readonly maxCachedBytes: number;
  readonly cachedImageMs: number;
  /** Milliseconds during which a failed fetch is not tried again. */
  readonly cachedFailureMs: number;
  /** Maximum of failed fetches that are remembered. */
  readonly maxCachedFailures: number;
}

export const DEFAULT_IMAGE_PROXY_LIMITS: ImageProxyLimits = {
  maxConcurrentFetches: 32,
  maxWaitingFetches: 500,
  maxWaitMs: 10_000,
  maxCachedBytes: 32 * 1024 * 1024,
  cachedImageMs: 5 * 60_000,
  cachedFailureMs: 30_000,
  maxCachedFailures: 1_000,
};

interface ExpiringCachedOutcome<T> {
  readonly outcome: T;
  readonly expiresAtMs: number;
}

interface WaitingSlotRequest {
  readonly start: () => void;
  readonly timer: TimerHandle;
}

export class ImageProxy {
  /**
   * Cache of fetched pictures by URL, in the order in which the entries expire; `#cachedFailures` has the same order.
   */
  readonly #cachedImages = new Map<string, ExpiringCachedOutcome<ProxiedImage>>();
  readonly #cachedFailures = new Map<string, ExpiringCachedOutcome<ImageFetchError>>();
  readonly #fetchesInProgressByUrl = new Map<string, Promise<ProxiedImage>>();
  readonly #waitingSlotRequests = new Set<WaitingSlotRequest>();
  #usedSlotCount = 0;
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
    private readonly limits: ImageProxyLimits = DEFAULT_IMAGE_PROXY_LIMITS,
  ) {}

  /** True if pictures are fetched; otherwise readers are redirected to the original. */
  get fetchesImages(): boolean {
    return this.fetcher !== undefined;
  }

  /** Returns the picture's URL that a path of the proxy names; undefined unless this server signed the path. */
  imageUrlIfSigned(digest: string, hex: string): string | undefined {
    return openProxiedImageAddress(digest, hex, this.key);
  }

  /** Returns a picture from the cache, or fetches it. @throws ImageFetchError, and nothing else */
  async getOrFetchImage(address: string): Promise<ProxiedImage> {
    this.#evictExpiredAndExcessEntries();
    const failure = this.#cachedFailures.get(address);
    if (failure) throw failure.outcome;
    const kept = this.#cachedImages.get(address);
    if (kept) return kept.outcome;
    let running = this.#fetchesInProgressByUrl.get(address);
    if (!running) {
      running = this.#fetchInSlotAndCacheOutcome(address).finally(() => this.#fetchesInProgressByUrl.delete(address));
      this.#fetchesInProgressByUrl.set(address, running);
    }
    return running;
  }

  async #fetchInSlotAndCacheOutcome(address: string): Promise<ProxiedImage> {
    const turn = this.#acquireSlotOrWait();
    if (turn) await turn;
    try {
      const { type, bytes } = await this.fetcher!.fetch(address);
      const image = { type, bytes, tag: createHash('sha1').update(bytes).digest('hex') };
      this.#cachedBytes += bytes.byteLength;
      this.#cachedImages.set(address, {
        outcome: image,
        expiresAtMs: this.clock.monotonic() + this.limits.cachedImageMs,
      });
      this.#evictExpiredAndExcessEntries();
      return image;
    } catch (error) {
      // A 'busy' proxy is no fault of the picture, so this failure is not cached.
      if (error instanceof ImageFetchError && error.fault !== 'busy') {
        this.#cachedFailures.set(address, {
          outcome: error,
          expiresAtMs: this.clock.monotonic() + this.limits.cachedFailureMs,
        });
      }
      throw error;
    } finally {
      const [next] = this.#waitingSlotRequests;
      if (next) next.start();
      else this.#usedSlotCount--;
    }
  }

  /**
   * Waits for a free slot, which another fetch hands over at its end. Returns undefined if a slot was free.
   * @throws ImageFetchError busy
   */
  #acquireSlotOrWait(): Promise<void> | undefined {
    const { maxConcurrentFetches, maxWaitingFetches, maxWaitMs } = this.limits;
    if (this.#usedSlotCount < maxConcurrentFetches) {
      this.#usedSlotCount++;
      return undefined;
    }
    if (this.#waitingSlotRequests.size >= maxWaitingFetches) throw new ImageFetchError('busy');
    return new Promise<void>((resolve, reject) => {
      const end = (): void => {
        this.#waitingSlotRequests.delete(one);
        this.clock.clearTimeout(one.timer);
      };
      const one: WaitingSlotRequest = {
        start: () => {
          end();
          resolve();
        },
        timer: this.clock.setTimeout(() => {
          end();
          reject(new ImageFetchError('busy'));
        }, maxWaitMs),
      };
      this.#waitingSlotRequests.add(one);
    });
  }

  /** Drops expired pictures and failures from the cache, and the oldest ones beyond its limits. */
  #evictExpiredAndExcessEntries(): void {
    const { maxCachedBytes, maxCachedFailures } = this.limits;
    const now = this.clock.monotonic();
    for (const [address, { outcome, expiresAtMs }] of this.#cachedImages) {
      if (expiresAtMs > now && this.#cachedBytes <= maxCachedBytes) break;
      this.#cachedImages.delete(address);
      this.#cachedBytes -= outcome.bytes.byteLength;
    }
    for (const [address, { expiresAtMs }] of this.#cachedFailures) {
      if (expiresAtMs > now && this.#cachedFailures.size <= maxCachedFailures) break;
      this.#cachedFailures.delete(address);
    }
  }
}
