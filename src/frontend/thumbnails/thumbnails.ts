/** Makes thumbnails once for all requests of this process, and caches them. */
import { createHash } from 'node:crypto';
import { Semaphore } from '#base';
import { makeThumbnail, THUMBNAIL_MEDIA_TYPE, type ThumbnailFormat } from '#domain/pictures';
import { ApiError } from '#model/errors';

interface Thumbnail {
  readonly bytes: Uint8Array;
  readonly type: string;
  /** Hash of the bytes, for the ETag header. */
  readonly tag: string;
}

/** An uploaded file. */
interface PictureFile {
  /** Path of the file; the bytes at a path never change. */
  readonly path: string;
  readonly sizeBytes: number;
  readonly read: () => Promise<Uint8Array>;
}

interface ThumbnailLimits {
  /** Files above this size are served themselves, bytes. */
  readonly maxFileBytes: number;
  /** Maximum of files that are in memory to be scaled. */
  readonly maxConcurrent: number;
  /** Maximum of thumbnails that are being made or wait for it; a further request gets the picture itself. */
  readonly maxInProgress: number;
  /** Maximum of bytes of cached thumbnails. */
  readonly maxCachedBytes: number;
  /** Maximum of cached thumbnails and of files that are known to have none. */
  readonly maxCachedFiles: number;
}

export const DEFAULT_THUMBNAIL_LIMITS: ThumbnailLimits = {
  maxFileBytes: 32 * 1024 * 1024,
  maxConcurrent: 2,
  maxInProgress: 100,
  maxCachedBytes: 32 * 1024 * 1024,
  maxCachedFiles: 10_000,
};

export class Thumbnails {
  /** By name of the file and format, least recently used first; undefined: the picture itself is served. */
  readonly #cached = new Map<string, Thumbnail | undefined>();
  readonly #inProgress = new Map<string, Promise<Thumbnail | undefined>>();
  readonly #turns: Semaphore;
  #cachedBytes = 0;

  constructor(private readonly limits: ThumbnailLimits = DEFAULT_THUMBNAIL_LIMITS) {
    this.#turns = new Semaphore(limits.maxConcurrent);
  }

  /**
   * Returns a thumbnail from the cache, or makes it.
   * @returns undefined where the picture itself is to be served: a file that is no picture, that moves or is too large,
   * and while too many others wait
   */
  async getOrMake(file: PictureFile, format: ThumbnailFormat): Promise<Thumbnail | undefined> {
    const key = `${file.path}/${format.name}`;
    if (this.#cached.has(key)) {
      const known = this.#cached.get(key);
      this.#cached.delete(key);
      this.#cached.set(key, known);
      return known;
    }
    const { maxFileBytes, maxInProgress } = this.limits;
    const running = this.#inProgress.get(key);
    if (running) return running;
    if (file.sizeBytes > maxFileBytes || this.#inProgress.size >= maxInProgress) return undefined;
    const made = this.#turns
      .runWhenPermitted(() => this.#make(file, format))
      .then((thumbnail) => this.#cache(key, thumbnail))
      .finally(() => this.#inProgress.delete(key));
    this.#inProgress.set(key, made);
    return made;
  }

  async #make(file: PictureFile, format: ThumbnailFormat): Promise<Thumbnail | undefined> {
    const source = await file.read();
    const bytes = await makeThumbnail(source, format).catch((error: unknown) => {
      if (error instanceof ApiError) return undefined;
      throw error;
    });
    return bytes && { bytes, type: THUMBNAIL_MEDIA_TYPE, tag: createHash('sha1').update(bytes).digest('hex') };
  }

  #cache(key: string, thumbnail: Thumbnail | undefined): Thumbnail | undefined {
    this.#cached.set(key, thumbnail);
    this.#cachedBytes += thumbnail?.bytes.byteLength ?? 0;
    const { maxCachedBytes, maxCachedFiles } = this.limits;
    for (const [oldestKey, oldest] of this.#cached) {
      if (this.#cachedBytes <= maxCachedBytes && this.#cached.size <= maxCachedFiles) break;
      this.#cached.delete(oldestKey);
      this.#cachedBytes -= oldest?.bytes.byteLength ?? 0;
    }
    return thumbnail;
  }
}
