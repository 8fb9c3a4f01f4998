/**
 * Bodies in gzip (RFC 1952), put together from pieces that were deflated apart (RFC 1951: blocks that end at a whole byte may follow each other).
 * So what many answers share is deflated once and kept with it, and keys can be left out of the work.
 */
import { crc32 } from 'node:zlib';
import type { Deflating } from './deflating.js';
import { byteLength } from './outgoing.js';
import type { BodyPart } from './server.js';

/** Smaller parts are not looked up: they are deflated with what stands around them. */
const LEAST_SHARED = 1024;
/** Smaller pieces stay as they are: a job of their own would save less than it costs. */
const LEAST_PIECE = 200;

const HEAD = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]);
/** An empty last block. */
const LAST_BLOCK = Buffer.from([3, 0]);
const MOST_STORED = 0xffff;

/**
 * Whoever sees how long answers are and has text of its own put into them learns what else stands there, a few letters at a time, if both are
 * deflated together (BREACH). In JSON these can begin a value only: within a text their quotes are escaped.
 */
const KEYS = ['"api_key":"', '"token":"'];

type Blocks = readonly Uint8Array[];
/** Of a part of a body: came once; is under way; is done. */
type Known = 'once' | Promise<Blocks> | Blocks;

export class GzipBodies {
  readonly #known = new WeakMap<Uint8Array, Known>();

  constructor(private readonly deflating: Deflating) {}

  /** At once, where all of it is known; undefined: there is too much to do already. Rejects where zlib fails. */
  of(parts: readonly BodyPart[]): Blocks | Promise<Blocks> | undefined {
    const pieces: (Blocks | Promise<Blocks>)[] = [];
    let apart: Uint8Array[] = [];
    let crc = 0;
    let later = false;
    const add = (piece: Blocks | Promise<Blocks> | undefined): boolean => {
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
      return add(this.#deflate(bytes));
    };
    for (const part of parts) {
      const bytes = typeof part === 'string' ? Buffer.from(part) : part;
      // Of no bytes crc32 begins anew.
      if (bytes.byteLength === 0) continue;
      const shared = bytes !== part || bytes.byteLength < LEAST_SHARED ? undefined : this.#shared(bytes);
      if (shared === undefined) apart.push(bytes);
      else {
        if (shared === 'busy' || !addApart()) return undefined;
        crc = crc32(bytes, crc);
        add(shared);
      }
    }
    if (!addApart()) return undefined;
    const tail = tailOf(crc, byteLength(parts));
    if (!later) return [HEAD, ...(pieces as Blocks[]).flat(), tail];
    return Promise.all(pieces).then((done) => [HEAD, ...done.flat(), tail]);
  }

  /** Undefined: it comes for the first time, and most parts never come again. */
  #shared(bytes: Uint8Array): Blocks | Promise<Blocks> | 'busy' | undefined {
    const known = this.#known.get(bytes);
    if (known === undefined) {
      this.#known.set(bytes, 'once');
      return undefined;
    }
    if (known !== 'once') return known;
    const made = this.#deflate(bytes);
    if (!made) return 'busy';
    if (!(made instanceof Promise)) return made;
    const kept = made.then(
      (blocks) => {
        const own = blocks.map(alone);
        this.#known.set(bytes, own);
        return own;
      },
      (error: unknown) => {
        this.#known.set(bytes, 'once');
        throw error;
      },
    );
    kept.catch(ignore);
    this.#known.set(bytes, kept);
    return kept;
  }

  #deflate(bytes: Uint8Array): Blocks | Promise<Blocks> | undefined {
    if (bytes.byteLength < LEAST_PIECE) return stored(bytes);
    const made: (Uint8Array | Promise<Uint8Array>)[] = [];
    let later = false;
    let at = 0;
    const run = (to: number): boolean => {
      const piece = bytes.subarray(at, to);
      at = to;
      if (piece.byteLength < LEAST_PIECE) {
        made.push(...stored(piece));
        return true;
      }
      const job = this.deflating.run(piece);
      if (!job) return false;
      later = true;
      made.push(job);
      return true;
    };
    for (const { from, to } of keysIn(bytes)) {
      if (!run(from)) return undefined;
      made.push(...stored(bytes.subarray(from, to)));
      at = to;
    }
    if (!run(bytes.byteLength)) return undefined;
    if (!later) return made as Uint8Array[];
    const all = Promise.all(made);
    all.catch(ignore);
    return all;
  }
}

interface Span {
  readonly from: number;
  readonly to: number;
}

const QUOTE = 0x22;

/** Values of keys, in order, without their quotes. */
function keysIn(bytes: Uint8Array): readonly Span[] {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const found: Span[] = [];
  for (const name of KEYS) {
    for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
      const from = at + name.length;
      const end = text.indexOf(QUOTE, from);
      found.push({ from, to: end < 0 ? text.length : end });
    }
  }
  return found.length > 1 ? found.sort((a, b) => a.from - b.from) : found;
}

/** Blocks that are not deflated. */
function stored(bytes: Uint8Array): Uint8Array[] {
  const blocks: Uint8Array[] = [];
  for (let at = 0; at < bytes.byteLength; at += MOST_STORED) {
    const length = Math.min(MOST_STORED, bytes.byteLength - at);
    const block = Buffer.allocUnsafe(5 + length);
    block[0] = 0;
    block.writeUInt16LE(length, 1);
    block.writeUInt16LE(length ^ MOST_STORED, 3);
    block.set(bytes.subarray(at, at + length), 5);
    blocks.push(block);
  }
  return blocks;
}

function tailOf(crc: number, length: number): Uint8Array {
  const tail = Buffer.allocUnsafe(LAST_BLOCK.length + 8);
  tail.set(LAST_BLOCK);
  tail.writeUInt32LE(crc >>> 0, LAST_BLOCK.length);
  tail.writeUInt32LE(length >>> 0, LAST_BLOCK.length + 4);
  return tail;
}

/** Whoever waits for it is told; where there was too much to do for another piece, that is nobody. */
const ignore = (): void => {};

/** Results share the memory that zlib writes to: what is kept must not keep all of that. */
const alone = (bytes: Uint8Array): Uint8Array =>
  bytes.byteLength * 2 < bytes.buffer.byteLength ? new Uint8Array(bytes) : bytes;
