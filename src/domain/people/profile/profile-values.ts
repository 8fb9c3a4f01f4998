/** Values of profile fields: rules and objects of the API (users.md § Custom profile data). */

import { isIsoDate, isUrl, memoizeByObject } from '#base';
import { apiError, validationError } from '#model/errors';
import type {
  ApiProfileData,
  DirectoryProfile,
  DirectoryProfileField,
  DirectoryUser,
  ProfileFieldValue,
} from '#model/records';
import { optionsOfProfileField, PROFILE_FIELD_TYPE } from './profile-fields.js';

/** A profile value after its validation by the parameter's schema. */
export type ProfileValueInput = string | readonly number[];

type FindUser = (id: number) => DirectoryUser | undefined;

const MAX_SHORT_TEXT_CHARACTERS = 50;
const MAX_LONG_TEXT_CHARACTERS = 500;

type ProfileValueCheck = (field: DirectoryProfileField, given: ProfileValueInput, find: FindUser) => string;

/** Checks a profile value. @returns the stored form of the value. @throws ApiError */
export const checkProfileFieldValue: ProfileValueCheck = (field, given, find) =>
  CHECKS_BY_FIELD_TYPE[field.type]!(field, given, find);

function checkTextValue(
  { name }: DirectoryProfileField,
  given: ProfileValueInput,
  longest = Number.POSITIVE_INFINITY,
): string {
  if (typeof given !== 'string') throw validationError(`${name} is not a string`);
  if ([...given].length > longest) throw validationError(`${name} is too long (limit: ${longest} characters)`);
  return given;
}

const checkShortTextValue: ProfileValueCheck = (field, given) =>
  checkTextValue(field, given, MAX_SHORT_TEXT_CHARACTERS);

const checkOptionValue: ProfileValueCheck = (field, given) => {
  const value = typeof given === 'string' ? given : `[${given.join(', ')}]`;
  if (typeof given !== 'string' || !optionsOfProfileField(field).has(given)) {
    throw apiError('FIELD_CHOICE', { value, name: field.name });
  }
  return value;
};

const checkDateValue: ProfileValueCheck = (field, given) => {
  if (!isIsoDate(checkTextValue(field, given))) throw validationError(`${field.name} is not a date`);
  return String(given);
};

const checkUrlValue: ProfileValueCheck = (field, given) => {
  if (!isUrl(checkTextValue(field, given))) throw validationError(`${field.name} is not a URL`);
  return String(given);
};

const checkPeopleValue: ProfileValueCheck = (_field, given, find) => {
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

const CHECKS_BY_FIELD_TYPE: Readonly<Record<number, ProfileValueCheck>> = {
  [PROFILE_FIELD_TYPE.shortText]: checkShortTextValue,
  [PROFILE_FIELD_TYPE.longText]: (field, given) => checkTextValue(field, given, MAX_LONG_TEXT_CHARACTERS),
  [PROFILE_FIELD_TYPE.select]: checkOptionValue,
  [PROFILE_FIELD_TYPE.date]: checkDateValue,
  [PROFILE_FIELD_TYPE.url]: checkUrlValue,
  [PROFILE_FIELD_TYPE.person]: checkPeopleValue,
  [PROFILE_FIELD_TYPE.externalAccount]: checkShortTextValue,
  [PROFILE_FIELD_TYPE.pronouns]: checkShortTextValue,
};

/**
 * True if the value's field and option still exist. Removing an option removes its values, even if its key is used
 * again later.
 */
const isProfileValueLive = (field: DirectoryProfileField | undefined, { value, at }: ProfileFieldValue): boolean =>
  field !== undefined &&
  (field.type !== PROFILE_FIELD_TYPE.select ||
    at > (optionsOfProfileField(field).get(value) ?? Number.POSITIVE_INFINITY));

/** Profile fields by id; memoized, because many profiles are shown with the same list. */
const fieldsById = memoizeByObject(
  (fields: readonly DirectoryProfileField[]): ReadonlyMap<string, DirectoryProfileField> =>
    new Map(fields.map((field) => [String(field.id), field])),
);

/** The profile values whose field, and option, still exists. */
export function filterLiveProfileValues(
  { values }: DirectoryProfile,
  fields: readonly DirectoryProfileField[],
): [string, ProfileFieldValue][] {
  const known = fieldsById(fields);
  return Object.entries(values).filter(([id, value]) => isProfileValueLive(known.get(id), value));
}

export const formatProfileValueForApi = ({ value, rendered }: Pick<ProfileFieldValue, 'value' | 'rendered'>) =>
  rendered === '' ? { value } : { value, rendered_value: rendered };

export const formatProfileForApi = (
  profile: DirectoryProfile,
  fields: readonly DirectoryProfileField[],
): ApiProfileData =>
  Object.fromEntries(
    filterLiveProfileValues(profile, fields).map(([id, value]) => [id, formatProfileValueForApi(value)]),
  );
