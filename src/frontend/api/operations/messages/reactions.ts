/** Operations of the API for reactions to messages (messages.md § Reactions). */
import { userActorKey } from '#model';
import { userActorCommands } from '#model/commands';
import { defineOperation, forwardCommand } from '../../operation.js';
import {
  declareOptionalTextParameter,
  declarePathIdParameter,
  declareRequiredTextParameter,
} from '../../parameters.js';

const messageIdPathParameter = declarePathIdParameter('The message.');
const optionalEmojiCodeParameter = declareOptionalTextParameter(
  'form',
  'Code points in hexadecimal, or id of a custom emoji.',
);
const optionalReactionTypeParameter = declareOptionalTextParameter(
  'form',
  "'unicode_emoji', 'realm_emoji' or 'service_extra_emoji'.",
);

export const addReactionOperation = defineOperation({
  id: 'add-reaction',
  method: 'POST',
  path: '/messages/{message_id}/reactions',
  guard: 'user',
  summary: 'React to a message.',
  parameters: {
    message_id: messageIdPathParameter,
    emoji_name: declareRequiredTextParameter(
      'form',
      'Name of the emoji; code and type follow from it where they are not given.',
    ),
    emoji_code: optionalEmojiCodeParameter,
    reaction_type: optionalReactionTypeParameter,
  },
  run: ({ params, realm, caller }) =>
    forwardCommand({
      to: userActorKey(realm, caller),
      command: userActorCommands.react,
      args: {
        message_id: params.message_id,
        emoji_name: params.emoji_name,
        emoji_code: params.emoji_code ?? null,
        reaction_type: params.reaction_type ?? null,
      },
    }),
});

export const removeReactionOperation = defineOperation({
  id: 'remove-reaction',
  method: 'DELETE',
  path: '/messages/{message_id}/reactions',
  guard: 'user',
  summary: 'Take a reaction back.',
  parameters: {
    message_id: messageIdPathParameter,
    emoji_name: declareOptionalTextParameter('form', 'Name of the emoji; needed where there is no code.'),
    emoji_code: optionalEmojiCodeParameter,
    reaction_type: optionalReactionTypeParameter,
  },
  run: ({ params, realm, caller }) =>
    forwardCommand({
      to: userActorKey(realm, caller),
      command: userActorCommands.unreact,
      args: {
        message_id: params.message_id,
        emoji_name: params.emoji_name ?? null,
        emoji_code: params.emoji_code ?? null,
        reaction_type: params.reaction_type ?? null,
      },
    }),
});
