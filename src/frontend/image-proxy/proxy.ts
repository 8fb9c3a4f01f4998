/**
 * Serves pictures from other hosts to the readers of this process. Requests for the same picture share one fetch, and a
 * picture is cached for some minutes: the readers of a message see it at about the same time.
 */
import { createHash } from 'node:crypto';
import type { Clock, TimerHandle } from '#base/clock';
import { readProxiedAddress } from '#domain/pictures';
import { type FetchedImage, type ImageFetcher, NoImage } from './fetcher.js';

export interface ProxiedImage extends FetchedImage {
  /** Changes when the bytes do. */
  readonly tag: string;
}

export interface ProxyLimits {
  /** Concurrent fetches. */
  readonly fetches: number;
  /** Pictures that wait for a free slot. */
  readonly waiting: number;
  /** Milliseconds that a picture waits for a slot, at most. */
  readonly waitMs: number;
  /** Bytes of cached pictures. */
  readonly cacheBytes: number;
  readonly cacheMs: number;
  /** Milliseconds during which a failed fetch is not tried again. */
  readonly failedMs: number;
  /** Remembered failures. */
  readonly failures: number;
}

export const PROXY_LIMITS: ProxyLimits = {
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
  /** Both in the order in which they expire. */
  readonly #images = new Map<string, CachedOutcome<ProxiedImage>>();
  readonly #failures = new Map<string, CachedOutcome<NoImage>>();
  readonly #running = new Map<string, Promise<ProxiedImage>>();
  readonly #waiting = new Set<QueuedFetch>();
  #fetching = 0;
  #cachedBytes = 0;

  /** @param key signs the addresses @param fetcher undefined: readers are redirected to the original */
  constructor(
    private readonly clock: Clock,
    private readonly key: string,
    private readonly fetcher: Pick<ImageFetcher, 'fetch'> | undefined,
    private readonly limits: ProxyLimits = PROXY_LIMITS,
  ) {}

  /** Whether pictures are fetched; otherwise readers are redirected to the original. */
  get fetches(): boolean {
    return this.fetcher !== undefined;
  }

  /** The address that a path of the proxy names; undefined unless this server signed it. */
  address(digest: string, hex: string): string | undefined {
    return readProxiedAddress(digest, hex, this.key);
  }

  /** @throws NoImage, and nothing else */
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
      // 'busy' is no fault of the picture and not remembered.
      if (error instanceof NoImage && error.fault !== 'busy') {
        this.#failures.set(address, { outcome: error, until: this.clock.monotonic() + this.limits.failedMs });
      }
      throw error;
    } finally {
      const [next] = this.#waiting;
      if (next) next.start();
      else this.#fetching--;
    }
  }

  /** Waits for a slot, which a fetch hands over at its end. Undefined: a slot was free. @throws NoImage busy */
  #acquireSlot(): Promise<void> | undefined {
    const { fetches, waiting, waitMs } = this.limits;
    if (this.#fetching < fetches) {
      this.#fetching++;
      return undefined;
    }
    if (this.#waiting.size >= waiting) throw new NoImage('busy');
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
          reject(new NoImage('busy'));
        }, waitMs),
      };
      this.#waiting.add(one);
    });
  }

  /** Drops expired entries, and the oldest ones beyond the bounds. */
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
