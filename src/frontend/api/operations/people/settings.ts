/** PATCH /settings and its aliases (users.md § Settings). */

import { mailDomain } from '#domain/people';
import {
  checkedUserSettings,
  REALM_DEFAULT_NAMES,
  realmKey,
  USER_SETTING_NAMES,
  USER_SETTINGS,
  type UserSettingName,
} from '#model';
import { realmCommands } from '#model/commands';
import { forward, type Operation, operation, type Parameter } from '../../operation.js';
import { maybeText } from '../../parameters.js';

const parameterOf = (name: UserSettingName): Parameter => ({
  in: 'form',
  encoding: typeof USER_SETTINGS[name].default === 'string' ? 'string' : 'json',
  schema: USER_SETTINGS[name].schema,
  required: false,
  description: `Setting; a new account has ${JSON.stringify(USER_SETTINGS[name].default)}.`,
});

const parameters = {
  full_name: maybeText('form', 'New name.'),
  email: maybeText('form', 'New address; it counts when the link that is sent to it was confirmed.'),
  old_password: maybeText('form', 'Needed for a new one.'),
  new_password: maybeText('form', 'New password.'),
  ...Object.fromEntries(USER_SETTING_NAMES.map((name) => [name, parameterOf(name)])),
};

const settings = (id: string, path: string, summary: string): Operation =>
  operation({
    id,
    method: 'PATCH',
    path,
    guard: 'human',
    summary,
    parameters,
    run({ params, realm, site, session = null }) {
      const { full_name = null, email = null, old_password = '', new_password = '', ...rest } = params;
      const args = { values: checkedUserSettings(rest), domain: mailDomain(site) };
      const to = realmKey(realm);
      if (full_name === null && email === null && new_password === '')
        return forward({ to, command: realmCommands.changeSettings, args });
      const account = { full_name, email, old_password, new_password, origin: site, session };
      return forward({ to, command: realmCommands.changeOwnAccount, args: { ...args, account } });
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

export const updateSettingsDefaults = operation({
  id: 'update-realm-user-settings-defaults',
  method: 'PATCH',
  path: '/realm/user_settings_defaults',
  guard: 'admin',
  summary: 'Change the settings that new accounts start with.',
  parameters: Object.fromEntries(REALM_DEFAULT_NAMES.map((name) => [name, parameterOf(name)])),
  run: ({ params, realm }) =>
    forward({
      to: realmKey(realm),
      command: realmCommands.changeUserDefaults,
      args: { values: checkedUserSettings(params) },
    }),
});
