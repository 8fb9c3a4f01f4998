/**
 * Unpacks a gzip tarball into a folder of ours. The archive comes from anywhere: only plain files below its one top
 * folder are written, under their own names; a link, a device, a path that leads outside, or a file that grows beyond
 * the limits refuses the whole archive.
 */
import { closeSync, createReadStream, mkdirSync, openSync, writeSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { Parser, type ReadEntry } from 'tar';
import { ExchangeProblem } from './problem.js';

/** Limits of an archive. */
export interface ArchiveLimits {
  /** Maximum bytes of all files together. */
  readonly bytes: number;
  /** Maximum number of files and folders. */
  readonly entries: number;
  /** Maximum ratio of unpacked to packed bytes, above the first 64 MiB. Text packs up to some 20 times. */
  readonly ratio: number;
}

export const ARCHIVE_LIMITS: ArchiveLimits = { bytes: 512 * 2 ** 30, entries: 5_000_000, ratio: 200 };

/** Unpacked bytes that are always allowed, whatever the ratio. */
const RATIO_FREE_BYTES = 64 * 1_048_576;
const MAX_PATH = 1_024;
const MAX_DEPTH = 12;

/** Unpacks the archive; its top folder becomes `folder`. @throws ExchangeProblem */
export async function unpackArchive(file: string, folder: string, limits = ARCHIVE_LIMITS): Promise<void> {
  const { size } = await stat(file);
  const writer = new EntryWriter(folder, limits);
  const most = Math.min(limits.bytes, RATIO_FREE_BYTES + size * limits.ratio);
  const parser = new Parser({ strict: true, onReadEntry: (entry) => writer.write(entry) });
  const parsed = new Promise<void>((resolve, reject) => parser.once('end', resolve).once('error', reject));
  parsed.catch(() => undefined);
  let bytes = 0;
  const toParser = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      if (bytes > most) return done(new ExchangeProblem(`${file} unpacks to more than ${most} bytes`));
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
        // Nothing comes: the parser has taken all bytes.
      }
    });
    await parsed;
  } catch (error) {
    if (error instanceof ExchangeProblem) throw error;
    throw (
      writer.problem ?? new ExchangeProblem(`${file} is no gzip tarball, or is damaged: ${(error as Error).message}`)
    );
  }
  if (writer.problem) throw writer.problem;
  if (writer.files === 0) throw new ExchangeProblem(`${file} is empty`);
}

/** Writes the entries of one archive. The first problem ends all writing. */
class EntryWriter {
  problem: ExchangeProblem | undefined;
  files = 0;
  #entries = 0;
  #top: string | undefined;
  readonly #made = new Set<string>();

  constructor(
    private readonly folder: string,
    private readonly limits: ArchiveLimits,
  ) {}

  write(entry: ReadEntry): void {
    try {
      this.#write(entry);
    } catch (error) {
      this.problem ??=
        error instanceof ExchangeProblem ? error : new ExchangeProblem(`${entry.path}: ${(error as Error).message}`);
      entry.resume();
    }
  }

  #write(entry: ReadEntry): void {
    if (this.problem) {
      entry.resume();
      return;
    }
    if (++this.#entries > this.limits.entries) throw new ExchangeProblem(`more than ${this.limits.entries} entries`);
    const below = this.#belowTop(entry.path);
    if (entry.type === 'Directory') {
      entry.resume();
      return;
    }
    if (entry.type !== 'File' && entry.type !== 'OldFile' && entry.type !== 'ContiguousFile') {
      throw new ExchangeProblem(`${entry.path} is neither a file nor a folder (${entry.type})`);
    }
    if (below === '') throw new ExchangeProblem(`${entry.path} lies outside the archive's folder`);
    this.files++;
    const target = join(this.folder, below);
    this.#makeFolder(dirname(target));
    // 'wx': a second entry of the same name is refused instead of replacing the first.
    const handle = openSync(target, 'wx', 0o600);
    entry.on('data', (bytes: Buffer) => {
      writeSync(handle, bytes);
    });
    entry.on('end', () => closeSync(handle));
  }

  #makeFolder(folder: string): void {
    if (this.#made.has(folder)) return;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    this.#made.add(folder);
  }

  /** Path below the archive's top folder; '' for that folder. @throws ExchangeProblem */
  #belowTop(path: string): string {
    const plain = path.replace(/^(\.\/)+/, '').replace(/\/+$/, '');
    const [top = '', ...rest] = plain.split('/');
    if (!isPlainPath(plain)) throw new ExchangeProblem(`${JSON.stringify(path)} is a path that no archive may have`);
    this.#top ??= top;
    if (top !== this.#top) throw new ExchangeProblem(`${path} lies outside the archive's folder ${this.#top}`);
    return rest.join('/');
  }
}

/** True for a relative path without `..`, empty parts, and characters that have a meaning to file systems. */
export function isPlainPath(path: string): boolean {
  const parts = path.split('/');
  return (
    path.length <= MAX_PATH &&
    parts.length <= MAX_DEPTH &&
    parts.every((part) => part !== '' && part !== '.' && part !== '..' && part.length <= 255) &&
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
    !/[\x00-\x1f\x7f\\]/.test(path)
  );
}
