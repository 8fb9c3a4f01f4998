/**
 * Message objects as JSON. The part that is equal for all readers is copied from the digest (digest.ts); the parts that
 * depend on the directory are encoded once per change of it (encoded-pieces.ts). A message without a digest is encoded
 * once per variant, and the text is kept with the message in the Store's cache.
 */

import { toStreamId, toUserId } from '#model';
import type { DirectoryStream, DirectoryUser, DirectoryView } from '#model/records';
import { memoOfCachedRecord } from '#ports/store';
import type { ReadableMessage } from '../access/message-access.js';
import type { UserMessageFlags } from '../flags/read-state.js';
import { hasReactionsOrEdits, MESSAGE_DIGEST_MARK_BITS, MESSAGE_DIGEST_TEXT_INDEX } from '../stored/digest.js';
import type { StoredMessage } from '../stored/message.js';
import { PackedMessageView } from '../stored/packed-view.js';
import { EncodedMessagePieces, encodeMessageFlagsPiece } from './encoded-pieces.js';
import {
  type ClientMessageVariant,
  changingMessageFields,
  clientMessageVariantIndex,
  formatMessageForClientVariant,
  makeClientNeutralMessage,
} from './present.js';

interface EncodedMessageVariants {
  readonly sender: DirectoryUser | undefined;
  readonly stream: DirectoryStream | undefined;
  /**
   * Version of the directory for which the texts are valid; null if they depend on no more of it than `sender` and
   * `stream`.
   */
  readonly version: number | null;
  /** JSON of the message object for each kind of client, by `clientMessageVariantIndex`. */
  readonly texts: (string | undefined)[];
}

/** The message object for one kind of client, without the closing brace: the reader's own fields follow. */
function encodeMessageVariant(message: StoredMessage, directory: DirectoryView, options: ClientMessageVariant): string {
  const { body } = message;
  const memo = memoOfCachedRecord(body);
  if (!memo) return encodeMessageForVariant(message, directory, options);
  const sender = directory.user(toUserId(message.sender));
  const stream = body.stream === 0 ? undefined : directory.stream(toStreamId(body.stream));
  const version = body.stream === 0 || hasReactionsOrEdits(body) ? directory.version : null;
  // The texts are kept with the message's body. Bodies are immutable: an edit, a move or a reaction stores a new one.
  let known = memo.derivedValue as EncodedMessageVariants | undefined;
  if (!known || known.sender !== sender || known.stream !== stream || known.version !== version) {
    known = { sender, stream, version, texts: [] };
    memo.derivedValue = known;
  }
  const which = clientMessageVariantIndex(options);
  known.texts[which] ??= encodeMessageForVariant(message, directory, options);
  return known.texts[which];
}

const encodeMessageForVariant = (
  message: StoredMessage,
  directory: DirectoryView,
  options: ClientMessageVariant,
): string =>
  JSON.stringify(formatMessageForClientVariant(makeClientNeutralMessage(message, directory), options)).slice(0, -1);

/** Size of pooled buffers, bytes: a response rarely needs a larger one. */
const POOLED_BUFFER_BYTES = 256 * 1024;
const MAX_POOLED_BUFFERS = 32;
const bufferPool: Buffer[] = [];

const COMMA = 0x2c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;

const NO_BYTES = new Uint8Array(0);

/** Position of one message's JSON in the encoder's buffer. The JSON begins with a comma. */
interface EncodedMessageRow {
  readonly id: number;
  readonly from: number;
  readonly to: number;
}

/**
 * Encodes message objects for one response to one user. The caller passes each message while it iterates over messages
 * of the Store.
 */
export class MessageResponseEncoder {
  #bytes = bufferPool.pop() ?? Buffer.allocUnsafeSlow(POOLED_BUFFER_BYTES);
  #writeOffset = 0;
  readonly #pieces: EncodedMessagePieces;
  /** Index of the text, among the texts of a digest, that is the content for this kind of client. */
  readonly #text: number;
  /** Flags of the message that was encoded before, kept with their JSON because most messages have the same flags. */
  #lastFlags: readonly string[] | undefined;
  #encodedLastFlags = NO_BYTES;
  readonly #flagsOf: (own: ReadableMessage) => readonly string[];

  /**
   * Makes an encoder for one response. @param matched makes further fields of each message: the marked matches of a
   * search
   */
  constructor(
    flags: UserMessageFlags,
    private readonly directory: DirectoryView,
    private readonly options: ClientMessageVariant,
    private readonly matched?: (message: StoredMessage) => object,
  ) {
    this.#flagsOf = flags.flagLister();
    this.#pieces = new EncodedMessagePieces(directory, options);
    this.#text = options.applyMarkdown ? MESSAGE_DIGEST_TEXT_INDEX.html : MESSAGE_DIGEST_TEXT_INDEX.content;
  }

  readonly encodeRow = (own: ReadableMessage): EncodedMessageRow => {
    const { message } = own;
    const from = this.#writeOffset;
    this.#writeByte(COMMA);
    if (message instanceof PackedMessageView && !this.matched) this.#writeMessage(message, this.#flagsOf(own));
    else {
      const added = this.matched ? `,${JSON.stringify(this.matched(message)).slice(1, -1)}` : '';
      const text = encodeMessageVariant(message, this.directory, this.options);
      this.#writeJsonString(`${text},"flags":${JSON.stringify(this.#flagsOf(own))}${added}}`);
    }
    return { id: message.id, from, to: this.#writeOffset };
  };

  /** Makes the JSON list of these rows, and ends the encoder: its buffer goes back to the pool. */
  encodeRowList(rows: readonly EncodedMessageRow[]): Uint8Array {
    const { buffer, byteOffset } = this.#bytes;
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
    list[0] = OPEN_BRACKET;
    list[length - 1] = CLOSE_BRACKET;
    if (this.#bytes.length === POOLED_BUFFER_BYTES && bufferPool.length < MAX_POOLED_BUFFERS)
      bufferPool.push(this.#bytes);
    this.#bytes = Buffer.alloc(0);
    return list;
  }

  #writeMessage(message: PackedMessageView, flags: readonly string[]): void {
    const { packed } = message;
    this.#writePiece(packed.digestHeadJson);
    this.#writePiece(packed.readTextJson(this.#text));
    this.#writePiece(this.#pieces.encodedSender(message.sender));
    this.#writePiece(this.#pieces.encodedRecipient(message.stream, message.participants));
    if ((message.markBits & MESSAGE_DIGEST_MARK_BITS.more) === 0) {
      if (flags !== this.#lastFlags) {
        this.#lastFlags = flags;
        this.#encodedLastFlags = encodeMessageFlagsPiece(flags);
      }
      this.#writePiece(this.#encodedLastFlags);
    } else {
      const since = JSON.stringify(changingMessageFields(message, this.directory)).slice(1, -1);
      this.#writeJsonString(`,${since},"flags":${JSON.stringify(flags)}}`);
    }
  }

  #writePiece(piece: Uint8Array): void {
    const { length } = piece;
    if (this.#writeOffset + length > this.#bytes.length) this.#growBuffer(length);
    this.#bytes.set(piece, this.#writeOffset);
    this.#writeOffset += length;
  }

  #writeJsonString(text: string): void {
    // UTF-8 needs at most three bytes per UTF-16 unit.
    const most = text.length * 3;
    if (this.#writeOffset + most > this.#bytes.length) this.#growBuffer(most);
    this.#writeOffset += this.#bytes.write(text, this.#writeOffset);
  }

  #writeByte(one: number): void {
    if (this.#writeOffset === this.#bytes.length) this.#growBuffer(1);
    this.#bytes[this.#writeOffset++] = one;
  }

  #growBuffer(by: number): void {
    const larger = Buffer.allocUnsafeSlow(Math.max(this.#bytes.length * 2, this.#writeOffset + by));
    larger.set(this.#bytes.subarray(0, this.#writeOffset));
    this.#bytes = larger;
  }
}
