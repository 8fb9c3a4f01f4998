/** Operation PATCH /settings and its aliases (users.md § Settings). */

import { emailDomainOfOrigin } from '#domain/people';
import {
  checkAndConvertUserSettings,
  firstLevelOfUserSetting,
  realmActorKey,
  USER_SETTING_DECLARATIONS,
  USER_SETTING_NAMES,
  USER_SETTING_NAMES_WITH_REALM_DEFAULT,
  type UserSettingName,
} from '#model';
import { realmActorCommands } from '#model/commands';
import { type ApiOperation, defineOperation, forwardCommand, type ParameterDeclaration } from '../../operation.js';
import { declareOptionalTextParameter } from '../../parameters.js';

function makeUserSettingParameter(name: UserSettingName): ParameterDeclaration {
  const since = firstLevelOfUserSetting(name);
  return {
    in: 'form',
    encoding: typeof USER_SETTING_DECLARATIONS[name].default === 'string' ? 'string' : 'json',
    schema: USER_SETTING_DECLARATIONS[name].schema,
    required: false,
    ...(since === undefined ? {} : { since }),
    description: `Setting; a new account has ${JSON.stringify(USER_SETTING_DECLARATIONS[name].default)}.`,
  };
}

const ownSettingsAndAccountParameters = {
  full_name: declareOptionalTextParameter('form', 'New name.'),
  email: declareOptionalTextParameter('form', 'New address; it counts when the link that is sent to it was confirmed.'),
  old_password: declareOptionalTextParameter('form', 'Needed for a new one.'),
  new_password: declareOptionalTextParameter('form', 'New password.'),
  ...Object.fromEntries(USER_SETTING_NAMES.map((name) => [name, makeUserSettingParameter(name)])),
};

const defineUpdateOwnSettingsOperation = (id: string, path: string, summary: string): ApiOperation =>
  defineOperation({
    id,
    method: 'PATCH',
    path,
    guard: 'human',
    summary,
    parameters: ownSettingsAndAccountParameters,
    run({ params, realm, site, callerSessionId = null }) {
      const { full_name = null, email = null, old_password = '', new_password = '', ...rest } = params;
      const args = { values: checkAndConvertUserSettings(rest), domain: emailDomainOfOrigin(site) };
      const to = realmActorKey(realm);
      if (full_name === null && email === null && new_password === '')
        return forwardCommand({ to, command: realmActorCommands.changeSettings, args });
      const account = { full_name, email, old_password, new_password, origin: site, session: callerSessionId };
      return forwardCommand({ to, command: realmActorCommands.changeOwnAccount, args: { ...args, account } });
    },
  });

export const updateOwnSettingsOperation = defineUpdateOwnSettingsOperation(
  'update-settings',
  '/settings',
  'Change own settings.',
);
export const updateOwnSettingsByDisplayPathOperation = defineUpdateOwnSettingsOperation(
  'update-display-settings',
  '/settings/display',
  'Older name of PATCH /settings.',
);
export const updateOwnSettingsByNotifyPathOperation = defineUpdateOwnSettingsOperation(
  'update-notification-settings',
  '/settings/notifications',
  'Older name of PATCH /settings.',
);

export const updateNewUserDefaultsOperation = defineOperation({
  id: 'update-realm-user-settings-defaults',
  method: 'PATCH',
  path: '/realm/user_settings_defaults',
  guard: 'admin',
  summary: 'Change the settings that new accounts start with.',
  parameters: Object.fromEntries(
    USER_SETTING_NAMES_WITH_REALM_DEFAULT.map((name) => [name, makeUserSettingParameter(name)]),
  ),
  run: ({ params, realm }) =>
    forwardCommand({
      to: realmActorKey(realm),
      command: realmActorCommands.changeUserDefaults,
      args: { values: checkAndConvertUserSettings(params) },
    }),
});
