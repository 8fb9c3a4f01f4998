/** Exports that administrators ask for over the API: made in the background and stored as blobs. */
import { createReadStream } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type Logger, Semaphore } from '#base';
import type { DirectorySnapshot } from '#directory';
import type { ProductEmoji, RealmId } from '#model';
import type { BlobStorage } from '#ports/blobs';
import type { Store } from '#ports/store';
import { exportOrganizationToArchive } from './run.js';
import { readExportSource } from './source.js';

interface BackgroundExporterOptions {
  readonly store: Store;
  readonly blobs: BlobStorage;
  readonly logger: Logger;
  readonly productEmoji: ProductEmoji;
  /** Folder for the files of an export. */
  readonly workFolder: string;
  /** True if the folder belongs to this exporter alone, which then removes the files that a crash has left. */
  readonly ownsWorkFolder: boolean;
  /** Reads the directory of an organization from its actor. */
  readSnapshot(realm: RealmId): Promise<DirectorySnapshot>;
}

/** Makes one export at a time, in slices between which the process serves its requests. */
export class BackgroundExporter {
  readonly #turns = new Semaphore(1);
  readonly #closing = new AbortController();

  constructor(private readonly options: BackgroundExporterOptions) {}

  /** Exports the public data of an organization and stores the archive. @throws Error, logged, if none is stored */
  async storePublicExport(realm: RealmId, blobName: string, signal: AbortSignal): Promise<void> {
    const either = AbortSignal.any([signal, this.#closing.signal]);
    const { logger } = this.options;
    try {
      await this.#turns.runWhenPermitted(() => this.#writePublicExportToBlob(realm, blobName, either));
    } catch (error) {
      if (either.aborted) logger.info({ realm }, 'a data export was given up, because its actor leaves this process');
      else logger.error({ realm, err: error }, 'a data export failed');
      throw error;
    }
  }

  /** Gives up the exports under way. Resolves when their files are removed. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#turns.runWhenPermitted(async () => undefined);
  }

  async #writePublicExportToBlob(realm: RealmId, blobName: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const { store, blobs, productEmoji, workFolder, ownsWorkFolder } = this.options;
    if (ownsWorkFolder) await rm(workFolder, { recursive: true, force: true });
    await mkdir(workFolder, { recursive: true, mode: 0o700 });
    const folder = await mkdtemp(join(workFolder, 'conclave-export-'));
    try {
      const readSnapshot = () => this.options.readSnapshot(realm);
      const source = await readExportSource({ store, blobs, realm, productEmoji, readSnapshot });
      const archive = join(folder, basename(blobName));
      await exportOrganizationToArchive(source, archive, { publicOnly: true, signal });
      signal.throwIfAborted();
      await blobs.put(realm, blobName, createReadStream(archive), 'application/gzip');
      if (signal.aborted) await blobs.delete(realm, blobName);
      signal.throwIfAborted();
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }
}
