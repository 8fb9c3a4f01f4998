/**
 * The organization itself: zerver_realm with its settings, zerver_realmuserdefault, and the short lists
 * zerver_realmdomain, zerver_realmfilter (linkifiers) and zerver_realmplayground.
 */
import type { TSchema } from 'typebox';
import { Check } from 'typebox/value';
import type { JsonObject } from '#base';
import { findLinkifierErrors } from '#domain/markdown';
import {
  DEFAULT_REALM_SETTINGS,
  REALM_SETTING_DECLARATIONS,
  REALM_SETTING_NAMES,
  type RealmSettingName,
  type RealmSettings,
  type RealmSettingValue,
  USER_SETTING_DECLARATIONS,
  USER_SETTING_NAMES,
  USER_SETTING_NAMES_WITH_REALM_DEFAULT,
  type UserSettingDeclaration,
  type UserSettingName,
  type UserSettings,
} from '#model';
import type { DirectoryView } from '#model/records';
import type { CheckedExportRow } from '../format/row.js';
import type { AdjustedRowCounts, ImportedOrganizationDraft } from '../import/draft.js';

/** Settings whose column in the export has another name. */
const COLUMN_BY_RENAMED_SETTING: Partial<Record<RealmSettingName, string>> = {
  notifications_stream_id: 'notifications_stream',
  signup_notifications_stream_id: 'signup_notifications_stream',
};

const columnOfRealmSetting = (name: RealmSettingName): string => COLUMN_BY_RENAMED_SETTING[name] ?? name;

/** True for values in a row that mean 'no limit', which the API's parameter doesn't accept. */
const isUnlimitedValue = (name: RealmSettingName, value: unknown): boolean =>
  name === 'message_retention_days'
    ? value === -1
    : value === null && (name === 'default_code_block_language' || name.endsWith('_limit_seconds'));

export function importRealmWithoutStreamSettings(row: CheckedExportRow, draft: ImportedOrganizationDraft): void {
  const settings: Record<string, RealmSettingValue> = { ...DEFAULT_REALM_SETTINGS };
  for (const name of REALM_SETTING_NAMES) {
    const given = row.uncheckedValue(columnOfRealmSetting(name));
    if (given === undefined) continue;
    const setting = REALM_SETTING_DECLARATIONS[name];
    // The streams have no ids at this point: `setNotificationStreamsOfRealm` sets these settings later.
    if (setting.isStreamValued) continue;
    if (isUnlimitedValue(name, given)) settings[name] = given as null;
    else if (isAcceptableRealmSetting(name, given)) settings[name] = given as RealmSettingValue;
    else draft.adjustedRowCounts.addCount(`setting of the organization: ${name}`);
  }
  if (settings.name === '') settings.name = draft.facts.subdomain || 'Imported organization';
  draft.settings = settings as RealmSettings;
  draft.createdMs = Math.floor(row.timeSecondsOrDefault('date_created', draft.facts.begun / 1000) * 1000);
  draft.isDeactivated = row.booleanOrDefault('deactivated');
}

function isAcceptableRealmSetting(name: RealmSettingName, value: unknown): boolean {
  const setting: { readonly schema: TSchema; check?(value: unknown): void } = REALM_SETTING_DECLARATIONS[name];
  try {
    if (!Check(setting.schema, value)) return false;
    setting.check?.(value);
    return true;
  } catch {
    return false;
  }
}

/** Sets the two settings of the organization that name streams. */
export function setNotificationStreamsOfRealm(row: CheckedExportRow, draft: ImportedOrganizationDraft): void {
  const of = (name: string): number =>
    row.hasNonNullField(name) ? (draft.streamIdMap.findNewId(row.requireNonNegativeInteger(name)) ?? -1) : -1;
  draft.settings = {
    ...draft.settings,
    notifications_stream_id: of('notifications_stream'),
    signup_notifications_stream_id: of('signup_notifications_stream'),
  };
}

/** Makes the columns of zerver_realm. @param base the row's other fields */
export function makeRealmRow(directory: DirectoryView, base: JsonObject): JsonObject {
  const settings = Object.fromEntries(
    REALM_SETTING_NAMES.map((name) => {
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
    const value = row.uncheckedValue(name);
    if (setting.accountField !== undefined || value === undefined || value === null) continue;
    if (!isAcceptableUserSetting(setting, value)) leftOut.addCount(`setting of a user: ${name}`);
    else if (value !== setting.default) chosen[name] = value;
  }
  return chosen as Partial<UserSettings>;
}

function isAcceptableUserSetting(setting: UserSettingDeclaration, value: unknown): boolean {
  try {
    if (!Check(setting.schema, value)) return false;
    setting.check?.(value as string);
    return true;
  } catch {
    return false;
  }
}

/** Makes columns of all settings of a user. @param value returns the value of a setting */
export const makeUserSettingColumns = (value: (name: UserSettingName) => unknown): JsonObject =>
  Object.fromEntries(
    USER_SETTING_NAMES.filter(
      (name) => (USER_SETTING_DECLARATIONS[name] as UserSettingDeclaration).accountField === undefined,
    ).map((name) => [name, value(name) as string]),
  );

export function setImportedUserDefaults(row: CheckedExportRow, draft: ImportedOrganizationDraft): void {
  const visibility = row.nonNegativeIntegerOr('email_address_visibility', 1);
  draft.directorySingletons.userDefaults = {
    ...readNonDefaultUserSettings(row, draft.adjustedRowCounts),
    ...(visibility > 1 && visibility <= 5 ? { email_address_visibility: visibility } : {}),
  };
}

export const makeUserDefaultSettingsRow = ({ userDefaults }: DirectoryView): JsonObject => ({
  id: 1,
  realm: 1,
  ...Object.fromEntries(
    USER_SETTING_NAMES_WITH_REALM_DEFAULT.map((name) => [
      name,
      userDefaults[name] ?? USER_SETTING_DECLARATIONS[name].default,
    ]),
  ),
});

export function addImportedEmailDomain(row: CheckedExportRow, draft: ImportedOrganizationDraft): void {
  const domain = row.textOrDefault('domain').toLowerCase();
  if (domain === '') throw row.makeRowError('has no domain');
  const domains = draft.directorySingletons.domains;
  draft.directorySingletons.domains = [
    ...domains,
    { id: domains.length + 1, domain, allowSubdomains: row.booleanOrDefault('allow_subdomains') },
  ];
  draft.addImportedCount('domains');
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
  if (Object.keys(findLinkifierErrors(pattern, urlTemplate)).length > 0) {
    draft.adjustedRowCounts.addCount(`linkifier ${pattern}`);
    return;
  }
  const all = draft.directorySingletons.linkifiers;
  draft.directorySingletons.linkifiers = [...all, { id: all.length + 1, pattern, urlTemplate }];
  draft.addImportedCount('linkifiers');
}

export const makeLinkifierRows = (directory: DirectoryView): JsonObject[] =>
  directory
    .linkifiers()
    .map(({ pattern, urlTemplate }, i) => ({ id: i + 1, realm: 1, pattern, url_template: urlTemplate }));

export function addImportedPlayground(row: CheckedExportRow, draft: ImportedOrganizationDraft): void {
  const all = draft.directorySingletons.playgrounds;
  draft.directorySingletons.playgrounds = [
    ...all,
    {
      id: all.length + 1,
      name: row.textOrDefault('name'),
      language: row.textOrDefault('pygments_language'),
      urlPrefix: row.textOrDefault('url_prefix'),
    },
  ];
  draft.addImportedCount('playgrounds');
}

export const makePlaygroundRows = (directory: DirectoryView): JsonObject[] =>
  directory.playgrounds().map(({ id, name, language, urlPrefix }) => ({
    id,
    realm: 1,
    name,
    pygments_language: language,
    url_prefix: urlPrefix,
  }));
