/**
 * Pictures that others host, for all readers of this process: who asks for one that is being fetched shares the fetch,
 * and a picture is kept for some minutes, since those who see a message see it at the same time.
 */
import { createHash } from 'node:crypto';
import type { Clock, TimerHandle } from '#base/clock';
import { signedAddress } from '#domain/pictures';
import { type FetchedImage, type ImageFetcher, NoImage } from './fetcher.js';

export interface ProxiedImage extends FetchedImage {
  /** Changes when the bytes do. */
  readonly tag: string;
}

export interface ProxyLimits {
  /** Fetches at a time. */
  readonly fetches: number;
  /** Pictures that wait for one to end. */
  readonly waiting: number;
  /** Milliseconds that one waits, at most. */
  readonly waitMs: number;
  /** Bytes of pictures that are kept. */
  readonly keptBytes: number;
  readonly keptMs: number;
  /** Milliseconds during which a fetch that failed is not tried again. */
  readonly failedMs: number;
  /** Failures that are remembered. */
  readonly failures: number;
}

export const PROXY_LIMITS: ProxyLimits = {
  fetches: 32,
  waiting: 500,
  waitMs: 10_000,
  keptBytes: 32 * 1024 * 1024,
  keptMs: 5 * 60_000,
  failedMs: 30_000,
  failures: 1_000,
};

interface Kept<T> {
  readonly outcome: T;
  readonly until: number;
}

interface Waiting {
  readonly start: () => void;
  readonly timer: TimerHandle;
}

export class ImageProxy {
  /** Both in the order in which they expire. */
  readonly #images = new Map<string, Kept<ProxiedImage>>();
  readonly #failures = new Map<string, Kept<NoImage>>();
  readonly #running = new Map<string, Promise<ProxiedImage>>();
  readonly #waiting = new Set<Waiting>();
  #fetching = 0;
  #keptBytes = 0;

  /** @param fetcher undefined: nothing is fetched, readers are led to the original */
  constructor(
    private readonly clock: Clock,
    private readonly key: string,
    private readonly fetcher: Pick<ImageFetcher, 'fetch'> | undefined,
    private readonly limits: ProxyLimits = PROXY_LIMITS,
  ) {}

  /** False: readers are led to the original. */
  get fetches(): boolean {
    return this.fetcher !== undefined;
  }

  /** The address that a path of the proxy names; undefined unless this server signed it. */
  address(digest: string, hex: string): string | undefined {
    return signedAddress(digest, hex, this.key);
  }

  /** @throws NoImage, and nothing else */
  async get(address: string): Promise<ProxiedImage> {
    this.#forget();
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
    const turn = this.#turn();
    if (turn) await turn;
    try {
      const { type, bytes } = await this.fetcher!.fetch(address);
      const image = { type, bytes, tag: createHash('sha1').update(bytes).digest('hex') };
      this.#keptBytes += bytes.byteLength;
      this.#images.set(address, { outcome: image, until: this.clock.monotonic() + this.limits.keptMs });
      this.#forget();
      return image;
    } catch (error) {
      // Too many fetches are no fault of the picture's.
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

  /** Until one more may be fetched: one that ends hands its place over. Undefined: there is a place now. */
  #turn(): Promise<void> | undefined {
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
      const one: Waiting = {
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

  /** What has expired, and the oldest of what is too much. */
  #forget(): void {
    const { keptBytes, failures } = this.limits;
    const now = this.clock.monotonic();
    for (const [address, { outcome, until }] of this.#images) {
      if (until > now && this.#keptBytes <= keptBytes) break;
      this.#images.delete(address);
      this.#keptBytes -= outcome.bytes.byteLength;
    }
    for (const [address, { until }] of this.#failures) {
      if (until > now && this.#failures.size <= failures) break;
      this.#failures.delete(address);
    }
  }
}
