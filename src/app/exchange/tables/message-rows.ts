/**
 * Encodes rows of zerver_message as bytes, from messages that the Store has not decoded: the JSON of their long texts is
 * in their digests. Equal to the JSON of `makeMessageRow`.
 */
import { withLength } from '#base';
import type { PackedMessageView, StoredMessageEdit, StoredReaction } from '#domain/messages';
import {
  findPackedTextStart,
  PackedFieldFinder,
  readPackedBoolean,
  readPackedListLength,
  readPackedNumber,
  skipPackedValue,
  unpackJson,
} from '#ports/store';
import { CopiedText } from '../format/copied-text.js';
import { putDigits } from '../format/digits.js';
import { makeEditColumns } from './messages.js';

const NO_ITEMS: readonly never[] = [];
const FIRST_CAPACITY_BYTES = 262_144;
/** Upper bound of the bytes of a row without its topic, its content and its HTML. */
const MAX_OTHER_ROW_BYTES = 1_024;
/** Maximum number of bytes of a character in JSON, as in \u0000. */
const MAX_JSON_BYTES_PER_BYTE = 6;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const FIRST_UNESCAPED_BYTE = 0x20;

/** Text between two rows. Each row has it before it, the first one of a file too. */
export const ROW_SEPARATOR = ',\n';

const rowStart = new CopiedText(`${ROW_SEPARATOR}    {"id":`);
const beforeSender = new CopiedText(',"sender":');
const beforeRecipient = new CopiedText(',"recipient":');
const beforeSubject = new CopiedText(',"realm":1,"subject":"');
const beforeContent = new CopiedText('","content":"');
const beforeHtml = new CopiedText('","rendered_content":"');
const beforeDate = new CopiedText('","rendered_content_version":1,"date_sent":');

/** Makes the part of a row behind the time of sending. */
function makeRowEnd(
  client: number,
  edits: readonly StoredMessageEdit[],
  hasFiles: boolean,
  hasImage: boolean,
  hasLink: boolean,
): string {
  const columns = {
    sending_client: client,
    ...makeEditColumns(edits),
    has_attachment: hasFiles,
    has_image: hasImage,
    has_link: hasLink,
    search_tsvector: null,
  };
  return `,${JSON.stringify(columns).slice(1)}`;
}

/** Decodes a list of the body; `at` is -1 for a missing field, which is empty. @returns undefined for another value */
function decodePackedList<T>(memory: DataView, at: number): readonly T[] | undefined {
  if (at < 0) return NO_ITEMS;
  const length = readPackedListLength(memory, at);
  if (length === undefined || length === 0) return length === 0 ? NO_ITEMS : undefined;
  return unpackJson(packedBytes(memory, at, skipPackedValue(memory, at))) as unknown as readonly T[];
}

const packedBytes = (memory: DataView, start: number, end: number): Uint8Array =>
  new Uint8Array(memory.buffer, memory.byteOffset + start, end - start);

/** Encodes rows one after another, with a separator before each. */
export class MessageRowEncoder {
  #bytes = new Uint8Array(FIRST_CAPACITY_BYTES);
  #view = new DataView(this.#bytes.buffer);
  #length = 0;
  readonly #bodyFields = new PackedFieldFinder(['topic', 'sent', 'client', 'recipient', 'has', 'files', 'edits', 'reactions']);
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

  /**
   * Adds the row of a message.
   * @returns the message's reactions; undefined, without a row, if the message has to be decoded for it
   */
  addRowIfPossible(message: PackedMessageView): readonly StoredReaction[] | undefined {
    const { packed } = message;
    const memory = packed.memoryView;
    packed.findBodyFields(this.#bodyFields);
    const fields = this.#bodyFields.positions;
    const topicAt = fields[0]!;
    const sentAt = fields[1]!;
    const clientAt = fields[2]!;
    const recipientAt = fields[3]!;
    const hasAt = fields[4]!;
    const filesAt = fields[5]!;
    const edits = decodePackedList<StoredMessageEdit>(memory, fields[6]!);
    const reactions = decodePackedList<StoredReaction>(memory, fields[7]!);
    if (topicAt < 0 || sentAt < 0 || clientAt < 0 || recipientAt < 0 || hasAt < 0) return undefined;
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
      recipient === undefined ||
      !edits ||
      !reactions
    )
      return undefined;
    const topicEnd = skipPackedValue(memory, topicAt);
    const client = this.#clientIdOf(memory, clientStart, skipPackedValue(memory, clientAt));
    const { contentJson: content, htmlJson: html } = message;
    const hasFiles = fileCount > 0;
    const end =
      edits.length === 0 ? undefined : Buffer.from(makeRowEnd(client, edits, hasFiles, hasImage, hasLink));
    const topicBytes = (topicEnd - topicStart) * MAX_JSON_BYTES_PER_BYTE;
    this.#ensureRoom(MAX_OTHER_ROW_BYTES + topicBytes + content.length + html.length + (end?.length ?? 0));
    const view = this.#view;
    const bytes = this.#bytes;
    let at = rowStart.copyTo(view, this.#length);
    at = putDigits(view, at, message.id);
    at = putDigits(view, beforeSender.copyTo(view, at), message.sender);
    at = putDigits(view, beforeRecipient.copyTo(view, at), recipient);
    at = this.#putText(memory, topicStart, topicEnd, beforeSubject.copyTo(view, at));
    at = beforeContent.copyTo(view, at);
    bytes.set(content, at);
    at = beforeHtml.copyTo(view, at + content.length);
    bytes.set(html, at);
    at = putDigits(view, beforeDate.copyTo(view, at + html.length), sent);
    if (end) bytes.set(end, at);
    this.#length = end ? at + end.length : this.#rowEnd(client, hasFiles, hasImage, hasLink).copyTo(view, at);
    return reactions;
  }

  #ensureRoom(bytes: number): void {
    const needed = this.#length + bytes;
    if (needed <= this.#bytes.length) return;
    this.#bytes = withLength(this.#bytes, Math.max(needed, 2 * this.#bytes.length));
    this.#view = new DataView(this.#bytes.buffer);
  }

  #clientIdOf(memory: DataView, start: number, end: number): number {
    for (const { name, id } of this.#clients) if (isEqualTo(name, memory, start, end)) return id;
    const name = packedBytes(memory, start, end).slice();
    const id = this.clientIdOf(Buffer.from(name.buffer).toString());
    this.#clients.push({ name, id });
    return id;
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
    ends[index] ??= new CopiedText(makeRowEnd(client, [], hasFiles, hasImage, hasLink));
    return ends[index];
  }
}

function isEqualTo(expected: Uint8Array, memory: DataView, start: number, end: number): boolean {
  if (expected.length !== end - start) return false;
  for (let i = 0; i < expected.length; i++) if (expected[i] !== memory.getUint8(start + i)) return false;
  return true;
}
