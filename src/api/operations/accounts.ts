/** Accounts changed by others: name, role, profile (users.md § PATCH /users/{user_id}). */
import { Type } from 'typebox';
import { realmKey } from '../../core/index.js';
import { operation } from '../operation.js';
import { maybeJson, maybeText, pathId } from '../parameters.js';

const ROLES = [100, 200, 300, 400, 600];

const profileValue = Type.Object(
  { id: Type.Integer(), value: Type.Union([Type.String(), Type.Array(Type.Integer()), Type.Null()]) },
  { additionalProperties: false },
);

export const updateUser = operation({
  id: 'update-user',
  method: 'PATCH',
  path: '/users/{user_id}',
  // The caller's role is looked at after the parameters and the account itself.
  guard: 'user',
  summary: "Change an account's name, role and profile; administrators only.",
  parameters: {
    user_id: pathId('The user.'),
    full_name: maybeText('form', 'New name; a blank one changes nothing.'),
    role: maybeJson('form', Type.Enum(ROLES), '100 owner, 200 administrator, 300 moderator, 400 member, 600 guest.'),
    profile_data: maybeJson('form', Type.Array(profileValue), 'Values of custom profile fields; null takes one away.'),
  },
  run({ params, realm }) {
    const { user_id, full_name = null, role = null, profile_data = null } = params;
    return { to: realmKey(realm), command: 'update-user', args: { user_id, full_name, role, profile_data } };
  },
});

export const ACCOUNT_OPERATIONS = [updateUser];
