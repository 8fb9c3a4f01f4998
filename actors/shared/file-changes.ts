import type { JsonObject } from '#base';
import type { RealmId } from '#model';
import { realmKey } from '#model';
import type { OutboxCommand } from '#runtime';

/**
 * What the realm actor is told of changes: it counts the space that all files take, tells the owner, and has the bytes
 * of removed files deleted, after the commit that removed them.
 */
export interface FileChange extends JsonObject {
  readonly op: 'add' | 'update' | 'remove';
  readonly attachment: JsonObject;
  /** Bytes that more are in use than before. */
  readonly bytes: number;
}

export function tellRealm(
  realm: RealmId,
  owner: number,
  changes: readonly FileChange[],
  erase: readonly string[] = [],
): OutboxCommand {
  return { to: realmKey(realm), name: 'files-changed', args: { owner, changes, erase }, caller: 0 };
}
