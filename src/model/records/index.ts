export type { DirectoryPersonal, DirectoryUser, UploadedAvatar, UserStatus } from './accounts.js';
export type { BotService, DirectoryBot } from './bots.js';
export type { DirectoryView } from './directory-view.js';
export type { DirectoryGroup } from './groups.js';
export type {
  DirectoryDomain,
  DirectoryEmoji,
  DirectoryLinkifier,
  DirectoryPlayground,
  RealmEntry,
  RealmPicture,
  RealmPictureName,
  RealmPictures,
  RealmSettings,
  UserDefaults,
} from './organization.js';
export type { DirectoryProfile, DirectoryProfileField, ProfileData, ProfileValue } from './profiles.js';
export type { DirectoryStream, DirectoryStreamGroup } from './streams.js';
