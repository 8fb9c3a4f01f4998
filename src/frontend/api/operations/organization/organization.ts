/** Settings (realm.md § Settings) and deactivation of the organization. */

import { isOwner } from '#domain/people';
import { checkRealmSettings, REALM_SETTINGS, realmKey } from '#model';
import { realmCommands } from '#model/commands';
import { forward, operation, type Parameter } from '../../operation.js';

const parameters = Object.fromEntries(
  Object.entries(REALM_SETTINGS).map(([name, { encoding, schema, description }]): [string, Parameter] => [
    name,
    { in: 'form', encoding, schema, required: false, description },
  ]),
);

export const updateRealm = operation({
  id: 'update-realm',
  method: 'PATCH',
  path: '/realm',
  guard: 'admin',
  summary: 'Change settings of the organization.',
  parameters,
  run({ params, realm, caller, directory }) {
    const account = directory.user(caller);
    const values = checkRealmSettings(params, account !== undefined && isOwner(account));
    return forward({ to: realmKey(realm), command: realmCommands.changeRealm, args: { values } });
  },
});

export const deactivateRealm = operation({
  id: 'deactivate-realm',
  method: 'POST',
  path: '/realm/deactivate',
  guard: 'owner',
  summary: 'Deactivate the organization: nobody can call anything any more.',
  parameters: {},
  run: ({ realm }) => forward({ to: realmKey(realm), command: realmCommands.deactivate, args: {} }),
});
