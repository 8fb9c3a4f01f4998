/** Operations of the API that change, deactivate and reactivate accounts (users.md). */
import { Type } from 'typebox';
import { realmActorKey } from '#model';
import { realmActorCommands } from '#model/commands';
import { defineOperation, forwardCommand } from '../../operation.js';
import {
  declareOptionalJsonParameter,
  declareOptionalTextParameter,
  declarePathIdParameter,
} from '../../parameters.js';

const ROLE_NUMBERS = [100, 200, 300, 400, 600];

const profileFieldValueChangeSchema = Type.Object(
  { id: Type.Integer(), value: Type.Union([Type.String(), Type.Array(Type.Integer()), Type.Null()]) },
  { additionalProperties: false },
);

export const updateUserAsAdminOperation = defineOperation({
  id: 'update-user',
  method: 'PATCH',
  path: '/users/{user_id}',
  // The handler checks the caller's role, after the parameters and the account.
  guard: 'user',
  summary: "Change an account's name, role and profile; administrators only.",
  parameters: {
    user_id: declarePathIdParameter('The user.'),
    full_name: declareOptionalTextParameter('form', 'New name; a blank one changes nothing.'),
    role: declareOptionalJsonParameter(
      'form',
      Type.Enum(ROLE_NUMBERS),
      '100 owner, 200 administrator, 300 moderator, 400 member, 600 guest.',
    ),
    profile_data: declareOptionalJsonParameter(
      'form',
      Type.Array(profileFieldValueChangeSchema),
      'Values of custom profile fields; null takes one away.',
    ),
  },
  run({ params, realm }) {
    const { user_id, full_name = null, role = null, profile_data = null } = params;
    return forwardCommand({
      to: realmActorKey(realm),
      command: realmActorCommands.updateUser,
      args: { user_id, full_name, role, profile_data },
    });
  },
});

const MAX_DEACTIVATION_COMMENT_CHARACTERS = 2_000;

export const deactivateUserOperation = defineOperation({
  id: 'deactivate-user',
  method: 'DELETE',
  path: '/users/{user_id}',
  guard: 'user',
  summary: 'Deactivate an account, and the bots that it owns; administrators only.',
  parameters: {
    user_id: declarePathIdParameter('The user.'),
    deactivation_notification_comment: {
      in: 'form',
      encoding: 'string',
      schema: Type.String({ maxLength: MAX_DEACTIVATION_COMMENT_CHARACTERS }),
      required: false,
      description: 'Text of the letter that the user gets; absent: there is none.',
    },
  },
  run({ params, realm }) {
    const args = { user_id: params.user_id, comment: params.deactivation_notification_comment ?? null };
    return forwardCommand({ to: realmActorKey(realm), command: realmActorCommands.deactivateUser, args });
  },
});

export const reactivateUserOperation = defineOperation({
  id: 'reactivate-user',
  method: 'POST',
  path: '/users/{user_id}/reactivate',
  guard: 'user',
  summary: 'Make an account active again; administrators, and owners of their bots.',
  parameters: { user_id: declarePathIdParameter('The user.') },
  run: ({ params, realm }) =>
    forwardCommand({
      to: realmActorKey(realm),
      command: realmActorCommands.reactivateUser,
      args: { user_id: params.user_id },
    }),
});

const deactivateOwnUserOperation = defineOperation({
  id: 'deactivate-own-user',
  method: 'DELETE',
  path: '/users/me',
  guard: 'user',
  summary: 'Deactivate the own account, and the bots that it owns.',
  parameters: {},
  run: ({ realm }) =>
    forwardCommand({ to: realmActorKey(realm), command: realmActorCommands.deactivateSelf, args: {} }),
});

export const ACCOUNT_CHANGE_OPERATIONS = [
  updateUserAsAdminOperation,
  deactivateUserOperation,
  reactivateUserOperation,
  deactivateOwnUserOperation,
];
