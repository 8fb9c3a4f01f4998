/** What conversations do about the uploaded files that their messages link. */

import type { JsonObject } from '#base';
import { parsePath } from '#domain/files';
import type { RealmId } from '#model';
import { realmKey, userId, userKey } from '#model';
import type { Command, FileChange, OutboxCommand } from '#model/commands';
import { outboxCommand, realmCommands, userCommands } from '#model/commands';
import type { InputSources } from '../services.js';

/**
 * Of the files that a text links, those that a message of this user claims: existing ones that the user may see. For
 * the needs of commands that store a text.
 */
export async function claimedFiles(
  paths: readonly string[],
  realm: RealmId,
  user: number,
  { ask }: InputSources,
): Promise<readonly string[]> {
  const own = paths.filter((path) => parsePath(path)?.realm === realm);
  // The server itself uploads nothing.
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
    const owner = parsePath(path)?.owner;
    if (owner === undefined) return [];
    return [outboxCommand({ to: userKey(realm, owner), name, args: { ...args, path }, caller: 0 })];
  });
}

/** For the outcome of whatever made a message link these files. @param sent seconds since 1970 */
export const filesLinked = (realm: RealmId, paths: readonly string[], message: number, sent: number): OutboxCommand[] =>
  tellOwners(realm, paths, userCommands.fileLinked, { message, sent });

/**
 * For the outcome of whatever ended that. @param deleted the message is gone (a file that it alone linked goes too), and
 * not only edited
 */
export const filesUnlinked = (
  realm: RealmId,
  paths: readonly string[],
  message: number,
  deleted: boolean,
): OutboxCommand[] => tellOwners(realm, paths, userCommands.fileUnlinked, { message, deleted });

/** Tells the realm actor of changes of a user's files. @param erase paths of files whose bytes are to be deleted */
export function tellRealm(
  realm: RealmId,
  owner: number,
  changes: readonly FileChange[],
  erase: readonly string[] = [],
): OutboxCommand {
  const args = { owner, changes, erase };
  return outboxCommand({ to: realmKey(realm), name: realmCommands.filesChanged, args, caller: 0 });
}
