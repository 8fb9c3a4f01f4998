/**
 * Unpacks a zip, the form in which Slack gives its exports. The list of files at the end of the archive is read first,
 * and everything in it is checked before a file is written. As in a tarball, only plain files under their own names are
 * accepted. No byte is unpacked twice, so an archive can't hide its real size in files that overlap.
 *
 * The format itself is read by `yauzl`. Names, sizes and checksums are checked here, so that an archive of either form
 * is refused in the same words; yauzl leaves overlaps, checksums and links to its callers.
 */
import { createWriteStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { crc32 } from 'node:zlib';
import { type Entry, openPromise, type ZipFile } from 'yauzl';
import {
  ExclusiveFileCreator,
  type ExportArchiveLimits,
  isMacMetadataPath,
  isSafeArchivePath,
} from './archive-paths.js';
import { ExportFormatError } from './problem.js';

const LOCAL_HEADER_SIGNATURE = 0x04034b50;
const LOCAL_HEADER_BYTES = 30;
/** Maximum size of the variable parts of the list of files, bytes. */
const MAX_CENTRAL_DIRECTORY_BYTES = 512 * 1_048_576;

const STORED_METHOD = 0;
const DEFLATED_METHOD = 8;
const UNIX_SYSTEM = 3;
const UNIX_FILE_TYPE_MASK = 0o170000;
const PLAIN_UNIX_FILE_TYPES: ReadonlySet<number> = new Set([0, 0o100000, 0o040000]);
/** Names come as bytes: otherwise yauzl turns backslashes into slashes. Entries are read one by one, on request. */
const ZIP_OPTIONS = { autoClose: false, lazyEntries: true, decodeStrings: false, validateEntrySizes: false } as const;

/** A file of the zip with its path. */
interface ZipEntry {
  readonly path: string;
  readonly listed: Entry;
}

/** True if the file begins like a zip with files in it. */
export async function hasZipSignature(file: string): Promise<boolean> {
  const handle = await open(file, 'r');
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(4), 0, 4, 0);
    return bytesRead === 4 && buffer.readUInt32LE(0) === LOCAL_HEADER_SIGNATURE;
  } finally {
    await handle.close();
  }
}

/**
 * Unpacks a zip into `folder`, without the top folder if all files lie in one.
 * @param maxBytes maximum bytes of all unpacked files together
 * @throws ExportFormatError
 */
export async function unpackZip(
  file: string,
  folder: string,
  limits: ExportArchiveLimits,
  maxBytes: number,
): Promise<void> {
  let zip: ZipFile | undefined;
  try {
    zip = await openPromise(file, ZIP_OPTIONS);
    const entries = await readZipEntries(zip, limits);
    checkEntriesDoNotOverlap(entries, zip.fileSize);
    if (entries.length === 0) throw new ExportFormatError(`${file} is empty`);
    if (entries.reduce((sum, { listed }) => sum + listed.uncompressedSize, 0) > maxBytes)
      throw new ExportFormatError(`${file} unpacks to more than ${maxBytes} bytes`);
    const [top = ''] = entries[0]!.path.split('/');
    const isInOneFolder = entries.every(({ path }) => path.startsWith(`${top}/`));
    const files = new ExclusiveFileCreator(folder);
    for (const entry of entries) {
      const path = isInOneFolder ? entry.path.slice(top.length + 1) : entry.path;
      await unpackZipEntry(zip, entry, files.createFile(path));
    }
  } catch (error) {
    if (error instanceof ExportFormatError) throw error;
    throw new ExportFormatError(`${file} is a damaged zip: ${(error as Error).message}`);
  } finally {
    zip?.close();
  }
}

/** Reads the list of files. Folders are left out: they come with their files. */
async function readZipEntries(zip: ZipFile, limits: ExportArchiveLimits): Promise<ZipEntry[]> {
  if (zip.entryCount > limits.entries) throw new ExportFormatError(`more than ${limits.entries} entries`);
  const entries: ZipEntry[] = [];
  let bytes = 0;
  for await (const listed of zip.eachEntry()) {
    bytes += listed.fileNameLength + listed.extraFieldLength + listed.fileCommentLength;
    if (bytes > MAX_CENTRAL_DIRECTORY_BYTES) throw new ExportFormatError('the zip has a damaged list of files');
    const entry = checkZipEntry(listed);
    if (entry) entries.push(entry);
  }
  return entries;
}

/** @returns undefined for a folder, and for the files that a Mac adds */
function checkZipEntry(listed: Entry): ZipEntry | undefined {
  const path = listed.fileNameRaw.toString('utf8');
  if (isMacMetadataPath(path)) return undefined;
  if (!isSafeArchivePath(path.replace(/\/$/, '')))
    throw new ExportFormatError(`${JSON.stringify(path)} is a path that no archive may have`);
  const unixMode = listed.versionMadeBy >>> 8 === UNIX_SYSTEM ? listed.externalFileAttributes >>> 16 : 0;
  if (!PLAIN_UNIX_FILE_TYPES.has(unixMode & UNIX_FILE_TYPE_MASK))
    throw new ExportFormatError(`${path} is neither a file nor a folder`);
  if (path.endsWith('/')) return undefined;
  if (listed.isEncrypted()) throw new ExportFormatError(`${path} is encrypted`);
  const method = listed.compressionMethod;
  if (method !== STORED_METHOD && method !== DEFLATED_METHOD)
    throw new ExportFormatError(`${path} is packed by a method that is not supported (${method})`);
  return { path, listed };
}

function checkEntriesDoNotOverlap(entries: readonly ZipEntry[], size: number): void {
  const sorted = [...entries].sort(
    (a, b) => a.listed.relativeOffsetOfLocalHeader - b.listed.relativeOffsetOfLocalHeader,
  );
  for (const [i, { path, listed }] of sorted.entries()) {
    const next = sorted[i + 1]?.listed.relativeOffsetOfLocalHeader ?? size;
    if (listed.relativeOffsetOfLocalHeader + LOCAL_HEADER_BYTES + listed.compressedSize > next)
      throw new ExportFormatError(`${path} overlaps another file of the zip`);
  }
}

/** Unpacks one file. @param target handle of the new file, which is closed at the end */
async function unpackZipEntry(zip: ZipFile, { path, listed }: ZipEntry, target: number): Promise<void> {
  const output = createWriteStream('', { fd: target });
  let left = listed.uncompressedSize;
  let sum = 0;
  const checked = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      left -= chunk.length;
      if (left < 0) return done(new ExportFormatError(`${path} is larger than the zip says`));
      sum = crc32(chunk, sum);
      return done(null, chunk);
    },
  });
  try {
    await pipeline(await zip.openReadStreamPromise(listed), checked, output);
  } finally {
    output.destroy();
  }
  if (left !== 0 || sum !== listed.crc32) throw new ExportFormatError(`${path} is damaged`);
}
