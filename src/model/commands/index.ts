/**
 * The commands of all actors. Each command is declared once, with its travelling name, the type of its arguments and
 * the type of its reply: one table per kind (`realmCommands.createUser`), one line per command.
 *
 * Senders name the declaration: an operation with `forwardCommand`, an actor with `redirectCommand`, `outboxCommand`
 * or `ask`, the administration with `ActorCaller`. Arguments, key of the actor and reply are checked against the
 * declaration. The kind has a table of handlers with the same keys (`mapHandlersByName` of the runtime), so that each
 * declared command has exactly one handler with the declared arguments. To find the handler of a command, look for
 * references of its line here.
 *
 * Names travel between hosts of different versions and are stored in outboxes, so the string of a command never
 * changes.
 *
 * Files: `command.ts` (types of a declaration, checks of senders), one file per kind, `realm-args.ts` (the arguments
 * of the realm actor, which has most commands). Types and names only; imports ids, records and JSON types. Importers:
 * all wings above `model`.
 */
export {
  type ActorRedirect,
  type AddressedCommand,
  type AnyReply,
  type ArgsOf,
  type Command,
  type CommandTable,
  type CommandTo,
  commandOf,
  type FieldsReply,
  type NoArguments,
  type OutboxCommand,
  outboxCommand,
  redirectCommand,
  type ValueReply,
} from './command.js';
export {
  type FeedEndReason,
  liveQueueCommands,
  type PollArgs,
  type QueueEndReason,
  type QueueOptions,
  queueCommands,
  type RegisterArgs,
} from './event-queue.js';
export { type FetchLinksArgs, linkPreviewCommands } from './link-preview.js';
export { loginGuardCommands } from './login-guard.js';
export { type MailToSend, mailCommands } from './mail.js';
export { type PresenceCursor, presenceCommands, type ReadPresencesArgs, type ReportPresenceArgs } from './presence.js';
export { realmCommands } from './realm.js';
export type {
  ApplicantArgs,
  AskSignUpArgs,
  AvatarArgs,
  BotRequest,
  BotStreamChoices,
  ChangeOwnAccountArgs,
  ChangeSettingsArgs,
  ContinueJoiningArgs,
  CreateBotArgs,
  CreateUserArgs,
  ExternalSignInArgs,
  FileChange,
  FilesChangedArgs,
  FirstAccount,
  GroupEdit,
  ImportReservation,
  InvitationOffer,
  LinkifierContent,
  NewRealmArgs,
  NewSession,
  OpenedInvitationLink,
  OpenedResetLink,
  PlaygroundContent,
  PrincipalArgs,
  ProfileEntry,
  ProfileFieldContent,
  ProfileInput,
  RealmDomain,
  RealmPictureArgs,
  RemainingStreamJoin,
  RenewKeyArgs,
  SetStatusArgs,
  SettingChanges,
  StatusEmoji,
  StreamNames,
  SubscribeArgs,
  UnsubscribeArgs,
  UpdateBotArgs,
  UpdateStreamArgs,
  UpdateSubscriptionsArgs,
  UpdateUserArgs,
  VacatedStream,
} from './realm-args.js';
export {
  type AddReactionArgs,
  type BotReplyArgs,
  type CallerCopyArgs,
  conversationCommands,
  type DeleteTopicArgs,
  directCommands,
  type EditMessageArgs,
  type JoinStreamArgs,
  type MessageInput,
  type MoveBatchArgs,
  type NoticeArgs,
  type ParticipantArgs,
  type PropagateMode,
  type RemoveReactionArgs,
  type SendArgs,
  type SendScheduledArgs,
  type StreamMembershipReply,
  type SubmessageArgs,
  streamCommands,
  type TypingOp,
} from './stream.js';
export {
  type AnchorArgs,
  type DraftInput,
  type EditableFlag,
  type EditScheduledArgs,
  type FetchMessageArgs,
  type FetchMessagesArgs,
  type FlagChange,
  type ListStreamsArgs,
  type LoginResult,
  type MissedMessageArgs,
  type MoveTopicPolicyArgs,
  type MuteTopicArgs,
  type NewAccountArgs,
  type NewSubscription,
  type OwnStateSection,
  type PasswordCheck,
  type PushService,
  type PushTokenArgs,
  type ReadStreamArgs,
  type ScheduleArgs,
  type ScheduledFailedArgs,
  type StorageKeys,
  type SubscriptionSetting,
  type TopicName,
  type UnsubscribedArgs,
  userCommands,
} from './user.js';
export { webhookCommands } from './webhook.js';
