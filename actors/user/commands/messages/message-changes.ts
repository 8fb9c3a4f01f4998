/** Edits, deletions and the edit history of messages: the part of the caller's own actor. */

import { makeSuccessReply } from '#actors/shared';
import type { Json } from '#base';
import { listMessageVersionsForApi, type ReadableMessage } from '#domain/messages';
import { mayAccessStream } from '#domain/streams';
import { streamActorKey, toStreamId, toUserId } from '#model';
import {
  conversationActorCommands,
  type EditMessageArgs,
  makeRedirectCommand,
  streamActorCommands,
  type userActorCommands,
} from '#model/commands';
import { apiError } from '#model/errors';
import { isSubscribedToStream, type UserCommandHandler } from '../../state.js';
import { loadAccessibleMessage, makeMessageOwnerRedirectHandler } from './on-message.js';

/** PATCH /messages/{message_id} with a new text only: changes the text of a message. */
export const redirectMessageEditHandler = makeMessageOwnerRedirectHandler<EditMessageArgs>(
  conversationActorCommands.edit,
);
/** PATCH /messages/{message_id} with a new topic or stream: moves messages. */
export const redirectMessageMoveHandler = makeMessageOwnerRedirectHandler<EditMessageArgs>(
  conversationActorCommands.move,
);
/** DELETE /messages/{message_id}: deletes a message. */
export const redirectMessageDeleteHandler = makeMessageOwnerRedirectHandler<{ readonly message_id: number }>(
  conversationActorCommands.deleteMessage,
);

/** GET /messages/{message_id}/history: the edit history of a message. */
export const fetchEditHistoryHandler: UserCommandHandler<
  typeof userActorCommands.history,
  ReadableMessage | undefined
> = {
  lane: 'read',
  read: true,
  inputs: ({ message_id }, context, sources) => loadAccessibleMessage(message_id, context, sources),
  handle(_view, _args, own, { directory }) {
    if (!directory.settings.allow_edit_history) throw apiError('EDIT_HISTORY_OFF');
    if (!own) throw apiError('INVALID_MESSAGES');
    return { reply: makeSuccessReply({ message_history: listMessageVersionsForApi(own.message) as Json }) };
  },
};

/** Time that a request to delete a topic may take, ms. */
const DELETE_TOPIC_TIME_LIMIT_MS = 50_000;

/** POST /streams/{stream_id}/delete_topic: deletes a topic. Administrators need access to the stream, too. */
export const redirectTopicDeletionHandler: UserCommandHandler<typeof userActorCommands.deleteTopic> = {
  lane: 'read',
  read: true,
  handle({ parts }, { stream_id, topic }, _inputs, { directory, caller, realm, now }) {
    const user = directory.user(toUserId(caller));
    const stream = directory.stream(toStreamId(stream_id));
    if (!user || !stream || !mayAccessStream(user, stream, isSubscribedToStream(parts, stream_id))) {
      throw apiError('INVALID_STREAM_ID');
    }
    const args = { topic, until: now + DELETE_TOPIC_TIME_LIMIT_MS, before: 0 };
    return {
      reply: {
        forward: makeRedirectCommand({
          to: streamActorKey(realm, stream.id),
          command: streamActorCommands.deleteTopic,
          args,
        }),
      },
    };
  },
};
