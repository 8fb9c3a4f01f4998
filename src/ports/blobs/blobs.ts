/**
 * Blobs: uploaded files and pictures, by realm and path.
 *
 * Contract (test/contract/blobs.ts runs it against every implementation):
 * - A resolved `put` is durable, and every later `find` sees it; a crash or a rejection leaves nothing, or all of it,
 *   never a part. A second `put` replaces what is there.
 * - A path is any text: implementations must not let it name anything outside of their own place.
 * - `delete` of what isn't there resolves. Everything may be repeated.
 * - `BlobsUnavailable` is the error for a place that can't be reached now; any other rejection is a fault of ours or of
 *   the disk.
 */
import type { RealmId } from '#model';

export class BlobsUnavailable extends Error {
  override name = 'BlobsUnavailable';
}

/** It was deleted between `find` and `read`. */
export class BlobGone extends Error {
  override name = 'BlobGone';
}

export interface Blob {
  /** As given to `put`. */
  readonly type: string;
  /** Bytes. */
  readonly size: number;
  /** @param start first byte @param end the one after the last; default: all. @throws BlobGone */
  read(start?: number, end?: number): Promise<Uint8Array>;
}

export interface Blobs {
  put(realm: RealmId, path: string, bytes: Uint8Array, type: string): Promise<void>;
  find(realm: RealmId, path: string): Promise<Blob | undefined>;
  delete(realm: RealmId, path: string): Promise<void>;
  close(): Promise<void>;
}
