import type { Json } from '#base';
import type { TextRenderedByFrontend } from '#model';
import { type ActorFieldsReply, type ActorValueReply, makeCommandDeclarer } from './command.js';

/** Text of a message, with the data that rendering needs. */
export type MessageInput = {
  /** Text of the message, trimmed and cut to the maximum length. */
  readonly content: string;
  /** Topic, checked and cut to the maximum length; '' for direct messages. */
  readonly topic: string;
  /** Base URL of the organization, for links. */
  readonly origin: string;
  /** True if `@**channel**` and `@**topic**` are mentions, because the API level of the client has them. */
  readonly newer_mentions?: boolean;
  /** `content` as a frontend has rendered it for the sender; absent: the actor renders it. */
  readonly rendered?: TextRenderedByFrontend;
};

export type SendMessageArgs = MessageInput & {
  /** True if a person uses the client: the sender has then read the message. */
  readonly human: boolean;
  /** Event queue of the sending client, whose event repeats `local_id`. */
  readonly queue_id: string | null;
  readonly local_id: string | null;
  /** The request's parameter `widget`, JSON text; null: none. */
  readonly widget: string | null;
};

/** All participants of a conversation, the sender included, ascending. */
export type ConversationParticipantsArgs = { readonly participants: readonly number[] };

export type SendScheduledMessageArgs = SendMessageArgs & {
  /** Id of the scheduled message that is sent. */
  readonly scheduled: number;
  /** Name of the client that wrote the scheduled message. */
  readonly client: string;
};

export type SendBotReplyArgs = SendMessageArgs & {
  /** Text that names the message to which the bot replies, for the notice of a failure. */
  readonly place: string;
};

export type PostBotNoticeArgs = MessageInput & {
  /** Users for whom the notice counts as read from the beginning. */
  readonly read: readonly number[];
  /** Id of the bot that sends the notice; absent: the notification bot. */
  readonly bot?: number;
  /** True if no user gets a mail or a push about the notice; absent: false. */
  readonly quiet?: boolean;
};

export type MessageMovePropagateMode = 'change_one' | 'change_later' | 'change_all';

/** Arguments of PATCH /messages/{id}; null: no change. */
export type EditMessageArgs = {
  readonly message_id: number;
  /** New text as the client sent it; null: the text stays. */
  readonly content: string | null;
  /** New topic, trimmed but otherwise as the client sent it; null: the topic stays. */
  readonly topic: string | null;
  readonly stream_id: number | null;
  /** SHA-256 in hexadecimal of the text that the edit replaces; absent: any text. */
  readonly prev_content_sha256?: string;
  readonly propagate_mode: MessageMovePropagateMode;
  readonly notify_old: boolean;
  readonly notify_new: boolean;
  /** Base URL of the organization, for links. */
  readonly origin: string;
  /** As in `MessageInput`. */
  readonly newer_mentions?: boolean;
};

/** Argument that the caller's user actor adds to a command about a message. */
export type CallerHasCopyArgs = {
  /** True if the caller has received the message. */
  readonly copy: boolean;
};

export type AddReactionArgs = {
  readonly message_id: number;
  readonly emoji_name: string;
  readonly emoji_code: string | null;
  readonly reaction_type: string | null;
};

export type RemoveReactionArgs = Omit<AddReactionArgs, 'emoji_name'> & { readonly emoji_name: string | null };

export type AddSubmessageArgs = { readonly message_id: number; readonly msg_type: string; readonly content: string };

export type ShowLinkPreviewsArgs = {
  readonly message_id: number;
  /** Content of the previews, in the order of the links. */
  readonly previews: readonly {
    readonly url: string;
    readonly title: string;
    readonly description: string;
    readonly image: string;
  }[];
};

export type TypingOp = 'start' | 'stop';

export type AddStreamSubscribersArgs = {
  readonly users: readonly number[];
  /** Message id above which the joining users also get earlier messages; absent: they get only later messages. */
  readonly after?: number;
  /**
   * True if accounts join again that were deactivated: their last stays ended with the deactivation, also where the
   * stored stays don't say so, as those that ended before 2026-11-30.
   */
  readonly resumed?: true;
};

/** Arguments for one batch of a move of messages that takes several commits. */
export type MessageMoveBatchArgs = {
  /** Name of the stored part with the decision about the move and the ids of all messages. */
  readonly part: string;
  /** First index into the ids in `part`; `to` is excluded. */
  readonly from: number;
  readonly to: number;
  readonly last: boolean;
};

export type DeleteTopicArgs = {
  readonly topic: string;
  /** Wall time (ms) until which the actor may delete messages; then it replies. */
  readonly until: number;
  /** Deletes only messages with a smaller id; 0: all. */
  readonly before: number;
};

/** Reply of a stream's actor: the subscribers, and the versions for which the list is correct. */
export type StreamSubscribersReply = {
  /** User ids of the subscribers, ascending. */
  readonly members: readonly number[];
  /** Former subscribers who have the maximum number of stays and can't join; absent: none. */
  readonly full?: readonly number[];
  /** Membership version of the stream. */
  readonly mv: number;
  /** Version of the stream's actor. */
  readonly version: number;
  /** Id of the newest message in the stream; 0 if there is none. */
  readonly last: number;
  /** Realm version of the stream actor's directory replica; every listed account was active at this version. */
  readonly realm: number;
};

const declareConversationCommand = makeCommandDeclarer<'stream' | 'dm'>();

/** Commands that streams and direct-message conversations have in common. */
export const conversationActorCommands = {
  /** Changes the text of a message. The caller's user actor redirects requests to this command and the next five. */
  edit: declareConversationCommand<EditMessageArgs & CallerHasCopyArgs, ActorFieldsReply>('edit'),
  /** Moves messages to another topic or stream. */
  move: declareConversationCommand<EditMessageArgs & CallerHasCopyArgs, ActorFieldsReply>('move'),
  deleteMessage: declareConversationCommand<{ readonly message_id: number } & CallerHasCopyArgs, ActorFieldsReply>(
    'delete',
  ),
  react: declareConversationCommand<AddReactionArgs & CallerHasCopyArgs, ActorFieldsReply>('react'),
  unreact: declareConversationCommand<RemoveReactionArgs & CallerHasCopyArgs, ActorFieldsReply>('unreact'),
  submessage: declareConversationCommand<AddSubmessageArgs & CallerHasCopyArgs, ActorFieldsReply>('submessage'),
  /** Adds the previews of linked pages to a message; sent by the link-preview actor. The command is never refused. */
  showLinkPreviews: declareConversationCommand<ShowLinkPreviewsArgs>('link-previews'),
  /** Sent by the actor's timer: removes messages that have exceeded the retention time, and reports the traffic. */
  due: declareConversationCommand('due'),
  /** Replies when the log holds the events of all commits of this actor. */
  awaitPublished: declareConversationCommand('told'),
};

export type TopicWatchedArgs = {
  readonly topic: string;
  readonly user: number;
  /** True if the user's actor keeps a policy for the topic. */
  readonly watches: boolean;
  /** True if the policy is to follow the topic; absent in commands of earlier versions. */
  readonly follows?: boolean;
};

const declareStreamCommand = makeCommandDeclarer<'stream'>();

/** Commands that only streams have. */
export const streamActorCommands = {
  /**
   * Sends a message to a stream. `again`: true for the second attempt, after the sender's user actor has checked for a
   * subscription that this actor doesn't know yet.
   */
  send: declareStreamCommand<SendMessageArgs & { readonly again?: boolean }, ActorFieldsReply>('send'),
  /**
   * Sends a scheduled message; sent by the author's user actor. The command is never refused: a command to the user
   * actor reports a failure.
   */
  sendScheduled: declareStreamCommand<SendScheduledMessageArgs>('send-scheduled'),
  /**
   * Sends the reply of an outgoing webhook bot; sent by the bot's webhook actor. The command is never refused: a
   * command to the webhook actor reports a failure.
   */
  botReply: declareStreamCommand<SendBotReplyArgs>('bot-reply'),
  /** Posts a message of one of the server's bots. The command is never refused. */
  notice: declareStreamCommand<PostBotNoticeArgs>('notice'),
  typing: declareStreamCommand<{ readonly op: TypingOp; readonly topic: string }, ActorFieldsReply>('typing'),
  /** Records that `user` now has these earlier messages. The command is never refused. */
  copyMade: declareStreamCommand<{ readonly ids: readonly number[]; readonly user: number }>('copy-made'),
  join: declareStreamCommand<AddStreamSubscribersArgs>('join'),
  leave: declareStreamCommand<{ readonly users: readonly number[] }>('leave'),
  /** Ends the memberships of deactivated accounts. */
  suspend: declareStreamCommand<{ readonly users: readonly number[] }>('suspend'),
  /** Publishes the subscribers of the stream to `user`, who may see them from now on. */
  showSubscribers: declareStreamCommand<{ readonly user: number }>('show-subscribers'),
  archive: declareStreamCommand('archive'),
  members: declareStreamCommand<Record<string, never>, ActorValueReply<StreamSubscribersReply>>('members'),
  isMember: declareStreamCommand<{ readonly user: number }, ActorValueReply<boolean>>('is-member'),
  /** Sent by this actor to itself: moves the next batch of messages. */
  moveNextBatch: declareStreamCommand<MessageMoveBatchArgs>('carry-on'),
  deleteTopic: declareStreamCommand<DeleteTopicArgs, ActorFieldsReply>('delete-topic'),
  listTopics: declareStreamCommand<Record<string, never>, ActorFieldsReply>('list-topics'),
  topicNames: declareStreamCommand<Record<string, never>, ActorValueReply<readonly Json[]>>('topics'),
  /** Sent by a subscriber's actor: the subscription asks for mails or pushes of all messages, or no longer does. */
  setNotified: declareStreamCommand<{ readonly user: number; readonly notified: boolean }>('set-notified'),
  /** Finds the topic's newest message again, after messages were moved into this stream from another one. */
  topicChanged: declareStreamCommand<{ readonly topic: string }>('topic-changed'),
  /** Sent by the realm's actor: a changed privacy shows the stream to some users or hides it from them. */
  shownOrHidden: declareStreamCommand('shown-or-hidden'),
  topicWatched: declareStreamCommand<TopicWatchedArgs>('topic-watched'),
  topicWatchers: declareStreamCommand<{ readonly topic: string }, ActorValueReply<readonly number[]>>('topic-watchers'),
};

const declareDirectMessageCommand = makeCommandDeclarer<'dm'>();

/** Commands that only direct-message conversations have. */
export const directMessageActorCommands = {
  sendDirect: declareDirectMessageCommand<SendMessageArgs & ConversationParticipantsArgs, ActorFieldsReply>(
    'send-direct',
  ),
  sendDirectScheduled: declareDirectMessageCommand<SendScheduledMessageArgs & ConversationParticipantsArgs>(
    'send-scheduled',
  ),
  directBotReply: declareDirectMessageCommand<SendBotReplyArgs & ConversationParticipantsArgs>('bot-reply'),
  directNotice: declareDirectMessageCommand<PostBotNoticeArgs & ConversationParticipantsArgs>('notice'),
};
