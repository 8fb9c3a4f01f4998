/**
 * The embedded Store's encoding of a message: one MessagePack array of the revision and the record's fields. An
 * optional last field (`MessageDigest`) holds the parts that responses copy unchanged, so that thousands of messages a
 * second are served without decoding them into objects. A program that doesn't know this field reads the others, and
 * writes the message without it.
 *
 * The last field is read from the end of the bytes: JSON texts, then numbers (little endian, 32 bits unless noted):
 * facts | spans of the texts (offset, length; the last text first) | span of the head | count of facts (16 bits), count
 * of texts (8 bits), version (8 bits)
 */
import type { Json, JsonObject } from '#base';
import type { MessageRecord } from '#model/records';
import { packJsonToBuffer, unpackJson } from './codec.js';
import { type PackedFieldFinder, skipPackedValue } from './packed-fields.js';

/** Precomputed parts of a response, made from a record by the caller of the Store. The Store doesn't interpret them. */
export interface MessageDigest {
  /** Version of the digest's layout: 0 to 255. */
  readonly version: number;
  /** Integers about the message that the caller of the Store defines: from 0 to 2^32 - 1. */
  readonly facts: readonly number[];
  /** The part of the message's JSON that is stored encoded: JSON text, or a prefix of one. */
  readonly head: string;
  /**
   * Texts of the record, stored as JSON without quotes. A text is not stored again if the record contains the same
   * bytes.
   */
  readonly texts: readonly string[];
}

/** Makes the digest of a record; undefined stores the record without one. */
export type MessageDigestMaker = (record: MessageRecord) => MessageDigest | undefined;

/** Location of a JSON text in the bytes of a message. */
interface DigestTextSpan {
  readonly at: number;
  readonly length: number;
}

export interface DecodedMessageRecord {
  readonly rev: number;
  readonly record: MessageRecord;
}

/** First byte of a message: a MessagePack array of 8 elements without a digest, of 9 with one. */
const FIRST_BYTE_WITHOUT_DIGEST = 0x98;
const FIRST_BYTE_WITH_DIGEST = 0x99;
/** Positions of the fields in the array of a message; the revision is at position 0. */
const FIELD_POSITIONS = {
  conversation: 1,
  topicKey: 2,
  sender: 3,
  participants: 4,
  body: 5,
  movedFrom: 6,
  tags: 7,
} as const;
const MESSAGEPACK_BIN_32_TYPE = 0xc6;
const BIN_32_HEADER_BYTES = 5;
const DIGEST_SPAN_BYTES = 8;
/** Size of the digest's last part (the head's span, the counts and the version), bytes. */
const DIGEST_TAIL_BYTES = DIGEST_SPAN_BYTES + 4;
const MAX_DIGEST_FACTS = 2 ** 16 - 1;

export function encodeMessageRecord(rev: number, m: MessageRecord, digest?: MessageDigest): Buffer {
  const fields = packJsonToBuffer([
    rev,
    m.conversation,
    m.topicKey,
    m.sender,
    m.participants,
    m.body,
    m.movedFrom,
    [...m.tags],
  ]);
  return digest && digest.facts.length <= MAX_DIGEST_FACTS && fields[0] === FIRST_BYTE_WITHOUT_DIGEST
    ? appendDigest(fields, digest)
    : fields;
}

/**
 * Matches an escaped lone surrogate in JSON. MessagePack has no lone surrogates, so the decoded text would differ from
 * the JSON.
 */
const LONE_SURROGATE_ESCAPE_PATTERN = /\\ud[89a-f]/;

function appendDigest(fields: Buffer, { version, facts, head, texts }: MessageDigest): Buffer {
  if (LONE_SURROGATE_ESCAPE_PATTERN.test(head)) return fields;
  const begin = fields.length + BIN_32_HEADER_BYTES;
  const added = [Buffer.from(head)];
  const spans: DigestTextSpan[] = [{ at: begin, length: added[0]!.length }];
  let at = begin + added[0]!.length;
  for (const text of texts) {
    const json = JSON.stringify(text).slice(1, -1);
    if (json.length > text.length && LONE_SURROGATE_ESCAPE_PATTERN.test(json)) return fields;
    const bytes = Buffer.from(json);
    // Equal bytes anywhere in the record serve as the text's JSON.
    const found = json.length === text.length ? fields.indexOf(bytes) : -1;
    spans.push({ at: found > 0 ? found : at, length: bytes.length });
    if (found > 0) continue;
    added.push(bytes);
    at += bytes.length;
  }
  const end = at + facts.length * 4 + texts.length * DIGEST_SPAN_BYTES + DIGEST_TAIL_BYTES;
  const whole = Buffer.allocUnsafe(end);
  fields.copy(whole);
  whole[0] = FIRST_BYTE_WITH_DIGEST;
  whole[fields.length] = MESSAGEPACK_BIN_32_TYPE;
  whole.writeUInt32BE(end - begin, fields.length + 1);
  let to = begin;
  for (const bytes of added) to += bytes.copy(whole, to);
  for (const fact of facts) to = whole.writeUInt32LE(fact, to);
  for (const span of spans.reverse()) to = whole.writeUInt32LE(span.length, whole.writeUInt32LE(span.at, to));
  to = whole.writeUInt16LE(facts.length, to);
  whole[to] = texts.length;
  whole[to + 1] = version;
  return whole;
}

export function decodeMessageRecord(id: number, bytes: Uint8Array): DecodedMessageRecord {
  const [rev, conversation, topicKey, sender, participants, body, movedFrom, tags] = unpackJson(
    bytes,
  ) as readonly Json[] as [number, string, string, number, number[], JsonObject, string, string[]];
  return { rev, record: { id, conversation, topicKey, sender, participants, movedFrom, tags, body } };
}

/** A block of memory that holds the bytes of messages. */
export class PackedMessageSlab {
  readonly view: DataView;
  // A copy of a property of the Uint8Array: reading that property each time costs more than copying a message.
  readonly arrayBuffer: ArrayBufferLike;
  readonly byteOffset: number;
  #usedBytes = 0;

  constructor(readonly bytes: Uint8Array) {
    this.arrayBuffer = bytes.buffer;
    this.byteOffset = bytes.byteOffset;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** Discards the contents of the slab. */
  discardContents(): void {
    this.#usedBytes = 0;
  }

  /** Copies the bytes into the slab and returns their offset, or undefined if there is no room. */
  appendBytes(bytes: Uint8Array): number | undefined {
    const at = this.#usedBytes;
    if (at + bytes.byteLength > this.bytes.byteLength) return undefined;
    this.bytes.set(bytes, at);
    this.#usedBytes = at + bytes.byteLength;
    return at;
  }
}

const EMPTY_SLAB = new PackedMessageSlab(new Uint8Array(1));

/**
 * A view of a stored message that decodes fields on request. One object is moved from message to message, and shows
 * each message until the next move.
 */
export class PackedMessageCursor implements Omit<MessageRecord, 'body'> {
  id = 0;
  /** Version of the message's digest; undefined without a digest. */
  digestVersion: number | undefined;
  /** Number of integers in `facts` of the message's digest. */
  factCount = 0;
  #slab = EMPTY_SLAB;
  #startOffset = 0;
  #byteLength = 0;
  #factsOffset = 0;
  #spansEndOffset = 0;
  #decodedRecord: MessageRecord | undefined;
  /** Cache of decoded fields by position: a scan tests one message for hundreds of ranges. */
  #readFields: (MessageRecord[keyof typeof FIELD_POSITIONS] | undefined)[] = [];

  moveToPackedBytes(id: number, slab: PackedMessageSlab, start: number, length: number): this {
    const { view } = slab;
    const end = start + length;
    this.id = id;
    this.#slab = slab;
    this.#startOffset = start;
    this.#byteLength = length;
    this.#decodedRecord = undefined;
    if (this.#readFields.length > 0) this.#readFields = [];
    if (view.getUint8(start) === FIRST_BYTE_WITH_DIGEST) {
      this.digestVersion = view.getUint8(end - 1);
      this.factCount = view.getUint16(end - 4, true);
      this.#spansEndOffset = end - DIGEST_TAIL_BYTES;
      this.#factsOffset = this.#spansEndOffset - view.getUint8(end - 2) * DIGEST_SPAN_BYTES - this.factCount * 4;
    } else {
      this.digestVersion = undefined;
      this.factCount = 0;
    }
    return this;
  }

  /** Moves the view to a record that is already decoded. */
  moveToRecord(record: MessageRecord): this {
    this.id = record.id;
    this.digestVersion = undefined;
    this.factCount = 0;
    this.#decodedRecord = record;
    return this;
  }

  /** The whole record, decoded on first use. The returned object stays valid after the next move. */
  get decodedRecord(): MessageRecord {
    const { bytes } = this.#slab;
    this.#decodedRecord ??= decodeMessageRecord(
      this.id,
      bytes.subarray(this.#startOffset, this.#startOffset + this.#byteLength),
    ).record;
    return this.#decodedRecord;
  }

  /** The memory that holds the message, valid until the next move. A decoded message is not in it. */
  get memoryView(): DataView {
    return this.#slab.view;
  }

  /** Finds fields of the body, by their positions in `memoryView`. The message must have a digest. */
  findBodyFields(finder: PackedFieldFinder): void {
    finder.findFieldsOfMap(this.#slab.view, this.#findField('body'));
  }

  get conversation(): string {
    return this.#readField('conversation');
  }

  get topicKey(): string {
    return this.#readField('topicKey');
  }

  get sender(): number {
    return this.#readField('sender');
  }

  get participants(): readonly number[] {
    return this.#readField('participants');
  }

  get movedFrom(): string {
    return this.#readField('movedFrom');
  }

  get tags(): readonly string[] {
    return this.#readField('tags');
  }

  /** Reads one field of the record. A message without a digest is decoded as a whole. */
  #readField<K extends keyof typeof FIELD_POSITIONS>(name: K): MessageRecord[K] {
    if (this.digestVersion === undefined || this.#decodedRecord) return this.decodedRecord[name];
    const { view, bytes } = this.#slab;
    let value = this.#readFields[FIELD_POSITIONS[name]] as MessageRecord[K] | undefined;
    if (value === undefined) {
      const at = this.#findField(name);
      value = unpackJson(bytes.subarray(at, skipPackedValue(view, at))) as MessageRecord[K];
      this.#readFields[FIELD_POSITIONS[name]] = value;
    }
    return value;
  }

  /** Finds the position of a field of the record. The message must have a digest. */
  #findField(name: keyof typeof FIELD_POSITIONS): number {
    // A message with a digest begins with one byte for the list of its fields.
    let at = this.#startOffset + 1;
    for (let i = 0; i < FIELD_POSITIONS[name]; i++) at = skipPackedValue(this.#slab.view, at);
    return at;
  }

  readDigestFact(i: number): number {
    return this.#slab.view.getUint32(this.#factsOffset + i * 4, true);
  }

  /** JSON text of the digest, valid until the next move. */
  get digestHeadJson(): Uint8Array {
    return this.#bytesOfSpan(this.#spansEndOffset);
  }

  /** Text `i` of the digest as JSON without quotes, valid until the next move. */
  readDigestTextJson(i: number): Uint8Array {
    return this.#bytesOfSpan(this.#spansEndOffset - (i + 1) * DIGEST_SPAN_BYTES);
  }

  /** True if text `i` of the digest equals `json` (JSON without quotes). */
  isDigestTextEqualTo(i: number, json: Uint8Array): boolean {
    const { view, bytes } = this.#slab;
    const span = this.#spansEndOffset - (i + 1) * DIGEST_SPAN_BYTES;
    if (view.getUint32(span + 4, true) !== json.length) return false;
    const at = this.#startOffset + view.getUint32(span, true);
    for (let n = 0; n < json.length; n++) if (bytes[at + n] !== json[n]) return false;
    return true;
  }

  #bytesOfSpan(span: number): Uint8Array {
    const { view, arrayBuffer, byteOffset } = this.#slab;
    return new Uint8Array(
      arrayBuffer,
      byteOffset + this.#startOffset + view.getUint32(span, true),
      view.getUint32(span + 4, true),
    );
  }
}
