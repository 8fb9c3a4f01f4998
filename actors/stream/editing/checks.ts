/**
 * Permission to edit and move messages; checks in the order of messages.md § PATCH /messages/{id}. The functions have
 * no side effects.
 */

import { createHash } from 'node:crypto';
import { requireTopicIfMandatory, type StoredMessage } from '#domain/messages';
import { isAllowedByPolicy, USER_ROLE } from '#domain/people';
import { mayAccessStream, requireMayPostToStream, toCheckedTruncatedTopic } from '#domain/streams';
import type { RealmSettings } from '#model';
import type { EditMessageArgs } from '#model/commands';
import { apiError } from '#model/errors';
import type { DirectoryStream, DirectoryUser } from '#model/records';

/** Seconds added to the time limits of editing and moving, so that an edit that was begun in time can be finished. */
const EDIT_TIME_LIMIT_GRACE_SECONDS = 20;

/** Changes that an edit makes. A topic or stream equal to the present one is left out, so there may be none. */
export interface MessageEditPlan {
  /** New text as the client sent it; undefined: the text stays. */
  readonly newContent: string | undefined;
  /** New topic, checked by `toCheckedTruncatedTopic`; undefined: the topic stays. */
  readonly newTopic: string | undefined;
  /** New stream; undefined: the stream stays. */
  readonly newStreamId: number | undefined;
}

export interface MessageEditContext {
  readonly user: DirectoryUser;
  readonly settings: RealmSettings;
  /** Wall time of the request, ms. */
  readonly nowMs: number;
}

const isPastTimeLimit = ({ body }: StoredMessage, limit: number | null, now: number): boolean =>
  limit !== null && now > (body.sent + limit + EDIT_TIME_LIMIT_GRACE_SECONDS) * 1000;

/** True if the message has the text that the editor has seen. @param sha256 hexadecimal; undefined: any text */
const isTextAsExpected = ({ body }: StoredMessage, sha256: string | undefined): boolean =>
  sha256 === undefined || createHash('sha256').update(body.content).digest('hex') === sha256.toLowerCase();

/** Maximum number of texts in the edit history of a message. */
const MAX_EARLIER_TEXTS_PER_MESSAGE = 1_000;
/**
 * Maximum number of characters of a message's earlier texts, as source and as HTML: each change of a message rewrites
 * its record with all of them, MongoDB refuses records of 16 MiB, and everyone who reads the message gets them.
 */
const MAX_EARLIER_TEXT_CHARACTERS_PER_MESSAGE = 2_000_000;

/** Characters of a message's text and of its earlier texts, as source and as HTML. */
export function countMessageAndHistoryCharacters({ body }: Pick<StoredMessage, 'body'>): number {
  let characters = body.content.length + body.html.length;
  for (const { content } of body.edits ?? []) if (content) characters += content.raw.length + content.html.length;
  return characters;
}

/** True if the present text fits into the edit history, where a new text moves it. */
function hasRoomForEarlierText(message: StoredMessage): boolean {
  const count = message.body.edits?.filter(({ content }) => content !== undefined).length ?? 0;
  return (
    count < MAX_EARLIER_TEXTS_PER_MESSAGE &&
    countMessageAndHistoryCharacters(message) <= MAX_EARLIER_TEXT_CHARACTERS_PER_MESSAGE
  );
}

const isExemptFromMoveTimeLimits = (user: DirectoryUser): boolean => user.role <= USER_ROLE.moderator;

/** Checks an edit, except for the new text and the two streams. @throws ApiError */
export function checkAndPlanMessageEdit(
  message: StoredMessage,
  args: EditMessageArgs,
  { user, settings, nowMs }: MessageEditContext,
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
  const newTopic = topic === null ? undefined : toCheckedTruncatedTopic(topic);
  if (newTopic !== undefined) requireTopicIfMandatory(newTopic, { settings });
  if (stream_id !== null && content !== null) throw apiError('CONTENT_AND_STREAM');
  if (content !== null && (message.body.submessages?.length ?? 0) > 0) throw apiError('WIDGET_EDIT');
  if (content !== null && message.sender !== user.id) throw apiError('EDIT_NOT_ALLOWED');
  if (newTopic !== undefined && !isAllowedByPolicy(settings.edit_topic_policy, user, settings, nowMs)) {
    throw apiError('EDIT_NOT_ALLOWED');
  }
  if (content !== null && isPastTimeLimit(message, settings.message_content_edit_limit_seconds, nowMs)) {
    throw apiError('EDIT_TOO_LATE');
  }
  if (content !== null && !isTextAsExpected(message, args.prev_content_sha256)) throw apiError('CONTENT_MISMATCH');
  if (content !== null && !hasRoomForEarlierText(message)) throw apiError('EDIT_HISTORY_FULL');
  const limit = settings.move_messages_within_stream_limit_seconds;
  if (newTopic !== undefined && !isExemptFromMoveTimeLimits(user) && isPastTimeLimit(message, limit, nowMs))
    throw apiError('TOPIC_TOO_LATE');
  const newStreamId = stream_id === null || stream_id === message.body.stream ? undefined : stream_id;
  return { newContent: content ?? undefined, newTopic, newStreamId };
}

interface StreamMoveCheckInputs {
  readonly fromStream: DirectoryStream;
  /** Stream to which the messages are to move; undefined if it does not exist. */
  readonly toStream: DirectoryStream | undefined;
  readonly isSubscribed: (stream: 'from' | 'to', user: number) => boolean;
  readonly botOwner: DirectoryUser | undefined;
}

/** Checks a move to another stream; returns that stream. @throws ApiError */
export function getAllowedTargetStreamOrThrow(
  message: StoredMessage,
  move: StreamMoveCheckInputs,
  { user, settings, nowMs }: MessageEditContext,
): DirectoryStream {
  const { fromStream, toStream, isSubscribed, botOwner } = move;
  const policy = settings.move_messages_between_streams_policy;
  if (!isAllowedByPolicy(policy, user, settings, nowMs)) throw apiError('MOVE_NOT_ALLOWED');
  if (!mayAccessStream(user, fromStream, isSubscribed('from', user.id))) throw apiError('MOVE_WITHOUT_ACCESS');
  if (!toStream || !mayAccessStream(user, toStream, isSubscribed('to', user.id))) throw apiError('INVALID_STREAM_ID');
  requireMayPostToStream(
    {
      user,
      subscribed: isSubscribed('to', user.id),
      ...(botOwner ? { owner: { user: botOwner, subscribed: isSubscribed('to', botOwner.id) } } : {}),
    },
    toStream,
    settings,
    nowMs,
  );
  const limit = settings.move_messages_between_streams_limit_seconds;
  if (!isExemptFromMoveTimeLimits(user) && isPastTimeLimit(message, limit, nowMs)) throw apiError('STREAM_TOO_LATE');
  return toStream;
}

/**
 * Refuses to move a whole topic if some of its messages are too old.
 * @param topic all messages that would move; a change of the topic alone also moves some that the user may not access
 * @param accessible ids of those that the user may access
 * @throws ApiError with the first accessible message that is young enough
 */
export function checkWholeTopicWithinTimeLimits(
  topic: readonly StoredMessage[],
  accessible: ReadonlySet<number>,
  { newTopic: name, newStreamId }: MessageEditPlan,
  { user, settings, nowMs }: MessageEditContext,
): void {
  if (isExemptFromMoveTimeLimits(user)) return;
  const limits = [
    name === undefined ? null : settings.move_messages_within_stream_limit_seconds,
    newStreamId === undefined ? null : settings.move_messages_between_streams_limit_seconds,
  ].filter((limit) => limit !== null);
  if (limits.length === 0) return;
  const limit = Math.min(...limits);
  const allowed = topic.filter((message) => !isPastTimeLimit(message, limit, nowMs));
  if (allowed.length === topic.length) return;
  throw apiError('MOVE_TIME_LIMIT', {
    first_message_id_allowed_to_move: Math.min(...allowed.map(({ id }) => id).filter((id) => accessible.has(id))),
    total_messages_in_topic: topic.length,
    total_messages_allowed_to_move: allowed.length,
  });
}
