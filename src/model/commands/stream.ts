import type { Json } from '#base';
import { commandOf, type Fields, type Value } from './command.js';

/** What a conversation needs to make a message of a text. */
export type MessageInput = {
  /** Normalised: trimmed, cut to the limit. */
  readonly content: string;
  /** Checked and cut; '' for direct messages. */
  readonly topic: string;
  /** Base URL of the organization, for links. */
  readonly origin: string;
};

export type SendArgs = MessageInput & {
  /** The sender's own copy is read: the client is one that a person looks at. */
  readonly human: boolean;
  /** Queue of the sender whose event repeats `local_id`. */
  readonly queue_id: string | null;
  readonly local_id: string | null;
  /** As sent. */
  readonly widget: string | null;
};

/** Everybody in a conversation, the sender included, ascending. */
export type Participants = { readonly participants: readonly number[] };

export type SendScheduledArgs = SendArgs & {
  /** Id of the scheduled message. */
  readonly scheduled: number;
  /** Name of the client with which it was written. */
  readonly client: string;
};

export type BotReplyArgs = SendArgs & {
  /** What the bot answers, as part of a sentence. */
  readonly place: string;
};

export type NoticeArgs = MessageInput & {
  /** Users whose copies are read from the beginning. */
  readonly read: readonly number[];
  /** The bot that says it; absent: the notification bot. */
  readonly bot?: number;
};

export type PropagateMode = 'change_one' | 'change_later' | 'change_all';

/** Of the PATCH of a message; null: not given. */
export type EditMessageArgs = {
  readonly message_id: number;
  /** As sent. */
  readonly content: string | null;
  /** As sent but trimmed. */
  readonly topic: string | null;
  readonly stream_id: number | null;
  readonly propagate_mode: PropagateMode;
  readonly notify_old: boolean;
  readonly notify_new: boolean;
  /** Base URL of the organization, for links. */
  readonly origin: string;
};

/** What the caller's own actor adds to a command on a message. */
export type CopyKnown = {
  /** The caller has a copy of the message. */
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

export type TypingOp = 'start' | 'stop';

export type JoinArgs = {
  readonly users: readonly number[];
  /** The users have the messages above this id that came before they joined. */
  readonly after?: number;
};

/** One batch of the messages of a move that takes several commits. */
export type MoveBatchArgs = {
  /** Part that holds the decision and the ids of all messages. */
  readonly part: string;
  /** Of the ids in the part: from this index up to before `to`. */
  readonly from: number;
  readonly to: number;
  readonly last: boolean;
};

export type DeleteTopicArgs = {
  readonly topic: string;
  /** Wall time at which the caller gets an answer, ms. */
  readonly until: number;
  /** Only messages with a smaller id; 0: all. */
  readonly before: number;
};

/** What a stream's actor knows of its subscribers. */
export type Membership = {
  /** Ascending. */
  readonly members: readonly number[];
  /** Membership version. */
  readonly mv: number;
  /** Version of the stream's actor. */
  readonly version: number;
  /** Id of the newest message; 0: none. */
  readonly last: number;
  /** Realm version that the stream's actor knew: every account in the list was active there. */
  readonly realm: number;
};

const shared = commandOf<'stream' | 'dm'>();

/** Commands that streams and direct-message conversations have in common. */
export const conversationCommands = {
  /** Change the text of a message; comes by way of the caller's actor, as do the next five. */
  edit: shared<EditMessageArgs & CopyKnown, Fields>('edit'),
  /** Change topic or stream of messages. */
  move: shared<EditMessageArgs & CopyKnown, Fields>('move'),
  deleteMessage: shared<{ readonly message_id: number } & CopyKnown, Fields>('delete'),
  react: shared<AddReactionArgs & CopyKnown, Fields>('react'),
  unreact: shared<RemoveReactionArgs & CopyKnown, Fields>('unreact'),
  submessage: shared<SubmessageArgs & CopyKnown, Fields>('submessage'),
  /** Timer: remove messages that are too old, report the traffic. */
  due: shared('due'),
  /** Answered when the log holds everything that this actor has committed. */
  awaitPublished: shared('told'),
};

const stream = commandOf<'stream'>();

/** Commands of streams alone. */
export const streamCommands = {
  /** `again`: the stream asked the sender's own actor whether the right to send is on its way. */
  send: stream<SendArgs & { readonly again?: boolean }, Fields>('send'),
  /** From the actor of the user who scheduled the message; never refused, the user's actor hears of it. */
  sendScheduled: stream<SendScheduledArgs>('send-scheduled'),
  /** From a webhook's actor; never refused, that actor hears of it. */
  botReply: stream<BotReplyArgs>('bot-reply'),
  /** A message of a bot of the server. Never refused. */
  notice: stream<NoticeArgs>('notice'),
  typing: stream<{ readonly op: TypingOp; readonly topic: string }, Fields>('typing'),
  /** `user` made copies of messages of the past. Never refused. */
  copyMade: stream<{ readonly ids: readonly number[]; readonly user: number }>('copy-made'),
  join: stream<JoinArgs>('join'),
  leave: stream<{ readonly users: readonly number[] }>('leave'),
  /** The accounts were deactivated. */
  suspend: stream<{ readonly users: readonly number[] }>('suspend'),
  /** `user` may see the subscribers from now on. */
  showSubscribers: stream<{ readonly user: number }>('show-subscribers'),
  archive: stream('archive'),
  members: stream<Record<string, never>, Value<Membership>>('members'),
  isMember: stream<{ readonly user: number }, Value<boolean>>('is-member'),
  /** From this actor itself: move the next batch. */
  moveNextBatch: stream<MoveBatchArgs>('carry-on'),
  deleteTopic: stream<DeleteTopicArgs, Fields>('delete-topic'),
  listTopics: stream<Record<string, never>, Fields>('list-topics'),
  topicNames: stream<Record<string, never>, Value<readonly Json[]>>('topics'),
  /** Messages of the topic moved here. */
  topicChanged: stream<{ readonly topic: string }>('topic-changed'),
  topicWatched: stream<{ readonly topic: string; readonly user: number; readonly watches: boolean }>('topic-watched'),
  topicWatchers: stream<{ readonly topic: string }, Value<readonly number[]>>('topic-watchers'),
};

const direct = commandOf<'dm'>();

/** Commands of direct-message conversations alone. */
export const directCommands = {
  sendDirect: direct<SendArgs & Participants, Fields>('send-direct'),
  sendDirectScheduled: direct<SendScheduledArgs & Participants>('send-scheduled'),
  directBotReply: direct<BotReplyArgs & Participants>('bot-reply'),
  directNotice: direct<NoticeArgs & Participants>('notice'),
};
