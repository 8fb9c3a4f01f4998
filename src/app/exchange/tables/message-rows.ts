/**
 * Encodes rows of zerver_message as bytes, from messages that the Store has not decoded: the JSON of their long texts
 * is in their digests. Equal to the JSON of `makeMessageRow`.
 */
import { withLength } from '#base';
import type {
  MessageBody,
  PackedMessageView,
  StoredMessageEdit,
  StoredReaction,
  StoredSubmessage,
} from '#domain/messages';
import {
  areBytesAt,
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

const BODY_FIELDS = ['topic', 'client', 'sent', 'recipient', 'has', 'files', 'edits', 'reactions', 'submessages'];

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
  lastEditTime: number | undefined,
  edits: readonly StoredMessageEdit[],
  hasFiles: boolean,
  hasImage: boolean,
  hasLink: boolean,
): string {
  const columns = {
    sending_client: client,
    ...makeEditColumns(lastEditTime, edits),
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

/** The fields of a stored body that a row needs, but for the long texts. One object serves all messages. */
class PackedBodyColumns {
  /** Positions of the texts in the memory of the message. */
  topicStart = 0;
  topicEnd = 0;
  clientStart = 0;
  clientEnd = 0;
  recipient = 0;
  sent = 0;
  hasLink = false;
  hasImage = false;
  hasFiles = false;
  edits: readonly StoredMessageEdit[] = NO_ITEMS;
  reactions: readonly StoredReaction[] = NO_ITEMS;
  submessages: readonly StoredSubmessage[] = NO_ITEMS;
  readonly #fields = new PackedFieldFinder(BODY_FIELDS);
  readonly #hasFields = new PackedFieldFinder(['link', 'image']);

  /** @returns false if a field is missing or has another type */
  moveTo({ packed }: PackedMessageView): boolean {
    const memory = packed.memoryView;
    packed.findBodyFields(this.#fields);
    const at = this.#fields.positions;
    return (
      this.#readTexts(memory, at[0]!, at[1]!) &&
      this.#readNumbers(memory, at[2]!, at[3]!) &&
      this.#readFacts(memory, at[4]!) &&
      this.#readLists(memory, at[5]!, at[6]!, at[7]!, at[8]!)
    );
  }

  #readTexts(memory: DataView, topicAt: number, clientAt: number): boolean {
    const topicStart = findPackedTextStart(memory, topicAt);
    const clientStart = findPackedTextStart(memory, clientAt);
    if (topicStart === undefined || clientStart === undefined) return false;
    this.topicStart = topicStart;
    this.topicEnd = skipPackedValue(memory, topicAt);
    this.clientStart = clientStart;
    this.clientEnd = skipPackedValue(memory, clientAt);
    return true;
  }

  #readNumbers(memory: DataView, sentAt: number, recipientAt: number): boolean {
    const sent = readPackedNumber(memory, sentAt);
    const recipient = readPackedNumber(memory, recipientAt);
    if (sent === undefined || recipient === undefined) return false;
    this.sent = sent;
    this.recipient = recipient;
    return true;
  }

  #readFacts(memory: DataView, hasAt: number): boolean {
    if (hasAt < 0) return false;
    this.#hasFields.findFieldsOfMap(memory, hasAt);
    const [linkAt, imageAt] = [this.#hasFields.positions[0]!, this.#hasFields.positions[1]!];
    const hasLink = readPackedBoolean(memory, linkAt);
    const hasImage = readPackedBoolean(memory, imageAt);
    if (hasLink === undefined || hasImage === undefined) return false;
    this.hasLink = hasLink;
    this.hasImage = hasImage;
    return true;
  }

  #readLists(memory: DataView, filesAt: number, editsAt: number, reactionsAt: number, submessagesAt: number): boolean {
    const fileCount = filesAt < 0 ? 0 : readPackedListLength(memory, filesAt);
    const edits = decodePackedList<StoredMessageEdit>(memory, editsAt);
    const reactions = decodePackedList<StoredReaction>(memory, reactionsAt);
    const submessages = decodePackedList<StoredSubmessage>(memory, submessagesAt);
    if (fileCount === undefined || !edits || !reactions || !submessages) return false;
    this.hasFiles = fileCount > 0;
    this.edits = edits;
    this.reactions = reactions;
    this.submessages = submessages;
    return true;
  }
}

/** The lists of a message that have rows in tables of their own. */
export type MessageListsWithOwnTables = Pick<MessageBody, 'reactions' | 'submessages'>;

/** Encodes rows one after another, with a separator before each. */
export class MessageRowEncoder {
  #bytes = new Uint8Array(FIRST_CAPACITY_BYTES);
  #view = new DataView(this.#bytes.buffer);
  #length = 0;
  readonly #body = new PackedBodyColumns();
  /** The clients that were met, with the bytes of their names. */
  readonly #clients: { readonly name: Uint8Array; readonly id: number }[] = [];
  /** Ends of rows by id of the client, and by a sum of 4 for files, 2 for a picture and 1 for a link. */
  readonly #rowEnds: (CopiedText | undefined)[][] = [];

  /**
   * @param clientIdOf finds the id of a client by its name
   * @param shownEditsOf selects the edits of a message that the export shows
   */
  constructor(
    private readonly clientIdOf: (name: string) => number,
    private readonly shownEditsOf: (edits: readonly StoredMessageEdit[]) => readonly StoredMessageEdit[] = (edits) =>
      edits,
  ) {}

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
   * @returns lists of the message, valid until the next call; undefined, without a row, if the row needs the decoded
   * message
   */
  addRowIfPossible(message: PackedMessageView): MessageListsWithOwnTables | undefined {
    const body = this.#body;
    if (!body.moveTo(message)) return undefined;
    const memory = message.packed.memoryView;
    const client = this.#clientIdOf(memory, body.clientStart, body.clientEnd);
    const { contentJson, htmlJson } = message;
    const end =
      body.edits.length === 0
        ? undefined
        : Buffer.from(
            makeRowEnd(
              client,
              body.edits[0]?.at,
              this.shownEditsOf(body.edits),
              body.hasFiles,
              body.hasImage,
              body.hasLink,
            ),
          );
    const topicBytes = (body.topicEnd - body.topicStart) * MAX_JSON_BYTES_PER_BYTE;
    this.#ensureRoom(MAX_OTHER_ROW_BYTES + topicBytes + contentJson.length + htmlJson.length + (end?.length ?? 0));
    const view = this.#view;
    const bytes = this.#bytes;
    let at = rowStart.copyTo(view, this.#length);
    at = putDigits(view, at, message.id);
    at = putDigits(view, beforeSender.copyTo(view, at), message.sender);
    at = putDigits(view, beforeRecipient.copyTo(view, at), body.recipient);
    at = this.#putText(memory, body.topicStart, body.topicEnd, beforeSubject.copyTo(view, at));
    at = beforeContent.copyTo(view, at);
    bytes.set(contentJson, at);
    at = beforeHtml.copyTo(view, at + contentJson.length);
    bytes.set(htmlJson, at);
    at = putDigits(view, beforeDate.copyTo(view, at + htmlJson.length), body.sent);
    if (end) bytes.set(end, at);
    this.#length = end ? at + end.length : this.#cachedRowEnd(client, body).copyTo(view, at);
    return body;
  }

  #ensureRoom(bytes: number): void {
    const needed = this.#length + bytes;
    if (needed <= this.#bytes.length) return;
    this.#bytes = withLength(this.#bytes, Math.max(needed, 2 * this.#bytes.length));
    this.#view = new DataView(this.#bytes.buffer);
  }

  #clientIdOf(memory: DataView, start: number, end: number): number {
    for (const { name, id } of this.#clients)
      if (name.length === end - start && areBytesAt(memory, start, name)) return id;
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

  /** The end of a row without edits. */
  #cachedRowEnd(client: number, { hasFiles, hasImage, hasLink }: PackedBodyColumns): CopiedText {
    const index = (hasFiles ? 4 : 0) + (hasImage ? 2 : 0) + (hasLink ? 1 : 0);
    let ends = this.#rowEnds[client];
    if (!ends) {
      ends = [];
      this.#rowEnds[client] = ends;
    }
    ends[index] ??= new CopiedText(makeRowEnd(client, undefined, [], hasFiles, hasImage, hasLink));
    return ends[index];
  }
}
