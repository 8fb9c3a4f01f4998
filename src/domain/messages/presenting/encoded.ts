/**
 * Message objects as JSON. What is the same for everybody is stored as such (digest.ts) and copied; what the directory says
 * of them is encoded once for each of its changes (shown-pieces.ts). Messages that are stored without a digest are encoded
 * once per option of clients, where the Store keeps them.
 */

import { streamId, userId } from '#model';
import type { DirectoryStream, DirectoryUser, DirectoryView } from '#model/records';
import { memoOf } from '#ports/store';
import type { ReadableMessage } from '../access/message-access.js';
import type { UserFlags } from '../flags/read-state.js';
import { hasChangingFields, MARK, TEXT } from '../stored/digest.js';
import type { StoredMessage } from '../stored/message.js';
import { PackedMessageView } from '../stored/packed-view.js';
import { EncodedPieces, flagsPiece } from './encoded-pieces.js';
import { changingFields, type MessageVariant, presentNeutral, presentVariant, variantIndex } from './present.js';

interface EncodedVariants {
  readonly sender: DirectoryUser | undefined;
  readonly stream: DirectoryStream | undefined;
  /** Of the directory; null where nothing else of it is in the text. */
  readonly version: number | null;
  /** By options. */
  readonly texts: (string | undefined)[];
}

/** The message object for one kind of client, without the closing brace; what one user alone has of it is to follow. */
export function encodedMessage(message: StoredMessage, directory: DirectoryView, options: MessageVariant): string {
  const { body } = message;
  const memo = memoOf(body);
  if (!memo) return encode(message, directory, options);
  const sender = directory.user(userId(message.sender));
  const stream = body.stream === 0 ? undefined : directory.stream(streamId(body.stream));
  const version = body.stream === 0 || hasChangingFields(body) ? directory.version : null;
  // A body is never changed: an edit, a move or a reaction stores another one.
  let known = memo.made as EncodedVariants | undefined;
  if (!known || known.sender !== sender || known.stream !== stream || known.version !== version) {
    known = { sender, stream, version, texts: [] };
    memo.made = known;
  }
  const which = variantIndex(options);
  known.texts[which] ??= encode(message, directory, options);
  return known.texts[which];
}

const encode = (message: StoredMessage, directory: DirectoryView, options: MessageVariant): string =>
  JSON.stringify(presentVariant(presentNeutral(message, directory), options)).slice(0, -1);

/** Memory of answers that are put together now and then, used again. */
const BUFFER_BYTES = 256 * 1024;
const MAX_POOLED = 32;
const bufferPool: Buffer[] = [];

const COMMA = 0x2c;
const OPEN = 0x5b;
const CLOSE = 0x5d;

const NOTHING = new Uint8Array(0);

/** Where the JSON of one message is, with a comma before it. */
export interface EncodedRow {
  readonly id: number;
  readonly from: number;
  readonly to: number;
}

/** Message objects as one user has them, encoded while they are looked at. */
export class MessageEncoder {
  #bytes = bufferPool.pop() ?? Buffer.allocUnsafeSlow(BUFFER_BYTES);
  #at = 0;
  readonly #pieces: EncodedPieces;
  /** Which text is its content. */
  readonly #text: number;
  /** Those of the last message, as most have the same. */
  #flags: readonly string[] | undefined;
  #flagsPiece = NOTHING;
  readonly #flagsOf: (own: ReadableMessage) => readonly string[];

  /** @param matched members that are added to each, if there are any */
  constructor(
    flags: UserFlags,
    private readonly directory: DirectoryView,
    private readonly options: MessageVariant,
    private readonly matched?: (message: StoredMessage) => object,
  ) {
    this.#flagsOf = flags.flagLister();
    this.#pieces = new EncodedPieces(directory, options);
    this.#text = options.applyMarkdown ? TEXT.html : TEXT.content;
  }

  readonly encode = (own: ReadableMessage): EncodedRow => {
    const { message } = own;
    const from = this.#at;
    this.#byte(COMMA);
    if (message instanceof PackedMessageView && !this.matched) this.#copy(message, this.#flagsOf(own));
    else {
      const added = this.matched ? `,${JSON.stringify(this.matched(message)).slice(1, -1)}` : '';
      const text = encodedMessage(message, this.directory, this.options);
      this.#string(`${text},"flags":${JSON.stringify(this.#flagsOf(own))}${added}}`);
    }
    return { id: message.id, from, to: this.#at };
  };

  /** The list of these. Nothing can be taken afterwards. */
  list(rows: readonly EncodedRow[]): Uint8Array {
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
    list[0] = OPEN;
    list[length - 1] = CLOSE;
    if (this.#bytes.length === BUFFER_BYTES && bufferPool.length < MAX_POOLED) bufferPool.push(this.#bytes);
    this.#bytes = Buffer.alloc(0);
    return list;
  }

  #copy(message: PackedMessageView, flags: readonly string[]): void {
    const { packed } = message;
    this.#piece(packed.head);
    this.#piece(packed.text(this.#text));
    this.#piece(this.#pieces.sender(message.sender));
    this.#piece(this.#pieces.recipient(message.stream, message.participants));
    if ((message.marks & MARK.more) === 0) {
      if (flags !== this.#flags) {
        this.#flags = flags;
        this.#flagsPiece = flagsPiece(flags);
      }
      this.#piece(this.#flagsPiece);
    } else {
      const since = JSON.stringify(changingFields(message, this.directory)).slice(1, -1);
      this.#string(`,${since},"flags":${JSON.stringify(flags)}}`);
    }
  }

  #piece(piece: Uint8Array): void {
    const { length } = piece;
    if (this.#at + length > this.#bytes.length) this.#grow(length);
    this.#bytes.set(piece, this.#at);
    this.#at += length;
  }

  #string(text: string): void {
    // At most three bytes for each unit.
    const most = text.length * 3;
    if (this.#at + most > this.#bytes.length) this.#grow(most);
    this.#at += this.#bytes.write(text, this.#at);
  }

  #byte(one: number): void {
    if (this.#at === this.#bytes.length) this.#grow(1);
    this.#bytes[this.#at++] = one;
  }

  #grow(by: number): void {
    const larger = Buffer.allocUnsafeSlow(Math.max(this.#bytes.length * 2, this.#at + by));
    larger.set(this.#bytes.subarray(0, this.#at));
    this.#bytes = larger;
  }
}
