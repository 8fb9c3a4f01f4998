import type { Json, JsonObject } from '#base';
import {
  type ActorFieldsReply,
  type ActorValueReply,
  makeCommandDeclarer,
  type NoCommandArguments,
} from './command.js';
import type {
  AddReactionArgs,
  AddSubmessageArgs,
  EditMessageArgs,
  MessageInput,
  RemoveReactionArgs,
  SendMessageArgs,
  TypingOp,
} from './stream.js';

export type NewAccountArgs = {
  /** scrypt hash of the password; null: no log-in by password. */
  readonly passwordHash: string | null;
  readonly keySealed: string;
  /**
   * Streams to which the account is subscribed from the beginning. The user has no event queue yet, so there are no
   * events.
   */
  readonly streams: readonly { readonly id: number; readonly recipient: number; readonly mark: number }[];
};

/** Reply to `check-password`: whether the password is correct. */
export type PasswordCheckReply = {
  readonly correct: boolean;
  /** Milliseconds until the next attempt is allowed; above 0 if this attempt was not checked. */
  readonly wait: number;
};

export type PushNotificationService = 'apns' | 'gcm';
export type PushTokenArgs = { readonly service: PushNotificationService; readonly token: string };

/** Devices of the account and messages that may still be shown, for the push actor just before it sends a push. */
export type PushAccountFacts = {
  /** Mobile devices, in the order of their registration: objects of src/domain/push (`PushDevice`). */
  readonly devices: readonly JsonObject[];
  /** The asked messages that the user may read and has not read, by id (`PushedMessage`). */
  readonly messages: { readonly [id: string]: JsonObject };
};

export type NewSubscription = {
  /** The stream in the form in which events show it. */
  readonly stream: JsonObject;
  /** User ids of all subscribers, this user included. */
  readonly subscribers: readonly number[];
  readonly color: string | null;
};

export type EndSubscriptionsArgs = {
  readonly streams: readonly { readonly id: number; readonly name: string }[];
  /** True if the user gets no event about the end of the subscription. */
  readonly silent?: boolean;
};

export type SubscriptionSettingChange = {
  readonly stream_id: number;
  readonly property: string;
  readonly value: string | boolean;
};

/** Names of the sections of a user's state in the reply of `own-state`. */
export type OwnStateSection = 'subscriptions' | 'drafts' | 'snippets' | 'scheduled' | 'topics' | 'reading' | 'hotspots';

export type ListStreamsArgs = {
  readonly include_public: boolean;
  readonly include_web_public: boolean;
  readonly include_subscribed: boolean;
  readonly include_all_active: boolean;
  readonly include_default: boolean;
  readonly include_owner_subscribed: boolean;
};

/** Selects messages by a narrow. */
export type NarrowArgs = {
  /** JSON text of the narrow as the client sent it; the frontend has checked it. */
  readonly narrow: string;
  /** Operators that the narrow may use: 'current', those of the newest API level; absent: those of level 184. */
  readonly narrow_dialect?: 'current';
};

/** Selects messages around an anchor. */
export type AnchoredMessagesArgs = NarrowArgs & {
  readonly anchor: number | 'first_unread';
  readonly include_anchor: boolean;
  readonly num_before: number;
  readonly num_after: number;
};

export type FetchMessagesArgs = AnchoredMessagesArgs & {
  readonly client_gravatar: boolean;
  readonly apply_markdown: boolean;
};

export type FetchMessageArgs = { readonly message_id: number; readonly apply_markdown: boolean };

export type MessageFlagToChange = 'read' | 'starred' | 'collapsed';

export type MessageFlagChange = { readonly flag: MessageFlagToChange; readonly op: 'add' | 'remove' };

export type MarkLeftStreamReadArgs = {
  readonly stream: number;
  /**
   * Id of the newest message when the user left the stream. If the user has subscribed again, later messages stay
   * unread.
   */
  readonly until?: number;
  /** True if the subscription ended because the stream was archived. */
  readonly archived?: boolean;
};

/** A draft as a client sends it, checked against its schema. */
export type DraftInput = {
  /** Kind of recipient; '': the draft has no recipient yet. */
  readonly type: '' | 'stream' | 'private';
  /**
   * Recipients of the draft: one stream; or the other participants, ascending (only the user in a note to self); or
   * none.
   */
  readonly to: readonly number[];
  /** Topic of a draft for a stream; otherwise ''. */
  readonly topic: string;
  readonly content: string;
  /** Time of the draft's last edit, seconds since 1970, with fractions; absent: the time of the request. */
  readonly timestamp?: number;
};

export type SavedSnippetInput = { readonly title: string; readonly content: string };

export type EditSavedSnippetArgs = IdArgs & {
  /** null keeps the title. */
  readonly title: string | null;
  /** null keeps the content. */
  readonly content: string | null;
};

export type ScheduleMessageArgs = {
  readonly type: 'stream' | 'private';
  readonly to: readonly number[];
  readonly topic: string | null;
  readonly content: string;
  /** Time at which to send the message, seconds since 1970. */
  readonly at: number;
  readonly origin: string;
  /** As in `MessageInput`. */
  readonly newer_mentions?: boolean;
};

/** Arguments of PATCH /scheduled_messages/{id}; null: no change. */
export type EditScheduledMessageArgs = {
  readonly id: number;
  readonly type: 'stream' | 'private' | null;
  /** New recipients as the client sent them; their meaning depends on the type. */
  readonly to: string | null;
  readonly topic: string | null;
  readonly content: string | null;
  /** New time of sending, seconds since 1970. */
  readonly at: number | null;
  readonly origin: string;
  /** As in `MessageInput`, for new content. */
  readonly newer_mentions?: boolean;
};

export type ScheduledMessageFailedArgs = {
  readonly id: number;
  /** Error message of the refusal, shown to the user. */
  readonly reason: string;
  /** True if the refusal was NOT_AUTHORIZED_TO_SEND: the stream's actor may not know a new subscription yet. */
  readonly outside: boolean;
};

/**
 * A message that may notify its receiver, in the form in which the conversation's actor sends it to the receiver's
 * actor.
 */
export type PossiblyMissedMessageArgs = {
  readonly id: number;
  readonly sender: number;
  /** Stream of the message; 0 for a direct message. */
  readonly stream: number;
  readonly topic: string;
  /** Ids of all participants of a direct message, ascending; [] for stream messages. */
  readonly participants: readonly number[];
  /** Time at which the message was sent, ms since 1970. */
  readonly sent: number;
  /** True if the text mentions all receivers of the message (wildcard mention). */
  readonly wildcard: boolean;
  /** The receiver's message flags when the message was created. */
  readonly flags: readonly string[];
  /** Base URL of the organization, for links. */
  readonly origin: string;
  /** True if an edit has added the mention, at the time `sent`; absent: the message is new. */
  readonly isEdited?: boolean;
  /** Stream and topic to which an edited message was sent, before any move; absent for a new one. */
  readonly sentTo?: StreamTopic;
};

export type PlanDigestArgs = {
  /** Time at which the digest is to be made, ms since 1970. */
  readonly at: number;
  /** A user who was active after this time gets no digest, ms since 1970. */
  readonly inactiveSince: number;
  /** Base URL of the organization, for links. */
  readonly origin: string;
};

/** A message that may be pushed to the receiver's devices, as the conversation's actor sends it. */
export type PushCandidateMessageArgs = Omit<
  PossiblyMissedMessageArgs,
  'participants' | 'sent' | 'origin' | 'isEdited' | 'sentTo'
> & {
  /** Stream to which the message was sent; absent in commands of older versions: `stream`. */
  readonly originStream?: number;
};

export type StreamTopic = { readonly stream: number; readonly topic: string };

export type MuteOrUnmuteTopicArgs = {
  /** Name or id of the stream. */
  readonly stream: string | number;
  readonly topic: string;
  readonly mute: boolean;
};

export type MoveTopicVisibilityPolicyArgs = {
  readonly from: StreamTopic;
  /** Topic to which the messages were moved; null: the user has no access to the new topic. */
  readonly to: StreamTopic | null;
  /** True if the target topic had messages before the move. */
  readonly targetExisted: boolean;
};

/** Keys of entries in a bot's storage; null: all entries. */
export type BotStorageKeysArgs = { readonly keys: readonly string[] | null };

/** Fields of a successful log-in; the API key is encrypted. */
export type LoginResult = { readonly sealed: string; readonly email: string; readonly user_id: number };

type FilePathArgs = { readonly path: string };
type FileUnlinkedArgs = FilePathArgs & {
  readonly message: number;
  /** Ids of further messages; only of deleted ones. */
  readonly others?: readonly number[];
  /** True if the messages were deleted; false if the message was edited. */
  readonly deleted: boolean;
};
type IdArgs = { readonly id: number };
type MessageIdRangeArgs = { readonly first: number; readonly last: number };
type MessageIdsArgs = { readonly ids: readonly number[] };
/** `moves`: number of moves of each message to other streams before the copy was made. */
type MessageCopiesArgs = MessageIdsArgs & { readonly moves?: number };

const declareCommand = makeCommandDeclarer<'user'>();

/** Commands of a user actor. */
export const userActorCommands = {
  // Commands about the account. All but the first four carry out decisions of the realm actor; they are never refused.
  /** POST /fetch_api_key, for an account that the frontend has found by its address. */
  fetchKey: declareCommand<{ readonly password: string }, ActorFieldsReply<LoginResult>>('fetch-key'),
  /** Replies like POST /fetch_api_key, without a password, for an account that a trusted service has signed in. */
  fetchKeyTrusted: declareCommand<NoCommandArguments, ActorFieldsReply<LoginResult>>('fetch-key-trusted'),
  /** Checks a password for the realm actor, which changes the password together with the rest of a request. */
  checkPassword: declareCommand<{ readonly password: string }, ActorValueReply<PasswordCheckReply>>('check-password'),
  /** Replies with the encrypted API key, for the administration. */
  sealedKey: declareCommand<NoCommandArguments, ActorValueReply<string>>('sealed-key'),
  create: declareCommand<NewAccountArgs>('create'),
  /**
   * Sent after a successful log-in: records the device (program and system in words), and sends a mail if the device is
   * new.
   */
  noteLogIn: declareCommand<{ readonly device: string; readonly origin: string }, ActorFieldsReply>('note-log-in'),
  setPassword: declareCommand<{ readonly passwordHash: string }>('set-password'),
  setKey: declareCommand<{ readonly keySealed: string }>('set-key'),
  deactivated: declareCommand('deactivated'),
  reactivated: declareCommand('reactivated'),

  // Commands about small state of the account.
  addPushToken: declareCommand<PushTokenArgs & { readonly app: string | null }, ActorFieldsReply>('add-push-token'),
  removePushToken: declareCommand<PushTokenArgs, ActorFieldsReply>('remove-push-token'),
  /** From the push actor: the gateway says that these tokens are no longer in use. Never refused. */
  dropPushTokens: declareCommand<{ readonly tokens: readonly string[] }>('drop-push-tokens'),
  /** For the push actor: devices, and what of these messages may be shown now. */
  pushFacts: declareCommand<MessageIdsArgs, ActorValueReply<PushAccountFacts>>('push-facts'),
  markHotspot: declareCommand<{ readonly hotspot: string }, ActorFieldsReply>('mark-hotspot'),
  setTutorial: declareCommand<{ readonly status: 'started' | 'finished' }, ActorFieldsReply>('set-tutorial'),
  botStorage: declareCommand<BotStorageKeysArgs, ActorFieldsReply>('bot-storage'),
  putStorage: declareCommand<{ readonly storage: { readonly [key: string]: string } }, ActorFieldsReply>('put-storage'),
  removeStorage: declareCommand<BotStorageKeysArgs, ActorFieldsReply>('remove-storage'),
  /** Replies with the id of the newest message that the user has received. */
  newest: declareCommand<NoCommandArguments, ActorValueReply<Json>>('newest'),
  /** Replies with the named sections of the user's own state, all of one version of this actor. */
  ownState: declareCommand<
    { readonly sections: readonly OwnStateSection[] },
    ActorValueReply<{ readonly version: number; readonly [section: string]: Json | undefined }>
  >('own-state'),

  // Commands about streams.
  subscribed: declareCommand<{ readonly streams: readonly NewSubscription[] }>('subscribed'),
  unsubscribed: declareCommand<EndSubscriptionsArgs>('unsubscribed'),
  subscriptionSettings: declareCommand<{ readonly data: readonly SubscriptionSettingChange[] }, ActorFieldsReply>(
    'subscription-settings',
  ),
  subscriptions: declareCommand<
    { readonly include_subscribers: boolean },
    ActorFieldsReply<{ readonly subscriptions: readonly JsonObject[] }>
  >('subscriptions'),
  streams: declareCommand<ListStreamsArgs, ActorFieldsReply>('streams'),
  streamById: declareCommand<{ readonly stream_id: number }, ActorFieldsReply>('stream'),
  streamIdByName: declareCommand<{ readonly stream: string }, ActorFieldsReply>('stream-id'),
  subscribersOf: declareCommand<{ readonly stream_id: number }, ActorFieldsReply>('subscribers'),
  subscriptionStatus: declareCommand<{ readonly user_id: number; readonly stream_id: number }, ActorFieldsReply>(
    'subscription-status',
  ),
  streamTopics: declareCommand<{ readonly stream_id: number }, ActorFieldsReply>('topics'),
  setTopicPolicy: declareCommand<StreamTopic & { readonly policy: number }, ActorFieldsReply>('set-topic-policy'),
  muteTopic: declareCommand<MuteOrUnmuteTopicArgs, ActorFieldsReply>('mute-topic'),
  /** Sent by a stream's actor: the user takes part in a topic or is mentioned in it, which may change the policy. */
  tookPartInTopic: declareCommand<
    StreamTopic & { readonly participation: 'initiation' | 'send' | 'other' | 'mention' }
  >('took-part-in-topic'),
  /** Sent by a stream's actor: the user's policy for a topic follows a move of the topic. */
  moveTopicPolicy: declareCommand<MoveTopicVisibilityPolicyArgs>('move-topic-policy'),
  /**
   * Sent by the realm's or a stream's actor: the stream may have become visible to the user or hidden, also by being
   * archived. null: any stream, because the user's role changed. The user's actor sends it to itself with `after`, the
   * part of the last topic whose event is published: the events of all topics would be too much for one commit.
   */
  streamShownOrHidden: declareCommand<{ readonly stream: number | null; readonly after?: string }>(
    'stream-shown-or-hidden',
  ),

  // Commands about reading.
  fetchMessages: declareCommand<FetchMessagesArgs, ActorFieldsReply>('messages'),
  fetchMessage: declareCommand<FetchMessageArgs, ActorFieldsReply>('message'),
  matchesNarrow: declareCommand<NarrowArgs & { readonly msg_ids: readonly number[] }, ActorFieldsReply>(
    'matches-narrow',
  ),
  publicMessages: declareCommand<FetchMessagesArgs, ActorFieldsReply>('public-messages'),
  publicMessage: declareCommand<FetchMessageArgs, ActorFieldsReply>('public-message'),
  publicTopics: declareCommand<{ readonly stream_id: number }, ActorFieldsReply>('public-topics'),
  history: declareCommand<{ readonly message_id: number }, ActorFieldsReply>('message-history'),
  readReceipts: declareCommand<{ readonly message_id: number }, ActorFieldsReply>('read-receipts'),
  render: declareCommand<Omit<MessageInput, 'topic'>, ActorFieldsReply>('render'),
  setFlags: declareCommand<MessageFlagChange & { readonly messages: readonly number[] }, ActorFieldsReply>('set-flags'),
  setFlagsInNarrow: declareCommand<MessageFlagChange & AnchoredMessagesArgs, ActorFieldsReply>('set-flags-in-narrow'),
  markAllRead: declareCommand<NoCommandArguments, ActorFieldsReply>('mark-all-read'),
  /**
   * Sent by this actor to itself after `markAllRead`: sends events for messages that arrived meanwhile and are unread.
   */
  announceUnreadAfterMarkAll: declareCommand('announce-unread-after-mark-all'),
  markStreamRead: declareCommand<{ readonly stream: number }, ActorFieldsReply>('mark-stream-read'),
  markTopicRead: declareCommand<StreamTopic, ActorFieldsReply>('mark-topic-read'),
  /** Sent by this actor to itself: marks the messages of a stream that the user has left as read. */
  readStream: declareCommand<MarkLeftStreamReadArgs>('read-stream'),
  /** Mutes a user: marks messages of that user as read, then redirects to the realm actor, which stores the mute. */
  muteUser: declareCommand<{ readonly muted_user_id: number }, ActorFieldsReply>('mute-user'),

  // Commands about one message. This actor checks the access and redirects the caller to the conversation's actor.
  editMessage: declareCommand<EditMessageArgs, ActorFieldsReply>('edit-message'),
  moveMessage: declareCommand<EditMessageArgs, ActorFieldsReply>('move-message'),
  deleteMessage: declareCommand<{ readonly message_id: number }, ActorFieldsReply>('delete-message'),
  deleteTopic: declareCommand<{ readonly stream_id: number; readonly topic: string }, ActorFieldsReply>('delete-topic'),
  react: declareCommand<AddReactionArgs, ActorFieldsReply>('react'),
  unreact: declareCommand<RemoveReactionArgs, ActorFieldsReply>('unreact'),
  submessage: declareCommand<AddSubmessageArgs, ActorFieldsReply>('submessage'),
  /**
   * Checks again a message that its stream's actor refused, because the caller may have the right by now; then
   * redirects to the stream's actor again.
   */
  retryAfterJoin: declareCommand<{ readonly stream: number; readonly message: SendMessageArgs }, ActorFieldsReply>(
    'send-again',
  ),

  // Commands about writing messages.
  typing: declareCommand<{ readonly op: TypingOp; readonly to: readonly number[] }, ActorFieldsReply>('typing'),
  drafts: declareCommand<NoCommandArguments, ActorFieldsReply>('drafts'),
  createDrafts: declareCommand<{ readonly drafts: readonly DraftInput[] }, ActorFieldsReply>('create-drafts'),
  editDraft: declareCommand<IdArgs & { readonly draft: DraftInput }, ActorFieldsReply>('edit-draft'),
  deleteDraft: declareCommand<IdArgs, ActorFieldsReply>('delete-draft'),
  /** Sent by the realm actor: deletes all drafts, because the user has turned drafts off. */
  dropDrafts: declareCommand('drop-drafts'),
  savedSnippets: declareCommand<NoCommandArguments, ActorFieldsReply>('saved-snippets'),
  createSavedSnippet: declareCommand<SavedSnippetInput, ActorFieldsReply>('create-saved-snippet'),
  editSavedSnippet: declareCommand<EditSavedSnippetArgs, ActorFieldsReply>('edit-saved-snippet'),
  deleteSavedSnippet: declareCommand<IdArgs, ActorFieldsReply>('delete-saved-snippet'),
  scheduledMessages: declareCommand<NoCommandArguments, ActorFieldsReply>('scheduled-messages'),
  schedule: declareCommand<ScheduleMessageArgs, ActorFieldsReply>('schedule'),
  editScheduled: declareCommand<EditScheduledMessageArgs, ActorFieldsReply>('edit-scheduled'),
  deleteScheduled: declareCommand<IdArgs, ActorFieldsReply>('delete-scheduled'),
  /** Sent by the conversation's actor: records that the scheduled message was sent. */
  scheduledSent: declareCommand<IdArgs>('scheduled-sent'),
  /** Sent by the conversation's actor: records that the scheduled message was refused. */
  scheduledFailed: declareCommand<ScheduledMessageFailedArgs>('scheduled-failed'),
  /** Sent by the actor's timer: sends scheduled messages and mails that are due, and deletes expired files. */
  due: declareCommand('due'),

  // Commands that the actors of conversations send.
  /** The user has devices, and got a message that may be pushed to them. Never refused; may be repeated. */
  mayPush: declareCommand<PushCandidateMessageArgs>('may-push'),
  /**
   * Messages of this range were deleted, lost a mention, or moved out of the user's streams; they may have been pushed.
   * Never refused; may be repeated.
   */
  pushedChanged: declareCommand<MessageIdRangeArgs>('pushed-changed'),
  /** From conversations of older versions: these messages were deleted. Never refused; may be repeated. */
  pushedGone: declareCommand<MessageIdsArgs>('pushed-gone'),
  /**
   * Records that the user got a message that may notify by mail. Senders may omit this command for later messages that
   * concern the user no more than this one.
   */
  missed: declareCommand<PossiblyMissedMessageArgs>('missed'),
  /** From the realm actor: the user has changed the batching period of mails. Never refused; may be repeated. */
  mailPeriodChanged: declareCommand('mail-period'),
  /** From the realm actor: makes the weekly digest at the time given. Never refused; may be repeated. */
  planDigest: declareCommand<PlanDigestArgs>('plan-digest'),
  /** Adds earlier messages to the user's messages, because the user reacted to them without having received them. */
  makeCopy: declareCommand<MessageCopiesArgs>('made-copy'),
  /** Adds messages to those of a bot that was mentioned in a stream without being subscribed. */
  giveCopy: declareCommand<MessageCopiesArgs>('give-copy'),
  /**
   * Notifies the owner of this bot of a message without recipients: the stream doesn't exist, or (`exists`) has no
   * subscribers. `stream`: name or id as the bot sent it. Frontends send this command, too.
   */
  lostMessage: declareCommand<
    { readonly stream: string; readonly exists: boolean; readonly origin: string },
    ActorFieldsReply
  >('lost-message'),

  // Commands about files.
  fileBegin: declareCommand<FilePathArgs & { readonly name: string; readonly size: number }, ActorFieldsReply>(
    'file-begin',
  ),
  fileDone: declareCommand<FilePathArgs, ActorFieldsReply>('file-done'),
  fileRemove: declareCommand<{ readonly id: string }, ActorFieldsReply>('file-remove'),
  /** Sent by the conversation's actor: records that a message links to the file. */
  fileLinked: declareCommand<FilePathArgs & { readonly message: number; readonly sent: number }>('file-linked'),
  /** Sent by the conversation's actor: records that messages no longer link to the file. */
  fileUnlinked: declareCommand<FileUnlinkedArgs>('file-unlinked'),
  fileExists: declareCommand<FilePathArgs, ActorValueReply<boolean>>('file-exists'),
  /** Succeeds if the caller may open the file; refused otherwise. */
  fileAccess: declareCommand<FilePathArgs, ActorFieldsReply>('file-access'),
  /** Succeeds if a caller without an account may open the file; refused otherwise. */
  filePublic: declareCommand<FilePathArgs, ActorFieldsReply>('file-public'),
  /** Replies with the listed files that the caller may open. */
  filesAccessible: declareCommand<{ readonly paths: readonly string[] }, ActorValueReply<readonly string[]>>(
    'files-accessible',
  ),
  attachments: declareCommand<NoCommandArguments, ActorFieldsReply>('attachments'),
};
