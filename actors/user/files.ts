/** Uploaded files as their owner's actor keeps them: one part each, named by the file's token. Pure. */

import { tellRealm } from '#actors/shared';
import type { Json, JsonObject } from '#base';
import { blobOfFile, parsePath } from '#domain/files';
import type { Parts, RealmId } from '#model';
import type { FileChange, OutboxCommand } from '#model/commands';

export interface OwnFile extends JsonObject {
  readonly id: number;
  readonly path: string;
  readonly name: string;
  /** Bytes. */
  readonly size: number;
  /** Milliseconds since 1970. */
  readonly created: number;
  /** Its bytes are stored. Until then it exists for nobody. */
  readonly ready: boolean;
  /** Messages that link it, in the order in which they were heard of; sent: seconds since 1970. */
  readonly messages: readonly { readonly id: number; readonly sent: number }[];
  /** When it goes unless a message links it before, ms; null while one does. */
  readonly expires: number | null;
}

export const FILE_PART = 'file/';

/** @param path of a file, checked before */
export const filePart = (path: string): string => `${FILE_PART}${parsePath(path)?.token}`;

/** Finished or not; undefined when there is none of exactly this path. */
export function anyFile(parts: Parts, path: string): OwnFile | undefined {
  const file = parts.get(filePart(path)) as OwnFile | undefined;
  return file?.path === path ? file : undefined;
}

export function fileAt(parts: Parts, path: string): OwnFile | undefined {
  const file = anyFile(parts, path);
  return file?.ready ? file : undefined;
}

/** In no particular order. */
export function* filesOf(parts: Parts): Iterable<OwnFile> {
  for (const [name, file] of parts) if (name.startsWith(FILE_PART)) yield file as unknown as OwnFile;
}

/** The attachment object of realm.md: times in milliseconds. */
export const presentFile = ({ id, name, path, size, created, messages }: OwnFile): JsonObject => ({
  id,
  name,
  path_id: path,
  size,
  create_time: Math.floor(created / 1000) * 1000,
  messages: messages.map((message) => ({ id: message.id, date_sent: message.sent * 1000 })),
});

interface Removal {
  readonly parts: Record<string, Json>;
  readonly command: OutboxCommand;
}

/** @param files at least one */
export function removeFiles(realm: RealmId, owner: number, files: readonly OwnFile[]): Removal {
  // What was never finished counts for nothing, and nobody heard of it.
  const known = files.filter((file) => file.ready);
  const changes = known.map(({ id, size }): FileChange => ({ op: 'remove', attachment: { id }, bytes: -size }));
  const erase = files.map(({ path }) => blobOfFile(path));
  return {
    parts: Object.fromEntries(files.map(({ path }) => [filePart(path), null])),
    command: tellRealm(realm, owner, changes, erase),
  };
}

/** When the next of them goes; null: none will by itself. */
export function nextExpiry(parts: Parts): number | null {
  let next: number | null = null;
  for (const { expires } of filesOf(parts)) if (expires !== null && (next === null || expires < next)) next = expires;
  return next;
}
