export { foldName } from './collections/streams.js';
export {
  type DirectoryChange,
  type DirectorySnapshot,
  NO_SINGLETONS,
  RECORD_NAMES,
  type Records,
  type Singletons,
  type Traffic,
} from './contents.js';
export { Directories, DirectoryBehind, NoSuchRealm, type ReplicaDependent, SERVER_REALM } from './directories.js';
export { LagWatch } from './lag.js';
export { RealmDirectory } from './realm-directory.js';
export { DirectoryReplica } from './replica.js';
export { RealmTail, type TailReader } from './tail.js';
