/** Values of the organization's profile fields (users.md § Custom profile data). */

import { makeSuccessReply } from '#actors/shared';
import type { Json } from '#base';
import { renderMarkdownOrEmpty } from '#domain/markdown';
import {
  checkProfileFieldValue,
  filterLiveProfileValues,
  formatProfileValueForApi,
  MARKDOWN_PROFILE_FIELD_TYPES,
  type ProfileValueInput,
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
export type RenderedProfileValues = ReadonlyMap<number, string>;

/** Parts and events of a changed profile; both empty if nothing changes. */
interface ProfileChange {
  readonly parts: Record<string, Json>;
  readonly events: LogItem[];
}

interface NewValue {
  readonly id: number;
  readonly value: ProfileValueInput;
}

/** Maximum length of a rendered value, characters; the checks refuse longer ones. */
const MAX_RENDERED = 1_000;

const isEmpty = ({ value }: ProfileFieldUpdate): boolean => value === null || value.length === 0;

/** The last value for each profile field. */
const lastOfEach = <E extends ProfileFieldUpdate>(entries: readonly E[]): E[] => [
  ...new Map(entries.map((entry) => [entry.id, entry])).values(),
];

/** HTML of profile values, for the inputs of commands. Fields that do not exist yet are skipped, and refused later. */
export function renderProfileValues(parts: ActorParts, entries: readonly ProfileFieldUpdate[]): RenderedProfileValues {
  const types = new Map(readProfileFieldRecords(parts).map(({ id, type }) => [id, type]));
  const rendered = new Map<number, string>();
  for (const { id, value } of lastOfEach(entries.filter((entry) => !isEmpty(entry)))) {
    const isText = typeof value === 'string' && value.length <= MAX_RENDERED;
    if (isText && MARKDOWN_PROFILE_FIELD_TYPES.has(types.get(id) ?? 0)) rendered.set(id, renderMarkdownOrEmpty(value));
  }
  return rendered;
}

/** A change of one account's profile values. */
class Profile {
  readonly #fields: ReadonlyMap<number, DirectoryProfileField>;
  readonly #before: ReadonlyMap<string, ProfileFieldValue>;
  readonly #values: Map<string, ProfileFieldValue>;
  /** Ids of changed or cleared profile fields, in order. */
  readonly #touched = new Set<number>();

  constructor(
    private readonly parts: ActorParts,
    private readonly user: DirectoryUser,
    /** Version of the realm actor that the commit makes. */
    private readonly version: number,
  ) {
    const fields = readProfileFieldRecords(parts);
    this.#fields = new Map(fields.map((field) => [field.id, field]));
    this.#before = new Map(filterLiveProfileValues(readProfileRecord(parts, user.id), fields));
    this.#values = new Map(this.#before);
  }

  /** Clears all of these profile fields or none. @throws ApiError */
  clear(ids: readonly number[]): void {
    for (const id of ids) this.#field(id);
    for (const id of ids) {
      this.#values.delete(String(id));
      this.#touched.add(id);
    }
  }

  /** Sets all of these profile values or none. @throws ApiError */
  set(entries: readonly NewValue[], rendered: RenderedProfileValues): void {
    const find = (id: number): DirectoryUser | undefined => findUserRecord(this.parts, id);
    const checked = entries.map(({ id, value }) => ({
      id,
      value: checkProfileFieldValue(this.#field(id), value, find),
    }));
    const values = lastOfEach(checked).map(({ id, value }): [number, ProfileFieldValue] => {
      const html = MARKDOWN_PROFILE_FIELD_TYPES.has(this.#field(id).type) && value !== '' ? rendered.get(id) : '';
      if (html === undefined) throw apiError('FIELD_NOT_FOUND', { id });
      return [id, { value, rendered: html, at: this.version }];
    });
    for (const [id, value] of values) {
      this.#touched.add(id);
      if (this.#values.get(String(id))?.value !== value.value) this.#values.set(String(id), value);
    }
  }

  /** The parts and events by which the profile differs from the stored one. */
  change(): ProfileChange {
    const profileOutcome = [...this.#touched].filter(
      (id) => this.#before.get(String(id))?.value !== this.#values.get(String(id))?.value,
    );
    if (profileOutcome.length === 0) return { parts: {}, events: [] };
    const profile = { user: this.user.id, values: Object.fromEntries(this.#values) };
    return {
      parts: { [`${PROFILE_PART_PREFIX}${this.user.id}`]: encodeDirectoryRecord(profile) },
      events: [
        makeDirectoryLogItem({ profile }),
        ...profileOutcome.map((id) => this.#event(id, this.#values.get(String(id)))),
      ],
    };
  }

  #event(id: number, value: ProfileFieldValue | undefined): LogItem {
    const custom_profile_field = { id, ...(value ? formatProfileValueForApi(value) : { value: null }) };
    const person = { user_id: this.user.id, custom_profile_field };
    return makeEveryoneEventLogItem(this.version, { type: 'realm_user', op: 'update', person });
  }

  #field(id: number): DirectoryProfileField {
    const field = this.#fields.get(id);
    if (!field) throw apiError('FIELD_NOT_FOUND', { id });
    return field;
  }
}

/**
 * `profile_data` of PATCH /users/{user_id}. Empty values are cleared first, and stay cleared if the rest is refused.
 * @param rendered made by `renderProfileValues` in the command's inputs
 */
export function editProfileValues(
  parts: ActorParts,
  user: DirectoryUser,
  entries: readonly ProfileFieldUpdate[],
  rendered: RenderedProfileValues,
  version: number,
): ProfileChange & { readonly refusal: ApiError | undefined } {
  const profile = new Profile(parts, user, version);
  let refusal: ApiError | undefined;
  try {
    profile.clear(entries.filter(isEmpty).map(({ id }) => id));
    profile.set(
      entries.filter((entry): entry is NewValue => !isEmpty(entry)),
      rendered,
    );
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    refusal = error;
  }
  // Profiles of bots are never shown, so nothing is stored.
  return { ...(user.botType === null ? profile.change() : { parts: {}, events: [] }), refusal };
}

/** Outcome of a changed profile. Without a change there is no commit, and no version for replicas to wait for. */
const changed = (change: ProfileChange, version: number): CommandOutcome<RealmActorState> => ({
  ...change,
  reply: change.events.length > 0 ? makeSuccessReply(undefined, version) : makeSuccessReply(),
});

/** PATCH /users/me/profile_data: sets one's own profile values. */
export const updateOwnProfileHandler: RealmCommandHandler<
  typeof realmActorCommands.changeOwnProfile,
  RenderedProfileValues
> = {
  lane: NO_INPUT_COMMAND_LANE,
  inputs: ({ data }, { view }) => renderProfileValues(view.parts, data),
  handle({ parts }, { data }, rendered, { caller, version }) {
    const profile = new Profile(parts, getActingUserOrThrow(parts, caller), version);
    profile.set(data, rendered);
    return changed(profile.change(), version);
  },
};

/** DELETE /users/me/profile_data: clears one's own profile values. */
export const clearOwnProfileHandler: RealmCommandHandler<typeof realmActorCommands.clearOwnProfile> = {
  lane: NO_INPUT_COMMAND_LANE,
  handle({ parts }, { data }, _inputs, { caller, version }) {
    const profile = new Profile(parts, getActingUserOrThrow(parts, caller), version);
    profile.clear(data);
    return changed(profile.change(), version);
  },
};
