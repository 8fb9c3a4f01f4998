/** Operations of the API for topic visibility: users mute, unmute and follow topics (streams.md § User topics). */
import { Type } from 'typebox';
import { MAX_TOPIC_CHARACTERS } from '#domain/streams';
import { userActorKey } from '#model';
import { userActorCommands } from '#model/commands';
import { apiError } from '#model/errors';
import { lookUpStreamByNameOrId } from '../../look-up.js';
import { defineOperation, forwardCommand } from '../../operation.js';
import {
  declareOptionalJsonParameter,
  declareOptionalTextParameter,
  declareRequiredTextParameter,
} from '../../parameters.js';

/**
 * Parameter that refuses a topic that is too long. streams.md would store the topic unchanged; the API's original
 * server has no room for it and answers 500 (recordings 1022, 1035). A shortened topic would be another topic than the
 * one in the request.
 */
const topicNameParameter = {
  ...declareRequiredTextParameter('form', 'Topic; need not exist.'),
  schema: Type.String({ maxLength: MAX_TOPIC_CHARACTERS }),
} as const;

export const setTopicVisibilityPolicyOperation = defineOperation({
  id: 'update-user-topic',
  method: 'POST',
  path: '/user_topics',
  guard: 'user',
  summary: 'Mute, unmute or follow a topic.',
  parameters: {
    stream_id: { ...declareOptionalJsonParameter('form', Type.Integer(), 'Stream of the topic.'), required: true },
    topic: topicNameParameter,
    visibility_policy: {
      ...declareOptionalJsonParameter(
        'form',
        Type.Enum([0, 1, 2, 3]),
        '0 as the stream, 1 muted, 2 unmuted, 3 followed.',
      ),
      required: true,
    },
  },
  async run(call) {
    const { stream_id, topic, visibility_policy } = call.params;
    // An unknown stream refreshes the replica. The command's actor then waits until its own replica has reached that
    // realm version.
    await lookUpStreamByNameOrId(call, stream_id);
    return forwardCommand({
      to: userActorKey(call.realm, call.caller),
      command: userActorCommands.setTopicPolicy,
      args: { stream: stream_id, topic, policy: visibility_policy },
    });
  },
});

export const muteOrUnmuteTopicOperation = defineOperation({
  id: 'mute-topic',
  method: 'PATCH',
  path: '/users/me/subscriptions/muted_topics',
  guard: 'user',
  summary: 'Mute or unmute a topic (older form of POST /user_topics).',
  parameters: {
    stream_id: declareOptionalJsonParameter('form', Type.Integer(), 'Stream of the topic; this or `stream`.'),
    stream: declareOptionalTextParameter('form', "The stream's name."),
    topic: topicNameParameter,
    op: {
      in: 'form',
      encoding: 'string',
      schema: Type.Enum(['add', 'remove']),
      required: true,
      description: "'add' mutes, 'remove' unmutes.",
    },
  },
  async run(call) {
    const { stream_id, stream, topic, op } = call.params;
    if (stream_id !== undefined && stream !== undefined) throw apiError('STREAM_TWICE');
    const named = stream_id ?? stream;
    if (named === undefined) throw apiError('SUPPLY_STREAM');
    await lookUpStreamByNameOrId(call, named);
    return forwardCommand({
      to: userActorKey(call.realm, call.caller),
      command: userActorCommands.muteTopic,
      args: { stream: named, topic, mute: op === 'add' },
    });
  },
});
