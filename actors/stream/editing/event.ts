/** Events of edits, moves and deletions (messages.md § Edit event). The functions have no side effects. */

import type { JsonObject } from '#base';
import type { MessageBody, StoredMessage } from '#domain/messages';
import type { EventAudience, EventLogItem, LogItem } from '#model';
import type { MessageMovePropagateMode } from '#model/commands';
import type { DirectoryStream } from '#model/records';

/**
 * Maximum number of message ids per event, because an event must fit into a log entry. More ids are spread over several
 * events.
 */
const MAX_MESSAGE_IDS_PER_EVENT = 20_000;

interface MessageEditEventDetails {
  readonly editorId: number;
  /** Time of the edit, seconds since 1970. */
  readonly editedAtSeconds: number;
  readonly message: StoredMessage;
  /** The message's stream; undefined for direct messages. */
  readonly stream: DirectoryStream | undefined;
  /** Changed fields of the message's body, if its text is new. */
  readonly contentChanges?: Partial<MessageBody> | undefined;
  readonly move?:
    | {
        readonly mode: MessageMovePropagateMode;
        /** Ids of all moved messages. The id of the message that the request named comes first. */
        readonly ids: readonly number[];
        readonly topic?: { readonly name: string; readonly links: MessageBody['topicLinks'] } | undefined;
        readonly stream?: number | undefined;
      }
    | undefined;
}

export function makeMessageEditEvents(
  { editorId, editedAtSeconds, message, stream, contentChanges, move }: MessageEditEventDetails,
  to: EventAudience,
): LogItem[] {
  const { body, id } = message;
  const event: JsonObject = {
    type: 'update_message',
    user_id: editorId,
    edit_timestamp: editedAtSeconds,
    message_id: id,
    rendering_only: false,
    ...(stream ? { stream_name: stream.name, stream_id: stream.id } : {}),
    ...(contentChanges
      ? {
          orig_content: body.content,
          orig_rendered_content: body.html,
          prev_rendered_content_version: 1,
          content: contentChanges.content!,
          rendered_content: contentChanges.html!,
          is_me_message: contentChanges.content!.startsWith('/me '),
        }
      : {}),
    ...(move
      ? {
          propagate_mode: move.mode,
          orig_subject: body.topic,
          ...(move.stream === undefined ? {} : { new_stream_id: move.stream }),
          ...(move.topic ? { subject: move.topic.name, topic_links: move.topic.links } : {}),
        }
      : {}),
    // Each recipient's flags are filled in at delivery.
    flags: [],
  };
  const own = { of: 'flags', message: id } as const;
  return splitIdsByEventLimit(move?.ids ?? [id]).map((message_ids) => ({
    t: 'event',
    to,
    event: { ...event, message_ids },
    own,
  }));
}

function splitIdsByEventLimit(ids: readonly number[]): (readonly number[])[] {
  if (ids.length <= MAX_MESSAGE_IDS_PER_EVENT) return [ids];
  const all: (readonly number[])[] = [];
  for (let i = 0; i < ids.length; i += MAX_MESSAGE_IDS_PER_EVENT) all.push(ids.slice(i, i + MAX_MESSAGE_IDS_PER_EVENT));
  return all;
}

/** Place of deleted messages; null: direct messages. */
type DeletedMessagesPlace = { readonly stream: number; readonly topic: string } | null;

const makeFieldsOfPlace = (place: DeletedMessagesPlace): JsonObject =>
  place ? { stream_id: place.stream, topic: place.topic, message_type: 'stream' } : { message_type: 'private' };

/** delete_message events for clients that take many ids in one event. */
export const makeBulkMessageDeleteEvents = (
  ids: readonly number[],
  place: DeletedMessagesPlace,
  to: EventAudience,
): EventLogItem[] =>
  splitIdsByEventLimit(ids).map((message_ids) => ({
    t: 'event',
    to,
    event: { type: 'delete_message', message_ids, ...makeFieldsOfPlace(place) },
    only: { capability: 'bulk_message_deletion', has: true },
  }));

/** delete_message event for clients that take one id in each event. */
export const makeSingleMessageDeleteEvent = (
  message_id: number,
  place: DeletedMessagesPlace,
  to: EventAudience,
): EventLogItem => ({
  t: 'event',
  to,
  event: { type: 'delete_message', ...makeFieldsOfPlace(place), message_id },
  only: { capability: 'bulk_message_deletion', has: false },
});

/** delete_message events, in bulk and single for the two capabilities of clients. */
export const makeMessageDeleteEvents = (
  ids: readonly number[],
  place: DeletedMessagesPlace,
  to: EventAudience,
): EventLogItem[] => [
  ...makeBulkMessageDeleteEvents(ids, place, to),
  ...ids.map((id) => makeSingleMessageDeleteEvent(id, place, to)),
];
