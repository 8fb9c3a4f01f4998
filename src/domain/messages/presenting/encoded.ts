/**
 * Message objects as JSON. The part that is equal for all readers is copied from the digest (digest.ts); the parts that
 * depend on the directory are encoded once per change of it (encoded-pieces.ts). A message without a digest is encoded
 * once per variant, and the text is kept with the message in the Store's cache.
 */

import { endLeaseOfBytes, LEASED_BUFFER_BYTES, leaseBytes, MIN_LEASED_BYTES } from '#base';
import { toStreamId, toUserId } from '#model';
import type { DirectoryStream, DirectoryUser, DirectoryView } from '#model/records';
import { memoOfCachedRecord } from '#ports/store';
import type { ReadableMessage } from '../access/message-access.js';
import type { UserMessageFlagsView } from '../flags/read-state.js';
import { hasReactionsOrEdits, MESSAGE_DIGEST_FACT_BITS, MESSAGE_DIGEST_TEXT_POSITIONS } from '../stored/digest.js';
import type { StoredMessage } from '../stored/message.js';
import { PackedMessageView } from '../stored/packed-view.js';
import { type EncodedMessageEnd, ResponseMessagePieceEncoder } from './encoded-pieces.js';
import {
  type ClientMessageVariant,
  formatMessageForClientVariant,
  formatMutableMessageFields,
  indexOfClientMessageVariant,
  makeClientNeutralMessage,
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

const OPEN_BRACKET_BYTE = 0x5b;
const CLOSE_BRACKET_BYTE = 0x5d;

const NO_BYTES = new Uint8Array(0);
const NO_MESSAGE_END: EncodedMessageEnd = { byteLength: 0, pieces: [] };

/** Position of one message's JSON, with the comma behind it, in the encoder's memory, relative to `#origin`. */
interface EncodedMessageSpan {
  readonly id: number;
  readonly from: number;
  readonly to: number;
}

/**
 * Encodes message objects for one response to one user. The caller passes each message while it iterates over messages
 * of the Store. Messages older than the anchor arrive newest first, and are written from right to left, so that the
 * finished list needs no copy.
 */
export class MessageResponseEncoder {
  #bytes = leaseBytes();
  /** Offsets of the start and end of the bytes written so far, and of the point to which spans are relative. */
  #start = LEASED_BUFFER_BYTES / 2;
  #end = LEASED_BUFFER_BYTES / 2;
  #origin = LEASED_BUFFER_BYTES / 2;
  readonly #pieceEncoder: ResponseMessagePieceEncoder;
  /** Index of the text, among the texts of a digest, that is the content for this kind of client. */
  readonly #contentTextIndex: number;
  readonly #listFlagsOf: (own: ReadableMessage) => readonly string[];
  /** Pieces of the message that is being written: its beginning, content and end. */
  #head: Uint8Array = NO_BYTES;
  #content: Uint8Array = NO_BYTES;
  #messageEnd: EncodedMessageEnd = NO_MESSAGE_END;

  /**
   * Makes an encoder for one response. @param matched makes further fields of each message: the highlighted matches of
   * a search
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

  /** Writes a message after all others. */
  readonly appendMessageJson = (own: ReadableMessage): EncodedMessageSpan => {
    const length = this.#makePieces(own);
    // One byte stays free on each side, for the brackets.
    if (this.#end + length >= this.#bytes.length) this.#makeRoom(length);
    const from = this.#end;
    this.#writePiecesAt(from);
    this.#end = from + length;
    return { id: own.message.id, from: from - this.#origin, to: this.#end - this.#origin };
  };

  /** Writes a message before all others. */
  readonly prependMessageJson = (own: ReadableMessage): EncodedMessageSpan => {
    const length = this.#makePieces(own);
    if (this.#start - length <= 0) this.#makeRoom(length);
    const to = this.#start;
    this.#start = to - length;
    this.#writePiecesAt(this.#start);
    return { id: own.message.id, from: this.#start - this.#origin, to: to - this.#origin };
  };

  /**
   * Makes the JSON list of these rows, after which the encoder can't be used. The list is leased (leased-bytes.ts)
   * unless it is shorter than `MIN_LEASED_BYTES`.
   */
  finishJsonList(rows: readonly EncodedMessageSpan[]): Uint8Array {
    const bytes = this.#bytes;
    const isLeased = bytes.length === LEASED_BUFFER_BYTES;
    this.#bytes = NO_BYTES;
    let length = 0;
    let isContiguous = true;
    for (let i = 0; i < rows.length; i++) {
      const { from, to } = rows[i]!;
      length += to - from;
      if (i > 0 && rows[i - 1]!.to !== from) isContiguous = false;
    }
    let list: Uint8Array;
    if (isLeased && isContiguous && length >= MIN_LEASED_BYTES) {
      const start = this.#origin + rows[0]!.from;
      list = bytes.subarray(start - 1, start + length);
    } else {
      list = new Uint8Array(Buffer.allocUnsafeSlow(Math.max(length + 1, 2)).buffer);
      this.#copyRows(bytes, rows, list);
      if (isLeased) endLeaseOfBytes(bytes);
    }
    // The last comma becomes the bracket.
    list[0] = OPEN_BRACKET_BYTE;
    list[list.length - 1] = CLOSE_BRACKET_BYTE;
    return list;
  }

  #copyRows(bytes: Uint8Array, rows: readonly EncodedMessageSpan[], list: Uint8Array): void {
    let at = 1;
    for (let i = 0; i < rows.length; ) {
      const { from } = rows[i]!;
      let { to } = rows[i]!;
      for (i++; i < rows.length && rows[i]!.from === to; i++) to = rows[i]!.to;
      list.set(bytes.subarray(this.#origin + from, this.#origin + to), at);
      at += to - from;
    }
  }

  /** Makes the pieces of a message. Returns their total length. */
  #makePieces(own: ReadableMessage): number {
    const { message } = own;
    const flags = this.#listFlagsOf(own);
    if (message instanceof PackedMessageView && !this.matched) {
      const { packed } = message;
      this.#head = packed.digestHeadJson;
      this.#content = packed.readDigestTextJson(this.#contentTextIndex);
      if ((message.digestFactBits & MESSAGE_DIGEST_FACT_BITS.more) === 0)
        this.#messageEnd = this.#pieceEncoder.encodeMessageEnd(message, flags);
      else {
        const since = JSON.stringify(formatMutableMessageFields(message, this.directory)).slice(1, -1);
        this.#messageEnd = this.#pieceEncoder.encodeMessageEndWith(
          message,
          `,${since},"flags":${JSON.stringify(flags)}},`,
        );
      }
    } else {
      const added = this.matched ? `,${JSON.stringify(this.matched(message)).slice(1, -1)}` : '';
      const text = getOrEncodeOpenMessageJson(message, this.directory, this.options);
      this.#head = Buffer.from(`${text},"flags":${JSON.stringify(flags)}${added}},`);
      this.#content = NO_BYTES;
      this.#messageEnd = NO_MESSAGE_END;
    }
    return this.#head.length + this.#content.length + this.#messageEnd.byteLength;
  }

  #writePiecesAt(offset: number): void {
    const bytes = this.#bytes;
    bytes.set(this.#head, offset);
    let at = offset + this.#head.length;
    bytes.set(this.#content, at);
    at += this.#content.length;
    for (const piece of this.#messageEnd.pieces) {
      bytes.set(piece, at);
      at += piece.length;
    }
  }

  /** Moves to larger memory, with room for at least this many bytes on both sides. */
  #makeRoom(by: number): void {
    const used = this.#end - this.#start;
    const room = Math.max(used, by + 1);
    const larger = new Uint8Array(Buffer.allocUnsafeSlow(used + 2 * room).buffer);
    larger.set(this.#bytes.subarray(this.#start, this.#end), room);
    endLeaseOfBytes(this.#bytes);
    this.#bytes = larger;
    this.#origin += room - this.#start;
    this.#start = room;
    this.#end = room + used;
  }
}
