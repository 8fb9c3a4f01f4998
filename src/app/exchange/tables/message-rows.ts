/**
 * Encodes rows of zerver_message as bytes, from messages that the Store has not decoded: the JSON of their long texts is
 * in their digests. Equal to the JSON of `makeMessageRow`.
 */
import { withLength } from '#base';
import { type PackedMessageView } from '#domain/messages';
import {
  findPackedTextStart,
  PackedFieldFinder,
  readPackedBoolean,
  readPackedListLength,
  readPackedNumber,
  skipPackedValue,
} from '#ports/store';
import { CopiedText } from '../format/copied-text.js';

const FIRST_CAPACITY_BYTES = 262_144;
/** Upper bound of the bytes of a row without its topic, its content and its HTML. */
const MAX_OTHER_ROW_BYTES = 1_024;
/** Maximum number of bytes of a character in JSON, as in \u0000. */
const MAX_JSON_BYTES_PER_BYTE = 6;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const FIRST_UNESCAPED_BYTE = 0x20;
const ZERO_BYTE = 0x30;

/** Text between two rows. Each row has it before it, the first one of a file too. */
export const ROW_SEPARATOR = ',\n';

const rowStart = new CopiedText(`${ROW_SEPARATOR}    {"id":`);
const beforeSender = new CopiedText(',"sender":');
const beforeRecipient = new CopiedText(',"recipient":');
const beforeSubject = new CopiedText(',"realm":1,"subject":"');
const beforeContent = new CopiedText('","content":"');
const beforeHtml = new CopiedText('","rendered_content":"');
const beforeDate = new CopiedText('","rendered_content_version":1,"date_sent":');

const makeRowEnd = (client: number, hasFiles: boolean, hasImage: boolean, hasLink: boolean): CopiedText =>
  new CopiedText(
    `,"sending_client":${client},"last_edit_time":null,"edit_history":null,"has_attachment":${hasFiles},` +
      `"has_image":${hasImage},"has_link":${hasLink},"search_tsvector":null}`,
  );

/** Encodes rows one after another, with a separator before each. */
export class MessageRowEncoder {
  #bytes = new Uint8Array(FIRST_CAPACITY_BYTES);
  #view = new DataView(this.#bytes.buffer);
  #length = 0;
  readonly #bodyFields = new PackedFieldFinder(['topic', 'sent', 'client', 'recipient', 'has', 'files']);
  readonly #hasFields = new PackedFieldFinder(['link', 'image']);
  /** The clients that were met, with the bytes of their names. */
  readonly #clients: { readonly name: Uint8Array; readonly id: number }[] = [];
  /** Ends of rows by id of the client, and by a sum of 4 for files, 2 for a picture and 1 for a link. */
  readonly #rowEnds: (CopiedText | undefined)[][] = [];

  /** @param clientIdOf finds the id of a client by its name */
  constructor(private readonly clientIdOf: (name: string) => number) {}

  /** Number of bytes since the last call of `takeBytes`. */
  get byteLength(): number {
    return this.#length;
  }

  /** Returns the rows since the last call. Valid until the next call of any method. */
  takeBytes(): Uint8Array {
    const taken = this.#bytes.subarray(0, this.#length);
    this.#length = 0;
    return taken;
  }

  /** Adds the row of a message. @returns false, without a row, if the message has to be decoded for it */
  addRowIfPossible(message: PackedMessageView): boolean {
    const { packed } = message;
    if (!message.hasNoReactionsOrEdits) return false;
    const memory = packed.memoryView;
    packed.findBodyFields(this.#bodyFields);
    const fields = this.#bodyFields.positions;
    const topicAt = fields[0]!;
    const sentAt = fields[1]!;
    const clientAt = fields[2]!;
    const recipientAt = fields[3]!;
    const hasAt = fields[4]!;
    const filesAt = fields[5]!;
    if (topicAt < 0 || sentAt < 0 || clientAt < 0 || recipientAt < 0 || hasAt < 0) return false;
    this.#hasFields.findFieldsOfMap(memory, hasAt);
    const { positions } = this.#hasFields;
    const hasLink = positions[0]! < 0 ? undefined : readPackedBoolean(memory, positions[0]!);
    const hasImage = positions[1]! < 0 ? undefined : readPackedBoolean(memory, positions[1]!);
    const fileCount = filesAt < 0 ? 0 : readPackedListLength(memory, filesAt);
    const topicStart = findPackedTextStart(memory, topicAt);
    const clientStart = findPackedTextStart(memory, clientAt);
    const sent = readPackedNumber(memory, sentAt);
    const recipient = readPackedNumber(memory, recipientAt);
    if (
      hasLink === undefined ||
      hasImage === undefined ||
      fileCount === undefined ||
      topicStart === undefined ||
      clientStart === undefined ||
      sent === undefined ||
      recipient === undefined
    )
      return false;
    const topicEnd = skipPackedValue(memory, topicAt);
    const client = this.#clientIdOf(memory, clientStart, skipPackedValue(memory, clientAt));
    const { contentJson: content, htmlJson: html } = message;
    this.#ensureRoom(
      MAX_OTHER_ROW_BYTES + (topicEnd - topicStart) * MAX_JSON_BYTES_PER_BYTE + content.length + html.length,
    );
    const view = this.#view;
    const bytes = this.#bytes;
    let at = rowStart.copyTo(view, this.#length);
    at = this.#putNumber(message.id, at);
    at = this.#putNumber(message.sender, beforeSender.copyTo(view, at));
    at = this.#putNumber(recipient, beforeRecipient.copyTo(view, at));
    at = this.#putText(memory, topicStart, topicEnd, beforeSubject.copyTo(view, at));
    at = beforeContent.copyTo(view, at);
    bytes.set(content, at);
    at = beforeHtml.copyTo(view, at + content.length);
    bytes.set(html, at);
    at = this.#putNumber(sent, beforeDate.copyTo(view, at + html.length));
    this.#length = this.#rowEnd(client, fileCount > 0, hasImage, hasLink).copyTo(view, at);
    return true;
  }

  #ensureRoom(bytes: number): void {
    const needed = this.#length + bytes;
    if (needed <= this.#bytes.length) return;
    this.#bytes = withLength(this.#bytes, Math.max(needed, 2 * this.#bytes.length));
    this.#view = new DataView(this.#bytes.buffer);
  }

  #clientIdOf(memory: DataView, start: number, end: number): number {
    for (const { name, id } of this.#clients) if (isEqualTo(name, memory, start, end)) return id;
    const name = new Uint8Array(memory.buffer, memory.byteOffset + start, end - start).slice();
    const id = this.clientIdOf(Buffer.from(name.buffer).toString());
    this.#clients.push({ name, id });
    return id;
  }

  /** @returns the position behind the number */
  #putNumber(value: number, at: number): number {
    const view = this.#view;
    if (value >= 2 ** 31 || value !== value >>> 0) {
      const text = String(value);
      for (let i = 0; i < text.length; i++) view.setUint8(at + i, text.charCodeAt(i));
      return at + text.length;
    }
    let digits = 1;
    for (let power = 10; digits < 10 && power <= value; power *= 10) digits++;
    let rest = value;
    for (let i = digits - 1; i >= 0; i--) {
      const next = (rest / 10) >>> 0;
      view.setUint8(at + i, ZERO_BYTE + rest - next * 10);
      rest = next;
    }
    return at + digits;
  }

  /** Writes UTF-8 bytes as JSON without quotes. @returns the position behind them */
  #putText(memory: DataView, start: number, end: number, position: number): number {
    const bytes = this.#bytes;
    let at = position;
    for (let from = start; from < end; from++) {
      const byte = memory.getUint8(from);
      if (byte < FIRST_UNESCAPED_BYTE || byte === QUOTE || byte === BACKSLASH) {
        const text = Buffer.from(memory.buffer, memory.byteOffset + start, end - start).toString();
        const json = Buffer.from(JSON.stringify(text).slice(1, -1));
        bytes.set(json, position);
        return position + json.length;
      }
      bytes[at++] = byte;
    }
    return at;
  }

  #rowEnd(client: number, hasFiles: boolean, hasImage: boolean, hasLink: boolean): CopiedText {
    const index = (hasFiles ? 4 : 0) + (hasImage ? 2 : 0) + (hasLink ? 1 : 0);
    let ends = this.#rowEnds[client];
    if (!ends) {
      ends = [];
      this.#rowEnds[client] = ends;
    }
    ends[index] ??= makeRowEnd(client, hasFiles, hasImage, hasLink);
    return ends[index];
  }
}

function isEqualTo(expected: Uint8Array, memory: DataView, start: number, end: number): boolean {
  if (expected.length !== end - start) return false;
  for (let i = 0; i < expected.length; i++) if (expected[i] !== memory.getUint8(start + i)) return false;
  return true;
}
