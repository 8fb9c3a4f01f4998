/** What replicas of the directory hear of a commit. */
import type { JsonObject } from '../../src/core/index.js';
import type { DirectoryChange } from '../../src/directory/index.js';
import type { DirectoryItem } from '../../src/runtime/index.js';

export const tellReplicas = (change: DirectoryChange): DirectoryItem => ({
  t: 'directory',
  change: change as unknown as JsonObject,
});
