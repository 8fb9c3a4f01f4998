/** Commands about uploaded files: links in messages, and changes that the realm actor publishes. */

import type { JsonObject } from '#base';
import { parseFilePath } from '#domain/files';
import type { MessageBody } from '#domain/messages';
import { type RealmId, realmActorKey, toUserId, userActorKey } from '#model';
import {
  type ActorCommandName,
  makeOutboxCommand,
  type OutboxCommand,
  realmActorCommands,
  type UserFileChange,
  userActorCommands,
} from '#model/commands';
import type { ActorInputSources } from '../services.js';

/**
 * Input of commands that store a text: the linked files that a message of this user claims, i.e. existing files that
 * the user may see.
 */
export async function loadClaimableFilePaths(
  paths: readonly string[],
  realm: RealmId,
  user: number,
  { askActor }: ActorInputSources,
): Promise<readonly string[]> {
  const own = paths.filter((path) => parseFilePath(path)?.realm === realm);
  // System messages (sender 0) claim no files.
  if (own.length === 0 || user === 0) return [];
  return askActor(userActorKey(realm, toUserId(user)), userActorCommands.filesAccessible, { paths: own }, user);
}

function makeFileOwnerCommands<A extends JsonObject>(
  realm: RealmId,
  paths: readonly string[],
  name: ActorCommandName<'user', A & { readonly path: string }>,
  args: A,
): OutboxCommand[] {
  return paths.flatMap((path) => {
    const owner = parseFilePath(path)?.owner;
    if (owner === undefined) return [];
    return [makeOutboxCommand({ to: userActorKey(realm, owner), name, args: { ...args, path }, caller: 0 })];
  });
}

/** Commands to the owners of files that a message has linked. @param sent time of the message, seconds since 1970 */
export const makeFilesLinkedCommands = (
  realm: RealmId,
  paths: readonly string[],
  message: number,
  sent: number,
): OutboxCommand[] => makeFileOwnerCommands(realm, paths, userActorCommands.fileLinked, { message, sent });

/** Commands to the owners of files that an edited message no longer links. */
export const makeFilesUnlinkedCommands = (realm: RealmId, paths: readonly string[], message: number): OutboxCommand[] =>
  makeFileOwnerCommands(realm, paths, userActorCommands.fileUnlinked, { message, deleted: false });

/**
 * Commands to the owners of files that deleted messages linked, one for each file: thousands of messages may link the
 * same one. A file without other links is deleted, too.
 */
export function makeFilesOfDeletedMessagesCommands(
  realm: RealmId,
  messages: readonly { readonly id: number; readonly body: Pick<MessageBody, 'files'> }[],
): OutboxCommand[] {
  const messageIdsByPath = new Map<string, number[]>();
  for (const { id, body } of messages) {
    for (const path of body.files ?? []) {
      const ids = messageIdsByPath.get(path);
      if (ids) ids.push(id);
      else messageIdsByPath.set(path, [id]);
    }
  }
  return [...messageIdsByPath].flatMap(([path, [message, ...others]]) =>
    makeFileOwnerCommands(realm, [path], userActorCommands.fileUnlinked, {
      message: message!,
      ...(others.length > 0 ? { others } : {}),
      deleted: true,
    }),
  );
}

/** Reports changes of a user's files to the realm actor. @param erase paths of files whose bytes are to be deleted */
export function makeFileChangesCommand(
  realm: RealmId,
  owner: number,
  changes: readonly UserFileChange[],
  erase: readonly string[] = [],
): OutboxCommand {
  const args = { owner, changes, erase };
  return makeOutboxCommand({ to: realmActorKey(realm), name: realmActorCommands.filesChanged, args, caller: 0 });
}
