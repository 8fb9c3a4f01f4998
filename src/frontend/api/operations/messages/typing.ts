/** Operation of the API for typing notifications (messages.md § Typing). */
import { Type } from 'typebox';
import { readUserSettingByUserId } from '#domain/people';
import { streamActorKey, toUserId, userActorKey } from '#model';
import { streamActorCommands, userActorCommands } from '#model/commands';
import { apiError } from '#model/errors';
import { lookUpStreamByNameOrId, refreshDirectoryUnlessKnown } from '../../look-up.js';
import { defineOperation, forwardCommand } from '../../operation.js';
import { declareOptionalJsonParameter, declareRequiredLongTextParameter } from '../../parameters.js';

export const setTypingStatusOperation = defineOperation({
  id: 'set-typing-status',
  method: 'POST',
  path: '/typing',
  guard: 'user',
  summary: 'Tell recipients that one has begun, or ceased, to type.',
  parameters: {
    type: {
      in: 'form',
      encoding: 'string',
      schema: Type.Enum(['direct', 'private', 'stream']),
      required: false,
      default: 'direct',
      description: "'direct' ('private' is its older name) or 'stream'.",
    },
    op: {
      in: 'form',
      encoding: 'string',
      schema: Type.Enum(['start', 'stop']),
      required: true,
      description: "'start' or 'stop'.",
    },
    to: {
      ...declareOptionalJsonParameter('form', Type.Array(Type.Integer()), 'User ids; or one stream id.'),
      required: true,
    },
    stream_id: {
      ...declareOptionalJsonParameter('form', Type.Integer(), 'The stream, instead of its id in `to`.'),
      since: 215,
    },
    topic: { ...declareRequiredLongTextParameter('form', 'Topic in the stream; it is cut.'), required: false },
  },
  async run(call) {
    const { type, op, topic } = call.params;
    const to = type === 'stream' && call.params.stream_id !== undefined ? [call.params.stream_id] : call.params.to;
    if (to.length === 0) throw apiError('EMPTY_TO');
    if (type !== 'stream') {
      await refreshDirectoryUnlessKnown(call, (directory) => to.every((id) => directory.user(toUserId(id))));
      return forwardCommand({
        to: userActorKey(call.realm, call.caller),
        command: userActorCommands.typing,
        args: { op, to },
      });
    }
    if (to.length > 1) throw apiError('MANY_STREAMS');
    if (topic === undefined) throw apiError('MISSING_TOPIC');
    if (!readUserSettingByUserId(call.directory, call.caller, 'send_stream_typing_notifications'))
      throw apiError('STREAM_TYPING_OFF');
    const stream = await lookUpStreamByNameOrId(call, to[0]!);
    if (!stream) throw apiError('INVALID_STREAM_ID');
    return forwardCommand({
      to: streamActorKey(call.realm, stream.id),
      command: streamActorCommands.typing,
      args: { op, topic },
    });
  },
});
