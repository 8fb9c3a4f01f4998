/** Commands about uploaded files: links in messages, and changes that the realm actor publishes. */

import type { JsonObject } from '#base';
import { parseFilePath } from '#domain/files';
import { type RealmId, realmKey, userId, userKey } from '#model';
import {
  type Command,
  type FileChange,
  type OutboxCommand,
  outboxCommand,
  realmCommands,
  userCommands,
} from '#model/commands';
import type { InputSources } from '../services.js';

/**
 * Input of commands that store a text: the linked files that a message of this user claims, i.e. existing files that
 * the user may see.
 */
export async function loadClaimedFiles(
  paths: readonly string[],
  realm: RealmId,
  user: number,
  { ask }: InputSources,
): Promise<readonly string[]> {
  const own = paths.filter((path) => parseFilePath(path)?.realm === realm);
  // System messages (sender 0) claim no files.
  if (own.length === 0 || user === 0) return [];
  return ask(userKey(realm, userId(user)), userCommands.filesAccessible, { paths: own }, user);
}

function tellOwners<A extends JsonObject>(
  realm: RealmId,
  paths: readonly string[],
  name: Command<'user', A & { readonly path: string }>,
  args: A,
): OutboxCommand[] {
  return paths.flatMap((path) => {
    const owner = parseFilePath(path)?.owner;
    if (owner === undefined) return [];
    return [outboxCommand({ to: userKey(realm, owner), name, args: { ...args, path }, caller: 0 })];
  });
}

/** Commands to the owners of files that a message has linked. @param sent time of the message, seconds since 1970 */
export const filesLinkedCommands = (
  realm: RealmId,
  paths: readonly string[],
  message: number,
  sent: number,
): OutboxCommand[] => tellOwners(realm, paths, userCommands.fileLinked, { message, sent });

/**
 * Commands to the owners of files that a message no longer links.
 * @param deleted the message was deleted (a file without other links is deleted, too), not only edited
 */
export const filesUnlinkedCommands = (
  realm: RealmId,
  paths: readonly string[],
  message: number,
  deleted: boolean,
): OutboxCommand[] => tellOwners(realm, paths, userCommands.fileUnlinked, { message, deleted });

/** Reports changes of a user's files to the realm actor. @param erase paths of files whose bytes are to be deleted */
export function reportFileChanges(
  realm: RealmId,
  owner: number,
  changes: readonly FileChange[],
  erase: readonly string[] = [],
): OutboxCommand {
  const args = { owner, changes, erase };
  return outboxCommand({ to: realmKey(realm), name: realmCommands.filesChanged, args, caller: 0 });
}
