/**
 * Operations of the API that edit, move and delete messages, and read their histories (messages.md § PATCH, § DELETE).
 */
import { Type } from 'typebox';
import { userActorKey } from '#model';
import { userActorCommands } from '#model/commands';
import { lookUpStreamByNameOrId } from '../../look-up.js';
import { newerMentionsArgument } from '../../newer-mentions.js';
import { defineOperation, forwardCommand } from '../../operation.js';
import {
  allowEmptyTopicNameParameter,
  declareBooleanParameterWithDefault,
  declareOptionalTextParameter,
  declarePathIdParameter,
  declareRequiredLongTextParameter,
  declareRequiredTextParameter,
} from '../../parameters.js';

export const editOrMoveMessageOperation = defineOperation({
  id: 'update-message',
  method: 'PATCH',
  path: '/messages/{message_id}',
  guard: 'user',
  summary: "Change a message's text, or move it and others to another topic or stream.",
  parameters: {
    message_id: declarePathIdParameter('The message.'),
    content: { ...declareRequiredLongTextParameter('form', 'New text, Markdown.'), required: false },
    topic: {
      ...declareRequiredLongTextParameter('form', 'New topic; it is cut.'),
      required: false,
      aliases: ['subject'],
    },
    stream_id: {
      in: 'form',
      encoding: 'uint',
      schema: Type.Integer({ minimum: 0 }),
      required: false,
      description: 'New stream.',
    },
    prev_content_sha256: {
      ...declareOptionalTextParameter('form', 'SHA-256 (hexadecimal) of the text that the client replaces.'),
      since: 371,
    },
    propagate_mode: {
      in: 'form',
      encoding: 'string',
      schema: Type.Enum(['change_later', 'change_one', 'change_all']),
      required: false,
      default: 'change_one',
      description: 'Which messages of the topic move: this one, this and all later ones, or all.',
    },
    send_notification_to_old_thread: declareBooleanParameterWithDefault(
      'form',
      false,
      'Tell of the move where the messages were.',
    ),
    send_notification_to_new_thread: declareBooleanParameterWithDefault(
      'form',
      true,
      'Tell of the move where the messages are now.',
    ),
  },
  async run(call) {
    const { params, realm, caller, site } = call;
    const { stream_id } = params;
    if (stream_id !== undefined) await lookUpStreamByNameOrId(call, stream_id);
    const moves = params.topic !== undefined || stream_id !== undefined;
    return forwardCommand({
      to: userActorKey(realm, caller),
      command: moves ? userActorCommands.moveMessage : userActorCommands.editMessage,
      args: {
        message_id: params.message_id,
        content: params.content ?? null,
        topic: params.topic?.trim() ?? null,
        stream_id: stream_id ?? null,
        ...(params.prev_content_sha256 === undefined ? {} : { prev_content_sha256: params.prev_content_sha256 }),
        propagate_mode: params.propagate_mode,
        notify_old: params.send_notification_to_old_thread,
        notify_new: params.send_notification_to_new_thread,
        origin: site,
        ...newerMentionsArgument(call),
      },
    });
  },
});

export const deleteMessageOperation = defineOperation({
  id: 'delete-message',
  method: 'DELETE',
  path: '/messages/{message_id}',
  guard: 'user',
  summary: 'Delete a message for everybody.',
  parameters: { message_id: declarePathIdParameter('The message.') },
  run: ({ params, realm, caller }) =>
    forwardCommand({
      to: userActorKey(realm, caller),
      command: userActorCommands.deleteMessage,
      args: { message_id: params.message_id },
    }),
});

export const getMessageEditHistoryOperation = defineOperation({
  id: 'get-message-history',
  method: 'GET',
  path: '/messages/{message_id}/history',
  guard: 'user',
  summary: 'All versions of a message, the first one first.',
  parameters: {
    message_id: declarePathIdParameter('The message.'),
    allow_empty_topic_name: allowEmptyTopicNameParameter,
  },
  run: ({ params, realm, caller }) =>
    forwardCommand({
      to: userActorKey(realm, caller),
      command: userActorCommands.history,
      args: { message_id: params.message_id },
    }),
});

/**
 * Deadline of deleting a topic: a little longer than the time after which the actor stops and answers with a partial
 * result.
 */
const DELETE_TOPIC_DEADLINE_MS = 70_000;

export const deleteTopicOperation = defineOperation({
  id: 'delete-topic',
  method: 'POST',
  path: '/streams/{stream_id}/delete_topic',
  guard: 'admin',
  summary: 'Delete all messages of a topic, from the newest.',
  parameters: {
    stream_id: declarePathIdParameter('The stream.'),
    topic_name: declareRequiredTextParameter('form', 'The topic, ignoring case.'),
  },
  async run(call) {
    const { params, realm, caller } = call;
    await lookUpStreamByNameOrId(call, params.stream_id);
    return forwardCommand({
      to: userActorKey(realm, caller),
      command: userActorCommands.deleteTopic,
      args: { stream_id: params.stream_id, topic: params.topic_name },
      deadlineMs: DELETE_TOPIC_DEADLINE_MS,
    });
  },
});

export const getStreamTopicsOperation = defineOperation({
  id: 'get-stream-topics',
  method: 'GET',
  path: '/users/me/{stream_id}/topics',
  guard: 'user',
  anonymous: true,
  summary: 'Topics of a stream, newest first.',
  parameters: {
    stream_id: declarePathIdParameter('The stream.'),
    allow_empty_topic_name: allowEmptyTopicNameParameter,
  },
  async run(call) {
    const { params, realm, caller } = call;
    await lookUpStreamByNameOrId(call, params.stream_id);
    return forwardCommand({
      to: userActorKey(realm, caller),
      command: caller === 0 ? userActorCommands.publicTopics : userActorCommands.streamTopics,
      args: { stream_id: params.stream_id },
    });
  },
});
