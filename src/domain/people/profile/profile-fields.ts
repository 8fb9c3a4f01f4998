/** Custom profile fields: types, rules and objects of the API (realm.md). */

import { isHttpOrFtpUrl, memoizeByObject } from '#base';
import { apiError, checkParameterItemCount, checkParameterTextLength, validationError } from '#model/errors';
import type { DirectoryProfileField } from '#model/records';

export const PROFILE_FIELD_TYPE = {
  shortText: 1,
  longText: 2,
  select: 3,
  date: 4,
  url: 5,
  person: 6,
  externalAccount: 7,
  pronouns: 8,
} as const;

const API_SELECT_FIELD_TYPE = { id: PROFILE_FIELD_TYPE.select, name: 'List of options' };

/** Types of profile fields as the register response shows them (`custom_profile_field_types`). */
export const API_PROFILE_FIELD_TYPES = {
  SHORT_TEXT: { id: PROFILE_FIELD_TYPE.shortText, name: 'Short text' },
  LONG_TEXT: { id: PROFILE_FIELD_TYPE.longText, name: 'Long text' },
  DATE: { id: PROFILE_FIELD_TYPE.date, name: 'Date picker' },
  URL: { id: PROFILE_FIELD_TYPE.url, name: 'Link' },
  EXTERNAL_ACCOUNT: { id: PROFILE_FIELD_TYPE.externalAccount, name: 'External account' },
  PRONOUNS: { id: PROFILE_FIELD_TYPE.pronouns, name: 'Pronouns' },
  SELECT: API_SELECT_FIELD_TYPE,
  CHOICE: API_SELECT_FIELD_TYPE,
  USER: { id: PROFILE_FIELD_TYPE.person, name: 'Person picker' },
};

/**
 * External account types that every organization has, as the register response shows them
 * (`realm_default_external_accounts`).
 */
export const DEFAULT_EXTERNAL_ACCOUNT_TYPES = {
  twitter: {
    text: 'Twitter',
    url_pattern: 'https://twitter.com/%(username)s',
    name: 'Twitter username',
    hint: '',
  },
  github: { text: 'GitHub', url_pattern: 'https://github.com/%(username)s', name: 'GitHub username', hint: '' },
};

const MAX_PROFILE_FIELD_NAME_CHARACTERS = 40;
const MAX_PROFILE_FIELD_HINT_CHARACTERS = 80;
const MAX_FIELDS_IN_PROFILE_SUMMARY = 2;
/** Maximum number of profile fields: each event about profile fields has all of them. */
export const MAX_PROFILE_FIELDS = 100;
/** Maximum size of the data of all profile fields together, bytes; each option added later takes some more. */
const MAX_PROFILE_FIELD_DATA_BYTES = 500_000;

const { select, externalAccount, longText, person } = PROFILE_FIELD_TYPE;
const KNOWN_PROFILE_FIELD_TYPES = new Set<number>(Object.values(PROFILE_FIELD_TYPE));
const FIELD_TYPES_BARRED_FROM_SUMMARY = new Set<number>([longText, person]);
export const MARKDOWN_RENDERED_FIELD_TYPES: ReadonlySet<number> = new Set([PROFILE_FIELD_TYPE.shortText, longText]);

/** The parameter `field_data` after its validation by the schema. */
export type ProfileFieldDataInput = Readonly<Record<string, string | Readonly<Record<string, string>>>>;

interface ProfileFieldInput {
  readonly name: string;
  readonly hint: string;
  readonly data: ProfileFieldDataInput;
  readonly inSummary: boolean;
}

export type CheckedProfileField = Pick<DirectoryProfileField, 'name' | 'hint' | 'data' | 'inSummary'>;

/** Refuses a third profile field in the summary of profiles. @throws ApiError */
export function requireRoomInProfileSummary(others: readonly DirectoryProfileField[]): void {
  if (others.filter(({ inSummary }) => inSummary).length >= MAX_FIELDS_IN_PROFILE_SUMMARY) {
    throw apiError('PROFILE_SUMMARY_FULL', { n: MAX_FIELDS_IN_PROFILE_SUMMARY });
  }
}

/**
 * Refuses a list of profile fields that would be too large for an event. @param changed the field that is new in it
 * @throws ApiError
 */
export function requireRoomForProfileFields(
  others: readonly Pick<DirectoryProfileField, 'data'>[],
  changed: Pick<DirectoryProfileField, 'data'>,
): void {
  checkParameterItemCount('custom_profile_fields', others.length + 1, MAX_PROFILE_FIELDS);
  const bytes = others.reduce((sum, { data }) => sum + Buffer.byteLength(data), Buffer.byteLength(changed.data));
  checkParameterTextLength('field_data of all fields', bytes, MAX_PROFILE_FIELD_DATA_BYTES);
}

/** Checks a profile field by all rules that don't depend on the other fields, in the API's order. @throws ApiError */
export function toCheckedProfileField(
  type: number,
  { name, hint, data, inSummary }: ProfileFieldInput,
): CheckedProfileField {
  if (type === select) requireValidSelectOptions(data);
  const account = type === externalAccount ? checkAccountAndFindDefaultFields(data) : undefined;
  if (!account) requireValidNameAndHint(name, hint);
  if (!KNOWN_PROFILE_FIELD_TYPES.has(type)) throw apiError('PROFILE_FIELD_TYPE');
  if (inSummary && FIELD_TYPES_BARRED_FROM_SUMMARY.has(type)) throw apiError('PROFILE_FIELD_NOT_IN_SUMMARY');
  if (account) return { ...account, inSummary };
  return { name, hint, data: type === select || type === externalAccount ? JSON.stringify(data) : '', inSummary };
}

const countCodePoints = (text: string): number => [...text].length;

function requireValidNameAndHint(name: string, hint: string): void {
  if (name.trim() === '') throw apiError('PROFILE_LABEL_BLANK');
  if (countCodePoints(name) > MAX_PROFILE_FIELD_NAME_CHARACTERS)
    throw validationError(`name is too long (limit: ${MAX_PROFILE_FIELD_NAME_CHARACTERS} characters)`);
  if (countCodePoints(hint) > MAX_PROFILE_FIELD_HINT_CHARACTERS)
    throw validationError(`hint is too long (limit: ${MAX_PROFILE_FIELD_HINT_CHARACTERS} characters)`);
}

/**
 * Checks the keys of a field's data. @throws ApiError unless it has these keys, all of them texts that are not blank,
 * and no other
 */
function requireFieldDataKeys(
  of: ProfileFieldDataInput,
  required: readonly string[],
  optional: readonly string[] = [],
): void {
  for (const key of required) {
    const value = Object.hasOwn(of, key) ? of[key] : undefined;
    if (value === undefined) throw validationError(`${key} key is missing from field_data`);
    if (typeof value !== 'string') throw validationError(`field_data["${key}"] is not a string`);
    if (value.trim() === '') throw validationError(`field_data["${key}"] cannot be blank.`);
  }
  if (optional.includes('url_pattern') && Object.hasOwn(of, 'url_pattern')) requireValidUserUrlPattern(of.url_pattern);
  const extra = Object.keys(of).filter((key) => !required.includes(key) && !optional.includes(key));
  if (extra.length > 0) throw validationError(`Unexpected arguments: ${extra.join(', ')}`);
}

function requireValidSelectOptions(data: ProfileFieldDataInput): void {
  const options = Object.entries(data);
  if (options.length === 0) throw apiError('PROFILE_FIELD_NO_CHOICE');
  const texts = new Set<string>();
  for (const [key, option] of options) {
    if (key.trim() === '') throw apiError('PROFILE_CHOICE_BLANK');
    if (typeof option === 'string') throw validationError('field_data is not a dict');
    requireFieldDataKeys(option, ['text', 'order']);
    texts.add(option.text!);
  }
  if (texts.size < options.length) throw apiError('PROFILE_CHOICE_TWICE');
}

const USERNAME_PLACEHOLDER = '%(username)s';

function requireValidUserUrlPattern(pattern: unknown): void {
  if (typeof pattern !== 'string') throw validationError('field_data["url_pattern"] is not a string');
  if (pattern.split(USERNAME_PLACEHOLDER).length !== 2) throw apiError('PROFILE_URL_PATTERN');
  if (!isHttpOrFtpUrl(pattern.replace(USERNAME_PLACEHOLDER, 'username')))
    throw validationError('field_data["url_pattern"] is not a URL');
}

/**
 * Checks the data of an external account.
 * @returns the stored fields of an account type that every organization has; undefined for a custom type
 * @throws ApiError
 */
function checkAccountAndFindDefaultFields(
  data: ProfileFieldDataInput,
): Pick<CheckedProfileField, 'name' | 'hint' | 'data'> | undefined {
  requireFieldDataKeys(data, ['subtype'], ['url_pattern']);
  const subtype = String(data.subtype);
  const known = Object.hasOwn(DEFAULT_EXTERNAL_ACCOUNT_TYPES, subtype);
  if (!known && subtype !== 'custom') throw apiError('PROFILE_ACCOUNT_TYPE');
  if (!known && !Object.hasOwn(data, 'url_pattern')) throw apiError('PROFILE_ACCOUNT_PATTERN');
  if (!known) return undefined;
  const { name, hint } = DEFAULT_EXTERNAL_ACCOUNT_TYPES[subtype as keyof typeof DEFAULT_EXTERNAL_ACCOUNT_TYPES];
  return { name, hint, data: JSON.stringify({ subtype }) };
}

/**
 * True if the field is an account type that every organization has: its name, hint and data are the same everywhere.
 */
export function isDefaultExternalAccountField({ type, data }: Pick<DirectoryProfileField, 'type' | 'data'>): boolean {
  return (
    type === externalAccount &&
    Object.hasOwn(DEFAULT_EXTERNAL_ACCOUNT_TYPES, String((JSON.parse(data) as ProfileFieldDataInput).subtype))
  );
}

/** Options of a profile field: key → realm version up to which values with this key mean an earlier, removed option. */
export const requiredVersionByOptionKey = memoizeByObject(
  (field: DirectoryProfileField): ReadonlyMap<string, number> => {
    const added = new Map(field.added);
    return new Map(Object.keys(JSON.parse(field.data) as object).map((key) => [key, added.get(key) ?? 0]));
  },
);

/**
 * New value of a field's `added` (option key → realm version that added it) after its options are changed to `data`.
 *
 * @param version version of the commit
 */
export function computeOptionAddedVersions(
  before: DirectoryProfileField,
  data: string,
  version: number,
): [string, number][] {
  const known = requiredVersionByOptionKey(before);
  const since = Object.keys(JSON.parse(data) as object).map((key): [string, number] => [
    key,
    known.get(key) ?? version,
  ]);
  return since.filter(([, at]) => at > 0);
}

/**
 * The fields in the order of these ids. An id that occurs twice counts at its last place.
 * @throws ApiError if a field is missing
 */
export function withProfileFieldsReordered(
  fields: readonly DirectoryProfileField[],
  ids: readonly number[],
): DirectoryProfileField[] {
  const places = new Map(ids.map((id, place) => [id, place]));
  const moved = fields.map((field) => ({ ...field, order: places.get(field.id) ?? -1 }));
  if (moved.some(({ order }) => order < 0)) throw apiError('PROFILE_FIELD_ORDER');
  return moved.sort((a, b) => a.order - b.order);
}

export const formatProfileFieldForApi = ({ id, name, type, hint, data, order, inSummary }: DirectoryProfileField) => ({
  id,
  name,
  type,
  hint,
  field_data: data,
  order,
  ...(inSummary ? { display_in_profile_summary: true } : {}),
});

/** Clients that do not know pronouns show them as short texts. */
export const withPronounsAsShortText = <F extends { readonly type: unknown }>(fields: readonly F[]): F[] =>
  fields.map((field) =>
    field.type === PROFILE_FIELD_TYPE.pronouns ? { ...field, type: PROFILE_FIELD_TYPE.shortText } : field,
  );
