export { foldName } from './collections/streams.js';
export {
  type DirectoryChange,
  type DirectorySnapshot,
  NO_WHOLES,
  ONE_OF,
  type Records,
  type Traffic,
  type Wholes,
} from './contents.js';
export { type Dependent, Directories, DirectoryBehind, NoSuchRealm, SERVER_REALM } from './directories.js';
export { LagWatch } from './lag.js';
export { RealmDirectory } from './realm-directory.js';
export { DirectoryReplica } from './replica.js';
export { RealmTail, type TailReader } from './tail.js';
