/** A hash that tells one export from another, so that no other export continues an unfinished import. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type { ExportFolder } from '../format/folder.js';
import { REALM_FILE_NAME } from './read.js';

const FILE_LIST_NAMES = [
  'attachment.json',
  ...['uploads', 'avatars', 'emoji', 'realm_icons'].map((folder) => `${folder}/records.json`),
];
/** Number of bytes hashed of each other file: a million messages have a thousand files, of gigabytes in all. */
const MAX_HASHED_BYTES_PER_FILE = 65_536;

/**
 * Hashes the organization's tables, and the name, the size and the beginning of each file of messages and each list of
 * files.
 */
export async function fingerprintExport(folder: ExportFolder): Promise<string> {
  const hash = createHash('sha256');
  const addBytes = async (name: string, end?: number): Promise<void> => {
    for await (const chunk of createReadStream(folder.pathOf(name), { end })) hash.update(chunk as Buffer);
  };
  await addBytes(REALM_FILE_NAME);
  for (const name of [...FILE_LIST_NAMES, ...(await folder.listConsecutiveMessageFiles())]) {
    const size = await folder.findSizeOfPlainFile(name);
    if (size === undefined) continue;
    hash.update(`\n${name} ${size}\n`);
    await addBytes(name, MAX_HASHED_BYTES_PER_FILE - 1);
  }
  return hash.digest('hex');
}
