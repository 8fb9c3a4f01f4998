import type { RealmId } from '#model';
import {
  type BlobBulkReader,
  type BlobBulkWriter,
  type BlobContent,
  BlobGoneError,
  type BlobStorage,
  makeUnbufferedBulkWriter,
  type StoredBlobInfo,
} from '#ports/blobs';

/** In-memory BlobStorage that fulfils the contract, for tests that need no files. */
export class MemoryBlobs implements BlobStorage {
  readonly #kept = new Map<string, { readonly bytes: Uint8Array; readonly type: string }>();

  async put(realm: RealmId, path: string, content: BlobContent, type: string): Promise<void> {
    const pieces: Uint8Array[] = [];
    if (content instanceof Uint8Array) pieces.push(content);
    else for await (const piece of content) pieces.push(piece);
    const bytes = Buffer.concat(pieces);
    this.#kept.set(`${realm}/${path}`, { bytes, type });
  }

  makeBulkWriter(): BlobBulkWriter {
    return makeUnbufferedBulkWriter(this);
  }

  makeBulkReader(): BlobBulkReader {
    return this;
  }

  async find(realm: RealmId, path: string): Promise<StoredBlobInfo | undefined> {
    const name = `${realm}/${path}`;
    const found = this.#kept.get(name);
    if (!found) return undefined;
    const { bytes, type } = found;
    const read = async (start?: number, end?: number): Promise<Uint8Array> => {
      if (!this.#kept.has(name)) throw new BlobGoneError(name);
      return bytes.subarray(start, end);
    };
    return { mediaType: type, sizeBytes: bytes.byteLength, read };
  }

  async delete(realm: RealmId, path: string): Promise<void> {
    this.#kept.delete(`${realm}/${path}`);
  }

  async deleteAllOfRealm(realm: RealmId): Promise<void> {
    for (const name of this.#kept.keys()) if (name.startsWith(`${realm}/`)) this.#kept.delete(name);
  }

  async close(): Promise<void> {}
}
