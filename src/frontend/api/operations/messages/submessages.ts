/**
 * Operation of the API for the data of polls, to-do lists and other widgets in messages (messages.md § Submessages and
 * widgets).
 */
import { Type } from 'typebox';
import { MAX_SUBMESSAGE_JSON_CHARACTERS } from '#domain/messages';
import { userActorKey } from '#model';
import { userActorCommands } from '#model/commands';
import { defineOperation, forwardCommand } from '../../operation.js';
import { declareRequiredFormIdParameter } from '../../parameters.js';

const declareLimitedTextParameter = (maxLength: number, description: string) =>
  ({ in: 'form', encoding: 'string', schema: Type.String({ maxLength }), required: true, description }) as const;

export const addSubmessageOperation = defineOperation({
  id: 'add-submessage',
  method: 'POST',
  path: '/submessage',
  guard: 'user',
  summary: "Add data to a message's widget.",
  parameters: {
    message_id: declareRequiredFormIdParameter('The message.'),
    msg_type: declareLimitedTextParameter(100, "'widget'."),
    content: declareLimitedTextParameter(MAX_SUBMESSAGE_JSON_CHARACTERS, 'JSON text.'),
  },
  run: ({ params, realm, caller }) =>
    forwardCommand({
      to: userActorKey(realm, caller),
      command: userActorCommands.submessage,
      args: { message_id: params.message_id, msg_type: params.msg_type, content: params.content },
    }),
});
