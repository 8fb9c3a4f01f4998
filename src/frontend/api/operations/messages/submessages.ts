/**
 * Operation of the API for the data of polls, to-do lists and other widgets in messages (messages.md § Submessages and
 * widgets).
 */
import { Type } from 'typebox';
import { MAX_SUBMESSAGE_LENGTH } from '#domain/messages';
import { userActorKey } from '#model';
import { userActorCommands } from '#model/commands';
import { defineOperation, forwardCommand } from '../../operation.js';
import { declareFormIdParameter } from '../../parameters.js';

const limited = (maxLength: number, description: string) =>
  ({ in: 'form', encoding: 'string', schema: Type.String({ maxLength }), required: true, description }) as const;

export const addSubmessageOperation = defineOperation({
  id: 'add-submessage',
  method: 'POST',
  path: '/submessage',
  guard: 'user',
  summary: "Add data to a message's widget.",
  parameters: {
    message_id: declareFormIdParameter('The message.'),
    msg_type: limited(100, "'widget'."),
    content: limited(MAX_SUBMESSAGE_LENGTH, 'JSON text.'),
  },
  run: ({ params, realm, caller }) =>
    forwardCommand({
      to: userActorKey(realm, caller),
      command: userActorCommands.submessage,
      args: { message_id: params.message_id, msg_type: params.msg_type, content: params.content },
    }),
});
