/** Operations of the API for alert words and muted users (users.md). */
import { Type } from 'typebox';
import { MAX_ALERT_WORD_CHARACTERS } from '#domain/people';
import { realmActorKey, toUserId, userActorKey } from '#model';
import { realmActorCommands, userActorCommands } from '#model/commands';
import { apiError } from '#model/errors';
import { type ApiCall, defineOperation, forwardCommand } from '../../operation.js';
import { declarePathIdParameter } from '../../parameters.js';

const declareAlertWordsParameter = (maxLength?: number) =>
  ({
    in: 'form',
    encoding: 'json',
    schema: Type.Array(maxLength === undefined ? Type.String() : Type.String({ maxLength })),
    required: true,
    description: 'Words or phrases; case does not count.',
  }) as const;

export const getOwnAlertWordsOperation = defineOperation({
  id: 'get-alert-words',
  method: 'GET',
  path: '/users/me/alert_words',
  guard: 'user',
  summary: 'Own alert words.',
  parameters: {},
  run: ({ directory, caller }) => ({ fields: { alert_words: directory.preferencesOf(caller).alertWords } }),
});

export const addAlertWordsOperation = defineOperation({
  id: 'add-alert-words',
  method: 'POST',
  path: '/users/me/alert_words',
  guard: 'user',
  summary: 'Be alerted of messages with these words.',
  parameters: { alert_words: declareAlertWordsParameter(MAX_ALERT_WORD_CHARACTERS) },
  run: ({ params, realm }) =>
    forwardCommand({
      to: realmActorKey(realm),
      command: realmActorCommands.addAlertWords,
      args: { words: params.alert_words },
    }),
});

export const removeAlertWordsOperation = defineOperation({
  id: 'remove-alert-words',
  method: 'DELETE',
  path: '/users/me/alert_words',
  guard: 'user',
  summary: 'No more be alerted of these words.',
  parameters: { alert_words: declareAlertWordsParameter() },
  run: ({ params, realm }) =>
    forwardCommand({
      to: realmActorKey(realm),
      command: realmActorCommands.removeAlertWords,
      args: { words: params.alert_words },
    }),
});

const mutedUserIdPathParameter = { muted_user_id: declarePathIdParameter('The user.') } as const;

/**
 * Checks that the user may be muted; an unknown id is looked up again at the end of the log. @throws ApiError unless
 * the user exists and is no bot
 */
async function checkMutedUserExistsAndIsNoBot(call: ApiCall<{ readonly muted_user_id: number }>): Promise<void> {
  const find = () => call.directory.user(toUserId(call.params.muted_user_id));
  if (!find()) await call.refresh();
  const user = find();
  if (!user || user.botType !== null) throw apiError('NO_SUCH_USER');
}

export const muteUserOperation = defineOperation({
  id: 'mute-user',
  method: 'POST',
  path: '/users/me/muted_users/{muted_user_id}',
  guard: 'user',
  summary: 'Mute a user: new messages of that user arrive as read.',
  parameters: mutedUserIdPathParameter,
  async run(call) {
    const { params, realm, caller } = call;
    if (params.muted_user_id === caller) throw apiError('CANNOT_MUTE_SELF');
    await checkMutedUserExistsAndIsNoBot(call);
    return forwardCommand({
      to: userActorKey(realm, caller),
      command: userActorCommands.muteUser,
      args: { muted_user_id: params.muted_user_id },
    });
  },
});

export const unmuteUserOperation = defineOperation({
  id: 'unmute-user',
  method: 'DELETE',
  path: '/users/me/muted_users/{muted_user_id}',
  guard: 'user',
  summary: 'No more mute a user.',
  parameters: mutedUserIdPathParameter,
  async run(call) {
    await checkMutedUserExistsAndIsNoBot(call);
    const { params, realm } = call;
    return forwardCommand({
      to: realmActorKey(realm),
      command: realmActorCommands.unmuteUser,
      args: { muted_user_id: params.muted_user_id },
    });
  },
});
