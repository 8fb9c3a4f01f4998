import { write, writeSync } from 'node:fs';

const STDERR_FD = 2;
/** Maximum length of the lines that wait for stderr, in characters; further lines are dropped. */
const MAX_WAITING_CHARACTERS = 1_048_576;
/** Time after a failed write until the next one, ms. */
const RETRY_PAUSE_MS = 100;

/**
 * Writes log lines to stderr in the background, because a pipe or a terminal may take them slowly. Lines that can't be
 * written, as on a full disk or in a closed terminal, wait until a later write succeeds. With pino's own output, a
 * failed write makes the process exit, and the flush at the exit repeats that write for ever.
 */
export class LogOutput {
  #waitingLines = '';
  #bytesToWrite = Buffer.alloc(0);
  #isWriting = false;
  #retryTimer: NodeJS.Timeout | undefined;

  constructor() {
    // The start writes its greeting to stdout, and LMDB its errors to stderr: their failures must not end the process.
    for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
    process.once('exit', () => this.#writeRestAtExit());
  }

  write(line: string): void {
    if (this.#waitingLines.length + line.length > MAX_WAITING_CHARACTERS) return;
    this.#waitingLines += line;
    if (!this.#isWriting && !this.#retryTimer) this.#writeNextBytes();
  }

  #writeNextBytes(): void {
    if (this.#bytesToWrite.length === 0) this.#takeWaitingLines();
    if (this.#bytesToWrite.length === 0) return;
    this.#isWriting = true;
    write(STDERR_FD, this.#bytesToWrite, (error, bytesWritten) => {
      this.#isWriting = false;
      if (error) return this.#retryLater();
      this.#bytesToWrite = this.#bytesToWrite.subarray(bytesWritten);
      this.#writeNextBytes();
    });
  }

  #takeWaitingLines(): void {
    this.#bytesToWrite = Buffer.from(this.#waitingLines);
    this.#waitingLines = '';
  }

  #retryLater(): void {
    this.#retryTimer = setTimeout(() => {
      this.#retryTimer = undefined;
      this.#writeNextBytes();
    }, RETRY_PAUSE_MS).unref();
  }

  /** Tries each write once, because a failure may be permanent. Bytes of a write under way are not written again. */
  #writeRestAtExit(): void {
    try {
      if (!this.#isWriting) writeAllSync(this.#bytesToWrite);
      writeAllSync(Buffer.from(this.#waitingLines));
    } catch {
      // The failure can't be reported: the process ends, and stderr does not work.
    }
  }
}

function writeAllSync(bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(STDERR_FD, bytes, at);
}
