/**
 * The organization itself: zerver_realm with its settings, zerver_realmuserdefault, and the short lists
 * zerver_realmdomain, zerver_realmfilter (linkifiers) and zerver_realmplayground.
 */
import type { TSchema } from 'typebox';
import { Check } from 'typebox/value';
import type { Json, JsonObject } from '#base';
import { findLinkifierErrors } from '#domain/markdown';
import {
  MAX_LINKIFIER_FIELD_CHARACTERS,
  MAX_LINKIFIERS,
  MAX_PLAYGROUND_LANGUAGE_CHARACTERS,
  MAX_PLAYGROUND_NAME_CHARACTERS,
  MAX_PLAYGROUND_URL_PREFIX_CHARACTERS,
  MAX_PLAYGROUNDS,
  toAsciiDomain,
  toCheckedEmailDomain,
} from '#domain/people';
import {
  checkAndConvertRealmSettings,
  checkAndConvertUserSettings,
  DEFAULT_REALM_SETTINGS,
  isAccountFieldSetting,
  isLoginMethodOn,
  PASSWORD_LOGIN_METHOD,
  REALM_SETTING_DECLARATIONS,
  REALM_SETTING_NAMES,
  type RealmSettingName,
  type RealmSettings,
  SINGLE_SIGN_ON_LOGIN_METHOD,
  USER_SETTING_DECLARATIONS,
  USER_SETTING_NAMES,
  USER_SETTING_NAMES_WITH_REALM_DEFAULT,
  type UserSettingDeclaration,
  type UserSettingName,
  type UserSettings,
  type UserSettingValue,
  userSettingNamesOfLevel,
} from '#model';
import { ApiError } from '#model/errors';
import type { DirectoryView } from '#model/records';
import type { CheckedExportRow } from '../format/row.js';
import type { AdjustedRowCounts, ImportedOrganizationDraft } from '../import/draft.js';
import { CREATE_STREAM_POLICY_COLUMN, findStrictestPolicy } from './policies.js';

/** Settings whose column in the export has another name. */
const COLUMN_BY_RENAMED_SETTING: Partial<Record<RealmSettingName, string>> = {
  notifications_stream_id: 'notifications_stream',
  signup_notifications_stream_id: 'signup_notifications_stream',
};

/** Columns of older or newer versions of the format, by the setting. */
const COLUMN_OF_OTHER_VERSIONS_BY_SETTING: Partial<Record<RealmSettingName, string>> = {
  create_public_stream_policy: CREATE_STREAM_POLICY_COLUMN,
  create_private_stream_policy: CREATE_STREAM_POLICY_COLUMN,
  notifications_stream_id: 'new_stream_announcements_stream',
  signup_notifications_stream_id: 'signup_announcements_stream',
};

/**
 * Settings of users that the format has as columns, and newer ones: those have tables of their own, which other servers
 * pass over. A column that the format does not have would fail their import.
 */
export const FORMAT_USER_SETTING_NAMES = userSettingNamesOfLevel(undefined);
export const NEWER_USER_SETTING_NAMES = USER_SETTING_NAMES.filter((name) => !FORMAT_USER_SETTING_NAMES.includes(name));

/** Columns in which newer versions of the format have a setting of users. */
const NEWER_COLUMN_BY_USER_SETTING: Partial<Record<UserSettingName, string>> = {
  default_view: 'web_home_view',
  escape_navigates_to_default_view: 'web_escape_navigates_to_home_view',
};
/** `desktop_icon_count_display` by its number in newer versions, where followed topics have a number of their own. */
const ICON_COUNT_BY_NEWER_VALUE: ReadonlyMap<Json | undefined, number> = new Map([
  [3, 2],
  [4, 3],
]);

/** Setting that has a table of its own. */
const LOGIN_METHODS_SETTING = 'authentication_methods' satisfies RealmSettingName;
const ALL_LOGIN_METHODS = [PASSWORD_LOGIN_METHOD, SINGLE_SIGN_ON_LOGIN_METHOD];

export const EVERYBODY_EMAIL_VISIBILITY_NUMBER = 1;
export const ADMINS_EMAIL_VISIBILITY_NUMBER = 3;
/** Only the account itself sees the address. */
export const HIDDEN_EMAIL_VISIBILITY_NUMBER = 4;
const VALID_EMAIL_VISIBILITY_NUMBERS: ReadonlySet<number> = new Set([1, 2, 3, 4, 5]);
export const EMAIL_VISIBILITY_COLUMN = 'email_address_visibility';

const columnOfRealmSetting = (name: RealmSettingName): string => COLUMN_BY_RENAMED_SETTING[name] ?? name;

/** Returns the column in which a row has a setting, also one of another version. */
function columnOfRealmSettingInRow(name: RealmSettingName, row: CheckedExportRow): string {
  const column = columnOfRealmSetting(name);
  return row.hasNonNullField(column) ? column : (COLUMN_OF_OTHER_VERSIONS_BY_SETTING[name] ?? column);
}

/**
 * Converts the value of a column into that of the API's parameter, which has a word for 'no limit', and an empty text
 * for 'none'.
 */
function toRealmSettingParameter(name: RealmSettingName, value: Json): Json {
  if (name === 'message_retention_days') return value === -1 ? 'unlimited' : value;
  if (value !== null) return value;
  if (name === 'default_code_block_language') return '';
  return name.endsWith('_limit_seconds') ? 'unlimited' : null;
}

export function importRealmWithoutStreamSettings(row: CheckedExportRow, draft: ImportedOrganizationDraft): void {
  draft.settings = DEFAULT_REALM_SETTINGS;
  for (const name of REALM_SETTING_NAMES) {
    const given = row.uncheckedValue(columnOfRealmSettingInRow(name, row));
    // Streams have no ids yet: `setNotificationStreamsOfRealm` sets them, and `importLoginMethods` the ways to log in.
    const isSetLater = name === LOGIN_METHODS_SETTING || REALM_SETTING_DECLARATIONS[name].isStreamValued;
    const value = given === undefined ? null : toRealmSettingParameter(name, given);
    // A missing value, or a null without meaning, leaves the default.
    if (value !== null && !isSetLater) setCheckedRealmSetting(name, value, draft);
  }
  if (draft.settings.name === '')
    draft.settings = { ...draft.settings, name: draft.facts.subdomain || 'Imported organization' };
  draft.createdMs = Math.floor(row.timeSecondsOrDefault('date_created', draft.facts.begun / 1000) * 1000);
  draft.isDeactivated = row.booleanOrDefault('deactivated');
}

/**
 * Checks and converts a value as PATCH /realm does, and sets it. One that the API refuses is left out: a policy then
 * gets its strictest value.
 */
function setCheckedRealmSetting(name: RealmSettingName, value: Json, draft: ImportedOrganizationDraft): void {
  const checked = findCheckedRealmSetting(name, value);
  if (!checked) draft.adjustedRowCounts.addCount(`setting of the organization: ${name}`);
  const strictest = findStrictestPolicy(name);
  const set = checked ?? (strictest === undefined ? {} : { [name]: strictest });
  draft.settings = { ...draft.settings, ...set };
}

function findCheckedRealmSetting(name: RealmSettingName, value: Json): Partial<RealmSettings> | undefined {
  const schema: TSchema = REALM_SETTING_DECLARATIONS[name].schema;
  try {
    return Check(schema, value) ? checkAndConvertRealmSettings({ [name]: value }, true) : undefined;
  } catch {
    return undefined;
  }
}

const makeLoginMethodFlags = (isOn: (method: string) => boolean): Record<string, boolean> =>
  Object.fromEntries(ALL_LOGIN_METHODS.map((method) => [method, isOn(method)]));

/**
 * Imports zerver_realmauthenticationmethod, which has a row for each way to log in that is on. If no row names one of
 * this server, all of them stay on.
 */
export function importLoginMethods(
  rows: readonly CheckedExportRow[],
  realm: CheckedExportRow,
  draft: ImportedOrganizationDraft,
): void {
  // Earlier versions of this server exported the stored value as a column, and one row whatever it was.
  const stored = realm.uncheckedValue(LOGIN_METHODS_SETTING);
  if (typeof stored === 'string') {
    const value = makeLoginMethodFlags((method) => isLoginMethodOn(stored, method));
    setCheckedRealmSetting(LOGIN_METHODS_SETTING, value, draft);
    return;
  }
  const names = rows.map((row) => row.textOrDefault('name'));
  const foreign = names.filter((name) => !ALL_LOGIN_METHODS.includes(name));
  if (foreign.length > 0) draft.adjustedRowCounts.addCount('ways to log in', foreign.length);
  if (foreign.length === names.length) return;
  const value = makeLoginMethodFlags((method) => names.includes(method));
  setCheckedRealmSetting(LOGIN_METHODS_SETTING, value, draft);
}

export const makeLoginMethodRows = ({ settings }: DirectoryView): JsonObject[] =>
  ALL_LOGIN_METHODS.filter((method) => isLoginMethodOn(settings.authentication_methods, method)).map((name, i) => ({
    id: i + 1,
    name,
    realm: 1,
  }));

/** Sets the two settings of the organization that name streams. */
export function setNotificationStreamsOfRealm(row: CheckedExportRow, draft: ImportedOrganizationDraft): void {
  const of = (name: RealmSettingName): number => {
    const column = columnOfRealmSettingInRow(name, row);
    return row.hasNonNullField(column)
      ? (draft.streamIdMap.findNewId(row.requireNonNegativeInteger(column)) ?? -1)
      : -1;
  };
  draft.settings = {
    ...draft.settings,
    notifications_stream_id: of('notifications_stream_id'),
    signup_notifications_stream_id: of('signup_notifications_stream_id'),
  };
}

/** Makes the columns of zerver_realm. @param base the row's other fields */
export function makeRealmRow(directory: DirectoryView, base: JsonObject): JsonObject {
  const settings = Object.fromEntries(
    REALM_SETTING_NAMES.filter((name) => name !== LOGIN_METHODS_SETTING).map((name) => {
      const value = directory.settings[name];
      return [
        columnOfRealmSetting(name),
        COLUMN_BY_RENAMED_SETTING[name] !== undefined && Number(value) < 0 ? null : value,
      ];
    }),
  );
  return {
    ...base,
    ...settings,
    string_id: directory.subdomain,
    deactivated: directory.deactivated,
    deactivated_redirect: null,
    plan_type: 1,
    demo_organization_scheduled_deletion_date: null,
    icon_source: directory.pictures.icon?.number ? 'U' : 'G',
    icon_version: directory.pictures.icon?.version ?? 1,
    logo_source: directory.pictures.logo?.number ? 'U' : 'D',
    logo_version: directory.pictures.logo?.version ?? 1,
    night_logo_source: directory.pictures.night_logo?.number ? 'U' : 'D',
    night_logo_version: directory.pictures.night_logo?.version ?? 1,
    _max_invites: null,
    upload_quota_gb: null,
    message_visibility_limit: null,
    first_visible_message_id: 0,
  };
}

/** Reads the user settings that a row has as columns, if they differ from the program's defaults. */
export function readNonDefaultUserSettings(row: CheckedExportRow, leftOut: AdjustedRowCounts): Partial<UserSettings> {
  const chosen: Record<string, unknown> = {};
  for (const name of USER_SETTING_NAMES) {
    const setting: UserSettingDeclaration = USER_SETTING_DECLARATIONS[name];
    const value = userSettingValueInRow(name, row);
    if (setting.accountField !== undefined || value === undefined || value === null) continue;
    const checked = findCheckedUserSetting(name, value);
    if (checked === undefined) leftOut.addCount(`setting of a user: ${name}`);
    else if (checked !== setting.default) chosen[name] = checked;
  }
  return chosen as Partial<UserSettings>;
}

/** Reads a setting of a user. A row with the column `web_home_view` is one of a newer version. */
function userSettingValueInRow(name: UserSettingName, row: CheckedExportRow): Json | undefined {
  if (!row.hasNonNullField('web_home_view')) return row.uncheckedValue(name);
  const value = row.uncheckedValue(NEWER_COLUMN_BY_USER_SETTING[name] ?? name);
  return name === 'desktop_icon_count_display' ? (ICON_COUNT_BY_NEWER_VALUE.get(value) ?? value) : value;
}

/** Checks and converts a value as PATCH /settings does. @returns undefined for one that the API refuses */
function findCheckedUserSetting(name: UserSettingName, value: Json): UserSettingValue | undefined {
  const schema: TSchema = USER_SETTING_DECLARATIONS[name].schema;
  try {
    return Check(schema, value) ? checkAndConvertUserSettings({ [name]: value })[name] : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Makes the columns of settings of a user. @param names settings of the format's level, or newer ones
 * @param value returns the value of a setting
 */
export const makeUserSettingColumns = (
  names: readonly UserSettingName[],
  value: (name: UserSettingName) => UserSettingValue,
): JsonObject =>
  Object.fromEntries(names.filter((name) => !isAccountFieldSetting(name)).map((name) => [name, value(name)]));

/** Returns who sees an address: administrators if the number is unknown. */
export function emailVisibilityOfRow(
  row: CheckedExportRow,
  otherwise: number,
  draft: ImportedOrganizationDraft,
): number {
  const given = row.nonNegativeIntegerOr(EMAIL_VISIBILITY_COLUMN, otherwise);
  if (VALID_EMAIL_VISIBILITY_NUMBERS.has(given)) return given;
  draft.adjustedRowCounts.addCount(`unknown value of ${EMAIL_VISIBILITY_COLUMN}`);
  return ADMINS_EMAIL_VISIBILITY_NUMBER;
}

/** Adds defaults of users' settings, from the row of the format's settings and from that of newer ones. */
export function addImportedUserDefaults(row: CheckedExportRow, draft: ImportedOrganizationDraft): void {
  const visibility = emailVisibilityOfRow(row, EVERYBODY_EMAIL_VISIBILITY_NUMBER, draft);
  draft.directorySingletons.userDefaults = {
    ...draft.directorySingletons.userDefaults,
    ...readNonDefaultUserSettings(row, draft.adjustedRowCounts),
    ...(visibility !== EVERYBODY_EMAIL_VISIBILITY_NUMBER ? { email_address_visibility: visibility } : {}),
  };
}

/** @param names settings of the format's level, or newer ones */
export const makeUserDefaultSettingsRow = (
  { userDefaults }: DirectoryView,
  names: readonly UserSettingName[],
): JsonObject => ({
  id: 1,
  realm: 1,
  ...Object.fromEntries(
    names
      .filter((name) => USER_SETTING_NAMES_WITH_REALM_DEFAULT.includes(name))
      .map((name) => [name, userDefaults[name] ?? USER_SETTING_DECLARATIONS[name].default]),
  ),
});

export function addImportedEmailDomain(row: CheckedExportRow, draft: ImportedOrganizationDraft): void {
  const domain = findCheckedEmailDomain(row.textOrDefault('domain'));
  if (domain === undefined) {
    draft.adjustedRowCounts.addCount('domain of addresses that is no domain');
    return;
  }
  const domains = draft.directorySingletons.domains;
  draft.directorySingletons.domains = [
    ...domains,
    { id: domains.length + 1, domain, allowSubdomains: row.booleanOrDefault('allow_subdomains') },
  ];
  draft.addImportedCount('domains');
}

/** Checks a domain as POST /realm/domains does. @returns undefined for one that the API refuses */
function findCheckedEmailDomain(given: string): string | undefined {
  try {
    return toCheckedEmailDomain(toAsciiDomain(given.trim()));
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return undefined;
  }
}

export const makeEmailDomainRows = (directory: DirectoryView): JsonObject[] =>
  directory
    .emailDomains()
    .map(({ id, domain, allowSubdomains }) => ({ id, realm: 1, domain, allow_subdomains: allowSubdomains }));

export function addImportedLinkifier(row: CheckedExportRow, draft: ImportedOrganizationDraft): void {
  const pattern = row.textOrDefault('pattern');
  // Exports of older servers have a format with %(name)s instead of a URL template.
  const urlTemplate = row.textOrDefault(
    'url_template',
    row.textOrDefault('url_format_string').replace(/%\((\w+)\)s/g, '{$1}'),
  );
  const all = draft.directorySingletons.linkifiers;
  const tooLarge = Math.max(pattern.length, urlTemplate.length) > MAX_LINKIFIER_FIELD_CHARACTERS;
  const refused = tooLarge || Object.keys(findLinkifierErrors(pattern, urlTemplate)).length > 0;
  if (refused || all.length >= MAX_LINKIFIERS) {
    draft.adjustedRowCounts.addCount(refused ? `linkifier ${pattern}` : 'linkifier beyond the maximum');
    return;
  }
  draft.directorySingletons.linkifiers = [...all, { id: all.length + 1, pattern, urlTemplate }];
  draft.addImportedCount('linkifiers');
}

export const makeLinkifierRows = (directory: DirectoryView): JsonObject[] =>
  directory
    .linkifiers()
    .map(({ pattern, urlTemplate }, i) => ({ id: i + 1, realm: 1, pattern, url_template: urlTemplate }));

export function addImportedPlayground(row: CheckedExportRow, draft: ImportedOrganizationDraft): void {
  const all = draft.directorySingletons.playgrounds;
  const name = row.textOrDefault('name');
  const language = row.textOrDefault('pygments_language');
  const urlPrefix = findPlaygroundUrlPrefix(row);
  if (urlPrefix === undefined) {
    draft.adjustedRowCounts.addCount('playground whose URL does not end with the code');
    return;
  }
  const refused =
    name.length > MAX_PLAYGROUND_NAME_CHARACTERS ||
    language.length > MAX_PLAYGROUND_LANGUAGE_CHARACTERS ||
    urlPrefix.length > MAX_PLAYGROUND_URL_PREFIX_CHARACTERS;
  if (refused || all.length >= MAX_PLAYGROUNDS) {
    draft.adjustedRowCounts.addCount('playground beyond the limits');
    return;
  }
  draft.directorySingletons.playgrounds = [...all, { id: all.length + 1, name, language, urlPrefix }];
  draft.addImportedCount('playgrounds');
}

/** Newer versions of the format have a URL template. It becomes a prefix if `{code}` is its end and only variable. */
const findPlaygroundUrlPrefix = (row: CheckedExportRow): string | undefined =>
  row.hasNonNullField('url_template')
    ? /^([^{}]+)\{code\}$/.exec(row.textOrDefault('url_template'))?.[1]
    : row.textOrDefault('url_prefix');

export const makePlaygroundRows = (directory: DirectoryView): JsonObject[] =>
  directory.playgrounds().map(({ id, name, language, urlPrefix }) => ({
    id,
    realm: 1,
    name,
    pygments_language: language,
    url_prefix: urlPrefix,
  }));
