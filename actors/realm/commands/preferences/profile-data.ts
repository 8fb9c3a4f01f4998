/** Values of the organization's profile fields (users.md § Custom profile data). */

import { makeSuccessReply } from '#actors/shared';
import type { Json } from '#base';
import { renderContextFreeMarkdownOrEmpty } from '#domain/markdown';
import {
  formatProfileValueForApi,
  listExistingProfileValues,
  MARKDOWN_RENDERED_FIELD_TYPES,
  type SchemaValidProfileValue,
  toCheckedStoredProfileValue,
} from '#domain/people';
import type { LogItem } from '#model';
import type { ProfileFieldUpdate, realmActorCommands } from '#model/commands';
import { ApiError, apiError } from '#model/errors';
import type { DirectoryProfileField, DirectoryUser, ProfileFieldValue } from '#model/records';
import type { CommandOutcome } from '#runtime';
import { makeDirectoryLogItem, makeEveryoneEventLogItem } from '../../log-items.js';
import {
  type ActorParts,
  encodeDirectoryRecord,
  findUserRecord,
  PROFILE_PART_PREFIX,
  type RealmActorState,
  readProfileFieldRecords,
  readProfileRecord,
} from '../../state.js';
import { getActingUserOrThrow } from '../callers.js';
import { NO_INPUT_COMMAND_LANE, type RealmCommandHandler } from '../command.js';

/** HTML of the new profile values, by field id. */
export type RenderedProfileValuesByFieldId = ReadonlyMap<number, string>;

/** Parts and events of a changed profile; both empty if nothing changes. */
interface ProfileChangeCommit {
  readonly parts: Record<string, Json>;
  readonly events: LogItem[];
}

interface NonEmptyProfileValueUpdate {
  readonly id: number;
  readonly value: SchemaValidProfileValue;
}

/** Maximum length of a rendered value, characters; the checks refuse longer ones. */
const MAX_PROFILE_MARKDOWN_VALUE_CHARS = 1_000;

const isEmptyProfileValue = ({ value }: ProfileFieldUpdate): boolean => value === null || value.length === 0;

/** The last value for each profile field. */
const keepLastEntryOfEachField = <E extends ProfileFieldUpdate>(entries: readonly E[]): E[] => [
  ...new Map(entries.map((entry) => [entry.id, entry])).values(),
];

/** HTML of profile values, for the inputs of commands. Fields that do not exist yet are skipped, and refused later. */
export function renderProfileValues(
  parts: ActorParts,
  entries: readonly ProfileFieldUpdate[],
): RenderedProfileValuesByFieldId {
  const types = new Map(readProfileFieldRecords(parts).map(({ id, type }) => [id, type]));
  const rendered = new Map<number, string>();
  for (const { id, value } of keepLastEntryOfEachField(entries.filter((entry) => !isEmptyProfileValue(entry)))) {
    const isText = typeof value === 'string' && value.length <= MAX_PROFILE_MARKDOWN_VALUE_CHARS;
    if (isText && MARKDOWN_RENDERED_FIELD_TYPES.has(types.get(id) ?? 0))
      rendered.set(id, renderContextFreeMarkdownOrEmpty(value));
  }
  return rendered;
}

/** A change of one account's profile values. */
class ProfileValuesEditor {
  readonly #fieldById: ReadonlyMap<number, DirectoryProfileField>;
  readonly #storedValueByFieldId: ReadonlyMap<string, ProfileFieldValue>;
  readonly #editedValueByFieldId: Map<string, ProfileFieldValue>;
  /** Ids of changed or cleared profile fields, in order. */
  readonly #touchedFieldIds = new Set<number>();

  constructor(
    private readonly parts: ActorParts,
    private readonly user: DirectoryUser,
    /** Version of the realm actor that the commit makes. */
    private readonly version: number,
  ) {
    const fields = readProfileFieldRecords(parts);
    this.#fieldById = new Map(fields.map((field) => [field.id, field]));
    this.#storedValueByFieldId = new Map(listExistingProfileValues(readProfileRecord(parts, user.id), fields));
    this.#editedValueByFieldId = new Map(this.#storedValueByFieldId);
  }

  /** Clears all of these profile fields or none. @throws ApiError */
  clearFields(ids: readonly number[]): void {
    for (const id of ids) this.#getFieldOrThrow(id);
    for (const id of ids) {
      this.#editedValueByFieldId.delete(String(id));
      this.#touchedFieldIds.add(id);
    }
  }

  /** Sets all of these profile values or none. @throws ApiError */
  setFieldValues(entries: readonly NonEmptyProfileValueUpdate[], rendered: RenderedProfileValuesByFieldId): void {
    const find = (id: number): DirectoryUser | undefined => findUserRecord(this.parts, id);
    const checked = entries.map(({ id, value }) => ({
      id,
      value: toCheckedStoredProfileValue(this.#getFieldOrThrow(id), value, find),
    }));
    const values = keepLastEntryOfEachField(checked).map(({ id, value }): [number, ProfileFieldValue] => {
      const html =
        MARKDOWN_RENDERED_FIELD_TYPES.has(this.#getFieldOrThrow(id).type) && value !== '' ? rendered.get(id) : '';
      if (html === undefined) throw apiError('FIELD_NOT_FOUND', { id });
      return [id, { value, rendered: html, at: this.version }];
    });
    for (const [id, value] of values) {
      this.#touchedFieldIds.add(id);
      if (this.#editedValueByFieldId.get(String(id))?.value !== value.value)
        this.#editedValueByFieldId.set(String(id), value);
    }
  }

  /** Returns the part to write and the events to send for the changed values; none if every value is as stored. */
  makeProfileChangeCommit(): ProfileChangeCommit {
    const profileOutcome = [...this.#touchedFieldIds].filter(
      (id) => this.#storedValueByFieldId.get(String(id))?.value !== this.#editedValueByFieldId.get(String(id))?.value,
    );
    if (profileOutcome.length === 0) return { parts: {}, events: [] };
    const profile = { user: this.user.id, values: Object.fromEntries(this.#editedValueByFieldId) };
    return {
      parts: { [`${PROFILE_PART_PREFIX}${this.user.id}`]: encodeDirectoryRecord(profile) },
      events: [
        makeDirectoryLogItem({ profile }),
        ...profileOutcome.map((id) => this.#makeValueChangedEvent(id, this.#editedValueByFieldId.get(String(id)))),
      ],
    };
  }

  #makeValueChangedEvent(id: number, value: ProfileFieldValue | undefined): LogItem {
    const custom_profile_field = { id, ...(value ? formatProfileValueForApi(value) : { value: null }) };
    const person = { user_id: this.user.id, custom_profile_field };
    return makeEveryoneEventLogItem(this.version, { type: 'realm_user', op: 'update', person });
  }

  #getFieldOrThrow(id: number): DirectoryProfileField {
    const field = this.#fieldById.get(id);
    if (!field) throw apiError('FIELD_NOT_FOUND', { id });
    return field;
  }
}

/**
 * `profile_data` of PATCH /users/{user_id}. Empty values are cleared first, and stay cleared if the rest is refused.
 * @param rendered made by `renderProfileValues` in the command's inputs
 */
export function makeProfileEditCommit(
  parts: ActorParts,
  user: DirectoryUser,
  entries: readonly ProfileFieldUpdate[],
  rendered: RenderedProfileValuesByFieldId,
  version: number,
): ProfileChangeCommit & { readonly refusal: ApiError | undefined } {
  const profile = new ProfileValuesEditor(parts, user, version);
  let refusal: ApiError | undefined;
  try {
    profile.clearFields(entries.filter(isEmptyProfileValue).map(({ id }) => id));
    profile.setFieldValues(
      entries.filter((entry): entry is NonEmptyProfileValueUpdate => !isEmptyProfileValue(entry)),
      rendered,
    );
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    refusal = error;
  }
  // Profiles of bots are never shown, so nothing is stored.
  return { ...(user.botType === null ? profile.makeProfileChangeCommit() : { parts: {}, events: [] }), refusal };
}

/** Outcome of a changed profile. Without a change there is no commit, and no version for replicas to wait for. */
const makeProfileChangeOutcome = (change: ProfileChangeCommit, version: number): CommandOutcome<RealmActorState> => ({
  ...change,
  reply: change.events.length > 0 ? makeSuccessReply(undefined, version) : makeSuccessReply(),
});

/** PATCH /users/me/profile_data: sets one's own profile values. */
export const updateOwnProfileHandler: RealmCommandHandler<
  typeof realmActorCommands.changeOwnProfile,
  RenderedProfileValuesByFieldId
> = {
  lane: NO_INPUT_COMMAND_LANE,
  inputs: ({ data }, { view }) => renderProfileValues(view.parts, data),
  handle({ parts }, { data }, rendered, { caller, version }) {
    const profile = new ProfileValuesEditor(parts, getActingUserOrThrow(parts, caller), version);
    profile.setFieldValues(data, rendered);
    return makeProfileChangeOutcome(profile.makeProfileChangeCommit(), version);
  },
};

/** DELETE /users/me/profile_data: clears one's own profile values. */
export const clearOwnProfileHandler: RealmCommandHandler<typeof realmActorCommands.clearOwnProfile> = {
  lane: NO_INPUT_COMMAND_LANE,
  handle({ parts }, { data }, _inputs, { caller, version }) {
    const profile = new ProfileValuesEditor(parts, getActingUserOrThrow(parts, caller), version);
    profile.clearFields(data);
    return makeProfileChangeOutcome(profile.makeProfileChangeCommit(), version);
  },
};
