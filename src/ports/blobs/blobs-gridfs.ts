import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { GridFSBucket, type GridFSFile, type MongoClient, MongoRuntimeError } from 'mongodb';
import type { RealmId } from '#model';
import {
  createMongoClient,
  databaseNameOfMongoUrl,
  isMongoServerSelectionError,
  StoreUnavailableError,
  serverHostsOfMongoUrl,
  translateMongoError,
} from '#ports/store';
import {
  type BlobBulkReader,
  type BlobBulkWriter,
  type BlobContent,
  BlobGoneError,
  type BlobStorage,
  BlobStorageUnavailableError,
  makeUnbufferedBulkWriter,
  type StoredBlobInfo,
} from './blobs.js';

/**
 * Blobs of the cluster, in GridFS. A file's document is written after its chunks, so a file that is found is complete.
 * Chunks that a crash leaves without a document are unreachable.
 */
export class GridFsBlobStorage implements BlobStorage {
  #mongoClient: MongoClient;
  #gridFsBucket: GridFSBucket;
  #closed = false;

  private constructor(private readonly url: string) {
    this.#mongoClient = createMongoClient(url);
    this.#gridFsBucket = this.#makeBucket();
  }

  /** Connects to the database of the blobs. @throws BlobStorageUnavailableError after some 3 s if no server answers */
  static async connect(url: string): Promise<GridFsBlobStorage> {
    const blobs = new GridFsBlobStorage(url);
    try {
      await blobs.#mongoClient.connect();
      return blobs;
    } catch (cause) {
      await blobs.close();
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new BlobStorageUnavailableError(`MongoDB at ${serverHostsOfMongoUrl(url)} can't be used: ${why}`, {
        cause,
      });
    }
  }

  /** MongoDB gathers the flushes of many writes itself. */
  makeBulkWriter(): BlobBulkWriter {
    return makeUnbufferedBulkWriter(this);
  }

  makeBulkReader(): BlobBulkReader {
    return this;
  }

  put(realm: RealmId, path: string, content: BlobContent, type: string): Promise<void> {
    return this.#runOrThrowUnavailable(async () => {
      const filename = gridFsFilenameOfBlob(realm, path);
      // Only files that existed before this put are removed: concurrent puts must not remove a file that another put
      // has confirmed.
      const older = await this.#gridFsBucket.find({ filename }).toArray();
      const upload = this.#gridFsBucket.openUploadStream(filename, { metadata: { type } });
      if (content instanceof Uint8Array) {
        await new Promise<void>((resolve, reject) => {
          upload.once('finish', () => resolve()).once('error', reject);
          upload.end(content);
        });
      } else {
        try {
          await pipeline(Readable.from(content), upload);
        } catch (error) {
          // The chunks that are stored already belong to no file.
          await upload.abort().catch(() => undefined);
          throw error;
        }
      }
      for (const file of older) await this.#removeFile(file);
    });
  }

  find(realm: RealmId, path: string): Promise<StoredBlobInfo | undefined> {
    return this.#runOrThrowUnavailable(async () => {
      const [file] = await this.#gridFsBucket
        .find({ filename: gridFsFilenameOfBlob(realm, path) })
        .sort({ uploadDate: -1, _id: -1 })
        .limit(1)
        .toArray();
      if (!file) return undefined;
      const sizeBytes = file.length;
      const mediaType = String(file.metadata?.type ?? '');
      return {
        mediaType,
        sizeBytes,
        read: (start = 0, end = sizeBytes) => this.#runOrThrowUnavailable(() => this.#readFileBytes(file, start, end)),
      };
    });
  }

  delete(realm: RealmId, path: string): Promise<void> {
    return this.#runOrThrowUnavailable(async () => {
      for await (const file of this.#gridFsBucket.find({ filename: gridFsFilenameOfBlob(realm, path) }))
        await this.#removeFile(file);
    });
  }

  deleteAllOfRealm(realm: RealmId): Promise<void> {
    return this.#runOrThrowUnavailable(async () => {
      // All names that begin with the realm and '/': '0' is the next character.
      const filename = { $gte: gridFsFilenameOfBlob(realm, ''), $lt: `${realm}0` };
      for await (const file of this.#gridFsBucket.find({ filename })) await this.#removeFile(file);
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#mongoClient.close();
  }

  #makeBucket(): GridFSBucket {
    return new GridFSBucket(this.#mongoClient.db(databaseNameOfMongoUrl(this.url)), { bucketName: 'blobs' });
  }

  async #readFileBytes(file: GridFSFile, start: number, end: number): Promise<Uint8Array> {
    if (end <= start) return new Uint8Array(0);
    const chunks: Buffer[] = [];
    try {
      const stream = this.#gridFsBucket.openDownloadStream(file._id, { start, end });
      for await (const chunk of stream) chunks.push(chunk as Buffer);
    } catch (error) {
      // The document of the file or some of its chunks are gone.
      if (error instanceof MongoRuntimeError) throw new BlobGoneError(file.filename, { cause: error });
      throw error;
    }
    return Buffer.concat(chunks);
  }

  /** Removes a file; another process may have removed it first. */
  async #removeFile(file: GridFSFile): Promise<void> {
    try {
      await this.#gridFsBucket.delete(file._id);
    } catch (error) {
      if (!(error instanceof MongoRuntimeError)) throw error;
    }
  }

  async #runOrThrowUnavailable<T>(action: () => Promise<T>): Promise<T> {
    const client = this.#mongoClient;
    try {
      return await action();
    } catch (error) {
      const known = translateMongoError(error);
      if (!(known instanceof StoreUnavailableError)) throw error;
      // The client is replaced: after finding no server within its selection timeout, a MongoDB client may never find
      // one again.
      if (isMongoServerSelectionError(known) && client === this.#mongoClient && !this.#closed) {
        this.#mongoClient = createMongoClient(this.url);
        this.#gridFsBucket = this.#makeBucket();
        void client.close().catch(() => undefined);
      }
      throw new BlobStorageUnavailableError(known.message, { cause: error });
    }
  }
}

const gridFsFilenameOfBlob = (realm: RealmId, path: string): string => `${realm}/${path}`;
