/**
 * Unpacks a zip, the form in which Slack gives its exports. The list of files at the end of the archive is read first,
 * and everything in it is checked before a file is written. As in a tarball, only plain files under their own names are
 * accepted. No byte is unpacked twice, so an archive can't hide its real size in files that overlap.
 */
import { createReadStream, createWriteStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { crc32, createInflateRaw } from 'node:zlib';
import { ExclusiveFileCreator, type ExportArchiveLimits, isSafeArchivePath } from './archive-paths.js';
import { ExportFormatError } from './problem.js';

const LOCAL_HEADER_SIGNATURE = 0x04034b50;
const LOCAL_HEADER_BYTES = 30;
const CENTRAL_ENTRY_SIGNATURE = 0x02014b50;
const CENTRAL_ENTRY_BYTES = 46;
const END_SIGNATURE = 0x06054b50;
const END_BYTES = 22;
const ZIP64_LOCATOR_SIGNATURE = 0x07064b50;
const ZIP64_LOCATOR_BYTES = 20;
const ZIP64_END_SIGNATURE = 0x06064b50;
const ZIP64_END_BYTES = 56;
const ZIP64_EXTRA_FIELD_ID = 1;
const MAX_COMMENT_BYTES = 65_535;
/** Maximum size of the list of files, bytes. */
const MAX_CENTRAL_DIRECTORY_BYTES = 512 * 1_048_576;
/** Fields of 16 and 32 bits that hold this value have their real one in a field of 64 bits. */
const IN_ZIP64_FIELD_16 = 0xffff;
const IN_ZIP64_FIELD_32 = 0xffffffff;

const ENCRYPTED_FLAG = 1;
const STORED_METHOD = 0;
const DEFLATED_METHOD = 8;
const UNIX_SYSTEM = 3;
const UNIX_FILE_TYPE_MASK = 0o170000;
const PLAIN_UNIX_FILE_TYPES: ReadonlySet<number> = new Set([0, 0o100000, 0o040000]);
/** Folder of a Mac's metadata beside the files. */
const IGNORED_TOP_FOLDER = '__MACOSX/';

interface ZipEntry {
  readonly path: string;
  readonly method: number;
  readonly crc: number;
  readonly packedBytes: number;
  readonly bytes: number;
  readonly localHeaderAt: number;
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
  const handle = await open(file, 'r');
  try {
    const { size } = await handle.stat();
    const entries = await readZipEntries(handle, size, limits);
    checkEntriesDoNotOverlap(entries, size);
    if (entries.length === 0) throw new ExportFormatError(`${file} is empty`);
    if (entries.reduce((sum, { bytes }) => sum + bytes, 0) > maxBytes)
      throw new ExportFormatError(`${file} unpacks to more than ${maxBytes} bytes`);
    const [top = ''] = entries[0]!.path.split('/');
    const isInOneFolder = entries.every(({ path }) => path.startsWith(`${top}/`));
    const files = new ExclusiveFileCreator(folder);
    for (const entry of entries) {
      const path = isInOneFolder ? entry.path.slice(top.length + 1) : entry.path;
      await unpackZipEntry(handle, file, entry, files.createFile(path));
    }
  } catch (error) {
    if (error instanceof ExportFormatError) throw error;
    throw new ExportFormatError(`${file} is a damaged zip: ${(error as Error).message}`);
  } finally {
    await handle.close();
  }
}

async function readBytes(handle: FileHandle, at: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, at);
  if (bytesRead < length) throw new ExportFormatError('the zip is truncated');
  return buffer;
}

const readSafeUInt64 = (from: Buffer, at: number): number => {
  const value = Number(from.readBigUInt64LE(at));
  if (!Number.isSafeInteger(value)) throw new ExportFormatError('the zip has a number that is out of range');
  return value;
};

/** Finds the list of files: its place and its number of entries. */
async function findCentralDirectory(
  handle: FileHandle,
  size: number,
): Promise<{ readonly at: number; readonly length: number; readonly count: number }> {
  const length = Math.min(size, END_BYTES + MAX_COMMENT_BYTES);
  const tail = await readBytes(handle, size - length, length);
  let end = length - END_BYTES;
  while (end >= 0 && tail.readUInt32LE(end) !== END_SIGNATURE) end--;
  if (end < 0) throw new ExportFormatError('the zip is truncated: its list of files is missing');
  const short = {
    count: tail.readUInt16LE(end + 10),
    length: tail.readUInt32LE(end + 12),
    at: tail.readUInt32LE(end + 16),
  };
  const isZip64 =
    short.count === IN_ZIP64_FIELD_16 || short.length === IN_ZIP64_FIELD_32 || short.at === IN_ZIP64_FIELD_32;
  const locatorAt = size - length + end - ZIP64_LOCATOR_BYTES;
  if (!isZip64 || locatorAt < 0) return short;
  const locator = await readBytes(handle, locatorAt, ZIP64_LOCATOR_BYTES);
  // A zip can have exactly 65,535 files and no larger fields.
  if (locator.readUInt32LE(0) !== ZIP64_LOCATOR_SIGNATURE) return short;
  const long = await readBytes(handle, readSafeUInt64(locator, 8), ZIP64_END_BYTES);
  if (long.readUInt32LE(0) !== ZIP64_END_SIGNATURE) throw new ExportFormatError('the zip has a damaged list of files');
  return { count: readSafeUInt64(long, 32), length: readSafeUInt64(long, 40), at: readSafeUInt64(long, 48) };
}

/** Reads the list of files. Folders are left out: they come with their files. */
async function readZipEntries(handle: FileHandle, size: number, limits: ExportArchiveLimits): Promise<ZipEntry[]> {
  const { at, length, count } = await findCentralDirectory(handle, size);
  if (count > limits.entries) throw new ExportFormatError(`more than ${limits.entries} entries`);
  if (length > MAX_CENTRAL_DIRECTORY_BYTES || at + length > size)
    throw new ExportFormatError('the zip has a damaged list of files');
  const list = await readBytes(handle, at, length);
  const entries: ZipEntry[] = [];
  for (let i = 0, from = 0; i < count; i++) {
    if (from + CENTRAL_ENTRY_BYTES > length || list.readUInt32LE(from) !== CENTRAL_ENTRY_SIGNATURE)
      throw new ExportFormatError('the zip has a damaged list of files');
    const nameAt = from + CENTRAL_ENTRY_BYTES;
    const extraAt = nameAt + list.readUInt16LE(from + 28);
    const commentAt = extraAt + list.readUInt16LE(from + 30);
    const header = list.subarray(from, nameAt);
    const entry = parseCentralEntry(header, list.subarray(nameAt, extraAt), list.subarray(extraAt, commentAt));
    if (entry) entries.push(entry);
    from = commentAt + header.readUInt16LE(32);
  }
  return entries;
}

/** @returns undefined for a folder, and for the files that a Mac adds */
function parseCentralEntry(header: Buffer, name: Buffer, extra: Buffer): ZipEntry | undefined {
  const path = name.toString('utf8');
  if (path.startsWith(IGNORED_TOP_FOLDER)) return undefined;
  if (!isSafeArchivePath(path.replace(/\/$/, '')))
    throw new ExportFormatError(`${JSON.stringify(path)} is a path that no archive may have`);
  const unixMode = header.readUInt8(5) === UNIX_SYSTEM ? header.readUInt16LE(40) : 0;
  if (!PLAIN_UNIX_FILE_TYPES.has(unixMode & UNIX_FILE_TYPE_MASK))
    throw new ExportFormatError(`${path} is neither a file nor a folder`);
  if (path.endsWith('/')) return undefined;
  if ((header.readUInt16LE(8) & ENCRYPTED_FLAG) !== 0) throw new ExportFormatError(`${path} is encrypted`);
  const method = header.readUInt16LE(10);
  if (method !== STORED_METHOD && method !== DEFLATED_METHOD)
    throw new ExportFormatError(`${path} is packed by a method that is not supported (${method})`);
  // The 64-bit field has only those values, in this order, that don't fit into their own fields.
  const long = findExtraField(extra, ZIP64_EXTRA_FIELD_ID);
  let longAt = 0;
  const fieldAt = (at: number): number => {
    const short = header.readUInt32LE(at);
    if (short !== IN_ZIP64_FIELD_32 || !long) return short;
    longAt += 8;
    return readSafeUInt64(long, longAt - 8);
  };
  const bytes = fieldAt(24);
  const packedBytes = fieldAt(20);
  const localHeaderAt = fieldAt(42);
  return { path, method, crc: header.readUInt32LE(16), packedBytes, bytes, localHeaderAt };
}

function findExtraField(extra: Buffer, id: number): Buffer | undefined {
  for (let at = 0; at + 4 <= extra.length; ) {
    const end = at + 4 + extra.readUInt16LE(at + 2);
    if (extra.readUInt16LE(at) === id) return extra.subarray(at + 4, end);
    at = end;
  }
  return undefined;
}

function checkEntriesDoNotOverlap(entries: readonly ZipEntry[], size: number): void {
  const sorted = [...entries].sort((a, b) => a.localHeaderAt - b.localHeaderAt);
  for (const [i, { path, localHeaderAt, packedBytes }] of sorted.entries()) {
    const next = sorted[i + 1]?.localHeaderAt ?? size;
    if (localHeaderAt + LOCAL_HEADER_BYTES + packedBytes > next)
      throw new ExportFormatError(`${path} overlaps another file of the zip`);
  }
}

/** Unpacks one file. @param target handle of the new file, which is closed at the end */
async function unpackZipEntry(handle: FileHandle, file: string, entry: ZipEntry, target: number): Promise<void> {
  const { path, method, crc, packedBytes, bytes, localHeaderAt } = entry;
  const output = createWriteStream('', { fd: target });
  let left = bytes;
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
    const header = await readBytes(handle, localHeaderAt, LOCAL_HEADER_BYTES);
    if (header.readUInt32LE(0) !== LOCAL_HEADER_SIGNATURE) throw new ExportFormatError(`${path} is damaged`);
    const start = localHeaderAt + LOCAL_HEADER_BYTES + header.readUInt16LE(26) + header.readUInt16LE(28);
    // A read stream can't be empty.
    const input =
      packedBytes === 0 ? Readable.from([]) : createReadStream(file, { start, end: start + packedBytes - 1 });
    if (method === STORED_METHOD) await pipeline(input, checked, output);
    else await pipeline(input, createInflateRaw(), checked, output);
  } finally {
    output.destroy();
  }
  if (left !== 0 || sum !== crc) throw new ExportFormatError(`${path} is damaged`);
}
