/** Edits, deletions and the edit history of messages: the part of the caller's own actor. */

import { successReply } from '#actors/shared';
import type { Json } from '#base';
import { presentMessageHistory, type ReadableMessage } from '#domain/messages';
import { canAccessStream } from '#domain/streams';
import { streamId, streamKey, userId } from '#model';
import {
  conversationCommands,
  type EditMessageArgs,
  redirectCommand,
  streamCommands,
  type userCommands,
} from '#model/commands';
import { apiError } from '#model/errors';
import { isSubscribed, type UserCommand } from '../../state.js';
import { accessibleMessage, redirectToMessageOwner } from './on-message.js';

/** PATCH /messages/{message_id} with a new text only: changes the text of a message. */
export const editMessage = redirectToMessageOwner<EditMessageArgs>(conversationCommands.edit);
/** PATCH /messages/{message_id} with a new topic or stream: moves messages. */
export const moveMessage = redirectToMessageOwner<EditMessageArgs>(conversationCommands.move);
/** DELETE /messages/{message_id}: deletes a message. */
export const deleteMessage = redirectToMessageOwner<{ readonly message_id: number }>(
  conversationCommands.deleteMessage,
);

/** GET /messages/{message_id}/history: the edit history of a message. */
export const fetchEditHistoryHandler: UserCommand<typeof userCommands.history, ReadableMessage | undefined> = {
  lane: 'read',
  read: true,
  inputs: ({ message_id }, context, sources) => accessibleMessage(message_id, context, sources),
  handle(_view, _args, own, { directory }) {
    if (!directory.settings.allow_edit_history) throw apiError('EDIT_HISTORY_OFF');
    if (!own) throw apiError('INVALID_MESSAGES');
    return { reply: successReply({ message_history: presentMessageHistory(own.message) as Json }) };
  },
};

/** Time that a request to delete a topic may take, ms. */
const DELETE_TOPIC_MS = 50_000;

/** POST /streams/{stream_id}/delete_topic: deletes a topic. Administrators need access to the stream, too. */
export const deleteTopicHandler: UserCommand<typeof userCommands.deleteTopic> = {
  lane: 'read',
  read: true,
  handle({ parts }, { stream_id, topic }, _inputs, { directory, caller, realm, now }) {
    const user = directory.user(userId(caller));
    const stream = directory.stream(streamId(stream_id));
    if (!user || !stream || !canAccessStream(user, stream, isSubscribed(parts, stream_id))) {
      throw apiError('INVALID_STREAM_ID');
    }
    const args = { topic, until: now + DELETE_TOPIC_MS, before: 0 };
    return {
      reply: {
        forward: redirectCommand({ to: streamKey(realm, stream.id), command: streamCommands.deleteTopic, args }),
      },
    };
  },
};
