/** Operation PATCH /settings and its aliases (users.md § Settings). */

import { mailDomainOfOrigin } from '#domain/people';
import {
  checkUserSettings,
  realmActorKey,
  USER_DEFAULT_SETTING_NAMES,
  USER_SETTING_DECLARATIONS,
  USER_SETTING_NAMES,
  type UserSettingName,
} from '#model';
import { realmActorCommands } from '#model/commands';
import { type ApiOperation, defineOperation, forwardCommand, type ParameterDeclaration } from '../../operation.js';
import { declareOptionalTextParameter } from '../../parameters.js';

const parameterOf = (name: UserSettingName): ParameterDeclaration => ({
  in: 'form',
  encoding: typeof USER_SETTING_DECLARATIONS[name].default === 'string' ? 'string' : 'json',
  schema: USER_SETTING_DECLARATIONS[name].schema,
  required: false,
  description: `Setting; a new account has ${JSON.stringify(USER_SETTING_DECLARATIONS[name].default)}.`,
});

const parameters = {
  full_name: declareOptionalTextParameter('form', 'New name.'),
  email: declareOptionalTextParameter('form', 'New address; it counts when the link that is sent to it was confirmed.'),
  old_password: declareOptionalTextParameter('form', 'Needed for a new one.'),
  new_password: declareOptionalTextParameter('form', 'New password.'),
  ...Object.fromEntries(USER_SETTING_NAMES.map((name) => [name, parameterOf(name)])),
};

const settings = (id: string, path: string, summary: string): ApiOperation =>
  defineOperation({
    id,
    method: 'PATCH',
    path,
    guard: 'human',
    summary,
    parameters,
    run({ params, realm, site, session = null }) {
      const { full_name = null, email = null, old_password = '', new_password = '', ...rest } = params;
      const args = { values: checkUserSettings(rest), domain: mailDomainOfOrigin(site) };
      const to = realmActorKey(realm);
      if (full_name === null && email === null && new_password === '')
        return forwardCommand({ to, command: realmActorCommands.changeSettings, args });
      const account = { full_name, email, old_password, new_password, origin: site, session };
      return forwardCommand({ to, command: realmActorCommands.changeOwnAccount, args: { ...args, account } });
    },
  });

export const updateUserSettingsOperation = settings('update-settings', '/settings', 'Change own settings.');
export const updateDisplaySettingsOperation = settings(
  'update-display-settings',
  '/settings/display',
  'Older name of PATCH /settings.',
);
export const updateNotificationSettingsOperation = settings(
  'update-notification-settings',
  '/settings/notifications',
  'Older name of PATCH /settings.',
);

export const updateUserDefaultsOperation = defineOperation({
  id: 'update-realm-user-settings-defaults',
  method: 'PATCH',
  path: '/realm/user_settings_defaults',
  guard: 'admin',
  summary: 'Change the settings that new accounts start with.',
  parameters: Object.fromEntries(USER_DEFAULT_SETTING_NAMES.map((name) => [name, parameterOf(name)])),
  run: ({ params, realm }) =>
    forwardCommand({
      to: realmActorKey(realm),
      command: realmActorCommands.changeUserDefaults,
      args: { values: checkUserSettings(params) },
    }),
});
