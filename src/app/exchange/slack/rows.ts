/** Reads the files of a Slack export. Each contains a list of rows. */
import { lstat, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Json } from '#base';
import { ExportFormatError, makeExportRowError } from '../format/problem.js';
import { CheckedExportRow, isJsonObject } from '../format/row.js';

export const CHANNELS_FILE_NAME = 'channels.json';
/** Maximum size of one file of messages, bytes. */
const MAX_SLACK_JSON_FILE_BYTES = 256 * 1_048_576;

/** Rows of the files that list the conversations of an export. */
export interface SlackConversationLists {
  readonly channels: readonly CheckedExportRow[];
  readonly groups: readonly CheckedExportRow[];
  readonly mpims: readonly CheckedExportRow[];
  readonly dms: readonly CheckedExportRow[];
}

/** Reads the rows of a file. @throws ExportFormatError */
export async function readSlackRows(folder: string, name: string, optional = false): Promise<CheckedExportRow[]> {
  const file = join(folder, name);
  const found = await lstat(file).catch(() => undefined);
  if (!found && optional) return [];
  if (!found?.isFile()) throw new ExportFormatError(`there is no file ${name}: this is no Slack export`);
  if (found.size > MAX_SLACK_JSON_FILE_BYTES)
    throw new ExportFormatError(`${name} is larger than ${MAX_SLACK_JSON_FILE_BYTES} bytes`);
  let parsed: unknown;
  try {
    parsed = JSON.parse(await readFile(file, 'utf8'));
  } catch {
    throw new ExportFormatError(`${name} is no JSON, or is truncated`);
  }
  if (!Array.isArray(parsed)) throw new ExportFormatError(`${name} is no list`);
  return (parsed as readonly Json[]).map((fields, i) => {
    // Messages have no ids: errors name them by their position.
    const label = isJsonObject(fields) && typeof fields.id === 'string' ? fields.id : String(i + 1);
    if (!isJsonObject(fields)) throw makeExportRowError(name, label, 'is no object');
    return new CheckedExportRow(name, fields, label);
  });
}

/** Reads the lists of conversations. @throws ExportFormatError */
export async function readSlackConversationLists(folder: string): Promise<SlackConversationLists> {
  const groups = await readSlackRows(folder, 'groups.json', true);
  const mpims = await readSlackRows(folder, 'mpims.json', true);
  // Some exports also list a group conversation as a private channel.
  const keysOfMpims = new Set(mpims.flatMap(keysOfSlackConversation));
  return {
    channels: await readSlackRows(folder, CHANNELS_FILE_NAME),
    groups: groups.filter((row) => !keysOfSlackConversation(row).some((key) => keysOfMpims.has(key))),
    mpims,
    dms: await readSlackRows(folder, 'dms.json', true),
  };
}

/** Ids of the members of a conversation. */
export function slackMembersOf(row: CheckedExportRow): readonly string[] {
  const given = row.uncheckedValue('members');
  return Array.isArray(given) ? given.filter((key): key is string => typeof key === 'string') : [];
}

/** Keys of a conversation: its id, and its folder with its members. Rows that share a key are the same conversation. */
function keysOfSlackConversation(row: CheckedExportRow): readonly string[] {
  const id = row.textOrDefault('id');
  const place = [row.textOrDefault('name').normalize(), ...[...new Set(slackMembersOf(row))].sort()];
  return [...(id === '' ? [] : [id]), JSON.stringify(place)];
}
