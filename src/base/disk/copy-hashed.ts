/** Copies and hashes files in chunks, for backups. */
import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';

const CHUNK_BYTES = 1024 * 1024;

interface HashedFile {
  /** SHA-256 of the file's bytes, hexadecimal. */
  readonly hash: string;
  readonly bytes: number;
}

/**
 * Copies a file into a new one and flushes it to disk.
 * @param signal ends the copy between two chunks; `to` stays as it is then
 * @throws file system errors; EEXIST if `to` exists; the reason of the signal
 */
export async function copyFileAndHash(from: string, to: string, signal?: AbortSignal): Promise<HashedFile> {
  const source = await open(from, 'r');
  try {
    const target = await open(to, 'wx', 0o600);
    try {
      const hashed = await readAndHashInChunks(source, signal, (chunk) => target.writeFile(chunk));
      await target.sync();
      return hashed;
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

/** Hashes a file. @param signal ends the reading between two chunks @throws file system errors; the signal's reason */
export async function hashFile(file: string, signal?: AbortSignal): Promise<HashedFile> {
  const source = await open(file, 'r');
  try {
    return await readAndHashInChunks(source, signal);
  } finally {
    await source.close();
  }
}

async function readAndHashInChunks(
  source: Awaited<ReturnType<typeof open>>,
  signal: AbortSignal | undefined,
  onChunk?: (chunk: Buffer) => Promise<void>,
): Promise<HashedFile> {
  const hash = createHash('sha256');
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  let bytes = 0;
  for (;;) {
    signal?.throwIfAborted();
    const { bytesRead } = await source.read(buffer, 0, CHUNK_BYTES, bytes);
    if (bytesRead === 0) return { hash: hash.digest('hex'), bytes };
    const chunk = buffer.subarray(0, bytesRead);
    hash.update(chunk);
    await onChunk?.(chunk);
    bytes += bytesRead;
  }
}
