export { foldName } from './collections/index.js';
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
export { RealmDirectory } from './realm-directory.js';
export * from './records/index.js';
export { DirectoryReplica } from './replica.js';
export { RealmTail, type TailReader } from './tail.js';
export type { DirectoryView } from './view.js';
