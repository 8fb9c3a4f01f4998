/** Uploaded files of this user: one part each, named by the file's token. The functions have no side effects. */

import { makeFileChangesCommand } from '#actors/shared';
import type { Json, JsonObject } from '#base';
import { blobNameOfFile, parseFilePath } from '#domain/files';
import type { ActorParts, RealmId } from '#model';
import type { OutboxCommand, UserFileChange } from '#model/commands';

/** A message that links a file. */
export interface LinkingMessage extends JsonObject {
  readonly id: number;
  /** Time of the message, seconds since 1970. */
  readonly sent: number;
}

export interface OwnUploadedFile extends JsonObject {
  readonly id: number;
  readonly path: string;
  readonly name: string;
  /** Size of the file, bytes. */
  readonly size: number;
  /** Time of the upload, ms since 1970. */
  readonly created: number;
  /** True once the bytes are stored. Until then no user sees the file. */
  readonly ready: boolean;
  /**
   * Messages that link the file, in the order in which this actor learned of them. All of them if they are fewer than
   * `MAX_LISTED_FILE_MESSAGES`, otherwise at least that many of the newest (parts of before list all).
   */
  readonly messages: readonly LinkingMessage[];
  /** Time at which the file is deleted unless a message links it before, ms; null while one does. */
  readonly expires: number | null;
  /** Time until which a deletion that came late was put off, ms (`findPauseOfLateDeletion`). */
  readonly putOffUntil?: number;
}

/**
 * Number of messages that the list of a file is cut to: each further link writes and publishes the whole list.
 * The Store's index has all of them.
 */
export const MAX_LISTED_FILE_MESSAGES = 100;

export const OWN_FILE_PART_PREFIX = 'file/';

/** Name of the part that holds the file. @param path checked path of the file */
export const ownFilePartName = (path: string): string => `${OWN_FILE_PART_PREFIX}${parseFilePath(path)?.token}`;

/** The file with exactly this path, even if its upload is not finished. */
export function findOwnFileOrUpload(parts: ActorParts, path: string): OwnUploadedFile | undefined {
  const file = parts.get(ownFilePartName(path)) as OwnUploadedFile | undefined;
  return file?.path === path ? file : undefined;
}

/** The file with exactly this path, if its upload is finished. */
export function findFinishedOwnFile(parts: ActorParts, path: string): OwnUploadedFile | undefined {
  const file = findOwnFileOrUpload(parts, path);
  return file?.ready ? file : undefined;
}

/** All files of the user, unfinished uploads included, in no particular order. */
export function* iterateOwnFiles(parts: ActorParts): Iterable<OwnUploadedFile> {
  for (const [name, file] of parts) if (name.startsWith(OWN_FILE_PART_PREFIX)) yield file as unknown as OwnUploadedFile;
}

/** The file as the API's attachment object (realm.md): times in milliseconds. */
export const formatAttachmentForApi = ({ id, name, path, size, created, messages }: OwnUploadedFile): JsonObject => ({
  id,
  name,
  path_id: path,
  size,
  create_time: Math.floor(created / 1000) * 1000,
  messages: messages
    .slice(-MAX_LISTED_FILE_MESSAGES)
    .map((message) => ({ id: message.id, date_sent: message.sent * 1000 })),
});

interface OwnFilesRemoval {
  readonly deletedParts: Record<string, Json>;
  readonly fileChangesCommand: OutboxCommand;
}

/** Deletes files: their parts, and by a command to the realm actor their bytes. @param files at least one */
export function makeOwnFilesRemoval(realm: RealmId, owner: number, files: readonly OwnUploadedFile[]): OwnFilesRemoval {
  // A file whose upload never finished uses no quota and was never published.
  const known = files.filter((file) => file.ready);
  const changes = known.map(({ id, size }): UserFileChange => ({ op: 'remove', attachment: { id }, bytes: -size }));
  const erase = files.map(({ path }) => blobNameOfFile(path));
  return {
    deletedParts: Object.fromEntries(files.map(({ path }) => [ownFilePartName(path), null])),
    fileChangesCommand: makeFileChangesCommand(realm, owner, changes, erase),
  };
}

/** Earliest expiry of a file, ms; null: no file expires. */
export function nextFileExpiryTime(parts: ActorParts): number | null {
  let next: number | null = null;
  for (const { expires } of iterateOwnFiles(parts))
    if (expires !== null && (next === null || expires < next)) next = expires;
  return next;
}
