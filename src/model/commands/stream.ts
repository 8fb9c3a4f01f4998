import type { Json } from '#base';
import { commandOf, type FieldsReply, type ValueReply } from './command.js';

/** Text of a message and what rendering needs. */
export type MessageInput = {
  /** Normalised: trimmed, cut to the limit. */
  readonly content: string;
  /** Checked and cut; '' for direct messages. */
  readonly topic: string;
  /** Base URL of the organization, for links. */
  readonly origin: string;
};

export type SendArgs = MessageInput & {
  /** The client is used by a human, so the sender's own copy counts as read. */
  readonly human: boolean;
  /** Queue of the sender; its event repeats `local_id`. */
  readonly queue_id: string | null;
  readonly local_id: string | null;
  /** JSON text as sent. */
  readonly widget: string | null;
};

/** All participants of a conversation, the sender included, ascending. */
export type ParticipantArgs = { readonly participants: readonly number[] };

export type SendScheduledArgs = SendArgs & {
  /** Id of the scheduled message. */
  readonly scheduled: number;
  /** Name of the client with which it was written. */
  readonly client: string;
};

export type BotReplyArgs = SendArgs & {
  /** Phrase for the message that the bot answers, used in the notice of a failure. */
  readonly place: string;
};

export type NoticeArgs = MessageInput & {
  /** Users whose copies count as read from the beginning. */
  readonly read: readonly number[];
  /** The sending bot; absent: the notification bot. */
  readonly bot?: number;
};

export type PropagateMode = 'change_one' | 'change_later' | 'change_all';

/** Arguments of PATCH /messages/{id}; null: not given. */
export type EditMessageArgs = {
  readonly message_id: number;
  /** As sent. */
  readonly content: string | null;
  /** Trimmed, otherwise as sent. */
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

export type JoinStreamArgs = {
  readonly users: readonly number[];
  /** The users also have the earlier messages above this id. */
  readonly after?: number;
};

/** One batch of the messages of a move that takes several commits. */
export type MoveBatchArgs = {
  /** Part that holds the decision and the ids of all messages. */
  readonly part: string;
  /** Range of indexes into the ids of the part: from `from` to before `to`. */
  readonly from: number;
  readonly to: number;
  readonly last: boolean;
};

export type DeleteTopicArgs = {
  readonly topic: string;
  /** Wall time until which the actor may delete before it answers, ms. */
  readonly until: number;
  /** Only messages with a smaller id; 0: all. */
  readonly before: number;
};

/** Subscribers of a stream, from the stream's actor. */
export type StreamMembershipReply = {
  /** Ascending. */
  readonly members: readonly number[];
  /** Membership version. */
  readonly mv: number;
  /** Version of the stream's actor. */
  readonly version: number;
  /** Id of the newest message; 0: none. */
  readonly last: number;
  /** Realm version of the actor's directory replica; every listed account was active at this version. */
  readonly realm: number;
};

const shared = commandOf<'stream' | 'dm'>();

/** Commands that streams and direct-message conversations have in common. */
export const conversationCommands = {
  /** Changes the text of a message. Redirected here by the caller's user actor, as the next five commands are. */
  edit: shared<EditMessageArgs & CallerCopyArgs, FieldsReply>('edit'),
  /** Changes topic or stream of messages. */
  move: shared<EditMessageArgs & CallerCopyArgs, FieldsReply>('move'),
  deleteMessage: shared<{ readonly message_id: number } & CallerCopyArgs, FieldsReply>('delete'),
  react: shared<AddReactionArgs & CallerCopyArgs, FieldsReply>('react'),
  unreact: shared<RemoveReactionArgs & CallerCopyArgs, FieldsReply>('unreact'),
  submessage: shared<SubmessageArgs & CallerCopyArgs, FieldsReply>('submessage'),
  /** Timer: removes messages that are too old, reports the traffic. */
  due: shared('due'),
  /** Answered when the log holds everything that this actor has committed. */
  awaitPublished: shared('told'),
};

const stream = commandOf<'stream'>();

/** Commands of streams alone. */
export const streamCommands = {
  /** `again`: second attempt, after the sender's user actor checked for a subscription that is on its way. */
  send: stream<SendArgs & { readonly again?: boolean }, FieldsReply>('send'),
  /** From the user actor that stores the scheduled message. Never refused: a failure goes there as a command. */
  sendScheduled: stream<SendScheduledArgs>('send-scheduled'),
  /** From a webhook actor. Never refused: a failure goes there as a command. */
  botReply: stream<BotReplyArgs>('bot-reply'),
  /** A message of a bot of the server. Never refused. */
  notice: stream<NoticeArgs>('notice'),
  typing: stream<{ readonly op: TypingOp; readonly topic: string }, FieldsReply>('typing'),
  /** `user` now has copies of these earlier messages. Never refused. */
  copyMade: stream<{ readonly ids: readonly number[]; readonly user: number }>('copy-made'),
  join: stream<JoinStreamArgs>('join'),
  leave: stream<{ readonly users: readonly number[] }>('leave'),
  /** The accounts were deactivated. */
  suspend: stream<{ readonly users: readonly number[] }>('suspend'),
  /** Publishes the subscribers to `user`, to whom they became visible. */
  showSubscribers: stream<{ readonly user: number }>('show-subscribers'),
  archive: stream('archive'),
  members: stream<Record<string, never>, ValueReply<StreamMembershipReply>>('members'),
  isMember: stream<{ readonly user: number }, ValueReply<boolean>>('is-member'),
  /** From this actor itself: move the next batch. */
  moveNextBatch: stream<MoveBatchArgs>('carry-on'),
  deleteTopic: stream<DeleteTopicArgs, FieldsReply>('delete-topic'),
  listTopics: stream<Record<string, never>, FieldsReply>('list-topics'),
  topicNames: stream<Record<string, never>, ValueReply<readonly Json[]>>('topics'),
  /** Messages of the topic were moved into this stream. */
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
