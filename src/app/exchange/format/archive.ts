/**
 * Unpacks a gzip tarball, or a zip (zip.ts), into a temporary folder. The archive is untrusted: only plain files are
 * written, under their own names. A link, a device, a path that leads outside, or a file that grows beyond the limits
 * refuses the whole archive.
 */
import { closeSync, createReadStream, writeSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { Parser, type ReadEntry } from 'tar';
import {
  ExclusiveFileCreator,
  type ExportArchiveLimits,
  isMacMetadataPath,
  isSafeArchivePath,
} from './archive-paths.js';
import { ExportFormatError } from './problem.js';
import { hasZipSignature, unpackZip } from './zip.js';

export const DEFAULT_EXPORT_ARCHIVE_LIMITS: ExportArchiveLimits = {
  bytes: 512 * 2 ** 30,
  entries: 5_000_000,
  ratio: 200,
};

/** Number of unpacked bytes that are always allowed, even at a higher ratio. */
const RATIO_EXEMPT_UNPACKED_BYTES = 64 * 1_048_576;

/** Unpacks the archive; its top folder becomes `folder`. @throws ExportFormatError */
export async function unpackExportArchive(
  file: string,
  folder: string,
  limits = DEFAULT_EXPORT_ARCHIVE_LIMITS,
): Promise<void> {
  const { size } = await stat(file);
  const most = Math.min(limits.bytes, RATIO_EXEMPT_UNPACKED_BYTES + size * limits.ratio);
  if (await hasZipSignature(file)) return unpackZip(file, folder, limits, most);
  const writer = new SafeArchiveEntryWriter(folder, limits);
  const parser = new Parser({ strict: true, onReadEntry: (entry) => writer.writeOrRecordProblem(entry) });
  const parsed = new Promise<void>((resolve, reject) => parser.once('end', resolve).once('error', reject));
  parsed.catch(() => undefined);
  let bytes = 0;
  const toParser = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      if (bytes > most) return done(new ExportFormatError(`${file} unpacks to more than ${most} bytes`));
      try {
        if (parser.write(chunk)) done();
        else parser.once('drain', () => done());
        return undefined;
      } catch (error) {
        return done(error as Error);
      }
    },
    flush(done) {
      parser.end();
      done();
    },
  });
  try {
    await pipeline(createReadStream(file), createGunzip(), toParser, async (rest) => {
      for await (const _ of rest) {
        // The callback does nothing, because the parser has taken all bytes.
      }
    });
    await parsed;
  } catch (error) {
    if (error instanceof ExportFormatError) throw error;
    throw (
      writer.firstProblem ??
      new ExportFormatError(`${file} is no gzip tarball, or is damaged: ${(error as Error).message}`)
    );
  }
  if (writer.firstProblem) throw writer.firstProblem;
  if (writer.writtenFiles === 0) throw new ExportFormatError(`${file} is empty`);
}

/** Writes the entries of one archive. The first problem ends all writing. */
class SafeArchiveEntryWriter {
  firstProblem: ExportFormatError | undefined;
  writtenFiles = 0;
  #seenEntries = 0;
  #topFolderName: string | undefined;
  readonly #files: ExclusiveFileCreator;

  constructor(
    folder: string,
    private readonly limits: ExportArchiveLimits,
  ) {
    this.#files = new ExclusiveFileCreator(folder);
  }

  writeOrRecordProblem(entry: ReadEntry): void {
    try {
      this.#checkAndWriteEntry(entry);
    } catch (error) {
      this.firstProblem ??=
        error instanceof ExportFormatError
          ? error
          : new ExportFormatError(`${entry.path}: ${(error as Error).message}`);
      entry.resume();
    }
  }

  #checkAndWriteEntry(entry: ReadEntry): void {
    if (this.firstProblem) {
      entry.resume();
      return;
    }
    if (++this.#seenEntries > this.limits.entries)
      throw new ExportFormatError(`more than ${this.limits.entries} entries`);
    const path = entry.path.replace(/^(\.\/)+/, '').replace(/\/+$/, '');
    const isIgnored = isMacMetadataPath(path);
    const below = isIgnored ? '' : this.#checkedPathBelowTopFolder(path);
    if (isIgnored || entry.type === 'Directory') {
      entry.resume();
      return;
    }
    if (entry.type !== 'File' && entry.type !== 'OldFile' && entry.type !== 'ContiguousFile') {
      throw new ExportFormatError(`${entry.path} is neither a file nor a folder (${entry.type})`);
    }
    if (below === '') throw new ExportFormatError(`${entry.path} lies outside the archive's folder`);
    this.writtenFiles++;
    const handle = this.#files.createFile(below);
    entry.on('data', (bytes: Buffer) => {
      writeSync(handle, bytes);
    });
    entry.on('end', () => closeSync(handle));
  }

  /** Returns the path below the archive's top folder; '' for that folder itself. @throws ExportFormatError */
  #checkedPathBelowTopFolder(path: string): string {
    const [top = '', ...rest] = path.split('/');
    if (!isSafeArchivePath(path))
      throw new ExportFormatError(`${JSON.stringify(path)} is a path that no archive may have`);
    this.#topFolderName ??= top;
    if (top !== this.#topFolderName)
      throw new ExportFormatError(`${path} lies outside the archive's folder ${this.#topFolderName}`);
    return rest.join('/');
  }
}
