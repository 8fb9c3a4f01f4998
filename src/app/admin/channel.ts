/**
 * Channel between the command line and a running embedded server, which locks the data directory. Commands and replies
 * are JSON lines over a socket file that only the server's user can open.
 */
import { chmod, rm } from 'node:fs/promises';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { join, relative } from 'node:path';
import { createInterface } from 'node:readline';
import type { JsonObject } from '#base';
import type { Clock, TimerHandle } from '#base/clock';
import type { ActorKey } from '#model';
import { type ActorJsonReply, SystemActorCaller } from './actor-caller.js';
import { AdminError, ServerStoppedError } from './admin-error.js';

interface ActorCommandRequestLine {
  readonly to: ActorKey;
  readonly name: string;
  readonly args: JsonObject;
}

/** Request for a backup: the server writes the backup into this folder. */
interface BackupRequestLine {
  readonly backup: string;
}

/** Request of the command line that asks whether the server's secret has this check value. */
interface SecretCheckRequestLine {
  readonly secret: string;
}

/** Writes a backup into a folder and returns its number of files and bytes. */
type WriteBackupToFolder = (folder: string) => Promise<{ readonly files: number; readonly bytes: number }>;

/**
 * Maximum length of a socket path, bytes: sockaddr_un holds 108 bytes on Linux and 104 on macOS, with the final zero.
 * Node cuts a longer path off without an error.
 */
const MAX_SOCKET_PATH_BYTES = process.platform === 'linux' ? 107 : 103;

/** Path of the socket file: absolute or relative, whichever is shorter, since socket paths are limited. */
function shorterAdminSocketPath(dataDir: string): string {
  const path = join(dataDir, 'admin.sock');
  const near = relative(process.cwd(), path);
  return near.length < path.length ? near : path;
}

/** Number of bytes by which the path of a data directory is too long for the channel's socket file; 0: it fits. */
export const excessBytesOfDataDirPath = (dataDir: string): number =>
  Math.max(0, Buffer.byteLength(shorterAdminSocketPath(dataDir)) - MAX_SOCKET_PATH_BYTES);

/** Server end of the admin channel. */
export class AdminChannelServer {
  private constructor(
    private readonly server: Server,
    private readonly sockets: Set<Socket>,
  ) {}

  /**
   * Opens the socket file in the data directory.
   *
   * @param check check value of the server's secret
   * @param backUp writes a backup; if absent, requests for backups are refused
   */
  static async open(
    dataDir: string,
    caller: SystemActorCaller,
    check: string,
    backUp?: WriteBackupToFolder,
  ): Promise<AdminChannelServer> {
    const path = shorterAdminSocketPath(dataDir);
    // The file is left from a server that was killed: a running server would still have the lock of the directory.
    await rm(path, { force: true });
    const sockets = new Set<Socket>();
    const server = createServer((socket) => {
      sockets.add(socket);
      socket.on('close', () => sockets.delete(socket)).on('error', () => socket.destroy());
      // Requests run at the same time, but a client knows its replies by their order.
      let written: Promise<void> = Promise.resolve();
      // The interface repeats errors of the socket: a command may be killed before its reply.
      createInterface({ input: socket })
        .on('error', () => undefined)
        .on('line', (text) => {
          const answered = answerAdminRequestLine(text, caller, check, backUp);
          written = written.then(async () => void socket.write(`${JSON.stringify(await answered)}\n`));
        });
    });
    await new Promise<void>((resolve, reject) => server.once('error', reject).listen(path, resolve));
    await chmod(path, 0o600);
    return new AdminChannelServer(server, sockets);
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise<void>((resolve) => this.server.close(() => resolve()));
  }
}

async function answerAdminRequestLine(
  text: string,
  caller: SystemActorCaller,
  check: string,
  backUp?: WriteBackupToFolder,
): Promise<ActorJsonReply> {
  try {
    const line = JSON.parse(text) as ActorCommandRequestLine | BackupRequestLine | SecretCheckRequestLine;
    if ('secret' in line) return { value: line.secret === check };
    if (!('backup' in line)) return await caller.sendForReply(line.to, line.name, line.args);
    if (backUp) return { fields: { ...(await backUp(line.backup)) } };
    throw new AdminError('this server makes no backups');
  } catch (error) {
    const msg = error instanceof AdminError ? error.message : String(error);
    return { error: { status: 500, msg } };
  }
}

/** Error codes of a socket file that is missing, or left from a server that was killed. */
const NO_SERVER_ERROR_CODES: ReadonlySet<string> = new Set(['ENOENT', 'ECONNREFUSED']);

/** Longest wait for the reply to a command, ms: above the deadline of a command in the server, which is 20 s. */
const MAX_COMMAND_REPLY_WAIT_MS = 30_000;
/** Longest wait for the comparison of secrets, ms. The server replies at once, unless it hangs. */
const MAX_SECRET_CHECK_WAIT_MS = 10_000;

/** A request of the command line that waits for its reply. */
interface PendingReply {
  readonly resolve: (reply: ActorJsonReply) => void;
  readonly reject: (error: AdminError) => void;
  readonly timer: TimerHandle | undefined;
}

/** Client end of the channel: its commands are sent by the running server. */
export class RunningServerActorCaller extends SystemActorCaller {
  /** Requests in the order in which the server answers them. */
  readonly #pendingReplies: PendingReply[] = [];
  /** Reason why the connection is of no use any more. */
  #closeError: AdminError | undefined;

  private constructor(
    private readonly socket: Socket,
    private readonly clock: Clock,
  ) {
    super();
    // Every error of the socket is followed by its close. The interface repeats these errors.
    socket.on('error', () => undefined).once('close', () => this.#failAllRequests(new ServerStoppedError()));
    createInterface({ input: socket })
      .on('error', () => undefined)
      .on('line', (line) => this.#takeReply(line));
  }

  /**
   * Connects to the running server.
   * @returns undefined if no server listens in this data directory
   * @throws AdminError for another reason, such as a lack of permission
   */
  static async connectIfServerListens(dataDir: string, clock: Clock): Promise<RunningServerActorCaller | undefined> {
    const socket = connect(shorterAdminSocketPath(dataDir));
    const problem = await new Promise<NodeJS.ErrnoException | undefined>((resolve) => {
      socket.once('connect', () => resolve(undefined));
      socket.once('error', resolve);
    });
    if (!problem) return new RunningServerActorCaller(socket, clock);
    if (NO_SERVER_ERROR_CODES.has(problem.code ?? '')) return undefined;
    throw new AdminError(`the running server can't be reached: ${problem.message}`);
  }

  sendForReply(to: ActorKey, name: string, args: JsonObject): Promise<ActorJsonReply> {
    return this.#sendLineForReply({ to, name, args }, MAX_COMMAND_REPLY_WAIT_MS);
  }

  /**
   * Has the server write a backup. @param folder absolute path that the server's user can write to @throws AdminError
   */
  async requestBackup(folder: string): Promise<{ readonly files: number; readonly bytes: number }> {
    // The reply to a backup may take hours. A short question first finds out whether the server hangs.
    await this.hasSameSecret('');
    const reply = await this.#sendLineForReply({ backup: folder });
    if ('fields' in reply) return reply.fields as unknown as { readonly files: number; readonly bytes: number };
    throw new AdminError('error' in reply ? reply.error.msg : 'the server answered in another form');
  }

  /** Asks whether the server has a certain secret. @param check value of that secret @throws AdminError */
  async hasSameSecret(check: string): Promise<boolean> {
    const reply = await this.#sendLineForReply({ secret: check }, MAX_SECRET_CHECK_WAIT_MS);
    return 'value' in reply && reply.value === true;
  }

  #sendLineForReply(
    line: ActorCommandRequestLine | BackupRequestLine | SecretCheckRequestLine,
    maxMs?: number,
  ): Promise<ActorJsonReply> {
    return new Promise((resolve, reject) => {
      if (this.#closeError) return reject(this.#closeError);
      // Replies have no ids: a late one would count as the reply to the next line, so the connection is closed.
      const onLate = (): void => {
        this.#failAllRequests(
          new AdminError(`the running server has not answered for ${maxMs! / 1_000} s: it may hang`),
        );
        this.socket.destroy();
      };
      const timer = maxMs === undefined ? undefined : this.clock.setTimeout(onLate, maxMs);
      this.#pendingReplies.push({ resolve, reject, timer });
      this.socket.write(`${JSON.stringify(line)}\n`);
    });
  }

  #takeReply(line: string): void {
    let reply: ActorJsonReply;
    try {
      reply = JSON.parse(line) as ActorJsonReply;
    } catch {
      // The server was killed in the middle of the line: the end of the connection fails the request.
      return;
    }
    this.#takePendingReply()?.resolve(reply);
  }

  #takePendingReply(): PendingReply | undefined {
    const pending = this.#pendingReplies.shift();
    if (pending?.timer !== undefined) this.clock.clearTimeout(pending.timer);
    return pending;
  }

  /** Refuses the requests that wait, and all later ones. */
  #failAllRequests(error: AdminError): void {
    this.#closeError ??= error;
    while (this.#pendingReplies.length > 0) this.#takePendingReply()!.reject(this.#closeError);
  }

  async close(): Promise<void> {
    this.socket.end();
  }
}
