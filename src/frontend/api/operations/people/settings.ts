/** Operation PATCH /settings and its aliases (users.md § Settings). */

import { mailDomainOfOrigin } from '#domain/people';
import {
  checkUserSettings,
  REALM_DEFAULT_NAMES,
  realmKey,
  USER_SETTING_NAMES,
  USER_SETTINGS,
  type UserSettingName,
} from '#model';
import { realmCommands } from '#model/commands';
import { type ApiOperation, defineOperation, forwardCommand, type ParameterDeclaration } from '../../operation.js';
import { optionalTextParameter } from '../../parameters.js';

const parameterOf = (name: UserSettingName): ParameterDeclaration => ({
  in: 'form',
  encoding: typeof USER_SETTINGS[name].default === 'string' ? 'string' : 'json',
  schema: USER_SETTINGS[name].schema,
  required: false,
  description: `Setting; a new account has ${JSON.stringify(USER_SETTINGS[name].default)}.`,
});

const parameters = {
  full_name: optionalTextParameter('form', 'New name.'),
  email: optionalTextParameter('form', 'New address; it counts when the link that is sent to it was confirmed.'),
  old_password: optionalTextParameter('form', 'Needed for a new one.'),
  new_password: optionalTextParameter('form', 'New password.'),
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
      const to = realmKey(realm);
      if (full_name === null && email === null && new_password === '')
        return forwardCommand({ to, command: realmCommands.changeSettings, args });
      const account = { full_name, email, old_password, new_password, origin: site, session };
      return forwardCommand({ to, command: realmCommands.changeOwnAccount, args: { ...args, account } });
    },
  });

export const updateSettings = settings('update-settings', '/settings', 'Change own settings.');
export const updateDisplaySettings = settings(
  'update-display-settings',
  '/settings/display',
  'Older name of PATCH /settings.',
);
export const updateNotificationSettings = settings(
  'update-notification-settings',
  '/settings/notifications',
  'Older name of PATCH /settings.',
);

export const updateSettingsDefaultsOperation = defineOperation({
  id: 'update-realm-user-settings-defaults',
  method: 'PATCH',
  path: '/realm/user_settings_defaults',
  guard: 'admin',
  summary: 'Change the settings that new accounts start with.',
  parameters: Object.fromEntries(REALM_DEFAULT_NAMES.map((name) => [name, parameterOf(name)])),
  run: ({ params, realm }) =>
    forwardCommand({
      to: realmKey(realm),
      command: realmCommands.changeUserDefaults,
      args: { values: checkUserSettings(params) },
    }),
});
