import type { Json } from '#base';
import { commandOf, type FieldsReply, type ValueReply } from './command.js';

/** Text of a message and what rendering needs. */
export type MessageInput = {
  /** Text of the message: trimmed and cut to the limit. */
  readonly content: string;
  /** Topic, checked and cut to the limit; '' for direct messages. */
  readonly topic: string;
  /** Base URL of the organization, for links. */
  readonly origin: string;
};

export type SendArgs = MessageInput & {
  /** True if a person uses the client: the sender's own copy then counts as read. */
  readonly human: boolean;
  /** Event queue of the sending client, whose event repeats `local_id`. */
  readonly queue_id: string | null;
  readonly local_id: string | null;
  /** The request's parameter `widget`, JSON text; null: none. */
  readonly widget: string | null;
};

/** All participants of a conversation, the sender included, ascending. */
export type ParticipantArgs = { readonly participants: readonly number[] };

export type SendScheduledArgs = SendArgs & {
  /** Id of the scheduled message that is sent. */
  readonly scheduled: number;
  /** Name of the client that wrote the scheduled message. */
  readonly client: string;
};

export type BotReplyArgs = SendArgs & {
  /** Phrase that names the message to which the bot replies, for the notice of a failure. */
  readonly place: string;
};

export type NoticeArgs = MessageInput & {
  /** Users for whom the notice counts as read from the beginning. */
  readonly read: readonly number[];
  /** Id of the bot that sends the notice; absent: the notification bot. */
  readonly bot?: number;
};

export type PropagateMode = 'change_one' | 'change_later' | 'change_all';

/** Arguments of PATCH /messages/{id}; null: not given. */
export type EditMessageArgs = {
  readonly message_id: number;
  /** New text as the client sent it; null: the text stays. */
  readonly content: string | null;
  /** New topic, trimmed but otherwise as the client sent it; null: the topic stays. */
  readonly topic: string | null;
  readonly stream_id: number | null;
  readonly propagate_mode: PropagateMode;
  readonly notify_old: boolean;
  readonly notify_new: boolean;
  /** Base URL of the organization, for links. */
  readonly origin: string;
};

/** Added by the caller's user actor to a command on a message. */
export type CallerCopyArgs = {
  /** True if the caller has a copy of the message. */
  readonly copy: boolean;
};

export type AddReactionArgs = {
  readonly message_id: number;
  readonly emoji_name: string;
  readonly emoji_code: string | null;
  readonly reaction_type: string | null;
};

export type RemoveReactionArgs = Omit<AddReactionArgs, 'emoji_name'> & { readonly emoji_name: string | null };

export type SubmessageArgs = { readonly message_id: number; readonly msg_type: string; readonly content: string };

export type ShowLinkPreviewsArgs = {
  readonly message_id: number;
  /** Facts of the pages that have previews, in the order of the links. */
  readonly previews: readonly {
    readonly url: string;
    readonly title: string;
    readonly description: string;
    readonly image: string;
  }[];
};

export type TypingOp = 'start' | 'stop';

export type JoinStreamArgs = {
  readonly users: readonly number[];
  /** The joining users also get copies of the earlier messages above this id; absent: only of later ones. */
  readonly after?: number;
};

/** One batch of the messages of a move that takes several commits. */
export type MoveBatchArgs = {
  /** Name of the part that holds the decision and the ids of all messages. */
  readonly part: string;
  /** Range of indexes into the ids of that part: from `from` to before `to`. */
  readonly from: number;
  readonly to: number;
  readonly last: boolean;
};

export type DeleteTopicArgs = {
  readonly topic: string;
  /** Wall time until which the actor may delete messages before it replies, ms. */
  readonly until: number;
  /** Deletes only messages with a smaller id; 0: all. */
  readonly before: number;
};

/** Reply of a stream's actor: the subscribers, and the versions at which the list is true. */
export type StreamMembershipReply = {
  /** User ids of the subscribers, ascending. */
  readonly members: readonly number[];
  /** Membership version of the stream. */
  readonly mv: number;
  /** Version of the stream's actor. */
  readonly version: number;
  /** Id of the newest message in the stream; 0: none. */
  readonly last: number;
  /** Realm version of the stream actor's directory replica; every listed account was active at this version. */
  readonly realm: number;
};

const shared = commandOf<'stream' | 'dm'>();

/** Commands that streams and direct-message conversations have in common. */
export const conversationCommands = {
  /** Changes the text of a message. Redirected here by the caller's user actor, as the next five commands are. */
  edit: shared<EditMessageArgs & CallerCopyArgs, FieldsReply>('edit'),
  /** Moves messages to another topic or stream. */
  move: shared<EditMessageArgs & CallerCopyArgs, FieldsReply>('move'),
  deleteMessage: shared<{ readonly message_id: number } & CallerCopyArgs, FieldsReply>('delete'),
  react: shared<AddReactionArgs & CallerCopyArgs, FieldsReply>('react'),
  unreact: shared<RemoveReactionArgs & CallerCopyArgs, FieldsReply>('unreact'),
  submessage: shared<SubmessageArgs & CallerCopyArgs, FieldsReply>('submessage'),
  /** Adds the previews of linked pages to a message; from the link-preview actor. Never refused. */
  showLinkPreviews: shared<ShowLinkPreviewsArgs>('link-previews'),
  /** Timer: removes messages that have exceeded the retention time, and reports the traffic. */
  due: shared('due'),
  /** Replies when the log holds everything that this actor has committed. */
  awaitPublished: shared('told'),
};

const stream = commandOf<'stream'>();

/** Commands of streams alone. */
export const streamCommands = {
  /**
   * Sends a message to a stream. `again`: second attempt, after the sender's user actor has checked for a subscription
   * that is on its way.
   */
  send: stream<SendArgs & { readonly again?: boolean }, FieldsReply>('send'),
  /**
   * Sends a scheduled message; from the sender's user actor. Never refused: a failure is reported there by a command.
   */
  sendScheduled: stream<SendScheduledArgs>('send-scheduled'),
  /**
   * Sends the reply of an outgoing webhook bot; from its webhook actor. Never refused: a failure is reported there by a
   * command.
   */
  botReply: stream<BotReplyArgs>('bot-reply'),
  /** Posts a message of one of the server's bots. Never refused. */
  notice: stream<NoticeArgs>('notice'),
  typing: stream<{ readonly op: TypingOp; readonly topic: string }, FieldsReply>('typing'),
  /** Records that `user` now has copies of these earlier messages. Never refused. */
  copyMade: stream<{ readonly ids: readonly number[]; readonly user: number }>('copy-made'),
  join: stream<JoinStreamArgs>('join'),
  leave: stream<{ readonly users: readonly number[] }>('leave'),
  /** Ends the memberships of deactivated accounts. */
  suspend: stream<{ readonly users: readonly number[] }>('suspend'),
  /** Publishes the subscribers of the stream to `user`, who may see them from now on. */
  showSubscribers: stream<{ readonly user: number }>('show-subscribers'),
  archive: stream('archive'),
  members: stream<Record<string, never>, ValueReply<StreamMembershipReply>>('members'),
  isMember: stream<{ readonly user: number }, ValueReply<boolean>>('is-member'),
  /** From this actor itself: moves the next batch of messages. */
  moveNextBatch: stream<MoveBatchArgs>('carry-on'),
  deleteTopic: stream<DeleteTopicArgs, FieldsReply>('delete-topic'),
  listTopics: stream<Record<string, never>, FieldsReply>('list-topics'),
  topicNames: stream<Record<string, never>, ValueReply<readonly Json[]>>('topics'),
  /** Messages of the topic were moved into this stream from another one. */
  /** From a subscriber's actor: the subscription asks for mails or pushes of all messages, or no longer does. */
  setNotified: stream<{ readonly user: number; readonly notified: boolean }>('set-notified'),
  topicChanged: stream<{ readonly topic: string }>('topic-changed'),
  topicWatched: stream<{ readonly topic: string; readonly user: number; readonly watches: boolean }>('topic-watched'),
  topicWatchers: stream<{ readonly topic: string }, ValueReply<readonly number[]>>('topic-watchers'),
};

const direct = commandOf<'dm'>();

/** Commands of direct-message conversations alone. */
export const directCommands = {
  sendDirect: direct<SendArgs & ParticipantArgs, FieldsReply>('send-direct'),
  sendDirectScheduled: direct<SendScheduledArgs & ParticipantArgs>('send-scheduled'),
  directBotReply: direct<BotReplyArgs & ParticipantArgs>('bot-reply'),
  directNotice: direct<NoticeArgs & ParticipantArgs>('notice'),
};
