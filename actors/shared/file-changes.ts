import type { RealmId } from '#model';
import { realmKey } from '#model';
import { type FileChange, type OutboxCommand, outboxCommand, realmCommands } from '#model/commands';

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
