/** Operations of the API that change settings (realm.md § Settings) and deactivate the organization. */

import { isOwner } from '#domain/people';
import {
  checkAndConvertRealmSettings,
  REALM_SETTING_DECLARATIONS,
  realmActorKey,
  SINGLE_SIGN_ON_LOGIN_METHOD,
} from '#model';
import { realmActorCommands } from '#model/commands';
import { apiError } from '#model/errors';
import { defineOperation, forwardCommand, type ParameterDeclaration } from '../../operation.js';
import { hasIdentityProvider } from '../../providers.js';

const optionalRealmSettingParameters = Object.fromEntries(
  Object.entries(REALM_SETTING_DECLARATIONS).map(
    ([name, { encoding, schema, description }]): [string, ParameterDeclaration] => [
      name,
      { in: 'form', encoding, schema, required: false, description },
    ],
  ),
);

export const updateRealmSettingsOperation = defineOperation({
  id: 'update-realm',
  method: 'PATCH',
  path: '/realm',
  guard: 'admin',
  summary: 'Change settings of the organization.',
  parameters: optionalRealmSettingParameters,
  run(call) {
    const { params, realm, caller, directory, site } = call;
    const hasSingleSignOn = hasIdentityProvider(call);
    const account = directory.user(caller);
    const values = checkAndConvertRealmSettings(params, account !== undefined && isOwner(account));
    const methods = params.authentication_methods as Readonly<Record<string, boolean>> | undefined;
    if (!hasSingleSignOn && methods?.[SINGLE_SIGN_ON_LOGIN_METHOD]) {
      throw apiError('VALIDATION_FAILED', { message: 'Invalid authentication_methods' });
    }
    const args = { values, origin: site, hasSingleSignOn };
    return forwardCommand({ to: realmActorKey(realm), command: realmActorCommands.changeRealm, args });
  },
});

export const deactivateRealmOperation = defineOperation({
  id: 'deactivate-realm',
  method: 'POST',
  path: '/realm/deactivate',
  guard: 'owner',
  summary: 'Deactivate the organization: nobody can call anything any more.',
  parameters: {},
  run: ({ realm }) => forwardCommand({ to: realmActorKey(realm), command: realmActorCommands.deactivate, args: {} }),
});
