/**
 * Folder model is the vocabulary that all wings share: types, constants and next to no code.
 *
 * - `ids.ts`: branded ids, actor keys, partitions and bus subjects. `event-ids.ts`: ids of events in queues.
 * - `log-entry.ts`: what actors append to the log, with the audience of each event. Replicas and queues read it.
 * - `replies.ts`, `reasons.ts`: replies of actors, and why commands fail or activations stop.
 * - `rendered-text.ts`: a rendered text, as frontends and actors exchange it.
 * - `parts.ts`: parts of an actor's state under a prefix. `emoji.ts`: references to emoji.
 * - `settings/`: one typed table each for the settings of organizations and of users.
 *
 * Four subfolders have doors of their own: `commands/` (each command with its arguments and reply), `errors/`
 * (catalogue of refusals), `records/` (records of the directory, messages), `schema/` (validation of parameters).
 *
 * Invariants: fields and strings here are stored or travel between hosts of different versions, so an existing one
 * never changes its name or meaning. Imports only `#base`; every other wing may import it.
 */
export type { EmojiReference, ProductEmoji, ProductEmojiName } from './emoji.js';
export {
  countFrontendHeartbeatIdsAfter,
  EVENT_ID_SLOTS_PER_LOG_POSITION,
  FIRST_TRANSIENT_EVENT_ID_SLOT,
  HEARTBEAT_EVENT_ID_SLOTS,
  highestPossibleClientEventId,
  isEventIdOfLogEntry,
  lastEventIdOfLogPosition,
  logPositionOfEventId,
  makeEventId,
} from './event-ids.js';
export {
  type ActorKey,
  type ActorKindName,
  actorKeyRangesOfRealm,
  busSubjectOfPartition,
  directMessageActorKey,
  type Epoch,
  eventQueueActorKey,
  type LogSeq,
  linkPreviewActorKey,
  loginGuardActorKey,
  logStreamOfRealm,
  logSubjectOfRealm,
  logSubjectPatternOfStream,
  MAX_LOG_STREAMS,
  mailActorKey,
  PARTITION_COUNT,
  type Partition,
  parseActorKey,
  partitionOfActor,
  presenceActorKey,
  pushActorKey,
  type RealmId,
  realmActorKey,
  type StreamId,
  streamActorKey,
  toEpoch,
  toEventQueueId,
  toLogSeq,
  toPartition,
  toRealmId,
  toStreamId,
  toUserId,
  type UserId,
  userActorKey,
  webhookActorKey,
} from './ids.js';
export {
  type DirectoryLogItem,
  type EventAudience,
  type EventLogItem,
  type FreshLogItemGroups,
  LOG_ENTRY_HEAD_FLAGS,
  LOG_ENTRY_SPLIT_BYTES,
  type LogEntry,
  type LogEntryHead,
  type LogItem,
  type LogItemGroup,
  LogItemGroupDeduplicator,
  MAX_ITEMS_PER_LOG_ENTRY,
  MAX_LOG_ITEM_BYTES,
  MAX_READ_IDS_PER_EVENT,
  type MembershipLogItem,
  type MessageLogItem,
  type MessageMoveProgressLogItem,
  type MovedMessageCopies,
  numberOfLogItemGroup,
  type ReadMessageIdRange,
  type RecipientFieldRule,
  type TransientLogItem,
} from './log-entry.js';
export { makeLogEntryHead } from './log-entry-head.js';
export { ActorPartAccessor, type ActorParts } from './parts.js';
export type { ActivationStopReason, CommandFailureReason, CommandRetryReason } from './reasons.js';
export type { MarkdownRenderResult, MentionTargets, TextRenderedByFrontend } from './rendered-text.js';
export type { ActorRefusalReply, ActorReply, ActorStartOverReply, AnswerSource, RawHttpAnswer } from './replies.js';
export { findInterfaceLanguageName, hasTwentyFourHourClock, INTERFACE_LANGUAGE_CODES } from './settings/languages.js';
export {
  addMissingRealmSettings,
  checkAndConvertRealmSettings,
  DEFAULT_REALM_SETTINGS,
  formatLoginMethodsForClients,
  formatRealmSettingForReply,
  isLoginMethodOn,
  isOwnerOnlyRealmSetting,
  listKnownRealmSettings,
  makeInitialRealmSettings,
  makeRealmSettingEvent,
  ORGANIZATION_TYPE_NUMBER_BY_NAME,
  PASSWORD_LOGIN_METHOD,
  REALM_SETTING_DECLARATIONS,
  REALM_SETTING_NAMES,
  REALM_SETTINGS_REPORTED_EVEN_IF_UNCHANGED,
  type RealmPolicyName,
  type RealmSettingName,
  type RealmSettings,
  type RealmSettingValue,
  SINGLE_SIGN_ON_LOGIN_METHOD,
  STREAM_VALUED_REALM_SETTING_NAMES,
} from './settings/realm-settings.js';
export { canonicalizeTimeZone } from './settings/time-zones.js';
export {
  checkAndConvertUserSettings,
  EMOJISET_CHOICES,
  firstLevelOfUserSetting,
  isAccountFieldSetting,
  makeInitialRealmUserSettingDefaults,
  NOTIFICATION_SOUNDS,
  USER_SETTING_DECLARATIONS,
  USER_SETTING_NAMES,
  USER_SETTING_NAMES_WITH_REALM_DEFAULT,
  type UserSettingDeclaration,
  type UserSettingGroup,
  type UserSettingName,
  type UserSettings,
  type UserSettingValue,
  userSettingNamesOfLevel,
} from './settings/user-settings.js';
