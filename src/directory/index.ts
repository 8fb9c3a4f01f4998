/**
 * Read replicas of realms: every process has the accounts, streams, groups and settings of the realms that it serves.
 *
 * Pipeline: `DirectoryReplicas` opens a `DirectoryReplica` on the first use of a realm. The replica fetches a snapshot
 * from the realm actor, and applies it to a `RealmDirectory`. From then on its `RealmLogTail` follows the realm's log,
 * and each change goes into the collections of `collections/`. `contents.ts` has the formats of snapshot and change.
 *
 * Invariants:
 * - A view shows the commits of the realm actor in order, up to `version`. Callers that need a newer version wait with
 *   `ready`, which fails with `DirectoryReplicaBehindError` after 8 s.
 * - Readers of a tail are called in the order of their addition, the replica first. So other readers see the directory
 *   as of the log entry that they get.
 * - A gap in the log, or a version that the log doesn't show, leads to a new snapshot.
 * - A replica that is idle for a round of 5 minutes is closed.
 *
 * The types of views and records are in src/model/records, so that rules need not import this folder. Actors, delivery,
 * frontend and app may.
 */
export { foldStreamNameCase } from './collections/streams.js';
export {
  CHANGE_FIELD_BY_DIRECTORY_COLLECTION,
  castToDirectorySnapshot,
  type DirectoryChange,
  type DirectoryRecordTypeByCollection,
  type DirectorySingletons,
  type DirectorySnapshot,
  EMPTY_DIRECTORY_SINGLETONS,
  type StreamRecentMessageCount,
} from './contents.js';
export {
  DirectoryReplicaBehindError,
  type DirectoryReplicaDependent,
  DirectoryReplicas,
  NoSuchRealmError,
  SERVER_REALM_ID,
} from './directories.js';
export { DirectoryReplicaLagMeter } from './lag.js';
export { RealmDirectory } from './realm-directory.js';
export { DirectoryReplica } from './replica.js';
export { RealmLogTail, type RealmLogTailListener } from './tail.js';
