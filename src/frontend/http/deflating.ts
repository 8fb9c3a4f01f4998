/**
 * Deflate in threads of Node's pool. A stream that lives on takes one job after the other: making one for each costs more than the
 * work itself on a small body. It forgets between jobs what it has seen (full flush), so that each result stands alone, ends at a whole byte and
 * can be put beside any other.
 */
import { constants, createDeflateRaw, type DeflateRaw } from 'node:zlib';

/** Of the four threads that file access shares. */
const LANES = 2;
/** More is not taken: whoever waits that long has the plain body sooner. */
const MOST_JOBS = 256;
const MOST_BYTES = 16 * 1024 * 1024;
const CHUNK = 64 * 1024;

interface Job {
  readonly bytes: Uint8Array;
  resolve(deflated: Uint8Array): void;
  reject(error: Error): void;
}

export class Deflating {
  readonly #lanes: readonly Lane[];

  constructor(level: number) {
    this.#lanes = Array.from({ length: LANES }, () => new Lane(level));
  }

  /** Undefined: there is too much to do already. */
  run(bytes: Uint8Array): Promise<Uint8Array> | undefined {
    let jobs = 0;
    let waiting = bytes.byteLength;
    let idlest = this.#lanes[0]!;
    for (const lane of this.#lanes) {
      jobs += lane.jobs;
      waiting += lane.bytes;
      if (lane.bytes < idlest.bytes) idlest = lane;
    }
    if (jobs >= MOST_JOBS || waiting > MOST_BYTES) return undefined;
    return idlest.run(bytes);
  }
}

class Lane {
  /** Taken and not done yet. */
  bytes = 0;
  readonly #queue: Job[] = [];
  #stream: DeflateRaw | undefined;
  #made: Buffer[] = [];

  constructor(private readonly level: number) {}

  get jobs(): number {
    return this.#queue.length;
  }

  run(bytes: Uint8Array): Promise<Uint8Array> {
    this.bytes += bytes.byteLength;
    const made = new Promise<Uint8Array>((resolve, reject) => {
      this.#queue.push({ bytes, resolve, reject });
      if (this.#queue.length === 1) this.#next();
    });
    // An answer of which another piece found no room does not wait for this one.
    made.catch(ignore);
    return made;
  }

  #next(): void {
    const job = this.#queue[0];
    if (!job) return;
    this.#stream ??= this.#open();
    const stream = this.#stream;
    stream.write(job.bytes, (error) => {
      if (error) return;
      // What is not handed over yet comes to the listener by this.
      while (stream.read() !== null);
      const made = this.#made;
      this.#made = [];
      this.#over();
      job.resolve(made.length === 1 ? made[0]! : Buffer.concat(made));
      this.#next();
    });
  }

  #over(): void {
    this.bytes -= this.#queue.shift()!.bytes.byteLength;
  }

  #open(): DeflateRaw {
    const stream = createDeflateRaw({ level: this.level, flush: constants.Z_FULL_FLUSH, chunkSize: CHUNK });
    stream.on('data', (chunk: Buffer) => this.#made.push(chunk));
    stream.on('error', (error) => this.#broken(error));
    return stream;
  }

  /** The jobs that wait are done by another stream. */
  #broken(error: Error): void {
    this.#stream = undefined;
    this.#made = [];
    const job = this.#queue[0];
    if (!job) return;
    this.#over();
    job.reject(error);
    this.#next();
  }
}

const ignore = (): void => {};
