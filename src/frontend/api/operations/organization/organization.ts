/** Settings (realm.md § Settings) and deactivation of the organization. */

import { isOwner } from '#domain/people';
import { checkRealmSettings, REALM_SETTINGS, realmKey, SINGLE_SIGN_ON_METHOD } from '#model';
import { realmCommands } from '#model/commands';
import { apiError } from '#model/errors';
import { defineOperation, forwardCommand, type ParameterDeclaration } from '../../operation.js';

const parameters = Object.fromEntries(
  Object.entries(REALM_SETTINGS).map(([name, { encoding, schema, description }]): [string, ParameterDeclaration] => [
    name,
    { in: 'form', encoding, schema, required: false, description },
  ]),
);

export const updateRealmOperation = defineOperation({
  id: 'update-realm',
  method: 'PATCH',
  path: '/realm',
  guard: 'admin',
  summary: 'Change settings of the organization.',
  parameters,
  run({ params, realm, caller, directory, identityProviders }) {
    const account = directory.user(caller);
    const values = checkRealmSettings(params, account !== undefined && isOwner(account));
    const methods = params.authentication_methods as Readonly<Record<string, boolean>> | undefined;
    if (!identityProviders && methods?.[SINGLE_SIGN_ON_METHOD]) {
      throw apiError('VALIDATION_FAILED', { message: 'Invalid authentication_methods' });
    }
    return forwardCommand({ to: realmKey(realm), command: realmCommands.changeRealm, args: { values } });
  },
});

export const deactivateRealmOperation = defineOperation({
  id: 'deactivate-realm',
  method: 'POST',
  path: '/realm/deactivate',
  guard: 'owner',
  summary: 'Deactivate the organization: nobody can call anything any more.',
  parameters: {},
  run: ({ realm }) => forwardCommand({ to: realmKey(realm), command: realmCommands.deactivate, args: {} }),
});
