/** The presence of the actor's own user, read from the presence actor for the inputs of mails. */
import { type PresenceTimes, presenceReplicaOfDirectory } from '#domain/presence';
import { presenceActorKey, type RealmId, type UserId } from '#model';
import { presenceActorCommands } from '#model/commands';
import type { DirectoryView } from '#model/records';
import type { ActorInputSources } from '../services.js';

/** Returns the presence of the user; null if it could not be read; undefined if none is known. */
export async function loadOwnPresenceTimes(
  realm: RealmId,
  self: UserId,
  directory: DirectoryView,
  { askActor }: ActorInputSources,
): Promise<PresenceTimes | null | undefined> {
  const replica = presenceReplicaOfDirectory(directory);
  try {
    await replica.fetchAtLeastNow((known) =>
      askActor(presenceActorKey(realm), presenceActorCommands.presenceChanges, { known }),
    );
  } catch {
    return null;
  }
  return replica.presenceTimesOf(self);
}
