/**
 * /realm/profile_fields (realm.md § Custom profile fields). Removing a field or option changes no profile: values of
 * removed ones are omitted wherever profiles are shown (src/domain/people/profile/profile-values.ts).
 */

import { successReply } from '#actors/shared';
import {
  addedOptionsAfter,
  type CheckedProfileField,
  checkProfileField,
  checkSummaryFieldCount,
  isAdmin,
  isDefaultExternalAccount,
  PROFILE_FIELD_TYPE,
  type ProfileFieldData,
  presentProfileField,
  reorderProfileFields,
} from '#domain/people';
import type { ProfileFieldContent, realmCommands } from '#model/commands';
import { apiError } from '#model/errors';
import type { DirectoryProfileField } from '#model/records';
import type { Outcome } from '#runtime';
import { directoryLogItem, everyoneEventItem } from '../../log-items.js';
import {
  type ActorParts,
  encodeRecord,
  PROFILE_FIELDS_PART,
  profileFieldRecords,
  type RealmState,
} from '../../state.js';
import { requireActingUser } from '../callers.js';
import { type RealmCommand, SETTINGS_LANE } from '../command.js';

function checkAdmin(parts: ActorParts, caller: number): void {
  if (!isAdmin(requireActingUser(parts, caller))) throw apiError('ADMIN_REQUIRED');
}

/** Checks the content of a profile field; its name must differ from the names of the others. @throws ApiError */
function checkContent(
  type: number,
  content: ProfileFieldContent,
  others: readonly DirectoryProfileField[],
): CheckedProfileField {
  const { name, hint, field_data, display_in_profile_summary: inSummary } = content;
  const field = checkProfileField(type, { name, hint, data: JSON.parse(field_data) as ProfileFieldData, inSummary });
  if (others.some((other) => other.name === field.name)) throw apiError('PROFILE_LABEL_TAKEN');
  return field;
}

function storeFields(
  fields: readonly DirectoryProfileField[],
  version: number,
): Pick<Outcome<RealmState>, 'parts' | 'events'> {
  return {
    parts: { [PROFILE_FIELDS_PART]: encodeRecord(fields) },
    events: [
      directoryLogItem({ profileFields: fields }),
      everyoneEventItem(version, { type: 'custom_profile_fields', fields: fields.map(presentProfileField) }),
    ],
  };
}

/** The profile field with this id. @throws ApiError */
function find(fields: readonly DirectoryProfileField[], id: number): DirectoryProfileField {
  const field = fields.find((one) => one.id === id);
  if (!field) throw apiError('FIELD_NOT_FOUND', { id });
  return field;
}

export const addProfileFieldHandler: RealmCommand<typeof realmCommands.addProfileField> = {
  lane: SETTINGS_LANE,
  handle({ state, parts }, { field_type: type, ...content }, _inputs, { caller, version }) {
    checkAdmin(parts, caller);
    const fields = profileFieldRecords(parts);
    if (content.display_in_profile_summary) checkSummaryFieldCount(fields);
    const id = state.nextProfileField;
    // A new profile field comes last. Its place is its id, which is above the places of all other fields.
    const field = {
      id,
      type,
      order: id,
      added: [],
      ...checkContent(type, content as unknown as ProfileFieldContent, fields),
    };
    return {
      ...storeFields([...fields, field], version),
      reply: successReply({ id }, version),
      state: { ...state, nextProfileField: id + 1 },
    };
  },
};

/** Replaces the whole content of a profile field by PATCH: omitted parameters are reset. Only the type stays. */
export const updateProfileFieldHandler: RealmCommand<typeof realmCommands.updateProfileField> = {
  lane: SETTINGS_LANE,
  handle({ parts }, { field_id, ...given }, _inputs, { caller, version }) {
    checkAdmin(parts, caller);
    const content = given as unknown as ProfileFieldContent;
    const fields = profileFieldRecords(parts);
    const before = find(fields, field_id);
    const others = fields.filter((one) => one !== before);
    if (content.display_in_profile_summary) checkSummaryFieldCount(others);
    if (isDefaultExternalAccount(before) && !isSame(before, content)) throw apiError('PROFILE_FIELD_FIXED');
    const after = checkContent(before.type, content, others);
    const added = before.type === PROFILE_FIELD_TYPE.select ? addedOptionsAfter(before, after.data, version) : [];
    const next = fields.map((one) => (one === before ? { ...before, ...after, added } : one));
    return { ...storeFields(next, version), reply: successReply(undefined, version) };
  },
};

const isSame = (field: DirectoryProfileField, { name, hint, field_data }: ProfileFieldContent): boolean =>
  name === field.name && hint === field.hint && field_data === field.data;

export const orderProfileFieldsHandler: RealmCommand<typeof realmCommands.orderProfileFields> = {
  lane: SETTINGS_LANE,
  handle({ parts }, { order }, _inputs, { caller, version }) {
    checkAdmin(parts, caller);
    return {
      ...storeFields(reorderProfileFields(profileFieldRecords(parts), order), version),
      reply: successReply(undefined, version),
    };
  },
};

export const removeProfileFieldHandler: RealmCommand<typeof realmCommands.removeProfileField> = {
  lane: SETTINGS_LANE,
  handle({ parts }, { field_id }, _inputs, { caller, version }) {
    checkAdmin(parts, caller);
    const fields = profileFieldRecords(parts);
    const gone = find(fields, field_id);
    const next = fields.filter((one) => one !== gone);
    return { ...storeFields(next, version), reply: successReply(undefined, version) };
  },
};
