import type { Json, JsonObject } from '#base';
import { commandOf, type FieldsReply, type NoArguments, type ValueReply } from './command.js';
import type {
  AddReactionArgs,
  EditMessageArgs,
  RemoveReactionArgs,
  SendArgs,
  SubmessageArgs,
  TypingOp,
} from './stream.js';

export type NewAccountArgs = {
  /** scrypt hash of the password; null: no log-in by password. */
  readonly passwordHash: string | null;
  readonly keySealed: string;
  /** Streams to which the account is subscribed from the beginning. No queue exists yet, so there are no events. */
  readonly streams: readonly { readonly id: number; readonly recipient: number; readonly mark: number }[];
};

/** Reply to `check-password`: whether the password is right. */
export type PasswordCheck = {
  readonly correct: boolean;
  /** Milliseconds until the next attempt is allowed; above 0: this attempt was not checked. */
  readonly wait: number;
};

export type PushService = 'apns' | 'gcm';
export type PushTokenArgs = { readonly service: PushService; readonly token: string };

export type NewSubscription = {
  /** The stream object as events show it. */
  readonly stream: JsonObject;
  /** User ids of all subscribers, this user included. */
  readonly subscribers: readonly number[];
  readonly color: string | null;
};

export type UnsubscribedArgs = {
  readonly streams: readonly { readonly id: number; readonly name: string }[];
  /** If true, the user gets no event about the end of the subscription. */
  readonly silent?: boolean;
};

export type SubscriptionSetting = {
  readonly stream_id: number;
  readonly property: string;
  readonly value: string | boolean;
};

/** Names of the sections of a user's state in the reply of `own-state`. */
export type OwnStateSection = 'subscriptions' | 'drafts' | 'scheduled' | 'topics' | 'reading' | 'hotspots';

export type ListStreamsArgs = {
  readonly include_public: boolean;
  readonly include_web_public: boolean;
  readonly include_subscribed: boolean;
  readonly include_all_active: boolean;
  readonly include_default: boolean;
  readonly include_owner_subscribed: boolean;
};

/** Selects messages around an anchor. */
export type AnchorArgs = {
  readonly anchor: number | 'first_unread';
  readonly include_anchor: boolean;
  readonly num_before: number;
  readonly num_after: number;
  /** JSON text of the narrow as the client sent it; the frontend has checked it. */
  readonly narrow: string;
};

export type FetchMessagesArgs = AnchorArgs & {
  readonly client_gravatar: boolean;
  readonly apply_markdown: boolean;
};

export type FetchMessageArgs = { readonly message_id: number; readonly apply_markdown: boolean };

export type EditableFlag = 'read' | 'starred' | 'collapsed';

export type FlagChange = { readonly flag: EditableFlag; readonly op: 'add' | 'remove' };

export type ReadStreamArgs = {
  readonly stream: number;
  /**
   * Id of the newest message when the user left the stream. If the user is subscribed again, later messages stay
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
  /** Time of the draft's last edit, seconds since 1970, with fractions; absent: now. */
  readonly timestamp?: number;
};

export type ScheduleArgs = {
  readonly type: 'stream' | 'private';
  readonly to: readonly number[];
  readonly topic: string | null;
  readonly content: string;
  /** When to send the message, seconds since 1970. */
  readonly at: number;
  readonly origin: string;
};

/** Arguments of PATCH /scheduled_messages/{id}; null: not to be changed. */
export type EditScheduledArgs = {
  readonly id: number;
  readonly type: 'stream' | 'private' | null;
  /** New recipients as the client sent them; their meaning depends on the type. */
  readonly to: string | null;
  readonly topic: string | null;
  readonly content: string | null;
  /** New time of sending, seconds since 1970. */
  readonly at: number | null;
  readonly origin: string;
};

export type ScheduledFailedArgs = {
  readonly id: number;
  /** Message of the refusal, for the user. */
  readonly reason: string;
  /** True if the refusal was NOT_AUTHORIZED_TO_SEND: the stream's actor may not know a new subscription yet. */
  readonly outside: boolean;
};

/** A message that may notify its receiver, as the conversation's actor sends it to the receiver's actor. */
export type MissedMessageArgs = {
  readonly id: number;
  readonly sender: number;
  /** Stream of the message; 0: a direct message. */
  readonly stream: number;
  readonly topic: string;
  /** Ids of all participants of a direct message, ascending; [] for stream messages. */
  readonly participants: readonly number[];
  /** Time of sending, ms since 1970. */
  readonly sent: number;
  /** True if the text mentions every user with a copy. */
  readonly wildcard: boolean;
  /** The receiver's flags at the creation of the message. */
  readonly flags: readonly string[];
  /** Base URL of the organization, for links. */
  readonly origin: string;
};

export type TopicName = { readonly stream: number; readonly topic: string };

export type MuteTopicArgs = {
  /** Name or id of the stream. */
  readonly stream: string | number;
  readonly topic: string;
  readonly mute: boolean;
};

export type MoveTopicPolicyArgs = {
  readonly from: TopicName;
  /** Topic to which the messages were moved; null: the user has no access to it. */
  readonly to: TopicName | null;
  /** True if the target topic had messages before the move. */
  readonly targetExisted: boolean;
};

/** Keys of a bot's storage; null: all. */
export type StorageKeys = { readonly keys: readonly string[] | null };

/** Fields of a successful log-in; the API key is sealed. */
export type LoginResult = { readonly sealed: string; readonly email: string; readonly user_id: number };

type Path = { readonly path: string };
type Id = { readonly id: number };
type MessageIds = { readonly ids: readonly number[] };

const command = commandOf<'user'>();

/** Commands of a user actor. */
export const userCommands = {
  // Account. All but the first four come from the realm actor, which has decided; they are never refused.
  /** POST /fetch_api_key, for an account that the frontend has found by its address. */
  fetchKey: command<{ readonly password: string }, FieldsReply<LoginResult>>('fetch-key'),
  /** The same without a password, for an account that a trusted service has signed in. */
  fetchKeyTrusted: command<NoArguments, FieldsReply<LoginResult>>('fetch-key-trusted'),
  /** Checks a password for the realm actor, which changes the password together with the rest of a request. */
  checkPassword: command<{ readonly password: string }, ValueReply<PasswordCheck>>('check-password'),
  /** Replies with the sealed API key, for the administration. */
  sealedKey: command<NoArguments, ValueReply<string>>('sealed-key'),
  create: command<NewAccountArgs>('create'),
  /** After a successful log-in: notes the device (program and system in words), and mails about a new one. */
  noteLogIn: command<{ readonly device: string; readonly origin: string }, FieldsReply>('note-log-in'),
  setPassword: command<{ readonly passwordHash: string }>('set-password'),
  setKey: command<{ readonly keySealed: string }>('set-key'),
  deactivated: command('deactivated'),
  reactivated: command('reactivated'),

  // Small state of the account.
  addPushToken: command<PushTokenArgs & { readonly app: string | null }, FieldsReply>('add-push-token'),
  removePushToken: command<PushTokenArgs, FieldsReply>('remove-push-token'),
  markHotspot: command<{ readonly hotspot: string }, FieldsReply>('mark-hotspot'),
  setTutorial: command<{ readonly status: 'started' | 'finished' }, FieldsReply>('set-tutorial'),
  botStorage: command<StorageKeys, FieldsReply>('bot-storage'),
  putStorage: command<{ readonly storage: { readonly [key: string]: string } }, FieldsReply>('put-storage'),
  removeStorage: command<StorageKeys, FieldsReply>('remove-storage'),
  /** Replies with the id of the newest message among the user's copies. */
  newest: command<NoArguments, ValueReply<Json>>('newest'),
  /** Replies with the named sections of the user's own state, all of one version of this actor. */
  ownState: command<
    { readonly sections: readonly OwnStateSection[] },
    ValueReply<{ readonly version: number; readonly [section: string]: Json | undefined }>
  >('own-state'),

  // Streams.
  subscribed: command<{ readonly streams: readonly NewSubscription[] }>('subscribed'),
  unsubscribed: command<UnsubscribedArgs>('unsubscribed'),
  subscriptionSettings: command<{ readonly data: readonly SubscriptionSetting[] }, FieldsReply>(
    'subscription-settings',
  ),
  subscriptions: command<{ readonly include_subscribers: boolean }, FieldsReply>('subscriptions'),
  streams: command<ListStreamsArgs, FieldsReply>('streams'),
  streamById: command<{ readonly stream_id: number }, FieldsReply>('stream'),
  streamIdByName: command<{ readonly stream: string }, FieldsReply>('stream-id'),
  subscribersOf: command<{ readonly stream_id: number }, FieldsReply>('subscribers'),
  subscriptionStatus: command<{ readonly user_id: number; readonly stream_id: number }, FieldsReply>(
    'subscription-status',
  ),
  streamTopics: command<{ readonly stream_id: number }, FieldsReply>('topics'),
  setTopicPolicy: command<TopicName & { readonly policy: number }, FieldsReply>('set-topic-policy'),
  muteTopic: command<MuteTopicArgs, FieldsReply>('mute-topic'),
  /** From a stream's actor: the user's policy for a topic follows a move of the topic. */
  moveTopicPolicy: command<MoveTopicPolicyArgs>('move-topic-policy'),

  // Reading.
  fetchMessages: command<FetchMessagesArgs, FieldsReply>('messages'),
  fetchMessage: command<FetchMessageArgs, FieldsReply>('message'),
  matchesNarrow: command<{ readonly msg_ids: readonly number[]; readonly narrow: string }, FieldsReply>(
    'matches-narrow',
  ),
  publicMessages: command<FetchMessagesArgs, FieldsReply>('public-messages'),
  publicMessage: command<FetchMessageArgs, FieldsReply>('public-message'),
  publicTopics: command<{ readonly stream_id: number }, FieldsReply>('public-topics'),
  history: command<{ readonly message_id: number }, FieldsReply>('message-history'),
  readReceipts: command<{ readonly message_id: number }, FieldsReply>('read-receipts'),
  render: command<{ readonly content: string; readonly origin: string }, FieldsReply>('render'),
  setFlags: command<FlagChange & { readonly messages: readonly number[] }, FieldsReply>('set-flags'),
  setFlagsInNarrow: command<FlagChange & AnchorArgs, FieldsReply>('set-flags-in-narrow'),
  markAllRead: command<NoArguments, FieldsReply>('mark-all-read'),
  markStreamRead: command<{ readonly stream: number }, FieldsReply>('mark-stream-read'),
  markTopicRead: command<TopicName, FieldsReply>('mark-topic-read'),
  /** From this actor itself: marks the messages of a stream that the user has left as read. */
  readStream: command<ReadStreamArgs>('read-stream'),
  /** Mutes a user: marks messages of that user as read, then redirects to the realm actor, which stores the mute. */
  muteUser: command<{ readonly muted_user_id: number }, FieldsReply>('mute-user'),

  // Commands on one message. This actor checks the access and redirects the caller to the conversation.
  editMessage: command<EditMessageArgs, FieldsReply>('edit-message'),
  moveMessage: command<EditMessageArgs, FieldsReply>('move-message'),
  deleteMessage: command<{ readonly message_id: number }, FieldsReply>('delete-message'),
  deleteTopic: command<{ readonly stream_id: number; readonly topic: string }, FieldsReply>('delete-topic'),
  react: command<AddReactionArgs, FieldsReply>('react'),
  unreact: command<RemoveReactionArgs, FieldsReply>('unreact'),
  submessage: command<SubmessageArgs, FieldsReply>('submessage'),
  /**
   * Checks again a message that its stream refused for want of a right that may be granted by now; redirects there
   * again.
   */
  retryAfterJoin: command<{ readonly stream: number; readonly message: SendArgs }, FieldsReply>('send-again'),

  // Writing.
  typing: command<{ readonly op: TypingOp; readonly to: readonly number[] }, FieldsReply>('typing'),
  drafts: command<NoArguments, FieldsReply>('drafts'),
  createDrafts: command<{ readonly drafts: readonly DraftInput[] }, FieldsReply>('create-drafts'),
  editDraft: command<Id & { readonly draft: DraftInput }, FieldsReply>('edit-draft'),
  deleteDraft: command<Id, FieldsReply>('delete-draft'),
  /** From the realm actor: deletes all drafts, because the user has turned drafts off. */
  dropDrafts: command('drop-drafts'),
  scheduledMessages: command<NoArguments, FieldsReply>('scheduled-messages'),
  schedule: command<ScheduleArgs, FieldsReply>('schedule'),
  editScheduled: command<EditScheduledArgs, FieldsReply>('edit-scheduled'),
  deleteScheduled: command<Id, FieldsReply>('delete-scheduled'),
  /** From the conversation's actor: the scheduled message was sent. */
  scheduledSent: command<Id>('scheduled-sent'),
  /** From the conversation's actor: the scheduled message was refused. */
  scheduledFailed: command<ScheduledFailedArgs>('scheduled-failed'),
  /** Timer: sends scheduled messages that are due, and deletes expired files. */
  due: command('due'),

  // From the actors of conversations.
  /** The user got a message that may notify by mail or push. May be sent or left out for further messages. */
  missed: command<MissedMessageArgs>('missed'),
  /** The user reacted to earlier messages without having copies, and gets copies of them. */
  makeCopy: command<MessageIds>('made-copy'),
  /** The user is a bot that was mentioned in a stream without being subscribed, and gets copies of these messages. */
  giveCopy: command<MessageIds>('give-copy'),
  /**
   * A message of this bot has no recipients: the stream doesn't exist, or (`exists`) has no subscribers.
   * `stream`: name or id as the bot sent it. Also sent by frontends.
   */
  lostMessage: command<{ readonly stream: string; readonly exists: boolean; readonly origin: string }, FieldsReply>(
    'lost-message',
  ),

  // Files.
  fileBegin: command<Path & { readonly name: string; readonly size: number }, FieldsReply>('file-begin'),
  fileDone: command<Path, FieldsReply>('file-done'),
  fileRemove: command<{ readonly id: string }, FieldsReply>('file-remove'),
  /** From the conversation's actor: records that a message links to the file. */
  fileLinked: command<Path & { readonly message: number; readonly sent: number }>('file-linked'),
  fileUnlinked: command<Path & { readonly message: number; readonly deleted: boolean }>('file-unlinked'),
  fileExists: command<Path, ValueReply<boolean>>('file-exists'),
  /** Succeeds if the caller may open the file; refused otherwise. */
  fileAccess: command<Path, FieldsReply>('file-access'),
  /** Succeeds if a caller without an account may open the file; refused otherwise. */
  filePublic: command<Path, FieldsReply>('file-public'),
  /** Replies with those of the listed files that the caller may open. */
  filesAccessible: command<{ readonly paths: readonly string[] }, ValueReply<readonly string[]>>('files-accessible'),
  attachments: command<NoArguments, FieldsReply>('attachments'),
};
