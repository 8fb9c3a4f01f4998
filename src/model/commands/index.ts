/**
 * The commands of all actors, each declared once: the name that travels, the type of the arguments, the type of the reply.
 * One table per kind (`realmCommands.createUser`), one line per command.
 *
 * Senders name the declaration: an operation with `forward`, an actor with `redirect`, `outboxCommand` or `ask`, the
 * administration with `ActorCaller`. Arguments, key of the actor and reply are checked against it. The kind gives its
 * handlers as a table with the same keys (`handlersOf` of the runtime), so that each declared command has exactly one
 * handler, whose arguments are the declared ones. To find the handler of a command, look for references of its line here.
 *
 * Names travel between hosts of different versions and stand in outboxes: the string of a command never changes.
 *
 * Types and names only; imports ids, records and JSON types, and may be imported by everything above `model`.
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
export {
  type AccountArgs,
  type ApplicantArgs,
  type AskSignUpArgs,
  type AvatarArgs,
  type BotRequest,
  type BotStreamChoices,
  type CarryOnJoiningArgs,
  type ChangeSettingsArgs,
  type CreateBotArgs,
  type CreateUserArgs,
  type FileChange,
  type FilesChangedArgs,
  type FirstAccount,
  type GroupEdit,
  type InvitationLink,
  type InvitationOffer,
  type LinkifierContent,
  type NewRealmArgs,
  type PlaygroundContent,
  type Principals,
  type ProfileEntry,
  type ProfileFieldContent,
  type ProfileInput,
  type RealmDomain,
  type RealmPictureArgs,
  type RemainingJoin,
  type RenewKeyArgs,
  realmCommands,
  type SetStatusArgs,
  type SettingChanges,
  type StatusEmoji,
  type StreamNames,
  type SubscribeArgs,
  type UnsubscribeArgs,
  type UpdateBotArgs,
  type UpdateStreamArgs,
  type UpdateSubscriptionsArgs,
  type UpdateUserArgs,
  type VacatedStream,
} from './realm.js';
export {
  type AddReactionArgs,
  type BotReplyArgs,
  type CopyKnown,
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
  type CheckedPassword,
  type DraftInput,
  type EditableFlag,
  type EditScheduledArgs,
  type FetchMessageArgs,
  type FetchMessagesArgs,
  type FlagChange,
  type ListStreamsArgs,
  type LogIn,
  type MoveTopicPolicyArgs,
  type MuteTopicArgs,
  type NewAccountArgs,
  type NewSubscription,
  type OwnSection,
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
