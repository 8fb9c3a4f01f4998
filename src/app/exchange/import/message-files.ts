/** Reads a file of messages. Most of this needs plain data only, so a thread can do it (message-threads.ts). */
import type { JsonObject } from '#base';
import { ExportFolder } from '../format/folder.js';
import type { JsonNumberTable } from '../format/json-rows.js';
import { ExportFormatError, nameFileInFormatError } from '../format/problem.js';
import type { ImportedIdMap } from '../ids.js';
import { mayHaveMentionOrLink } from '../tables/former-names.js';
import { hasNewerMentions } from '../tables/newer-mentions.js';

export const MESSAGE_TABLE = 'zerver_message';
export const RECEIVER_TABLE = 'zerver_usermessage';
const RECEIVER_USER_COLUMN = 'user_profile';
/** Columns of the messages that an import reads. The others are the larger part, most of all the old HTML. */
const IMPORTED_MESSAGE_COLUMNS = [
  'id',
  'sender',
  'recipient',
  'subject',
  'content',
  'date_sent',
  'sending_client',
  'edit_history',
] as const;

/** Number of messages that are sent from thread to thread at a time: some 5 ms of rendering. */
export const MESSAGES_PER_SLICE = 100;

/** A file of messages that a thread reads. */
export interface MessageFileJob {
  readonly folder: string;
  readonly name: string;
  /** True if only the ids of the messages are needed. */
  readonly onlyIds: boolean;
}

export interface MessageFileContent {
  /** Ids of the messages in the export, in the order of the file. */
  readonly ids: Float64Array;
  /**
   * Rows of the messages in the order of the file, as JSON arrays of at most `MESSAGES_PER_SLICE` rows; none if only
   * the ids are needed. A text is sent from a thread in less time than objects, and the rows of a slice are garbage
   * before V8 promotes them.
   */
  readonly rowSlices: readonly string[];
  /**
   * Rows of receivers as pairs of the user's id in the export and a sum of `EXPORTED_MESSAGE_FLAG_BITS`: those of the
   * first message first, and at the end those whose message is not in the file.
   */
  readonly receivers: Float64Array;
  /** Number of receivers of each message. */
  readonly receiverCounts: Uint32Array;
}

/** Reads a file of messages. @throws ExportFormatError */
export async function readMessageFile({ folder, name, onlyIds }: MessageFileJob): Promise<MessageFileContent> {
  const ids: number[] = [];
  const rowSlices: string[] = [];
  let rows: JsonObject[] = [];
  const endSlice = (): void => {
    if (rows.length > 0) rowSlices.push(JSON.stringify(rows));
    rows = [];
  };
  // The file may have the rows of receivers before the messages.
  const pairsByMessage = new Map<number, number[]>();
  let last = { message: -1, pairs: [] as number[] };
  const addReceiver = (message: number, user: number, mask: number): void => {
    // The rows of one message usually lie together.
    if (message !== last.message) {
      last = { message, pairs: pairsByMessage.get(message) ?? [] };
      pairsByMessage.set(message, last.pairs);
    }
    last.pairs.push(user, mask);
  };
  const numberTable: JsonNumberTable = {
    name: RECEIVER_TABLE,
    columns: ['message', RECEIVER_USER_COLUMN, 'flags_mask'],
    takeNumbers: (numbers) => addReceiver(numbers[0]!, numbers[1]!, numbers[2]!),
  };
  const skips = (table: string): boolean => table !== MESSAGE_TABLE && (onlyIds || table !== RECEIVER_TABLE);
  // Rows of receivers, usually behind the messages, are nine tenths of a file. They are checked when the whole file is
  // read.
  const lastTable = onlyIds ? MESSAGE_TABLE : undefined;
  for await (const batch of new ExportFolder(folder).readRowBatches(name, { skips, numberTable, lastTable })) {
    for (const row of batch) {
      if (row.table === MESSAGE_TABLE) {
        ids.push(row.requiredId);
        if (onlyIds) continue;
        rows.push(pickImportedColumns(row.fields));
        if (rows.length === MESSAGES_PER_SLICE) endSlice();
      } else if (row.table === RECEIVER_TABLE) {
        addReceiver(
          row.requireNonNegativeInteger('message'),
          row.requireNonNegativeInteger(RECEIVER_USER_COLUMN),
          row.requireNonNegativeInteger('flags_mask'),
        );
      }
    }
  }
  endSlice();
  return { ids: Float64Array.from(ids), rowSlices, ...joinReceivers(ids, pairsByMessage) };
}

function pickImportedColumns(fields: JsonObject): JsonObject {
  const picked: Record<string, JsonObject[string]> = {};
  for (const name of IMPORTED_MESSAGE_COLUMNS) {
    const value = fields[name];
    if (value !== undefined) picked[name] = value;
  }
  // The import reads the old HTML for mentions and links only, so other messages go without it.
  const { content, rendered_content: html } = fields;
  const hasNames = typeof content === 'string' && mayHaveMentionOrLink(content);
  if (typeof html === 'string' && (hasNames || hasNewerMentions(html))) picked.rendered_content = html;
  return picked;
}

function joinReceivers(ids: readonly number[], pairsByMessage: Map<number, number[]>) {
  const receiverCounts = new Uint32Array(ids.length);
  const lists: (readonly number[])[] = [];
  for (const [i, id] of ids.entries()) {
    const pairs = pairsByMessage.get(id);
    if (!pairs) continue;
    receiverCounts[i] = pairs.length / 2;
    lists.push(pairs);
    pairsByMessage.delete(id);
  }
  lists.push(...pairsByMessage.values());
  const receivers = new Float64Array(lists.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const pairs of lists) {
    receivers.set(pairs, at);
    at += pairs.length;
  }
  return { receivers, receiverCounts };
}

/** Error of a row of receivers whose user the export does not have. The id of the row is not known: pairs have none. */
class UnknownReceiverError extends ExportFormatError {
  constructor(readonly exportedUserId: number) {
    super(`${RECEIVER_TABLE}: ${RECEIVER_USER_COLUMN}: there is no user with id ${exportedUserId}`);
  }
}

/** Returns the new id of the user of a row of receivers. @throws ExportFormatError if the export has no such user */
export function requireReceiverId(userIdMap: ImportedIdMap, exportedUserId: number): number {
  const id = userIdMap.findNewId(exportedUserId);
  if (id === undefined) throw new UnknownReceiverError(exportedUserId);
  return id;
}

/**
 * Names the file in an error about a message or its receivers. A row of receivers is looked up in the file.
 * @param name name of the file
 */
export async function nameMessageFileInFormatError(
  error: unknown,
  folder: ExportFolder,
  name: string,
): Promise<unknown> {
  if (!(error instanceof UnknownReceiverError)) return nameFileInFormatError(error, name);
  for await (const batch of folder.readRowBatches(name, { skips: (table) => table !== RECEIVER_TABLE }))
    for (const row of batch)
      if (row.uncheckedValue(RECEIVER_USER_COLUMN) === error.exportedUserId)
        return nameFileInFormatError(
          row.makeRowError(`${RECEIVER_USER_COLUMN}: there is no user with id ${error.exportedUserId}`),
          name,
        );
  return nameFileInFormatError(error, name);
}
