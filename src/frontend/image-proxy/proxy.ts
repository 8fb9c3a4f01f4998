/**
 * Serves pictures from other hosts to the readers of this process. Requests for the same picture share one fetch, and a
 * picture is cached for some minutes: the readers of a message see it at about the same time.
 *
 * Slow hosts hold up no pictures of other hosts. A host gets up to half of the slots that others leave free, and the
 * last quarter of all slots is reserved for hosts without a slot. A host whose fetches time out gets a single slot for
 * a while.
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
  /** Number of fetches that time out in a row until their host gets one slot at a time for `cachedFailureMs`. */
  readonly maxTimeoutsOfHost: number;
  /** Maximum of failed fetches that are remembered, and of hosts that let fetches time out. */
  readonly maxCachedFailures: number;
}

export const DEFAULT_IMAGE_PROXY_LIMITS: ImageProxyLimits = {
  maxConcurrentFetches: 32,
  maxWaitingFetches: 500,
  maxWaitMs: 10_000,
  maxCachedBytes: 32 * 1024 * 1024,
  cachedImageMs: 5 * 60_000,
  cachedFailureMs: 30_000,
  maxTimeoutsOfHost: 3,
  maxCachedFailures: 1_000,
};

interface ExpiringCachedOutcome<T> {
  readonly outcome: T;
  readonly expiresAtMs: number;
}

interface WaitingSlotRequest {
  readonly host: string;
  readonly start: () => void;
  readonly fail: (error: ImageFetchError) => void;
  readonly timer: TimerHandle;
}

/** Host and port of a picture's URL. */
const hostOfAddress = (address: string): string => (URL.canParse(address) ? new URL(address).host : address);

/** Share of the slots that is reserved for hosts without a slot. */
const RESERVED_SHARE = 1 / 4;

/** True if a host has less than half of the slots that others leave free, and may use a free one. */
const hasRoomInShare = (usedOfHost: number, used: number, slots: number): boolean =>
  used < (usedOfHost === 0 ? slots : slots - Math.floor(slots * RESERVED_SHARE)) &&
  2 * usedOfHost < slots - (used - usedOfHost);

export class ImageProxy {
  /**
   * Cache of fetched pictures by URL, in the order in which the entries expire; `#cachedFailures` and `#timeoutsByHost`
   * have the same order.
   */
  readonly #cachedImages = new Map<string, ExpiringCachedOutcome<ProxiedImage>>();
  readonly #cachedFailures = new Map<string, ExpiringCachedOutcome<ImageFetchError>>();
  /** Number of fetches in a row that timed out. */
  readonly #timeoutsByHost = new Map<string, ExpiringCachedOutcome<number>>();
  readonly #fetchesInProgressByUrl = new Map<string, Promise<ProxiedImage>>();
  readonly #waitingSlotRequests = new Set<WaitingSlotRequest>();
  readonly #usedSlotCountByHost = new Map<string, number>();
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
    const host = hostOfAddress(address);
    const turn = this.#acquireSlotOrWait(host);
    if (turn) await turn;
    try {
      const { type, bytes } = await this.fetcher!.fetch(address);
      this.#timeoutsByHost.delete(host);
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
        this.#recordFailureOfHost(host, error);
      }
      throw error;
    } finally {
      this.#countSlotsOfHost(host, -1);
      this.#usedSlotCount--;
      for (const one of this.#waitingSlotRequests) if (this.#hasFreeSlot(one.host)) one.start();
    }
  }

  /** Counts a time-out; after several in a row, the pictures of the host that wait for a slot fail, too. */
  #recordFailureOfHost(host: string, failure: ImageFetchError): void {
    const outcome = failure.fault === 'too-slow' ? (this.#timeoutsByHost.get(host)?.outcome ?? 0) + 1 : 0;
    this.#timeoutsByHost.delete(host);
    if (outcome === 0) return;
    this.#timeoutsByHost.set(host, { outcome, expiresAtMs: this.clock.monotonic() + this.limits.cachedFailureMs });
    if (!this.#isSlowHost(host)) return;
    for (const one of this.#waitingSlotRequests) if (one.host === host) one.fail(failure);
  }

  #hasFreeSlot(host: string): boolean {
    const usedOfHost = this.#usedSlotCountByHost.get(host) ?? 0;
    if (usedOfHost > 0 && this.#isSlowHost(host)) return false;
    return hasRoomInShare(usedOfHost, this.#usedSlotCount, this.limits.maxConcurrentFetches);
  }

  #isSlowHost(host: string): boolean {
    return (this.#timeoutsByHost.get(host)?.outcome ?? 0) >= this.limits.maxTimeoutsOfHost;
  }

  #countSlotsOfHost(host: string, difference: 1 | -1): void {
    const count = (this.#usedSlotCountByHost.get(host) ?? 0) + difference;
    if (count === 0) this.#usedSlotCountByHost.delete(host);
    else this.#usedSlotCountByHost.set(host, count);
  }

  #takeSlot(host: string): void {
    this.#usedSlotCount++;
    this.#countSlotsOfHost(host, 1);
  }

  /**
   * Waits for a free slot, which another fetch hands over at its end. Returns undefined if a slot was free.
   * @throws ImageFetchError busy; too-slow if the host lets fetches time out meanwhile
   */
  #acquireSlotOrWait(host: string): Promise<void> | undefined {
    const { maxWaitingFetches, maxWaitMs } = this.limits;
    if (this.#hasFreeSlot(host)) {
      this.#takeSlot(host);
      return undefined;
    }
    const waitingOfHost = [...this.#waitingSlotRequests].filter((one) => one.host === host).length;
    if (!hasRoomInShare(waitingOfHost, this.#waitingSlotRequests.size, maxWaitingFetches))
      throw new ImageFetchError('busy');
    return new Promise<void>((resolve, reject) => {
      const end = (): void => {
        this.#waitingSlotRequests.delete(one);
        this.clock.clearTimeout(one.timer);
      };
      const fail = (error: ImageFetchError): void => {
        end();
        reject(error);
      };
      const one: WaitingSlotRequest = {
        host,
        start: () => {
          end();
          this.#takeSlot(host);
          resolve();
        },
        fail,
        timer: this.clock.setTimeout(() => fail(new ImageFetchError('busy')), maxWaitMs),
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
    for (const failures of [this.#cachedFailures, this.#timeoutsByHost]) {
      for (const [key, { expiresAtMs }] of failures) {
        if (expiresAtMs > now && failures.size <= maxCachedFailures) break;
        failures.delete(key);
      }
    }
  }
}
