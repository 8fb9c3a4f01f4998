/**
 * Sorts the messages of an export by date. Converters mark exports whose ids are not chronological by `sort_by_date`.
 * The messages are distributed to files by their rank, and then each file is sorted: one file at a time is in memory,
 * and two numbers per message.
 */
import { appendFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { JsonObject } from '#base';
import { type ExportFolder, nameOfMessageFile } from './folder.js';
import { ExportFormatError, nameFileInFormatError } from './problem.js';

const SORT_FLAG = 'sort_by_date';
const MESSAGES_PER_SORTED_FILE = 1_000;

/** A message with its rows of receivers, which lie in the same file. */
interface RankedMessage {
  readonly rank: number;
  readonly row: JsonObject;
  readonly rows: JsonObject[];
}

/** True if the export says that its messages are to be sorted by date. @throws ExportFormatError */
export async function isSortedByDate(folder: ExportFolder): Promise<boolean> {
  const value = (await folder.readNonTableValues('realm.json')).get(SORT_FLAG) ?? false;
  if (typeof value !== 'boolean')
    throw new ExportFormatError(
      `realm.json: ${SORT_FLAG} is ${JSON.stringify(value).slice(0, 60)} instead of true or false`,
    );
  return value;
}

/** Writes the message files into `target`, sorted by the second of sending, then by id. @returns the sorted export */
export async function sortMessagesByDate(folder: ExportFolder, target: string): Promise<ExportFolder> {
  await rm(target, { recursive: true, force: true });
  await mkdir(target, { recursive: true, mode: 0o700 });
  const names = await folder.listConsecutiveMessageFiles();
  const ranks = await rankMessages(folder, names);
  let first = 0;
  for (const name of names) {
    const messages = await readRankedMessages(folder, name, ranks, first);
    first += messages.length;
    await distributeMessages(messages, target);
  }
  for (let file = 0; file * MESSAGES_PER_SORTED_FILE < ranks.length; file++) await writeSortedFile(target, file);
  return folder.withMessagesOf(target);
}

const partialFileOf = (target: string, file: number): string => join(target, `${file}.partial`);

/** Returns the rank of each message, from 0, in the order of the files. */
async function rankMessages(folder: ExportFolder, names: readonly string[]): Promise<Uint32Array> {
  const found: { ids: number[]; seconds: number[] } = { ids: [], seconds: [] };
  for (const name of names) {
    try {
      for await (const batch of folder.readRowBatches(name, { skips: (table) => table !== 'zerver_message' })) {
        for (const row of batch) {
          found.ids.push(row.requiredId);
          found.seconds.push(Math.floor(row.timeSecondsOrDefault('date_sent')));
        }
      }
    } catch (error) {
      throw nameFileInFormatError(error, name);
    }
  }
  const [ids, seconds] = [Float64Array.from(found.ids), Float64Array.from(found.seconds)];
  const order = Uint32Array.from(ids, (_, at) => at);
  order.sort((a, b) => seconds[a]! - seconds[b]! || ids[a]! - ids[b]!);
  const ranks = new Uint32Array(order.length);
  for (const [rank, at] of order.entries()) ranks[at] = rank;
  return ranks;
}

async function readRankedMessages(
  folder: ExportFolder,
  name: string,
  ranks: Uint32Array,
  first: number,
): Promise<RankedMessage[]> {
  const messages: RankedMessage[] = [];
  const rowsOfMessage = new Map<number, JsonObject[]>();
  const rowsOf = (message: number): JsonObject[] => {
    const known = rowsOfMessage.get(message) ?? [];
    rowsOfMessage.set(message, known);
    return known;
  };
  for await (const batch of folder.readRowBatches(name)) {
    for (const row of batch) {
      if (row.table === 'zerver_message')
        messages.push({ rank: ranks[first + messages.length]!, row: row.fields, rows: rowsOf(row.requiredId) });
      else if (row.table === 'zerver_usermessage') rowsOf(row.requireNonNegativeInteger('message')).push(row.fields);
    }
  }
  return messages;
}

async function distributeMessages(messages: readonly RankedMessage[], target: string): Promise<void> {
  const linesByFile = new Map<number, string[]>();
  for (const message of messages) {
    const file = Math.floor(message.rank / MESSAGES_PER_SORTED_FILE);
    const lines = linesByFile.get(file) ?? [];
    linesByFile.set(file, lines);
    lines.push(`${JSON.stringify(message)}\n`);
  }
  for (const [file, lines] of linesByFile)
    await appendFile(partialFileOf(target, file), lines.join(''), { mode: 0o600 });
}

async function writeSortedFile(target: string, file: number): Promise<void> {
  const partial = partialFileOf(target, file);
  const lines = (await readFile(partial, 'utf8')).trimEnd().split('\n');
  const messages = lines.map((line) => JSON.parse(line) as RankedMessage).sort((a, b) => a.rank - b.rank);
  const tables = {
    zerver_message: messages.map(({ row }) => row),
    zerver_usermessage: messages.flatMap(({ rows }) => rows),
  };
  await writeFile(join(target, nameOfMessageFile(file + 1)), JSON.stringify(tables), { mode: 0o600 });
  await rm(partial);
}
