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
export type { EmojiReference, ProductEmoji, ProductEmojiName } from './emoji.js';
export {
  countHeartbeatEventIdsAfter,
  EVENT_ID_SLOTS_PER_LOG_POSITION,
  FIRST_TRANSIENT_EVENT_ID_SLOT,
  HEARTBEAT_EVENT_ID_SLOTS,
  highestPossibleClientEventId,
  lastEventIdOfLogPosition,
  logPositionOfEventId,
  makeEventId,
} from './event-ids.js';
export {
  type ActorKey,
  type ActorKindName,
  busSubjectOfPartition,
  directMessageActorKey,
  type Epoch,
  eventQueueActorKey,
  type LogSeq,
  linkPreviewActorKey,
  loginGuardActorKey,
  logSubjectOfRealm,
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
  LogDeduplicator,
  type LogEntry,
  type LogItem,
  type LogItemGroup,
  MAX_ITEMS_PER_LOG_ENTRY,
  MAX_LOG_ENTRY_BYTES,
  MAX_LOG_ITEM_BYTES,
  MAX_READ_IDS_PER_EVENT,
  type MembershipLogItem,
  type MessageLogItem,
  type MovedMessageCopies,
  type MoveProgressLogItem,
  type ReadMessageIdRange,
  type RecipientFieldRule,
} from './log-entry.js';
export { type ActorParts, ActorPartTable } from './parts.js';
export type { ActivationStopReason, CommandFailureReason, CommandRetryReason } from './reasons.js';
export type { ActorRefusalReply, ActorRepeatReply, ActorReply, AnswerSource, RawHttpAnswer } from './replies.js';
export { INTERFACE_LANGUAGES } from './settings/languages.js';
export {
  ALWAYS_REPORTED_REALM_SETTING_NAMES,
  addMissingRealmSettings,
  checkRealmSettings,
  DEFAULT_REALM_SETTINGS,
  formatLoginMethodsForClients,
  formatRealmSettingForReply,
  isLoginMethodOn,
  isOwnerOnlyRealmSetting,
  makeInitialRealmSettings,
  makeRealmSettingEvent,
  ORGANIZATION_TYPES,
  PASSWORD_LOGIN_METHOD,
  pickStoredRealmSettings,
  REALM_SETTING_DECLARATIONS,
  REALM_SETTING_NAMES,
  type RealmPolicyName,
  type RealmSettingName,
  type RealmSettings,
  type RealmSettingValue,
  SINGLE_SIGN_ON_LOGIN_METHOD,
  STREAM_VALUED_REALM_SETTING_NAMES,
} from './settings/realm-settings.js';
export { canonicalizeTimeZone } from './settings/time-zones.js';
export {
  checkUserSettings,
  EMOJISET_CHOICES,
  isAccountFieldSetting,
  makeInitialUserDefaults,
  NOTIFICATION_SOUNDS,
  USER_DEFAULT_SETTING_NAMES,
  USER_SETTING_DECLARATIONS,
  USER_SETTING_NAMES,
  type UserSettingDeclaration,
  type UserSettingGroup,
  type UserSettingName,
  type UserSettings,
  type UserSettingValue,
} from './settings/user-settings.js';
