/** A row of USER_SETTING_DECLARATIONS is all that a setting of a user needs (users.md § Settings). */
import t from 'tap';
import { realmActorKind } from '#actors/realm';
import { computeUserSetting, initialSettingsOfNewAccounts, readAllOrGroupUserSettings } from '#domain/people';
import { knownParametersOfLevel } from '#frontend/api';
import {
  firstLevelOfUserSetting,
  isAccountFieldSetting,
  realmActorKey,
  toRealmId,
  USER_SETTING_DECLARATIONS,
  USER_SETTING_NAMES,
  type UserSettingName,
  type UserSettingValue,
  userSettingNamesOfLevel,
} from '#model';
import { updateNewUserSettingDefaultsHandler } from '../../../actors/realm/commands/organization/realm-settings.js';
import { updateOwnSettingsHandler } from '../../../actors/realm/commands/preferences/own-settings.js';
import { encodeDirectoryRecord } from '../../../actors/realm/state.js';
import { RealmMemoryState } from '../../../actors/realm/volatile.js';
import {
  updateNewUserDefaultsOperation,
  updateOwnSettingsOperation,
} from '../../../src/frontend/api/operations/people/settings.js';
import { directoryWith } from '../../support/directory.js';
import { person } from '../../support/person.js';

/** The highest API level of the server: all settings. */
const NEWEST_LEVEL = 371;
const OWNER = person(8, { role: 100 });
const KEY = realmActorKey(toRealmId(1));
const DEFAULTS = Object.fromEntries(USER_SETTING_NAMES.map((name) => [name, USER_SETTING_DECLARATIONS[name].default]));

function changedValue(name: UserSettingName): UserSettingValue {
  const { default: value } = USER_SETTING_DECLARATIONS[name];
  if (typeof value === 'boolean') return !value;
  return typeof value === 'number' ? value + 1 : 'Asia/Tokyo';
}

const CONTEXT = { key: KEY, realm: toRealmId(1), now: 1_000, caller: OWNER.id, client: 'test', version: 7 };
const context = { ...CONTEXT, findPendingCommands: () => [], directory: undefined as never };

function view() {
  const parts = new Map([[`user/${OWNER.id}`, encodeDirectoryRecord(OWNER)]]);
  const state = realmActorKind.makeInitialState(KEY);
  return { state, parts, volatile: new RealmMemoryState(state, parts) };
}

t.test('an unset setting has its default; fields of the account are its own', async (t) => {
  for (const name of USER_SETTING_NAMES) {
    t.equal(computeUserSetting(person(8), {}, name), USER_SETTING_DECLARATIONS[name].default, name);
  }
  const user = person(8, { timezone: 'Asia/Tokyo', emailVisibility: 4 });
  const chosen = { dense_mode: false, timezone: 'Europe/Berlin', email_address_visibility: 2 };
  t.equal(computeUserSetting(user, chosen, 'dense_mode'), false);
  t.equal(computeUserSetting(user, chosen, 'timezone'), 'Asia/Tokyo');
  t.equal(computeUserSetting(user, chosen, 'email_address_visibility'), 4);
});

t.test('there are 43 settings at the base level, of the groups that the API names', async (t) => {
  const of = (group: string) =>
    userSettingNamesOfLevel(undefined).filter((name) => USER_SETTING_DECLARATIONS[name].group === group).length;
  t.same([of('display'), of('notification'), of('other')], [15, 20, 8]);
});

t.test('settings of newer levels are unknown below them', async (t) => {
  const newer = USER_SETTING_NAMES.filter((name) => firstLevelOfUserSetting(name) !== undefined);
  t.ok(newer.length > 0);
  const values = Object.fromEntries(newer.map((name) => [name, changedValue(name)]));
  const personal = { user: OWNER.id, settings: values, alertWords: [], muted: [] };
  const directory = directoryWith({ users: [OWNER], personals: [personal], userDefaults: values });
  for (const operation of [updateOwnSettingsOperation, updateNewUserDefaultsOperation]) {
    const known = Object.keys(knownParametersOfLevel(operation.parameters, 184));
    for (const name of newer) {
      t.notOk(known.includes(name), `parameter ${name}`);
      t.equal(operation.parameters[name]?.since, firstLevelOfUserSetting(name));
    }
  }
  for (const name of newer) {
    const since = firstLevelOfUserSetting(name)!;
    for (const level of [undefined, 184, since - 1]) {
      t.notOk(name in readAllOrGroupUserSettings(directory, OWNER, level), `${name} at ${level}`);
      t.notOk(name in initialSettingsOfNewAccounts(directory, level), `default of ${name} at ${level}`);
    }
    t.equal(readAllOrGroupUserSettings(directory, OWNER, since)[name], values[name]);
    t.equal(initialSettingsOfNewAccounts(directory, since)[name], values[name]);
    const args = { values: { [name]: values[name]! }, domain: 'localhost' };
    const { events = [] } = updateOwnSettingsHandler.handle(view(), args, undefined, context);
    const defaults = updateNewUserSettingDefaultsHandler.handle(view(), args, undefined, context).events ?? [];
    for (const item of [...events, ...defaults]) if (item.t === 'event') t.equal(item.sinceLevel, since, name);
  }
});

t.test('every row is a parameter of PATCH /settings, and of the defaults unless it has none', async (t) => {
  const own = ['full_name', 'email', 'old_password', 'new_password'];
  t.same(Object.keys(updateOwnSettingsOperation.parameters), [...own, ...USER_SETTING_NAMES]);
  const without = ['timezone', 'default_language', 'enable_login_emails', 'enable_marketing_emails'];
  t.same(
    Object.keys(updateNewUserDefaultsOperation.parameters),
    USER_SETTING_NAMES.filter((name) => !without.includes(name)),
  );
});

t.test('every row is stored and published when it changes', async (t) => {
  for (const name of USER_SETTING_NAMES) {
    const value = changedValue(name);
    const values = { [name]: value };
    const { parts, events = [] } = updateOwnSettingsHandler.handle(
      view(),
      { values, domain: 'localhost' },
      undefined,
      context,
    );
    const { user, personal } = (events[0] as { change: Record<string, object> }).change;
    const settings = (personal as { settings?: object } | undefined)?.settings;
    if (isAccountFieldSetting(name)) t.ok(Object.values(user ?? {}).includes(value), name);
    else t.same(settings, values, name);
    t.ok(parts?.[isAccountFieldSetting(name) ? `user/${OWNER.id}` : `personal/${OWNER.id}`], name);
    const told = events.flatMap((item) => (item.t === 'event' ? [item.event] : []));
    t.match(told[0], { type: 'user_settings', op: 'update', property: name, value }, name);
    const { group } = USER_SETTING_DECLARATIONS[name];
    if (group === 'display') t.match(told[1], { type: 'update_display_settings', setting_name: name, setting: value });
    if (group === 'notification') {
      t.match(told[1], { type: 'update_global_notifications', notification_name: name, setting: value });
    }
  }
});

t.test('every row is a field of POST /register, for users and for the defaults of new accounts', async (t) => {
  for (const name of USER_SETTING_NAMES) {
    const value = changedValue(name);
    const personal = { user: OWNER.id, settings: { [name]: value }, alertWords: [], muted: [] };
    const directory = directoryWith({ users: [OWNER], personals: [personal], userDefaults: { [name]: value } });
    const expected = isAccountFieldSetting(name) ? DEFAULTS : { ...DEFAULTS, [name]: value };
    t.same(readAllOrGroupUserSettings(directory, OWNER, NEWEST_LEVEL), expected, name);
    const { timezone: _, ...defaults } = { ...DEFAULTS, [name]: value };
    t.same(initialSettingsOfNewAccounts(directory, NEWEST_LEVEL), defaults, name);
  }
});

t.test('every default of an organization is stored and published when it changes', async (t) => {
  for (const name of Object.keys(updateNewUserDefaultsOperation.parameters) as UserSettingName[]) {
    const value = changedValue(name);
    const { parts, events = [] } = updateNewUserSettingDefaultsHandler.handle(
      view(),
      { values: { [name]: value } },
      undefined,
      context,
    );
    t.same(parts?.['user-defaults'], { [name]: value }, name);
    const event = { type: 'realm_user_settings_defaults', op: 'update', property: name, value };
    t.match(events[1], { t: 'event', event }, name);
  }
});
