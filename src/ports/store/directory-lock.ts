/**
 * Guarantees one living process per data directory.
 *
 * Node has no flock, and a pid file can't tell a restarted container (pid 1 again) from a living one. A listening unix
 * socket is maintained by the kernel: it accepts connections as long as its process lives, across pid and network
 * namespaces, and refuses them from the moment of a kill -9. Every process listens on its own socket *before* it looks
 * at the others. Of two processes that start together at least one therefore sees the other, and neither can remove the
 * socket of a living process.
 */
import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, unlink } from 'node:fs/promises';
import { createConnection, createServer, type Server } from 'node:net';
import { join } from 'node:path';

export class DataDirectoryInUseError extends Error {
  override name = 'DataDirectoryInUseError';
}

export interface DataDirectoryLock {
  release(): Promise<void>;
}

const LOCK_SOCKET_NAME_PATTERN = /^lock-(\d+)-[0-9a-f]+\.sock$/;
/**
 * Maximum length of a socket path, bytes: sockaddr_un holds 108 bytes on Linux and 104 on macOS, with the final zero.
 */
const MAX_SOCKET_PATH_BYTES = 103;

/**
 * Locks the directory, creating it if it is missing.
 * @throws DataDirectoryInUseError naming the other process
 * @throws Error of the file system (no unix sockets, no permission)
 */
export async function lockDataDirectory(directory: string): Promise<DataDirectoryLock> {
  await mkdir(directory, { recursive: true });
  // A path through the directory's file descriptor is short even if the directory's path is long. The handle stays open
  // until the socket file is removed.
  const handle = await open(directory, constants.O_RDONLY | constants.O_DIRECTORY);
  const base = Buffer.byteLength(directory) + 40 <= MAX_SOCKET_PATH_BYTES ? directory : `/proc/self/fd/${handle.fd}`;
  const own = `lock-${process.pid}-${randomBytes(6).toString('hex')}.sock`;
  let server: Server;
  try {
    server = await listenOnSocket(join(base, own));
  } catch (cause) {
    await handle.close();
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`data directory ${directory} can't be locked: ${why}`, { cause });
  }
  try {
    for (const name of await readdir(directory)) {
      const pid = LOCK_SOCKET_NAME_PATTERN.exec(name)?.[1];
      if (!pid || name === own) continue;
      if (await isSocketAnswering(join(base, name))) {
        throw new DataDirectoryInUseError(`data directory ${directory} is in use by process ${pid}`);
      }
      await unlink(join(directory, name)).catch(() => undefined);
    }
  } catch (error) {
    await releaseDataDirectory(server, handle);
    throw error;
  }
  return { release: () => releaseDataDirectory(server, handle) };
}

function listenOnSocket(path: string): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', reject);
    server.listen({ path, exclusive: true }, () => {
      server.unref();
      resolve(server);
    });
  });
}

/** True if a process listens on this socket. A stopped or busy process counts: the kernel accepts for it. */
function isSocketAnswering(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection({ path });
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', (error: NodeJS.ErrnoException) => {
      // Any error but "no listener" counts as a living process: a wrong refusal harms less than two writers.
      resolve(error.code !== 'ECONNREFUSED' && error.code !== 'ENOENT');
    });
  });
}

async function releaseDataDirectory(server: Server, handle: FileHandle): Promise<void> {
  await new Promise<void>((resolve) => server.close(() => resolve()));
  await handle.close().catch(() => undefined);
}
