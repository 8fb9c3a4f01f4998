/**
 * The commands of all actors. Each command is declared once, with its travelling name, the type of its arguments and
 * the type of its reply: one table per kind (`realmCommands.createUser`), one line per command.
 *
 * Senders name the declaration: an operation with `forward`, an actor with `redirect`, `outboxCommand` or `ask`, the
 * administration with `ActorCaller`. Arguments, key of the actor and reply are checked against the declaration. The
 * kind has a table of handlers with the same keys (`handlersOf` of the runtime), so that each declared command has
 * exactly one handler with the declared arguments. To find the handler of a command, look for references of its line
 * here.
 *
 * Names travel between hosts of different versions and are stored in outboxes, so the string of a command never
 * changes.
 *
 * Files: `command.ts` (types of a declaration, checks of senders), one file per kind, `realm-args.ts` (the arguments of
 * the realm actor, which has most commands). Types and names only; imports ids, records and JSON types. Importers: all
 * wings above `model`.
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
  type Fields,
  type NoArgs,
  type OutboxCommand,
  outboxCommand,
  redirect,
  type Value,
} from './command.js';
export {
  type FeedEnd,
  liveQueueCommands,
  type PollArgs,
  type QueueEnd,
  type QueueOptions,
  queueCommands,
  type RegisterArgs,
} from './event-queue.js';
export { loginGuardCommands } from './login-guard.js';
export { mailCommands } from './mail.js';
export { type PresenceCursor, presenceCommands, type ReadPresencesArgs, type ReportPresenceArgs } from './presence.js';
export { realmCommands } from './realm.js';
export type {
  AccountArgs,
  ApplicantArgs,
  AskSignUpArgs,
  AvatarArgs,
  BotRequest,
  BotStreamChoices,
  CarryOnJoiningArgs,
  ChangeSettingsArgs,
  CreateBotArgs,
  CreateUserArgs,
  FileChange,
  FilesChangedArgs,
  FirstAccount,
  GroupEdit,
  InvitationLink,
  InvitationOffer,
  LinkifierContent,
  NewRealmArgs,
  NewSession,
  PlaygroundContent,
  Principals,
  ProfileEntry,
  ProfileFieldContent,
  ProfileInput,
  RealmDomain,
  RealmPictureArgs,
  RemainingJoin,
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
  type CallerCopy,
  conversationCommands,
  type DeleteTopicArgs,
  directCommands,
  type EditMessageArgs,
  type JoinArgs,
  type Membership,
  type MessageInput,
  type MoveBatchArgs,
  type NoticeArgs,
  type Participants,
  type PropagateMode,
  type RemoveReactionArgs,
  type SendArgs,
  type SendScheduledArgs,
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
  type MoveTopicPolicyArgs,
  type MuteTopicArgs,
  type NewAccountArgs,
  type NewSubscription,
  type OwnSection,
  type PasswordCheck,
  type PushService,
  type PushToken,
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
