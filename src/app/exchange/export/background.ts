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

/** Maximum number of runs of an export: it runs again if a stream became private meanwhile. */
const MAX_RUNS_PER_EXPORT = 3;

/**
 * False if a stream became private, or is gone. An export has messages of the time after that, because messages that
 * exist are edited and moved there.
 */
function arePublicStreamsStillPublic(before: DirectorySnapshot, after: DirectorySnapshot): boolean {
  const stillPublic = new Set(after.streams.filter(({ inviteOnly }) => !inviteOnly).map(({ id }) => id));
  return before.streams.every(({ id, inviteOnly }) => inviteOnly || stillPublic.has(id));
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
      const archive = join(folder, basename(blobName));
      for (let run = 1; ; run++) {
        const source = await readExportSource({ store, blobs, realm, productEmoji, publicOnly: true, readSnapshot });
        await exportOrganizationToArchive(source, archive, { signal });
        if (arePublicStreamsStillPublic(source.snapshot, await readSnapshot())) break;
        if (run === MAX_RUNS_PER_EXPORT) throw new Error('streams became private during each run of the export');
      }
      signal.throwIfAborted();
      await blobs.put(realm, blobName, createReadStream(archive), 'application/gzip');
      if (signal.aborted) await blobs.delete(realm, blobName);
      signal.throwIfAborted();
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }
}
