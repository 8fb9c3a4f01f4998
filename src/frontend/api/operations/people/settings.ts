/** PATCH /settings and its aliases (users.md § Settings). */
import { type TSchema, Type } from 'typebox';
import {
  canonicalZone,
  LANGUAGES,
  mailDomain,
  NOTIFICATION_SOUNDS,
  SETTING_NAMES,
  type SettingName,
  type SettingValue,
  USER_SETTINGS,
} from '#domain/people';
import { realmKey } from '#model';
import { realmCommands } from '#model/commands';
import { apiError } from '#model/errors';
import { forward, type Operation, operation, type Parameter } from '../../operation.js';
import { maybeText } from '../../parameters.js';

const LONGEST_BATCHING = 604_800;

const bool = Type.Boolean();
const int = Type.Integer();
const string = Type.String();

function schemaOf(name: SettingName): TSchema {
  const setting: { readonly default: SettingValue; readonly values?: readonly (string | number)[] } =
    USER_SETTINGS[name];
  if (name === 'timezone') return Type.String({ check: 'timezone' });
  if (setting.values) return Type.Enum(setting.values as string[]);
  if (typeof setting.default === 'boolean') return bool;
  return typeof setting.default === 'number' ? int : string;
}

const parameterOf = (name: SettingName): Parameter => ({
  in: 'form',
  encoding: typeof USER_SETTINGS[name].default === 'string' ? 'string' : 'json',
  schema: schemaOf(name),
  required: false,
  description: `Setting; a new account has ${JSON.stringify(USER_SETTINGS[name].default)}.`,
});

const parameters = {
  full_name: maybeText('form', 'New name.'),
  email: maybeText('form', 'New address; it counts when the link that is sent to it was confirmed.'),
  old_password: maybeText('form', 'Needed for a new one.'),
  new_password: maybeText('form', 'New password.'),
  ...Object.fromEntries(SETTING_NAMES.map((name) => [name, parameterOf(name)])),
};

/** What the schemas can't say. @throws ApiError */
function check(values: Readonly<Record<string, SettingValue | undefined>>): void {
  const language = values.default_language;
  if (language !== undefined && !LANGUAGES.has(String(language))) throw apiError('INVALID_DEFAULT_LANGUAGE');
  const sound = values.notification_sound;
  if (sound !== undefined && sound !== 'none' && !NOTIFICATION_SOUNDS.includes(sound as never)) {
    throw apiError('INVALID_SOUND', { sound });
  }
  const seconds = values.email_notifications_batching_period_seconds;
  if (seconds !== undefined && !(Number(seconds) > 0 && Number(seconds) <= LONGEST_BATCHING)) {
    throw apiError('INVALID_BATCHING_PERIOD', { seconds });
  }
}

const settings = (id: string, path: string, summary: string): Operation =>
  operation({
    id,
    method: 'PATCH',
    path,
    guard: 'human',
    summary,
    parameters,
    run({ params, realm, site }) {
      const { full_name = null, email = null, old_password = '', new_password = '', ...rest } = params;
      const values = rest as Readonly<Record<string, SettingValue | undefined>>;
      check(values);
      const given = Object.entries(values)
        .filter(([, value]) => value !== undefined)
        .map(([name, value]) => [name, name === 'timezone' ? canonicalZone(String(value)) : value]);
      const args = { values: Object.fromEntries(given) as Record<string, SettingValue>, domain: mailDomain(site) };
      const to = realmKey(realm);
      if (full_name === null && email === null && new_password === '')
        return forward({ to, command: realmCommands.changeSettings, args });
      const account = { full_name, email, old_password, new_password, origin: site };
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

/** Settings that every new account starts with as the program has them (users.md § PATCH /settings). */
const NO_DEFAULTS: readonly SettingName[] = [
  'timezone',
  'default_language',
  'enable_login_emails',
  'enable_marketing_emails',
];

export const updateSettingsDefaults = operation({
  id: 'update-realm-user-settings-defaults',
  method: 'PATCH',
  path: '/realm/user_settings_defaults',
  guard: 'admin',
  summary: 'Change the settings that new accounts start with.',
  parameters: Object.fromEntries(
    SETTING_NAMES.filter((name) => !NO_DEFAULTS.includes(name)).map((name) => [name, parameterOf(name)]),
  ),
  run({ params, realm }) {
    const values = params as Readonly<Record<string, SettingValue | undefined>>;
    check(values);
    const given = Object.entries(values).filter(([, value]) => value !== undefined);
    const args = { values: Object.fromEntries(given) as Record<string, SettingValue> };
    return forward({ to: realmKey(realm), command: realmCommands.changeUserDefaults, args });
  },
});
