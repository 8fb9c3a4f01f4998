/**
 * Bodies in gzip (RFC 1952), composed of pieces that were deflated separately (RFC 1951: blocks that end at a whole
 * byte may follow each other). So parts that many answers share are deflated once, and secrets can be left
 * uncompressed.
 */
import { constants, crc32, createDeflateRaw, type DeflateRaw } from 'node:zlib';
import { byteLengthOfBodyParts } from './bodies.js';
import { PartChecksum } from './crc32-of-parts.js';
import type { ResponseBodyPart } from './server.js';

/** Number of deflate streams. Each of them uses one of the four pool threads that file access uses, too. */
const DEFLATE_STREAM_COUNT = 2;
/**
 * Maximum of jobs, and of their bytes, that wait for a deflate stream. Further jobs are refused: sending the body
 * uncompressed is faster than waiting.
 */
const MAX_UNFINISHED_DEFLATE_JOBS = 1_024;
const MAX_UNFINISHED_DEFLATE_BYTES = 16 * 1024 * 1024;
const DEFLATE_OUTPUT_CHUNK_BYTES = 64 * 1024;

interface DeflateJob {
  readonly bytes: Uint8Array;
  resolve(deflated: Uint8Array): void;
  reject(error: Error): void;
}

/**
 * Deflates in threads of Node's pool. A stream runs one job after the other: making a stream for each job costs more
 * than the work itself on a small body. A full flush between jobs drops the window, so each result is independent, ends
 * at a whole byte and can be combined with any other.
 */
export class DeflatePool {
  readonly #streamQueues: readonly DeflateStreamQueue[];

  constructor(level: number) {
    this.#streamQueues = Array.from({ length: DEFLATE_STREAM_COUNT }, () => new DeflateStreamQueue(level));
  }

  /** Deflates the bytes in a pool thread. @returns undefined where too many jobs are waiting already */
  tryDeflate(bytes: Uint8Array): Promise<Uint8Array> | undefined {
    let jobs = 0;
    let waiting = bytes.byteLength;
    let idlest = this.#streamQueues[0]!;
    for (const lane of this.#streamQueues) {
      jobs += lane.unfinishedJobCount;
      waiting += lane.unfinishedJobBytes;
      if (lane.unfinishedJobBytes < idlest.unfinishedJobBytes) idlest = lane;
    }
    if (jobs >= MAX_UNFINISHED_DEFLATE_JOBS || waiting > MAX_UNFINISHED_DEFLATE_BYTES) return undefined;
    return idlest.enqueueDeflate(bytes);
  }
}

/** One deflate stream and its queue. */
class DeflateStreamQueue {
  /** Number of bytes of the jobs in the queue. */
  unfinishedJobBytes = 0;
  readonly #unfinishedJobs: DeflateJob[] = [];
  #deflateStream: DeflateRaw | undefined;
  #outputChunks: Buffer[] = [];

  constructor(private readonly level: number) {}

  get unfinishedJobCount(): number {
    return this.#unfinishedJobs.length;
  }

  enqueueDeflate(bytes: Uint8Array): Promise<Uint8Array> {
    this.unfinishedJobBytes += bytes.byteLength;
    const made = new Promise<Uint8Array>((resolve, reject) => {
      this.#unfinishedJobs.push({ bytes, resolve, reject });
      if (this.#unfinishedJobs.length === 1) this.#startNextJob();
    });
    // No caller awaits this piece if another piece of the same answer was refused.
    made.catch(ignoreRejection);
    return made;
  }

  #startNextJob(): void {
    const job = this.#unfinishedJobs[0];
    if (!job) return;
    this.#deflateStream ??= this.#openDeflateStream();
    const stream = this.#deflateStream;
    stream.write(job.bytes, (error) => {
      if (error) return;
      // Reading passes the remaining output to the 'data' listener.
      while (stream.read() !== null);
      const made = this.#outputChunks;
      this.#outputChunks = [];
      this.#removeFirstJob();
      job.resolve(made.length === 1 ? made[0]! : Buffer.concat(made));
      this.#startNextJob();
    });
  }

  #removeFirstJob(): void {
    this.unfinishedJobBytes -= this.#unfinishedJobs.shift()!.bytes.byteLength;
  }

  #openDeflateStream(): DeflateRaw {
    const stream = createDeflateRaw({
      level: this.level,
      flush: constants.Z_FULL_FLUSH,
      chunkSize: DEFLATE_OUTPUT_CHUNK_BYTES,
    });
    stream.on('data', (chunk: Buffer) => this.#outputChunks.push(chunk));
    stream.on('error', (error) => this.#failJobAndReplaceStream(error));
    return stream;
  }

  /** Fails the current job of a broken stream; the next jobs get a new stream. */
  #failJobAndReplaceStream(error: Error): void {
    this.#deflateStream = undefined;
    this.#outputChunks = [];
    const job = this.#unfinishedJobs[0];
    if (!job) return;
    this.#removeFirstJob();
    job.reject(error);
    this.#startNextJob();
  }
}

/**
 * Minimum of bytes of a part that is deflated separately and cached; smaller parts are deflated with their neighbours.
 */
const MIN_CACHED_PART_BYTES = 1024;
/**
 * Minimum of bytes of a deflated piece; smaller pieces are stored uncompressed, because a job of their own would save
 * less than it costs.
 */
const MIN_DEFLATED_PIECE_BYTES = 200;

const GZIP_HEADER_BYTES = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]);
/** An empty final deflate block, which ends the stream. */
const EMPTY_FINAL_BLOCK = Buffer.from([3, 0]);
const MAX_STORED_BLOCK_BYTES = 0xffff;

/**
 * Texts in JSON before secret values, which are never deflated. An attacker who sees the lengths of answers and can
 * place text in them would learn a secret that is deflated together with that text, a few letters at a time (BREACH).
 * In JSON these texts can only begin a value: within a string their quotes are escaped.
 */
const SECRET_VALUE_PREFIXES = ['"api_key":"', '"token":"'];

type DeflateBlocks = readonly Uint8Array[];
/** State of a part in the cache: 'once' after its first use, a promise while it is being deflated, then its blocks. */
type CachedPartState = 'once' | Promise<DeflateBlocks> | DeflateBlocks;

/** Composes gzip bodies of cached and new parts. */
export class GzipBodyComposer {
  readonly #statesByPart = new WeakMap<Uint8Array, CachedPartState>();
  readonly #checksumsByPart = new WeakMap<Uint8Array, PartChecksum>();

  constructor(private readonly pool: DeflatePool) {}

  /**
   * Returns the gzip blocks of a body, at once if all parts are cached. Undefined where too many jobs are waiting
   * already. Rejects where zlib fails.
   */
  tryComposeGzipBody(parts: readonly ResponseBodyPart[]): DeflateBlocks | Promise<DeflateBlocks> | undefined {
    const pieces: (DeflateBlocks | Promise<DeflateBlocks>)[] = [];
    let apart: Uint8Array[] = [];
    let crc = 0;
    let later = false;
    const add = (piece: DeflateBlocks | Promise<DeflateBlocks> | undefined): boolean => {
      if (!piece) return false;
      later ||= piece instanceof Promise;
      pieces.push(piece);
      return true;
    };
    const addApart = (): boolean => {
      if (apart.length === 0) return true;
      const bytes = apart.length === 1 ? apart[0]! : Buffer.concat(apart);
      apart = [];
      crc = crc32(bytes, crc);
      return add(this.#deflateExceptSecrets(bytes));
    };
    for (const part of parts) {
      const bytes = typeof part === 'string' ? Buffer.from(part) : part;
      // An empty buffer is skipped, because it would reset crc32.
      if (bytes.byteLength === 0) continue;
      const shared =
        bytes !== part || bytes.byteLength < MIN_CACHED_PART_BYTES ? undefined : this.#deflateReusedPart(bytes);
      if (shared === undefined) apart.push(bytes);
      else {
        if (shared === 'busy' || !addApart()) return undefined;
        crc = this.#checksumOf(bytes).appendTo(crc);
        add(shared);
      }
    }
    if (!addApart()) return undefined;
    const tail = makeGzipTrailer(crc, byteLengthOfBodyParts(parts));
    if (!later) return [GZIP_HEADER_BYTES, ...(pieces as DeflateBlocks[]).flat(), tail];
    return Promise.all(pieces).then((done) => [GZIP_HEADER_BYTES, ...done.flat(), tail]);
  }

  #checksumOf(part: Uint8Array): PartChecksum {
    let checksum = this.#checksumsByPart.get(part);
    if (!checksum) {
      checksum = new PartChecksum(crc32(part), part.byteLength);
      this.#checksumsByPart.set(part, checksum);
    }
    return checksum;
  }

  /**
   * Returns the blocks of a part that other answers share. Undefined at the part's first use: most parts are never used
   * again.
   */
  #deflateReusedPart(bytes: Uint8Array): DeflateBlocks | Promise<DeflateBlocks> | 'busy' | undefined {
    const known = this.#statesByPart.get(bytes);
    if (known === undefined) {
      this.#statesByPart.set(bytes, 'once');
      return undefined;
    }
    if (known !== 'once') return known;
    const made = this.#deflateExceptSecrets(bytes);
    if (!made) return 'busy';
    if (!(made instanceof Promise)) return made;
    const kept = made.then(
      (blocks) => {
        const own = blocks.map(copyIfSmallSlice);
        this.#statesByPart.set(bytes, own);
        return own;
      },
      (error: unknown) => {
        this.#statesByPart.set(bytes, 'once');
        throw error;
      },
    );
    kept.catch(ignoreRejection);
    this.#statesByPart.set(bytes, kept);
    return kept;
  }

  #deflateExceptSecrets(bytes: Uint8Array): DeflateBlocks | Promise<DeflateBlocks> | undefined {
    if (bytes.byteLength < MIN_DEFLATED_PIECE_BYTES) return makeStoredBlocks(bytes);
    const made: (Uint8Array | Promise<Uint8Array>)[] = [];
    let later = false;
    let at = 0;
    const run = (to: number): boolean => {
      const piece = bytes.subarray(at, to);
      at = to;
      if (piece.byteLength < MIN_DEFLATED_PIECE_BYTES) {
        made.push(...makeStoredBlocks(piece));
        return true;
      }
      const job = this.pool.tryDeflate(piece);
      if (!job) return false;
      later = true;
      made.push(job);
      return true;
    };
    for (const { from, to } of findSecretValues(bytes)) {
      if (!run(from)) return undefined;
      made.push(...makeStoredBlocks(bytes.subarray(from, to)));
      at = to;
    }
    if (!run(bytes.byteLength)) return undefined;
    if (!later) return made as Uint8Array[];
    const all = Promise.all(made);
    all.catch(ignoreRejection);
    return all;
  }
}

interface ByteRange {
  readonly from: number;
  readonly to: number;
}

const QUOTE_BYTE = 0x22;

/** Finds the positions of secret values, in order, without their quotes. */
function findSecretValues(bytes: Uint8Array): readonly ByteRange[] {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const found: ByteRange[] = [];
  for (const name of SECRET_VALUE_PREFIXES) {
    for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
      const from = at + name.length;
      const end = text.indexOf(QUOTE_BYTE, from);
      found.push({ from, to: end < 0 ? text.length : end });
    }
  }
  return found.length > 1 ? found.sort((a, b) => a.from - b.from) : found;
}

/** Wraps bytes in uncompressed deflate blocks. */
function makeStoredBlocks(bytes: Uint8Array): Uint8Array[] {
  const blocks: Uint8Array[] = [];
  for (let at = 0; at < bytes.byteLength; at += MAX_STORED_BLOCK_BYTES) {
    const length = Math.min(MAX_STORED_BLOCK_BYTES, bytes.byteLength - at);
    const block = Buffer.allocUnsafe(5 + length);
    block[0] = 0;
    block.writeUInt16LE(length, 1);
    block.writeUInt16LE(length ^ MAX_STORED_BLOCK_BYTES, 3);
    block.set(bytes.subarray(at, at + length), 5);
    blocks.push(block);
  }
  return blocks;
}

function makeGzipTrailer(crc: number, length: number): Uint8Array {
  const tail = Buffer.allocUnsafe(EMPTY_FINAL_BLOCK.length + 8);
  tail.set(EMPTY_FINAL_BLOCK);
  tail.writeUInt32LE(crc >>> 0, EMPTY_FINAL_BLOCK.length);
  tail.writeUInt32LE(length >>> 0, EMPTY_FINAL_BLOCK.length + 4);
  return tail;
}

/** Handler for rejections of promises that nothing waits for, because another piece of the same answer was refused. */
const ignoreRejection = (): void => {};

/**
 * Copies the result if it is a small slice of zlib's output buffer: a cached slice would keep the whole buffer alive.
 */
const copyIfSmallSlice = (bytes: Uint8Array): Uint8Array =>
  bytes.byteLength * 2 < bytes.buffer.byteLength ? new Uint8Array(bytes) : bytes;
