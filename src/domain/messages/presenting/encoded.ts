/**
 * Message objects as JSON. The part that is equal for all readers is copied from the digest (digest.ts); the parts that
 * depend on the directory are encoded once per change of it (encoded-pieces.ts). A message without a digest is encoded
 * once per variant, and the text is kept with the message in the Store's cache.
 */

import { toStreamId, toUserId } from '#model';
import type { DirectoryStream, DirectoryUser, DirectoryView } from '#model/records';
import { memoOfCachedRecord } from '#ports/store';
import type { ReadableMessage } from '../access/message-access.js';
import type { UserMessageFlagsView } from '../flags/read-state.js';
import { hasReactionsOrEdits, MESSAGE_DIGEST_FACT_BITS, MESSAGE_DIGEST_TEXT_POSITIONS } from '../stored/digest.js';
import type { StoredMessage } from '../stored/message.js';
import { PackedMessageView } from '../stored/packed-view.js';
import { encodeFlagsAndMessageEnd, ResponseMessagePieceEncoder } from './encoded-pieces.js';
import {
  type ClientMessageVariant,
  formatMessageForClientVariant,
  indexOfClientMessageVariant,
  makeClientNeutralMessage,
  reactionAndEditFields,
} from './present.js';

interface CachedMessageVariants {
  readonly sender: DirectoryUser | undefined;
  readonly stream: DirectoryStream | undefined;
  /**
   * Version of the directory for which the texts are valid; null if they depend on no more of it than `sender` and
   * `stream`.
   */
  readonly version: number | null;
  /** JSON of the message object for each kind of client, by `indexOfClientMessageVariant`. */
  readonly texts: (string | undefined)[];
}

/** The message object for one kind of client, without the closing brace: the reader's own fields follow. */
function getOrEncodeOpenMessageJson(
  message: StoredMessage,
  directory: DirectoryView,
  options: ClientMessageVariant,
): string {
  const { body } = message;
  const memo = memoOfCachedRecord(body);
  if (!memo) return encodeOpenMessageJson(message, directory, options);
  const sender = directory.user(toUserId(message.sender));
  const stream = body.stream === 0 ? undefined : directory.stream(toStreamId(body.stream));
  const version = body.stream === 0 || hasReactionsOrEdits(body) ? directory.version : null;
  // The texts are kept with the message's body. Bodies are immutable: an edit, a move or a reaction stores a new one.
  let known = memo.derivedValue as CachedMessageVariants | undefined;
  if (!known || known.sender !== sender || known.stream !== stream || known.version !== version) {
    known = { sender, stream, version, texts: [] };
    memo.derivedValue = known;
  }
  const which = indexOfClientMessageVariant(options);
  known.texts[which] ??= encodeOpenMessageJson(message, directory, options);
  return known.texts[which];
}

const encodeOpenMessageJson = (
  message: StoredMessage,
  directory: DirectoryView,
  options: ClientMessageVariant,
): string =>
  JSON.stringify(formatMessageForClientVariant(makeClientNeutralMessage(message, directory), options)).slice(0, -1);

/** Size of pooled buffers, bytes: a response rarely needs a larger one. */
const POOLED_BUFFER_BYTES = 256 * 1024;
const MAX_POOLED_BUFFERS = 32;
const freeResponseBuffers: Buffer[] = [];

const COMMA_BYTE = 0x2c;
const OPEN_BRACKET_BYTE = 0x5b;
const CLOSE_BRACKET_BYTE = 0x5d;

const NO_BYTES = new Uint8Array(0);

/** Position of one message's JSON in the encoder's buffer. The JSON begins with a comma. */
interface EncodedMessageSpan {
  readonly id: number;
  readonly from: number;
  readonly to: number;
}

/**
 * Encodes message objects for one response to one user. The caller passes each message while it iterates over messages
 * of the Store.
 */
export class MessageResponseEncoder {
  #buffer = freeResponseBuffers.pop() ?? Buffer.allocUnsafeSlow(POOLED_BUFFER_BYTES);
  #writeOffset = 0;
  readonly #pieceEncoder: ResponseMessagePieceEncoder;
  /** Index of the text, among the texts of a digest, that is the content for this kind of client. */
  readonly #contentTextIndex: number;
  /** Flags of the message that was encoded before, kept with their JSON because most messages have the same flags. */
  #lastEncodedFlags: readonly string[] | undefined;
  #lastFlagsPiece = NO_BYTES;
  readonly #listFlagsOf: (own: ReadableMessage) => readonly string[];

  /**
   * Makes an encoder for one response. @param matched makes further fields of each message: the marked matches of a
   * search
   */
  constructor(
    flags: UserMessageFlagsView,
    private readonly directory: DirectoryView,
    private readonly options: ClientMessageVariant,
    private readonly matched?: (message: StoredMessage) => object,
  ) {
    this.#listFlagsOf = flags.makeFlagLister();
    this.#pieceEncoder = new ResponseMessagePieceEncoder(directory, options);
    this.#contentTextIndex = options.applyMarkdown
      ? MESSAGE_DIGEST_TEXT_POSITIONS.html
      : MESSAGE_DIGEST_TEXT_POSITIONS.content;
  }

  readonly appendMessageJson = (own: ReadableMessage): EncodedMessageSpan => {
    const { message } = own;
    const from = this.#writeOffset;
    this.#writeByte(COMMA_BYTE);
    if (message instanceof PackedMessageView && !this.matched)
      this.#writePackedMessageJson(message, this.#listFlagsOf(own));
    else {
      const added = this.matched ? `,${JSON.stringify(this.matched(message)).slice(1, -1)}` : '';
      const text = getOrEncodeOpenMessageJson(message, this.directory, this.options);
      this.#writeAsUtf8(`${text},"flags":${JSON.stringify(this.#listFlagsOf(own))}${added}}`);
    }
    return { id: message.id, from, to: this.#writeOffset };
  };

  /** Makes the JSON list of these rows, and ends the encoder: its buffer goes back to the pool. */
  finishJsonList(rows: readonly EncodedMessageSpan[]): Uint8Array {
    const { buffer, byteOffset } = this.#buffer;
    let length = rows.length === 0 ? 2 : 1;
    for (const { from, to } of rows) length += to - from;
    const list = new Uint8Array(Buffer.allocUnsafeSlow(length).buffer);
    let at = 0;
    for (let i = 0; i < rows.length; ) {
      const { from } = rows[i]!;
      let { to } = rows[i]!;
      for (i++; i < rows.length && rows[i]!.from === to; i++) to = rows[i]!.to;
      list.set(new Uint8Array(buffer, byteOffset + from, to - from), at);
      at += to - from;
    }
    list[0] = OPEN_BRACKET_BYTE;
    list[length - 1] = CLOSE_BRACKET_BYTE;
    if (this.#buffer.length === POOLED_BUFFER_BYTES && freeResponseBuffers.length < MAX_POOLED_BUFFERS)
      freeResponseBuffers.push(this.#buffer);
    this.#buffer = Buffer.alloc(0);
    return list;
  }

  #writePackedMessageJson(message: PackedMessageView, flags: readonly string[]): void {
    const { packed } = message;
    this.#writeBytes(packed.digestHeadJson);
    this.#writeBytes(packed.readDigestTextJson(this.#contentTextIndex));
    this.#writeBytes(this.#pieceEncoder.encodeContentEndAndSender(message.sender));
    this.#writeBytes(this.#pieceEncoder.encodeDisplayRecipient(message.currentStream, message.participants));
    if ((message.digestFactBits & MESSAGE_DIGEST_FACT_BITS.more) === 0) {
      if (flags !== this.#lastEncodedFlags) {
        this.#lastEncodedFlags = flags;
        this.#lastFlagsPiece = encodeFlagsAndMessageEnd(flags);
      }
      this.#writeBytes(this.#lastFlagsPiece);
    } else {
      const since = JSON.stringify(reactionAndEditFields(message, this.directory)).slice(1, -1);
      this.#writeAsUtf8(`,${since},"flags":${JSON.stringify(flags)}}`);
    }
  }

  #writeBytes(piece: Uint8Array): void {
    const { length } = piece;
    if (this.#writeOffset + length > this.#buffer.length) this.#growBufferForBytes(length);
    this.#buffer.set(piece, this.#writeOffset);
    this.#writeOffset += length;
  }

  #writeAsUtf8(text: string): void {
    // UTF-8 needs at most three bytes per UTF-16 unit.
    const most = text.length * 3;
    if (this.#writeOffset + most > this.#buffer.length) this.#growBufferForBytes(most);
    this.#writeOffset += this.#buffer.write(text, this.#writeOffset);
  }

  #writeByte(one: number): void {
    if (this.#writeOffset === this.#buffer.length) this.#growBufferForBytes(1);
    this.#buffer[this.#writeOffset++] = one;
  }

  #growBufferForBytes(by: number): void {
    const larger = Buffer.allocUnsafeSlow(Math.max(this.#buffer.length * 2, this.#writeOffset + by));
    larger.set(this.#buffer.subarray(0, this.#writeOffset));
    this.#buffer = larger;
  }
}
