/** PATCH /settings and its aliases (users.md § Settings). Name, password and address of the account come later. */
import { type TSchema, Type } from 'typebox';
import { realmKey } from '../../core/index.js';
import {
  LANGUAGES,
  mailDomain,
  NOTIFICATION_SOUNDS,
  SETTING_NAMES,
  type SettingName,
  type SettingValue,
  USER_SETTINGS,
} from '../../people/index.js';
import { apiError } from '../errors.js';
import { type Operation, operation, type Parameter } from '../operation.js';

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

const parameters = Object.fromEntries(SETTING_NAMES.map((name) => [name, parameterOf(name)]));

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
    run({ params, realm, origin }) {
      const values = params as Readonly<Record<string, SettingValue | undefined>>;
      check(values);
      const given = Object.entries(values).filter(([, value]) => value !== undefined);
      return {
        to: realmKey(realm),
        command: 'change-settings',
        args: { values: Object.fromEntries(given) as Record<string, SettingValue>, domain: mailDomain(origin) },
      };
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
