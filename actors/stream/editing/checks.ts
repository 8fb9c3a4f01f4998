/**
 * Permission to edit and move messages; checks in the order of messages.md § PATCH /messages/{id}. The functions have
 * no side effects.
 */

import type { StoredMessage } from '#domain/messages';
import { isAllowedByPolicy, USER_ROLE } from '#domain/people';
import { canAccessStream, checkStreamPostPolicy, checkTopicName } from '#domain/streams';
import type { RealmSettings } from '#model';
import type { EditMessageArgs } from '#model/commands';
import { apiError } from '#model/errors';
import type { DirectoryStream, DirectoryUser } from '#model/records';

/** Seconds added to the time limits of editing and moving, so that an edit that was begun in time can be finished. */
const GRACE = 20;

/** Changes that an edit makes. A topic equal to the present one is left out. */
export interface MessageEditPlan {
  /** New text as the client sent it; undefined: the text stays. */
  readonly content: string | undefined;
  /** New topic, checked by `checkTopicName`; undefined: the topic stays. */
  readonly topic: string | undefined;
  readonly stream: number | undefined;
}

export interface MessageEditContext {
  readonly user: DirectoryUser;
  readonly settings: RealmSettings;
  /** Wall time of the request, ms. */
  readonly now: number;
}

const isLate = ({ body }: StoredMessage, limit: number | null, now: number): boolean =>
  limit !== null && now > (body.sent + limit + GRACE) * 1000;

const movesFreely = (user: DirectoryUser): boolean => user.role <= USER_ROLE.moderator;

/** Checks an edit, except for the new text and the two streams. @throws ApiError */
export function planMessageEdit(
  message: StoredMessage,
  args: EditMessageArgs,
  { user, settings, now }: MessageEditContext,
): MessageEditPlan {
  const { content, stream_id } = args;
  if (content !== null && !settings.allow_message_editing) throw apiError('EDITING_OFF');
  const topic = args.topic === message.body.topic ? null : args.topic;
  if (content === null && topic === null && stream_id === null) throw apiError('NOTHING_TO_CHANGE');
  if (message.body.stream === 0) {
    if (stream_id !== null) throw apiError('DIRECT_TO_STREAM');
    if (topic !== null) throw apiError('DIRECT_TOPIC');
  }
  const moves = topic !== null || stream_id !== null;
  if (args.propagate_mode !== 'change_one' && !moves) throw apiError('PROPAGATE_NOTHING');
  const newTopic = topic === null ? undefined : checkTopicName(topic);
  if (stream_id !== null && content !== null) throw apiError('CONTENT_AND_STREAM');
  if (content !== null && (message.body.submessages?.length ?? 0) > 0) throw apiError('WIDGET_EDIT');
  if (content !== null && message.sender !== user.id) throw apiError('EDIT_NOT_ALLOWED');
  if (newTopic !== undefined && !isAllowedByPolicy(settings.edit_topic_policy, user, settings, now)) {
    throw apiError('EDIT_NOT_ALLOWED');
  }
  if (content !== null && isLate(message, settings.message_content_edit_limit_seconds, now)) {
    throw apiError('EDIT_TOO_LATE');
  }
  const limit = settings.move_messages_within_stream_limit_seconds;
  if (newTopic !== undefined && !movesFreely(user) && isLate(message, limit, now)) throw apiError('TOPIC_TOO_LATE');
  return { content: content ?? undefined, topic: newTopic, stream: stream_id ?? undefined };
}

interface StreamMove {
  readonly from: DirectoryStream;
  /** Stream to which the messages are to move; undefined if it does not exist. */
  readonly to: DirectoryStream | undefined;
  readonly subscribed: (stream: 'from' | 'to', user: number) => boolean;
  readonly owner: DirectoryUser | undefined;
}

/** Checks a move to another stream; returns that stream. @throws ApiError */
export function checkMoveToStream(
  message: StoredMessage,
  move: StreamMove,
  { user, settings, now }: MessageEditContext,
): DirectoryStream {
  const { from, to, subscribed, owner } = move;
  const policy = settings.move_messages_between_streams_policy;
  if (!isAllowedByPolicy(policy, user, settings, now)) throw apiError('MOVE_NOT_ALLOWED');
  if (!canAccessStream(user, from, subscribed('from', user.id))) throw apiError('MOVE_WITHOUT_ACCESS');
  if (!to || !canAccessStream(user, to, subscribed('to', user.id))) throw apiError('INVALID_STREAM_ID');
  checkStreamPostPolicy(
    {
      user,
      subscribed: subscribed('to', user.id),
      ...(owner ? { owner: { user: owner, subscribed: subscribed('to', owner.id) } } : {}),
    },
    to,
    settings,
    now,
  );
  const limit = settings.move_messages_between_streams_limit_seconds;
  if (!movesFreely(user) && isLate(message, limit, now)) throw apiError('STREAM_TOO_LATE');
  return to;
}

/**
 * Refuses to move a whole topic if some of its messages are too old.
 * @param topic all messages of the topic that the user may access
 * @throws ApiError with the first message that is young enough
 */
export function checkWholeTopicMove(
  topic: readonly StoredMessage[],
  { topic: name, stream }: MessageEditPlan,
  { user, settings, now }: MessageEditContext,
): void {
  if (movesFreely(user)) return;
  const limits = [
    name === undefined ? null : settings.move_messages_within_stream_limit_seconds,
    stream === undefined ? null : settings.move_messages_between_streams_limit_seconds,
  ].filter((limit) => limit !== null);
  if (limits.length === 0) return;
  const limit = Math.min(...limits);
  const allowed = topic.filter((message) => !isLate(message, limit, now));
  if (allowed.length === topic.length) return;
  throw apiError('MOVE_TIME_LIMIT', {
    first_message_id_allowed_to_move: Math.min(...allowed.map(({ id }) => id)),
    total_messages_in_topic: topic.length,
    total_messages_allowed_to_move: allowed.length,
  });
}
