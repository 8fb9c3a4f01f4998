/**
 * Message objects as JSON. What is the same for everybody is stored as such (digest.ts) and copied; what the directory says
 * of them is encoded once for each of its changes (shown-pieces.ts). Messages that are stored without a digest are encoded
 * once per option of clients, where the Store keeps them.
 */
import { streamId, userId } from '../core/index.js';
import type { DirectoryStream, DirectoryUser, DirectoryView } from '../directory/index.js';
import { memoOf } from '../store/index.js';
import { MARK, showsMore, TEXT } from './digest.js';
import type { OwnMessage } from './fetch.js';
import { type MessageVariant, neutral, shownSince, variant } from './present.js';
import { SeenMessage } from './seen.js';
import { flagsPiece, recipientPiece, senderPiece } from './shown-pieces.js';
import type { StoredMessage } from './stored.js';

interface Known {
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
  const version = body.stream === 0 || showsMore(body) ? directory.version : null;
  // A body is never changed: an edit, a move or a reaction stores another one.
  let known = memo.made as Known | undefined;
  if (!known || known.sender !== sender || known.stream !== stream || known.version !== version) {
    known = { sender, stream, version, texts: [] };
    memo.made = known;
  }
  const which = (options.applyMarkdown ? 2 : 0) + (options.clientGravatar ? 1 : 0);
  known.texts[which] ??= encode(message, directory, options);
  return known.texts[which];
}

const encode = (message: StoredMessage, directory: DirectoryView, options: MessageVariant): string =>
  JSON.stringify(variant(neutral(message, directory), options)).slice(0, -1);

const USUAL = 256 * 1024;
/** Larger answers come too seldom to keep memory for them. */
const LARGEST = 4 * 1024 * 1024;
let scratch = Buffer.allocUnsafeSlow(USUAL);

/** JSON put together in memory that is used again. */
class Writing {
  #to = scratch;
  #at = 0;

  bytes(piece: Uint8Array): void {
    if (this.#at + piece.length > this.#to.length) this.#grow(piece.length);
    this.#to.set(piece, this.#at);
    this.#at += piece.length;
  }

  text(piece: string): void {
    const most = piece.length * 3;
    if (this.#at + most > this.#to.length) this.#grow(most);
    this.#at += this.#to.write(piece, this.#at);
  }

  byte(one: number): void {
    if (this.#at === this.#to.length) this.#grow(1);
    this.#to[this.#at++] = one;
  }

  #grow(by: number): void {
    const larger = Buffer.allocUnsafeSlow(2 ** Math.ceil(Math.log2(this.#at + by + 1)));
    larger.set(this.#to.subarray(0, this.#at));
    this.#to = larger;
    if (larger.length <= LARGEST) scratch = larger;
  }

  done(): Uint8Array {
    return new Uint8Array(this.#to.subarray(0, this.#at));
  }
}

const [OPEN, CLOSE, COMMA, END] = [...Buffer.from('[],}')] as [number, number, number, number];

/**
 * A list of message objects as one user has them.
 * @param flags of each
 * @param matched members that are added to each, if there are any
 */
export function encodedMessages(
  rows: readonly OwnMessage[],
  flags: readonly (readonly string[])[],
  directory: DirectoryView,
  options: MessageVariant,
  matched?: (message: StoredMessage) => object,
): Uint8Array {
  const writing = new Writing();
  writing.byte(OPEN);
  for (let i = 0; i < rows.length; i++) {
    const { message } = rows[i]!;
    if (i > 0) writing.byte(COMMA);
    if (message instanceof SeenMessage) writeSeen(writing, message, flags[i]!, directory, options);
    else {
      writing.text(encodedMessage(message, directory, options));
      writing.text(`,"flags":${JSON.stringify(flags[i])}`);
    }
    if (matched) writing.text(`,${JSON.stringify(matched(message)).slice(1, -1)}`);
    writing.byte(END);
  }
  writing.byte(CLOSE);
  return writing.done();
}

function writeSeen(
  writing: Writing,
  message: SeenMessage,
  flags: readonly string[],
  directory: DirectoryView,
  options: MessageVariant,
): void {
  const { packed, stream, participants } = message;
  writing.bytes(packed.head);
  writing.bytes(packed.text(options.applyMarkdown ? TEXT.html : TEXT.content));
  writing.bytes(senderPiece(message.sender, directory, options));
  writing.bytes(recipientPiece(stream, participants, directory));
  if ((message.marks & MARK.more) === 0) writing.bytes(flagsPiece(flags));
  else {
    writing.text(`,${JSON.stringify(shownSince(message, directory)).slice(1, -1)},"flags":${JSON.stringify(flags)}`);
  }
}
