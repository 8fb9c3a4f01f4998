export type { AvatarUploadRecord, DirectoryPreferences, DirectoryUser, UserStatus } from './accounts.js';
export type { BotService, DirectoryBot } from './bots.js';
export type { DirectoryView } from './directory-view.js';
export type { DirectoryEmoji } from './emoji.js';
export type { DirectoryGroup } from './groups.js';
export type { MessageRecord } from './message.js';
export type {
  DirectoryDomain,
  DirectoryLinkifier,
  DirectoryPlayground,
  RealmEntry,
  RealmPictureName,
  RealmPictures,
  UserDefaults,
} from './organization.js';
export type { DirectoryProfile, DirectoryProfileField, ProfileData, ProfileValue } from './profiles.js';
export type { AccountSessions, SessionPush, SignInLink, WebSession } from './sessions.js';
export type { DirectoryStream, DirectoryStreamGroup } from './streams.js';
