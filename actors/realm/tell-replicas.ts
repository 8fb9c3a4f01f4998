/** What replicas of the directory hear of a commit. */
import type { JsonObject } from '#base';
import type { DirectoryChange } from '#directory';
import type { DirectoryItem } from '#model';

export const tellReplicas = (change: DirectoryChange): DirectoryItem => ({
  t: 'directory',
  change: change as unknown as JsonObject,
});
