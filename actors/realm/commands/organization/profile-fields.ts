/**
 * /realm/profile_fields (realm.md § Custom profile fields). Removing a field or option changes no profile: values of
 * removed ones are omitted wherever profiles are shown (src/domain/people/profile/profile-values.ts).
 */

import { makeSuccessReply } from '#actors/shared';
import {
  type CheckedProfileField,
  computeOptionAddedVersions,
  formatProfileFieldForApi,
  isAdminOrOwner,
  isDefaultExternalAccountField,
  PROFILE_FIELD_TYPE,
  type ProfileFieldDataInput,
  requireRoomForProfileFields,
  requireRoomInProfileSummary,
  toCheckedProfileField,
  withProfileFieldsReordered,
} from '#domain/people';
import type { ProfileFieldContent, realmActorCommands } from '#model/commands';
import { apiError } from '#model/errors';
import type { DirectoryProfileField } from '#model/records';
import type { CommandOutcome } from '#runtime';
import { makeDirectoryLogItem, makeEveryoneEventLogItem } from '../../log-items.js';
import {
  type ActorParts,
  encodeDirectoryRecord,
  PROFILE_FIELDS_PART_NAME,
  type RealmActorState,
  readProfileFieldRecords,
} from '../../state.js';
import { getActingUserOrThrow } from '../callers.js';
import { NO_INPUT_COMMAND_LANE, type RealmCommandHandler } from '../command.js';

function checkCallerIsAdmin(parts: ActorParts, caller: number): void {
  if (!isAdminOrOwner(getActingUserOrThrow(parts, caller))) throw apiError('ADMIN_REQUIRED');
}

/** Checks the content of a profile field; its name must differ from the names of the others. @throws ApiError */
function checkProfileFieldContent(
  type: number,
  content: ProfileFieldContent,
  others: readonly DirectoryProfileField[],
): CheckedProfileField {
  const { name, hint, field_data, display_in_profile_summary: inSummary } = content;
  const field = toCheckedProfileField(type, {
    name,
    hint,
    data: JSON.parse(field_data) as ProfileFieldDataInput,
    inSummary,
  });
  if (others.some((other) => other.name === field.name)) throw apiError('PROFILE_LABEL_TAKEN');
  return field;
}

function makeStoreProfileFieldsCommit(
  fields: readonly DirectoryProfileField[],
  version: number,
): Pick<CommandOutcome<RealmActorState>, 'parts' | 'events'> {
  return {
    parts: { [PROFILE_FIELDS_PART_NAME]: encodeDirectoryRecord(fields) },
    events: [
      makeDirectoryLogItem({ profileFields: fields }),
      makeEveryoneEventLogItem(version, {
        type: 'custom_profile_fields',
        fields: fields.map(formatProfileFieldForApi),
      }),
    ],
  };
}

/** The profile field with this id. @throws ApiError */
function getProfileFieldOrThrow(fields: readonly DirectoryProfileField[], id: number): DirectoryProfileField {
  const field = fields.find((one) => one.id === id);
  if (!field) throw apiError('FIELD_NOT_FOUND', { id });
  return field;
}

export const addProfileFieldHandler: RealmCommandHandler<typeof realmActorCommands.addProfileField> = {
  lane: NO_INPUT_COMMAND_LANE,
  handle({ state, parts }, { field_type: type, ...content }, _inputs, { caller, version }) {
    checkCallerIsAdmin(parts, caller);
    const fields = readProfileFieldRecords(parts);
    if (content.display_in_profile_summary) requireRoomInProfileSummary(fields);
    const checked = checkProfileFieldContent(type, content as unknown as ProfileFieldContent, fields);
    requireRoomForProfileFields(fields, checked);
    const id = state.nextProfileField;
    // A new profile field comes last. Its place is its id, which is above the places of all other fields.
    const field = { id, type, order: id, added: [], ...checked };
    return {
      ...makeStoreProfileFieldsCommit([...fields, field], version),
      reply: makeSuccessReply({ id }, version),
      state: { ...state, nextProfileField: id + 1 },
    };
  },
};

/** Replaces the whole content of a profile field by PATCH: omitted parameters are reset. Only the type stays. */
export const updateProfileFieldHandler: RealmCommandHandler<typeof realmActorCommands.updateProfileField> = {
  lane: NO_INPUT_COMMAND_LANE,
  handle({ parts }, { field_id, ...given }, _inputs, { caller, version }) {
    checkCallerIsAdmin(parts, caller);
    const content = given as unknown as ProfileFieldContent;
    const fields = readProfileFieldRecords(parts);
    const before = getProfileFieldOrThrow(fields, field_id);
    const others = fields.filter((one) => one !== before);
    if (content.display_in_profile_summary) requireRoomInProfileSummary(others);
    if (isDefaultExternalAccountField(before) && !hasSameProfileFieldContent(before, content))
      throw apiError('PROFILE_FIELD_FIXED');
    const after = checkProfileFieldContent(before.type, content, others);
    if (after.data.length > before.data.length) requireRoomForProfileFields(others, after);
    const added =
      before.type === PROFILE_FIELD_TYPE.select ? computeOptionAddedVersions(before, after.data, version) : [];
    const next = fields.map((one) => (one === before ? { ...before, ...after, added } : one));
    return { ...makeStoreProfileFieldsCommit(next, version), reply: makeSuccessReply(undefined, version) };
  },
};

const hasSameProfileFieldContent = (
  field: DirectoryProfileField,
  { name, hint, field_data }: ProfileFieldContent,
): boolean => name === field.name && hint === field.hint && field_data === field.data;

export const orderProfileFieldsHandler: RealmCommandHandler<typeof realmActorCommands.orderProfileFields> = {
  lane: NO_INPUT_COMMAND_LANE,
  handle({ parts }, { order }, _inputs, { caller, version }) {
    checkCallerIsAdmin(parts, caller);
    return {
      ...makeStoreProfileFieldsCommit(withProfileFieldsReordered(readProfileFieldRecords(parts), order), version),
      reply: makeSuccessReply(undefined, version),
    };
  },
};

export const removeProfileFieldHandler: RealmCommandHandler<typeof realmActorCommands.removeProfileField> = {
  lane: NO_INPUT_COMMAND_LANE,
  handle({ parts }, { field_id }, _inputs, { caller, version }) {
    checkCallerIsAdmin(parts, caller);
    const fields = readProfileFieldRecords(parts);
    const gone = getProfileFieldOrThrow(fields, field_id);
    const next = fields.filter((one) => one !== gone);
    return { ...makeStoreProfileFieldsCommit(next, version), reply: makeSuccessReply(undefined, version) };
  },
};
