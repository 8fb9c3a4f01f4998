export type { AvatarUploadRecord, DirectoryPreferences, DirectoryUser, UserStatus } from './accounts.js';
export type { DirectoryBot, OutgoingWebhookService } from './bots.js';
export type { DirectoryView } from './directory-view.js';
export type { DirectoryEmoji } from './emoji.js';
export type { DirectoryUserGroup } from './groups.js';
export type { MessageRecord } from './message.js';
export type {
  DirectoryEmailDomain,
  DirectoryLinkifier,
  DirectoryPlayground,
  DirectoryRealmEntry,
  NewUserSettingDefaults,
  RealmPictureName,
  RealmPictures,
} from './organization.js';
export type { ApiProfileData, DirectoryProfile, DirectoryProfileField, ProfileFieldValue } from './profiles.js';
export type { AccountSessions, SessionPush, SignInLink, WebSession } from './sessions.js';
export type { DirectoryStream, DirectoryStreamGroup } from './streams.js';
