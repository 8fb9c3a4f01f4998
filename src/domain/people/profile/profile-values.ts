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

const MAX_SHORT_TEXT = 50;
const MAX_LONG_TEXT = 500;

type Check = (field: DirectoryProfileField, given: ProfileValueInput, find: FindUser) => string;

/** Checks a profile value. @returns the stored form of the value. @throws ApiError */
export const checkProfileFieldValue: Check = (field, given, find) => CHECKS[field.type]!(field, given, find);

function text({ name }: DirectoryProfileField, given: ProfileValueInput, longest = Number.POSITIVE_INFINITY): string {
  if (typeof given !== 'string') throw validationError(`${name} is not a string`);
  if ([...given].length > longest) throw validationError(`${name} is too long (limit: ${longest} characters)`);
  return given;
}

const short: Check = (field, given) => text(field, given, MAX_SHORT_TEXT);

const option: Check = (field, given) => {
  const value = typeof given === 'string' ? given : `[${given.join(', ')}]`;
  if (typeof given !== 'string' || !optionsOfProfileField(field).has(given)) {
    throw apiError('FIELD_CHOICE', { value, name: field.name });
  }
  return value;
};

const date: Check = (field, given) => {
  if (!isIsoDate(text(field, given))) throw validationError(`${field.name} is not a date`);
  return String(given);
};

const url: Check = (field, given) => {
  if (!isUrl(text(field, given))) throw validationError(`${field.name} is not a URL`);
  return String(given);
};

const people: Check = (_field, given, find) => {
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

const CHECKS: Readonly<Record<number, Check>> = {
  [PROFILE_FIELD_TYPE.shortText]: short,
  [PROFILE_FIELD_TYPE.longText]: (field, given) => text(field, given, MAX_LONG_TEXT),
  [PROFILE_FIELD_TYPE.select]: option,
  [PROFILE_FIELD_TYPE.date]: date,
  [PROFILE_FIELD_TYPE.url]: url,
  [PROFILE_FIELD_TYPE.person]: people,
  [PROFILE_FIELD_TYPE.externalAccount]: short,
  [PROFILE_FIELD_TYPE.pronouns]: short,
};

/**
 * True if the value's field and option still exist. Removing an option removes its values, even if its key is used
 * again later.
 */
const isThere = (field: DirectoryProfileField | undefined, { value, at }: ProfileFieldValue): boolean =>
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
  return Object.entries(values).filter(([id, value]) => isThere(known.get(id), value));
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
