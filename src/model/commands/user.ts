import type { Json, JsonObject } from '#base';
import { commandOf, type Fields, type NoArgs, type Value } from './command.js';
import type {
  AddReactionArgs,
  EditMessageArgs,
  RemoveReactionArgs,
  SendArgs,
  SubmessageArgs,
  TypingOp,
} from './stream.js';

export type NewAccountArgs = {
  /** scrypt hash; null: no log-in by password. */
  readonly passwordHash: string | null;
  readonly keySealed: string;
  /** Streams that the account is subscribed to from the beginning. No queue exists yet, so there are no events. */
  readonly streams: readonly { readonly id: number; readonly recipient: number; readonly mark: number }[];
};

/** Reply of a user actor to `check-password`. */
export type PasswordCheck = {
  readonly correct: boolean;
  /** Milliseconds until the next attempt is allowed; above 0: this attempt was not checked. */
  readonly wait: number;
};

export type PushService = 'apns' | 'gcm';
export type PushToken = { readonly service: PushService; readonly token: string };

export type NewSubscription = {
  /** The stream as events show it. */
  readonly stream: JsonObject;
  /** All subscribers, this user included. */
  readonly subscribers: readonly number[];
  readonly color: string | null;
};

export type UnsubscribedArgs = {
  readonly streams: readonly { readonly id: number; readonly name: string }[];
  /** Publish no event. */
  readonly silent?: boolean;
};

export type SubscriptionSetting = {
  readonly stream_id: number;
  readonly property: string;
  readonly value: string | boolean;
};

/** Names of the sections of a user's state in the reply of `own-state`. */
export type OwnSection = 'subscriptions' | 'drafts' | 'scheduled' | 'topics' | 'reading' | 'hotspots';

export type ListStreamsArgs = {
  readonly include_public: boolean;
  readonly include_web_public: boolean;
  readonly include_subscribed: boolean;
  readonly include_all_active: boolean;
  readonly include_default: boolean;
  readonly include_owner_subscribed: boolean;
};

/** Messages around an anchor. */
export type AnchorArgs = {
  readonly anchor: number | 'first_unread';
  readonly include_anchor: boolean;
  readonly num_before: number;
  readonly num_after: number;
  /** As sent; checked by the frontend. */
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
  /** Newest message when the user left. If the user is back, later messages stay unread. */
  readonly until?: number;
  /** The stream was archived. */
  readonly archived?: boolean;
};

/** A draft as a client sends it, checked against its schema. */
export type DraftInput = {
  /** '': no recipient yet. */
  readonly type: '' | 'stream' | 'private';
  /** One stream; or the other participants, ascending (only the user in a note to self); or none. */
  readonly to: readonly number[];
  /** '' unless the draft is for a stream. */
  readonly topic: string;
  readonly content: string;
  /** Seconds since 1970, with fractions; absent: now. */
  readonly timestamp?: number;
};

export type ScheduleArgs = {
  readonly type: 'stream' | 'private';
  readonly to: readonly number[];
  readonly topic: string | null;
  readonly content: string;
  /** Seconds since 1970. */
  readonly at: number;
  readonly origin: string;
};

/** null: not to be changed. */
export type EditScheduledArgs = {
  readonly id: number;
  readonly type: 'stream' | 'private' | null;
  /** As the client sent it; the meaning depends on the type. */
  readonly to: string | null;
  readonly topic: string | null;
  readonly content: string | null;
  /** Seconds since 1970. */
  readonly at: number | null;
  readonly origin: string;
};

export type ScheduledFailedArgs = {
  readonly id: number;
  /** Message of the refusal. */
  readonly reason: string;
  /** The refusal was NOT_AUTHORIZED_TO_SEND: the stream's actor may not know a new subscription yet. */
  readonly outside: boolean;
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
  /** null: the user has no access to the target. */
  readonly to: TopicName | null;
  /** The target topic had messages before. */
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
  // Account. All but the first three come from the realm actor, which has decided; they are never refused.
  /** POST /fetch_api_key, for an account that the frontend has found. */
  fetchKey: command<{ readonly password: string }, Fields<LoginResult>>('fetch-key'),
  /** For the realm actor, which changes the password together with the rest of a request. */
  checkPassword: command<{ readonly password: string }, Value<PasswordCheck>>('check-password'),
  /** For the administration. */
  sealedKey: command<NoArgs, Value<string>>('sealed-key'),
  create: command<NewAccountArgs>('create'),
  setPassword: command<{ readonly passwordHash: string }>('set-password'),
  setKey: command<{ readonly keySealed: string }>('set-key'),
  deactivated: command('deactivated'),
  reactivated: command('reactivated'),

  // Small state of the account.
  addPushToken: command<PushToken & { readonly app: string | null }, Fields>('add-push-token'),
  removePushToken: command<PushToken, Fields>('remove-push-token'),
  markHotspot: command<{ readonly hotspot: string }, Fields>('mark-hotspot'),
  setTutorial: command<{ readonly status: 'started' | 'finished' }, Fields>('set-tutorial'),
  botStorage: command<StorageKeys, Fields>('bot-storage'),
  putStorage: command<{ readonly storage: { readonly [key: string]: string } }, Fields>('put-storage'),
  removeStorage: command<StorageKeys, Fields>('remove-storage'),
  /** Id of the newest message in the user's copies. */
  newest: command<NoArgs, Value<Json>>('newest'),
  /** The named sections, all of one version of this actor. */
  ownState: command<
    { readonly sections: readonly OwnSection[] },
    Value<{ readonly version: number; readonly [section: string]: Json | undefined }>
  >('own-state'),

  // Streams.
  subscribed: command<{ readonly streams: readonly NewSubscription[] }>('subscribed'),
  unsubscribed: command<UnsubscribedArgs>('unsubscribed'),
  subscriptionSettings: command<{ readonly data: readonly SubscriptionSetting[] }, Fields>('subscription-settings'),
  subscriptions: command<{ readonly include_subscribers: boolean }, Fields>('subscriptions'),
  streams: command<ListStreamsArgs, Fields>('streams'),
  streamById: command<{ readonly stream_id: number }, Fields>('stream'),
  streamIdByName: command<{ readonly stream: string }, Fields>('stream-id'),
  subscribersOf: command<{ readonly stream_id: number }, Fields>('subscribers'),
  subscriptionStatus: command<{ readonly user_id: number; readonly stream_id: number }, Fields>('subscription-status'),
  streamTopics: command<{ readonly stream_id: number }, Fields>('topics'),
  setTopicPolicy: command<TopicName & { readonly policy: number }, Fields>('set-topic-policy'),
  muteTopic: command<MuteTopicArgs, Fields>('mute-topic'),
  /** From the actor of the stream. */
  moveTopicPolicy: command<MoveTopicPolicyArgs>('move-topic-policy'),

  // Reading.
  fetchMessages: command<FetchMessagesArgs, Fields>('messages'),
  fetchMessage: command<FetchMessageArgs, Fields>('message'),
  matchesNarrow: command<{ readonly msg_ids: readonly number[]; readonly narrow: string }, Fields>('matches-narrow'),
  publicMessages: command<FetchMessagesArgs, Fields>('public-messages'),
  publicMessage: command<FetchMessageArgs, Fields>('public-message'),
  publicTopics: command<{ readonly stream_id: number }, Fields>('public-topics'),
  history: command<{ readonly message_id: number }, Fields>('message-history'),
  readReceipts: command<{ readonly message_id: number }, Fields>('read-receipts'),
  render: command<{ readonly content: string; readonly origin: string }, Fields>('render'),
  setFlags: command<FlagChange & { readonly messages: readonly number[] }, Fields>('set-flags'),
  setFlagsInNarrow: command<FlagChange & AnchorArgs, Fields>('set-flags-in-narrow'),
  markAllRead: command<NoArgs, Fields>('mark-all-read'),
  markStreamRead: command<{ readonly stream: number }, Fields>('mark-stream-read'),
  markTopicRead: command<TopicName, Fields>('mark-topic-read'),
  /** From this actor itself: the user no longer has the stream, whose messages count as read. */
  readStream: command<ReadStreamArgs>('read-stream'),
  /** Marks messages of that user as read; the realm actor then stores the mute. */
  muteUser: command<{ readonly muted_user_id: number }, Fields>('mute-user'),

  // Commands on one message. This actor checks the access and redirects the caller to the conversation.
  editMessage: command<EditMessageArgs, Fields>('edit-message'),
  moveMessage: command<EditMessageArgs, Fields>('move-message'),
  deleteMessage: command<{ readonly message_id: number }, Fields>('delete-message'),
  deleteTopic: command<{ readonly stream_id: number; readonly topic: string }, Fields>('delete-topic'),
  react: command<AddReactionArgs, Fields>('react'),
  unreact: command<RemoveReactionArgs, Fields>('unreact'),
  submessage: command<SubmessageArgs, Fields>('submessage'),
  /** The stream refused what may be granted by now; redirects there again. */
  retryAfterJoin: command<{ readonly stream: number; readonly message: SendArgs }, Fields>('send-again'),

  // Writing.
  typing: command<{ readonly op: TypingOp; readonly to: readonly number[] }, Fields>('typing'),
  drafts: command<NoArgs, Fields>('drafts'),
  createDrafts: command<{ readonly drafts: readonly DraftInput[] }, Fields>('create-drafts'),
  editDraft: command<Id & { readonly draft: DraftInput }, Fields>('edit-draft'),
  deleteDraft: command<Id, Fields>('delete-draft'),
  /** From the realm actor: the user has turned drafts off. */
  dropDrafts: command('drop-drafts'),
  scheduledMessages: command<NoArgs, Fields>('scheduled-messages'),
  schedule: command<ScheduleArgs, Fields>('schedule'),
  editScheduled: command<EditScheduledArgs, Fields>('edit-scheduled'),
  deleteScheduled: command<Id, Fields>('delete-scheduled'),
  /** From the conversation's actor: the scheduled message was sent. */
  scheduledSent: command<Id>('scheduled-sent'),
  /** From the conversation's actor: the scheduled message was refused. */
  scheduledFailed: command<ScheduledFailedArgs>('scheduled-failed'),
  /** Timer: sends scheduled messages that are due, and other timed work. */
  due: command('due'),

  // From the actors of conversations.
  /** The user reacted to earlier messages and gets copies of them. */
  makeCopy: command<MessageIds>('made-copy'),
  /** A bot was mentioned in a stream to which it isn't subscribed. */
  giveCopy: command<MessageIds>('give-copy'),
  /**
   * A message of this bot has no recipients: the stream doesn't exist, or (`exists`) has no subscribers.
   * `stream`: name or id as the bot sent it. Also sent by frontends.
   */
  lostMessage: command<{ readonly stream: string; readonly exists: boolean; readonly origin: string }, Fields>(
    'lost-message',
  ),

  // Files.
  fileBegin: command<Path & { readonly name: string; readonly size: number }, Fields>('file-begin'),
  fileDone: command<Path, Fields>('file-done'),
  fileRemove: command<{ readonly id: string }, Fields>('file-remove'),
  /** From the conversation's actor: a message links to the file. */
  fileLinked: command<Path & { readonly message: number; readonly sent: number }>('file-linked'),
  fileUnlinked: command<Path & { readonly message: number; readonly deleted: boolean }>('file-unlinked'),
  fileExists: command<Path, Value<boolean>>('file-exists'),
  /** Succeeds if the caller may open the file. */
  fileAccess: command<Path, Fields>('file-access'),
  /** As `fileAccess`, for a caller without an account. */
  filePublic: command<Path, Fields>('file-public'),
  /** The files of the list that the caller may open. */
  filesAccessible: command<{ readonly paths: readonly string[] }, Value<readonly string[]>>('files-accessible'),
  attachments: command<NoArgs, Fields>('attachments'),
};
