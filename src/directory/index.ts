export { Directories, DirectoryBehind, NoSuchRealm, SERVER_REALM } from './directories.js';
export { type DirectoryChange, type DirectorySnapshot, foldName, RealmDirectory } from './realm-directory.js';
export { DirectoryReplica } from './replica.js';
export { RealmTail, type TailReader } from './tail.js';
export type {
  BotService,
  DirectoryBot,
  DirectoryDomain,
  DirectoryEmoji,
  DirectoryGroup,
  DirectoryLinkifier,
  DirectoryPersonal,
  DirectoryPlayground,
  DirectoryProfile,
  DirectoryProfileField,
  DirectoryStream,
  DirectoryStreamGroup,
  DirectoryUser,
  DirectoryView,
  ProfileData,
  ProfileValue,
  RealmEntry,
  RealmPicture,
  RealmPictureName,
  RealmPictures,
  RealmSettings,
  UploadedAvatar,
  UserDefaults,
  UserStatus,
} from './view.js';
