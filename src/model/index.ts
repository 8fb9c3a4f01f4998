/**
 * Folder model is the vocabulary that all wings share: types, constants and next to no code.
 *
 * - `ids.ts`: branded ids, actor keys, partitions and bus subjects. `event-ids.ts`: ids of events in queues.
 * - `log-entry.ts`: what actors append to the log, with the audience of each event. Replicas and queues read it.
 * - `replies.ts`, `reasons.ts`: replies of actors, and why commands fail or activations stop.
 * - `parts.ts`: parts of an actor's state under a prefix. `emoji.ts`: references to emoji.
 * - `settings/`: one typed table each for the settings of organizations and of users.
 *
 * Four subfolders have doors of their own: `commands/` (each command with its arguments and reply), `errors/`
 * (catalogue of refusals), `records/` (records of the directory, messages), `schema/` (validation of parameters).
 *
 * Invariants: fields and strings here are stored or travel between hosts of different versions, so an existing one
 * never changes its name or meaning. Imports only `#base`; every other wing may import it.
 */
export type { EmojiRef, ExtraEmoji, ExtraEmojiName } from './emoji.js';
export {
  countHeartbeatIdsAfter,
  eventId,
  FIRST_TRANSIENT_SLOT,
  HEARTBEAT_SLOTS,
  highestPossibleClientId,
  lastIdOfPosition,
  logPositionOfEventId,
  SLOTS_PER_POSITION,
} from './event-ids.js';
export {
  type ActorKey,
  type ActorKindName,
  directMessageKey,
  type Epoch,
  epoch,
  linkPreviewKey,
  loginGuardKey,
  mailKey,
  PARTITION_COUNT,
  type Partition,
  parseActorKey,
  partition,
  partitionOfActor,
  partitionSubject,
  presenceKey,
  queueId,
  queueKey,
  type RealmId,
  realmId,
  realmKey,
  realmSubject,
  type Seq,
  type StreamId,
  seq,
  streamId,
  streamKey,
  type UserId,
  userId,
  userKey,
  webhookKey,
} from './ids.js';
export {
  type DirectoryItem,
  type EventAudience,
  type EventItem,
  LogDeduplicator,
  type LogEntry,
  type LogGroup,
  type LogItem,
  MAX_ENTRY_BYTES,
  MAX_ITEM_BYTES,
  MAX_ITEMS_PER_ENTRY,
  type MembershipItem,
  type MessageItem,
  type MovedCopies,
  type MoveProgressItem,
  READ_IDS_PER_EVENT,
  type ReadRange,
  type RecipientFieldRule,
} from './log-entry.js';
export { type ActorParts, PartTable } from './parts.js';
export type { CommandFailure, RetryReason, StopReason } from './reasons.js';
export type { ActorRefusal, ActorRepeat, ActorReply, RawAnswer } from './replies.js';
export { LANGUAGES } from './settings/languages.js';
export {
  ALWAYS_REPORTED_NAMES,
  addMissingRealmSettings,
  checkRealmSettings,
  DEFAULT_REALM_SETTINGS,
  initialRealmSettings,
  isLoginMethodOn,
  isOwnerSetting,
  listRealmSettings,
  ORGANIZATION_TYPES,
  PASSWORD_METHOD,
  presentLoginMethods,
  REALM_SETTING_NAMES,
  REALM_SETTINGS,
  type RealmPolicyName,
  type RealmSettingName,
  type RealmSettings,
  type RealmSettingValue,
  realmSettingEvent,
  realmSettingInReply,
  SINGLE_SIGN_ON_METHOD,
  STREAM_SETTING_NAMES,
} from './settings/realm-settings.js';
export { canonicalTimeZone } from './settings/time-zones.js';
export {
  checkUserSettings,
  EMOJISET_CHOICES,
  initialUserDefaults,
  isAccountField,
  NOTIFICATION_SOUNDS,
  REALM_DEFAULT_NAMES,
  USER_SETTING_NAMES,
  USER_SETTINGS,
  type UserSetting,
  type UserSettingGroup,
  type UserSettingName,
  type UserSettings,
  type UserSettingValue,
} from './settings/user-settings.js';
