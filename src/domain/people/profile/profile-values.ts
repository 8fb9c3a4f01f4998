/** Values of profile fields: rules and objects of the API (users.md § Custom profile data). */

import { isHttpOrFtpUrl, isIsoDate, memoizeByObject } from '#base';
import { apiError, validationError } from '#model/errors';
import type {
  ApiProfileData,
  DirectoryProfileField,
  DirectoryUser,
  DirectoryUserProfileValues,
  ProfileFieldValue,
} from '#model/records';
import { PROFILE_FIELD_TYPE, requiredVersionByOptionKey } from './profile-fields.js';

/** A profile value after its validation by the parameter's schema. */
export type SchemaValidProfileValue = string | readonly number[];

type FindUserById = (id: number) => DirectoryUser | undefined;

const MAX_SHORT_TEXT_CHARACTERS = 50;
const MAX_LONG_TEXT_CHARACTERS = 500;

type CheckProfileValueToStored = (
  field: DirectoryProfileField,
  given: SchemaValidProfileValue,
  find: FindUserById,
) => string;

/** Checks a profile value. @returns the stored form of the value. @throws ApiError */
export const toCheckedStoredProfileValue: CheckProfileValueToStored = (field, given, find) =>
  PROFILE_VALUE_CHECK_BY_FIELD_TYPE[field.type]!(field, given, find);

function toCheckedText(
  { name }: DirectoryProfileField,
  given: SchemaValidProfileValue,
  longest = Number.POSITIVE_INFINITY,
): string {
  if (typeof given !== 'string') throw validationError(`${name} is not a string`);
  if ([...given].length > longest) throw validationError(`${name} is too long (limit: ${longest} characters)`);
  return given;
}

const toCheckedShortText: CheckProfileValueToStored = (field, given) =>
  toCheckedText(field, given, MAX_SHORT_TEXT_CHARACTERS);

const toCheckedOptionKey: CheckProfileValueToStored = (field, given) => {
  const value = typeof given === 'string' ? given : `[${given.join(', ')}]`;
  if (typeof given !== 'string' || !requiredVersionByOptionKey(field).has(given)) {
    throw apiError('FIELD_CHOICE', { value, name: field.name });
  }
  return value;
};

const toCheckedIsoDate: CheckProfileValueToStored = (field, given) => {
  if (!isIsoDate(toCheckedText(field, given))) throw validationError(`${field.name} is not a date`);
  return String(given);
};

const toCheckedUrl: CheckProfileValueToStored = (field, given) => {
  if (!isHttpOrFtpUrl(toCheckedText(field, given))) throw validationError(`${field.name} is not a URL`);
  return String(given);
};

const toCheckedPeopleJson: CheckProfileValueToStored = (_field, given, find) => {
  if (typeof given === 'string') throw validationError('User IDs is not a list');
  for (const user_id of given) {
    const user = find(user_id);
    if (!user) throw apiError('INVALID_MEMBER_ID', { user_id });
    if (!user.isActive) throw apiError('USER_ID_DEACTIVATED', { user_id });
    if (user.botType !== null) throw apiError('USER_ID_BOT', { user_id });
  }
  // Duplicates are dropped, because every process keeps the value in memory.
  return JSON.stringify([...new Set(given)]);
};

const PROFILE_VALUE_CHECK_BY_FIELD_TYPE: Readonly<Record<number, CheckProfileValueToStored>> = {
  [PROFILE_FIELD_TYPE.shortText]: toCheckedShortText,
  [PROFILE_FIELD_TYPE.longText]: (field, given) => toCheckedText(field, given, MAX_LONG_TEXT_CHARACTERS),
  [PROFILE_FIELD_TYPE.select]: toCheckedOptionKey,
  [PROFILE_FIELD_TYPE.date]: toCheckedIsoDate,
  [PROFILE_FIELD_TYPE.url]: toCheckedUrl,
  [PROFILE_FIELD_TYPE.person]: toCheckedPeopleJson,
  [PROFILE_FIELD_TYPE.externalAccount]: toCheckedShortText,
  [PROFILE_FIELD_TYPE.pronouns]: toCheckedShortText,
};

/**
 * True if the value's field and option still exist. Removing an option removes its values, even if its key is used
 * again later.
 */
const doFieldAndOptionStillExist = (
  field: DirectoryProfileField | undefined,
  { value, at }: ProfileFieldValue,
): boolean =>
  field !== undefined &&
  (field.type !== PROFILE_FIELD_TYPE.select ||
    at > (requiredVersionByOptionKey(field).get(value) ?? Number.POSITIVE_INFINITY));

/** Profile fields by id; memoized, because many profiles are shown with the same list. */
const profileFieldsById = memoizeByObject(
  (fields: readonly DirectoryProfileField[]): ReadonlyMap<string, DirectoryProfileField> =>
    new Map(fields.map((field) => [String(field.id), field])),
);

/** The profile values whose field, and option, still exists. */
export function listExistingProfileValues(
  { values }: DirectoryUserProfileValues,
  fields: readonly DirectoryProfileField[],
): [string, ProfileFieldValue][] {
  const known = profileFieldsById(fields);
  return Object.entries(values).filter(([id, value]) => doFieldAndOptionStillExist(known.get(id), value));
}

export const formatProfileValueForApi = ({ value, rendered }: Pick<ProfileFieldValue, 'value' | 'rendered'>) =>
  rendered === '' ? { value } : { value, rendered_value: rendered };

export const formatProfileForApi = (
  profile: DirectoryUserProfileValues,
  fields: readonly DirectoryProfileField[],
): ApiProfileData =>
  Object.fromEntries(
    listExistingProfileValues(profile, fields).map(([id, value]) => [id, formatProfileValueForApi(value)]),
  );
