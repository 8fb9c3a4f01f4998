export { Directories, DirectoryBehind, NoSuchRealm, SERVER_REALM } from './directories.js';
export { type DirectoryChange, type DirectorySnapshot, foldName, RealmDirectory } from './realm-directory.js';
export { DirectoryReplica } from './replica.js';
export { RealmTail, type TailReader } from './tail.js';
export type {
  DirectoryEmoji,
  DirectoryGroup,
  DirectoryLinkifier,
  DirectoryPersonal,
  DirectoryPlayground,
  DirectoryStream,
  DirectoryUser,
  DirectoryView,
  RealmEntry,
  RealmSettings,
  UserDefaults,
} from './view.js';
