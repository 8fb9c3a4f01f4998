export type { AvatarUploadRecord, DirectoryUser, DirectoryUserPreferences, UserStatus } from './accounts.js';
export type { DirectoryBot, OutgoingWebhookService } from './bots.js';
export type { ChangedIds, DirectoryView, EndedCredentialKind } from './directory-view.js';
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
export type {
  ApiProfileData,
  DirectoryProfileField,
  DirectoryUserProfileValues,
  ProfileFieldValue,
} from './profiles.js';
export type { AccountSessions, OneTimeSignInLink, SessionPushSubscription, WebSession } from './sessions.js';
export type { DirectoryDefaultStreamGroup, DirectoryStream } from './streams.js';
