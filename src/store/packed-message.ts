/**
 * A message as the embedded Store keeps it: one MessagePack array of the revision and the record's fields. A last field
 * may hold what fetching copies into answers as it is (`Digest`), so that thousands of messages a second are shown without
 * making objects of them. Who does not know that field reads the others, and writes the message without it.
 *
 * The last field is found from the end of the bytes: JSON texts, then numbers (32 bits, little endian):
 * facts | places of texts (at, length; the last one first) | place of the head | count of facts (16 bits), of texts (8 bits), version (8 bits)
 */
import type { Json, JsonObject } from '../core/index.js';
import type { MessageRecord } from '../model/records/message.js';
import { pack, unpack } from './codec.js';

/** Made of a record by whoever knows what it means; nothing here does. */
export interface Digest {
  /** Of the meaning of the others: 0 to 255. */
  readonly version: number;
  /** Integers from 0 to 2^32 - 1. */
  readonly facts: readonly number[];
  /** JSON text, or the beginning of one. */
  readonly head: string;
  /** Texts of the record; kept as JSON without the quotes, and only once where that is the same. */
  readonly texts: readonly string[];
}

/** Undefined: the record is stored without one. */
export type DigestOf = (record: MessageRecord) => Digest | undefined;

/** Where a JSON text is in the bytes of a message. */
interface TextSpan {
  readonly at: number;
  readonly length: number;
}

export interface DecodedMessage {
  readonly rev: number;
  readonly record: MessageRecord;
}

/** First byte: a MessagePack array of so many fields. */
const WITHOUT_DIGEST = 0x98;
const WITH_DIGEST = 0x99;
const BIN_32 = 0xc6;
const BIN_HEADER = 5;
const SPAN_BYTES = 8;
/** Place of the head, counts and version. */
const TAIL = SPAN_BYTES + 4;
const MAX_FACTS = 2 ** 16 - 1;

export function encodeMessage(rev: number, m: MessageRecord, digest?: Digest): Buffer {
  const fields = pack([rev, m.conversation, m.topicKey, m.sender, m.participants, m.body, m.movedFrom, [...m.tags]]);
  return digest && digest.facts.length <= MAX_FACTS && fields[0] === WITHOUT_DIGEST
    ? withDigest(fields, digest)
    : fields;
}

/** MessagePack has no lone surrogates: what is decoded would be another text. */
const LONE_SURROGATE = /\\ud[89a-f]/;

function withDigest(fields: Buffer, { version, facts, head, texts }: Digest): Buffer {
  if (LONE_SURROGATE.test(head)) return fields;
  const begin = fields.length + BIN_HEADER;
  const added = [Buffer.from(head)];
  const places: TextSpan[] = [{ at: begin, length: added[0]!.length }];
  let at = begin + added[0]!.length;
  for (const text of texts) {
    const json = JSON.stringify(text).slice(1, -1);
    if (json.length > text.length && LONE_SURROGATE.test(json)) return fields;
    const bytes = Buffer.from(json);
    // Wherever the same bytes are, they are the same text.
    const found = json.length === text.length ? fields.indexOf(bytes) : -1;
    places.push({ at: found > 0 ? found : at, length: bytes.length });
    if (found > 0) continue;
    added.push(bytes);
    at += bytes.length;
  }
  const end = at + facts.length * 4 + texts.length * SPAN_BYTES + TAIL;
  const whole = Buffer.allocUnsafe(end);
  fields.copy(whole);
  whole[0] = WITH_DIGEST;
  whole[fields.length] = BIN_32;
  whole.writeUInt32BE(end - begin, fields.length + 1);
  let to = begin;
  for (const bytes of added) to += bytes.copy(whole, to);
  for (const fact of facts) to = whole.writeUInt32LE(fact, to);
  for (const place of places.reverse()) to = whole.writeUInt32LE(place.length, whole.writeUInt32LE(place.at, to));
  to = whole.writeUInt16LE(facts.length, to);
  whole[to] = texts.length;
  whole[to + 1] = version;
  return whole;
}

export function decodeMessage(id: number, bytes: Uint8Array): DecodedMessage {
  const [rev, conversation, topicKey, sender, participants, body, movedFrom, tags] = unpack(
    bytes,
  ) as readonly Json[] as [number, string, string, number, number[], JsonObject, string, string[]];
  return { rev, record: { id, conversation, topicKey, sender, participants, movedFrom, tags, body } };
}

/** Memory with bytes of messages. */
export class Slab {
  readonly view: DataView;
  // Asking the bytes for these costs more than copying a message.
  readonly buffer: ArrayBufferLike;
  readonly offset: number;
  #used = 0;

  constructor(readonly bytes: Uint8Array) {
    this.buffer = bytes.buffer;
    this.offset = bytes.byteOffset;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** What is in it is over. */
  clear(): void {
    this.#used = 0;
  }

  /** Where the copy begins; undefined where there is no room. */
  add(bytes: Uint8Array): number | undefined {
    const at = this.#used;
    if (at + bytes.byteLength > this.bytes.byteLength) return undefined;
    this.bytes.set(bytes, at);
    this.#used = at + bytes.byteLength;
    return at;
  }
}

const NOWHERE = new Slab(new Uint8Array(1));

/**
 * A stored message, looked at where it is and decoded as far as somebody asks. One object goes from message to message: it
 * shows each until the next look.
 */
export class PackedMessage {
  id = 0;
  /** Of the digest; undefined: there is none. */
  version: number | undefined;
  /** How many there are. */
  facts = 0;
  #slab = NOWHERE;
  #start = 0;
  #length = 0;
  #factsAt = 0;
  #placesEnd = 0;
  #record: MessageRecord | undefined;

  moveTo(id: number, slab: Slab, start: number, length: number): this {
    const { view } = slab;
    const end = start + length;
    this.id = id;
    this.#slab = slab;
    this.#start = start;
    this.#length = length;
    this.#record = undefined;
    if (view.getUint8(start) === WITH_DIGEST) {
      this.version = view.getUint8(end - 1);
      this.facts = view.getUint16(end - 4, true);
      this.#placesEnd = end - TAIL;
      this.#factsAt = this.#placesEnd - view.getUint8(end - 2) * SPAN_BYTES - this.facts * 4;
    } else {
      this.version = undefined;
      this.facts = 0;
    }
    return this;
  }

  /** Shows what was decoded before. */
  moveToRecord(record: MessageRecord): this {
    this.id = record.id;
    this.version = undefined;
    this.facts = 0;
    this.#record = record;
    return this;
  }

  /** All of it; stays as it is. */
  get record(): MessageRecord {
    const { bytes } = this.#slab;
    this.#record ??= decodeMessage(this.id, bytes.subarray(this.#start, this.#start + this.#length)).record;
    return this.#record;
  }

  fact(i: number): number {
    return this.#slab.view.getUint32(this.#factsAt + i * 4, true);
  }

  /** JSON text of the digest; until the next look. */
  get head(): Uint8Array {
    return this.#at(this.#placesEnd);
  }

  /** JSON of a text of the digest, without the quotes; until the next look. */
  text(i: number): Uint8Array {
    return this.#at(this.#placesEnd - (i + 1) * SPAN_BYTES);
  }

  /** Whether a text of the digest is this one, as JSON without the quotes. */
  isText(i: number, json: Uint8Array): boolean {
    const { view, bytes } = this.#slab;
    const place = this.#placesEnd - (i + 1) * SPAN_BYTES;
    if (view.getUint32(place + 4, true) !== json.length) return false;
    const at = this.#start + view.getUint32(place, true);
    for (let n = 0; n < json.length; n++) if (bytes[at + n] !== json[n]) return false;
    return true;
  }

  #at(place: number): Uint8Array {
    const { view, buffer, offset } = this.#slab;
    return new Uint8Array(buffer, offset + this.#start + view.getUint32(place, true), view.getUint32(place + 4, true));
  }
}
