/**
 * The commands of all actors. Each command is declared once, with its travelling name, the type of its arguments and
 * the type of its reply, in the table of its kind (`realmActorCommands.createUser`). The event queue has a second table
 * for its sidecar; streams and direct messages share one for their common commands.
 *
 * Senders name the declaration: an operation with `forwardCommand`, an actor with `makeRedirectCommand`,
 * `makeOutboxCommand` or `ask`, the administration with `SystemActorCaller`. Arguments, key of the actor and reply are
 * checked against the declaration. The kind has a table of handlers with the same keys (`mapHandlersByName` of the
 * runtime), so that each declared command has exactly one handler with the declared arguments. To find the handler of a
 * command, look for references of its line here.
 *
 * Names travel between hosts of different versions and are stored in outboxes, so the string of a command never
 * changes.
 *
 * Files: `command.ts` (types of a declaration, checks of senders), one file per kind, `realm-args.ts` (the arguments
 * of the realm actor, which has most commands). Types and names only; imports ids, records and JSON types. Importers:
 * every wing above `model` (docs/architecture.md § Wings and directions).
 */
export {
  type ActorCommandName,
  type ActorCommandTable,
  type ActorFieldsReply,
  type ActorRedirectReply,
  type ActorValueReply,
  type AddressedCommand,
  type AnyActorReply,
  type ArgsOfCommand,
  makeCommandDeclarer,
  makeOutboxCommand,
  makeRedirectCommand,
  type NoCommandArguments,
  type OutboxCommand,
  type UncheckedAddressedCommand,
} from './command.js';
export {
  type EventQueueEndReason,
  type EventQueueOptions,
  eventQueueActorCommands,
  eventQueueSidecarCommands,
  type FeedQueueEndReason,
  type PollEventsArgs,
  type RegisterEventQueueArgs,
} from './event-queue.js';
export { type FetchLinkedPagesArgs, linkPreviewActorCommands } from './link-preview.js';
export { unknownEmailLoginActorCommands } from './login-guard.js';
export { type MailToSend, mailActorCommands } from './mail.js';
export {
  type PresenceChangesCursor,
  presenceActorCommands,
  type ReadPresencesArgs,
  type ReportPresenceArgs,
} from './presence.js';
export { pushActorCommands } from './push.js';
export { realmActorCommands } from './realm.js';
export type {
  BeginRealmImportReply,
  BotDefaultStreamNames,
  BotRequestOptions,
  ChangeOwnAccountArgs,
  ChangeOwnSettingsArgs,
  ContinueSubscribingArgs,
  CreateBotArgs,
  CreateUserArgs,
  DropRealmImportArgs,
  DropRealmImportReply,
  ExternalSignInArgs,
  InvitationOffer,
  LinkifierContent,
  NewAccountApplicantArgs,
  NewRealmArgs,
  NewRealmOwnerAccount,
  NewWebSession,
  OpenedInvitationLink,
  OpenedPasswordResetLink,
  PlaygroundContent,
  ProfileFieldContent,
  ProfileFieldUpdate,
  ProfileFieldValueInput,
  RealmEmailDomain,
  RealmImportLease,
  RealmImportReservation,
  RenewApiKeyArgs,
  RequestSignUpArgs,
  SetAvatarArgs,
  SetRealmPictureArgs,
  SetUserStatusArgs,
  StreamNamesArgs,
  SubscribeAndUnsubscribeArgs,
  SubscribeArgs,
  TargetUsersOrCallerArgs,
  UnsubscribeArgs,
  UpdateBotArgs,
  UpdateStreamArgs,
  UpdateUserArgs,
  UserFileChange,
  UserFilesChangedArgs,
  UserGroupAddAndRemoveArgs,
  UserSettingChanges,
  UserStatusEmoji,
  UsersYetToJoinStream,
  VacatedPrivateStream,
} from './realm-args.js';
export {
  type AddReactionArgs,
  type AddStreamSubscribersArgs,
  type AddSubmessageArgs,
  type CallerHasCopyArgs,
  type ConversationParticipantsArgs,
  conversationActorCommands,
  type DeleteTopicArgs,
  directMessageActorCommands,
  type EditMessageArgs,
  type MessageInput,
  type MessageMoveBatchArgs,
  type MessageMovePropagateMode,
  type PostBotNoticeArgs,
  type RemoveReactionArgs,
  type SendBotReplyArgs,
  type SendMessageArgs,
  type SendScheduledMessageArgs,
  type StreamSubscribersReply,
  streamActorCommands,
  type TypingOp,
} from './stream.js';
export {
  type AnchoredMessagesArgs,
  type BotStorageKeysArgs,
  type DraftInput,
  type EditScheduledMessageArgs,
  type EndSubscriptionsArgs,
  type FetchMessageArgs,
  type FetchMessagesArgs,
  type ListStreamsArgs,
  type LoginResult,
  type MarkLeftStreamReadArgs,
  type MessageFlagChange,
  type MessageFlagToChange,
  type MoveTopicVisibilityPolicyArgs,
  type MuteOrUnmuteTopicArgs,
  type NarrowArgs,
  type NewAccountArgs,
  type NewSubscription,
  type OwnStateSection,
  type PasswordCheckReply,
  type PlanDigestArgs,
  type PossiblyMissedMessageArgs,
  type PushAccountFacts,
  type PushNotificationService,
  type PushTokenArgs,
  type ScheduledMessageFailedArgs,
  type ScheduleMessageArgs,
  type StreamTopic,
  type SubscriptionSettingChange,
  userActorCommands,
} from './user.js';
export { type WebhookCallOutcome, type WebhookMessagePlace, webhookActorCommands } from './webhook.js';
