/**
 * Personal data of users: zerver_alertword, zerver_muteduser, zerver_usertopic, zerver_userstatus,
 * zerver_userpresence, zerver_botstoragedata, zerver_scheduledmessage, conclave_usersettings, conclave_savedsnippet,
 * and the profile fields with their values.
 */
import { nextPersonalItemId } from '#actors/user';
import { IdSet, type JsonObject } from '#base';
import { findCanonicalEmojiCode, renderContextFreeMarkdownOrEmpty } from '#domain/markdown';
import {
  MAX_MESSAGE_CHARACTERS,
  MAX_SAVED_SNIPPET_TITLE_CHARACTERS,
  MAX_SAVED_SNIPPETS_PER_USER,
  SAVED_SNIPPET_TABLE,
  type SavedSnippet,
} from '#domain/messages';
import {
  MARKDOWN_RENDERED_FIELD_TYPES,
  MAX_ALERT_WORD_CHARACTERS,
  MAX_ALERT_WORDS_PER_USER,
  MAX_MUTED_USERS_PER_USER,
  makeBotStorageWritesAndGrowth,
  PROFILE_FIELD_TYPE,
  type ProfileFieldDataInput,
  requireRoomForProfileFields,
  toCheckedProfileField,
  toCheckedStoredProfileValue,
} from '#domain/people';
import {
  hashTopicIgnoringCase,
  TOPIC_VISIBILITY_POLICY,
  toCheckedTruncatedTopic,
  userTopicPartName,
} from '#domain/streams';
import { type EmojiReference, toUserId } from '#model';
import { ApiError } from '#model/errors';
import type { DirectoryProfileField, DirectoryUserPreferences, DirectoryView, ProfileFieldValue } from '#model/records';
import type { CheckedExportRow } from '../format/row.js';
import type { ImportedOrganizationDraft } from '../import/draft.js';
import { ImportedLinkRewriter } from './links.js';
import { readNonDefaultUserSettings } from './realm.js';

const NO_TOPIC_PLACEHOLDER = '(no topic)';

/** Changes the preferences of a user. */
function updatePreferencesInDraft(
  draft: ImportedOrganizationDraft,
  user: number,
  change: (before: DirectoryUserPreferences) => Partial<DirectoryUserPreferences>,
): void {
  const before = draft.findRecordOfUser('personals', user) ?? {
    user: toUserId(user),
    settings: {},
    alertWords: [],
    muted: [],
  };
  draft.putRecordOfUser('personals', { ...before, ...change(before) });
}

/** Imports conclave_usersettings: settings of a user that the format does not have. */
export function addNewerSettingsOfImportedUser(row: CheckedExportRow, draft: ImportedOrganizationDraft): void {
  const user = draft.userIdMap.requireNewId(row, 'user_profile');
  const newer = readNonDefaultUserSettings(row, draft.adjustedRowCounts);
  if (Object.keys(newer).length === 0) return;
  updatePreferencesInDraft(draft, user, ({ settings }) => ({ settings: { ...settings, ...newer } }));
}

export function addImportedAlertWord(row: CheckedExportRow, draft: ImportedOrganizationDraft): void {
  const word = row.textOrDefault('word').trim();
  if (word === '') return;
  const user = draft.userIdMap.requireNewId(row, 'user_profile');
  updatePreferencesInDraft(draft, user, ({ alertWords }) => {
    if (alertWords.some((one) => one.toLowerCase() === word.toLowerCase())) return {};
    if (word.length > MAX_ALERT_WORD_CHARACTERS || alertWords.length >= MAX_ALERT_WORDS_PER_USER) {
      draft.adjustedRowCounts.addCount('alert word beyond the limits');
      return {};
    }
    draft.addImportedCount('alert words');
    return { alertWords: [...alertWords, word] };
  });
}

export function addImportedMutedUser(row: CheckedExportRow, draft: ImportedOrganizationDraft): void {
  const id = draft.userIdMap.requireNewId(row, 'muted_user');
  const timestamp = Math.floor(row.timeSecondsOrDefault('date_muted'));
  const user = draft.userIdMap.requireNewId(row, 'user_profile');
  updatePreferencesInDraft(draft, user, ({ muted }) => {
    const others = muted.filter((one) => one.id !== id);
    if (others.length >= MAX_MUTED_USERS_PER_USER) {
      draft.adjustedRowCounts.addCount('muted user beyond the maximum');
      return {};
    }
    draft.addImportedCount('muted users');
    return { muted: [...others, { id, timestamp }] };
  });
}

export function setImportedUserStatus(row: CheckedExportRow, draft: ImportedOrganizationDraft): void {
  const text = row.textOrDefault('status_text');
  const emoji = convertEmojiOfRow(row, draft);
  if (text === '' && !emoji) return;
  updatePreferencesInDraft(draft, draft.userIdMap.requireNewId(row, 'user_profile'), () => ({
    status: { text, emoji: emoji ?? null, away: false },
  }));
  draft.addImportedCount('statuses');
}

/** Returns the emoji that a reaction or a status names; undefined if there is none, or none that this server knows. */
export function convertEmojiOfRow(row: CheckedExportRow, draft: ImportedOrganizationDraft): EmojiReference | undefined {
  const name = row.textOrDefault('emoji_name');
  const type = row.textOrDefault('reaction_type');
  // Converters from other products write ids of custom emoji as numbers.
  const given = row.uncheckedValue('emoji_code');
  const code = typeof given === 'number' ? String(given) : row.textOrDefault('emoji_code');
  if (name === '') return undefined;
  if (type === 'unicode_emoji')
    return /^[0-9a-f]+(-[0-9a-f]+)*$/.test(code)
      ? { name, code: findCanonicalEmojiCode(code) ?? code, type }
      : undefined;
  if (type === 'zulip_extra_emoji') return { name: 'conclave', code: 'conclave', type: 'extra' };
  if (type !== 'realm_emoji' || !/^\d{1,15}$/.test(code)) return undefined;
  const id = draft.emojiIdMap.findNewId(Number(code));
  return id === undefined ? undefined : { name, code: String(id), type };
}

export const makeEmojiColumns = ({ name, code, type }: EmojiReference): JsonObject =>
  type === 'extra'
    ? { emoji_name: 'zulip', emoji_code: 'zulip', reaction_type: 'zulip_extra_emoji' }
    : { emoji_name: name, emoji_code: code, reaction_type: type };

/** Imports zerver_usertopic, and records in the stream's actor that the user watches the topic. */
export class ImportedTopicPolicies {
  readonly #watcherIdsByStreamAndTopic = new Map<
    string,
    { readonly stream: number; readonly users: number[]; readonly followers: number[] }
  >();

  addPolicyRow(row: CheckedExportRow, draft: ImportedOrganizationDraft): void {
    const user = draft.userIdMap.requireNewId(row, 'user_profile');
    const stream = draft.streamIdMap.requireNewId(row, 'stream');
    const policy = row.nonNegativeIntegerOr('visibility_policy', TOPIC_VISIBILITY_POLICY.muted);
    if (policy < TOPIC_VISIBILITY_POLICY.muted || policy > TOPIC_VISIBILITY_POLICY.followed) return;
    const name = toImportedTopic(row.textOrDefault('topic_name'));
    const updated = Math.floor(row.timeSecondsOrDefault('last_updated', row.timeSecondsOrDefault('date_muted')));
    draft.mergeUserParts(user, { [userTopicPartName(stream, name)]: { stream, name, policy, updated } });
    const key = `${stream}/${hashTopicIgnoringCase(name)}`;
    const watchers = this.#watcherIdsByStreamAndTopic.get(key) ?? { stream, users: [], followers: [] };
    this.#watcherIdsByStreamAndTopic.set(key, watchers);
    watchers.users.push(user);
    if (policy === TOPIC_VISIBILITY_POLICY.followed) watchers.followers.push(user);
    draft.addImportedCount('topic policies');
  }

  /** Writes the watchers to their streams. */
  writeWatchersToStreamParts(draft: ImportedOrganizationDraft): void {
    for (const [key, { stream, users, followers }] of this.#watcherIdsByStreamAndTopic) {
      draft.mergeStreamParts(stream, {
        [`watchers/${key.slice(key.indexOf('/') + 1)}`]: {
          users: IdSet.fromIds(users).encode(),
          followers: IdSet.fromIds(followers).encode(),
        },
      });
    }
  }
}

/** Returns a topic in the form that this server keeps; `NO_TOPIC_PLACEHOLDER` for an empty one, or for no topic. */
export function toImportedTopic(given: string): string {
  try {
    return toCheckedTruncatedTopic(given.replace(/\p{Cc}/gu, ' '));
  } catch {
    return NO_TOPIC_PLACEHOLDER;
  }
}

export function addImportedBotStorageEntry(row: CheckedExportRow, draft: ImportedOrganizationDraft): void {
  const user = draft.userIdMap.requireNewId(row, 'bot_profile');
  const { parts, growth } = makeBotStorageWritesAndGrowth(new Map(), {
    [row.textOrDefault('key')]: row.textOrDefault('value'),
  });
  draft.mergeUserParts(user, parts);
  const state = draft.extraUserStateByUserId.get(user) ?? {};
  draft.extraUserStateByUserId.set(user, { ...state, storage: Number(state.storage ?? 0) + growth });
  draft.addImportedCount('entries of bot storage');
}

/** Imports a saved snippet. The ids of messages and the paths of files must be known already. */
export function addImportedSavedSnippet(row: CheckedExportRow, draft: ImportedOrganizationDraft): void {
  const user = toUserId(draft.userIdMap.requireNewId(row, 'user_profile'));
  const state = draft.extraUserStateByUserId.get(user) ?? {};
  const id = nextPersonalItemId(state.lastSnippet as number | undefined, user);
  const title = row.textOrDefault('title').trim();
  const text = row.textOrDefault('content').trim();
  const snippet: SavedSnippet = {
    id,
    title,
    content: new ImportedLinkRewriter(draft).rewriteLinksAndMentions(text, ''),
    date_created: Math.floor(row.timeSecondsOrDefault('date_created')),
  };
  const isWithinLimits =
    isTextWithin(title, MAX_SAVED_SNIPPET_TITLE_CHARACTERS) &&
    isTextWithin(snippet.content, MAX_MESSAGE_CHARACTERS) &&
    id < nextPersonalItemId(undefined, user) + MAX_SAVED_SNIPPETS_PER_USER;
  if (!isWithinLimits) {
    draft.adjustedRowCounts.addCount('saved snippet beyond the limits');
    return;
  }
  draft.mergeUserParts(user, SAVED_SNIPPET_TABLE.makePartChange(id, snippet));
  draft.extraUserStateByUserId.set(user, { ...state, lastSnippet: id });
  draft.addImportedCount('saved snippets');
}

/** True for a text that is not empty, has no null bytes, and at most this number of characters (code points). */
const isTextWithin = (text: string, maxCharacters: number): boolean =>
  text !== '' && !text.includes('\0') && [...text].length <= maxCharacters;

export const makeSavedSnippetRow = (id: number, user: number, snippet: SavedSnippet): JsonObject => ({
  id,
  realm: 1,
  user_profile: user,
  title: snippet.title,
  content: snippet.content,
  date_created: snippet.date_created,
});

export function addImportedProfileField(row: CheckedExportRow, draft: ImportedOrganizationDraft): void {
  const type = row.requireNonNegativeInteger('field_type');
  if (type < 1 || type > PROFILE_FIELD_TYPE.pronouns) {
    draft.adjustedRowCounts.addCount(`profile field of type ${type}`);
    return;
  }
  const fields = draft.directorySingletons.profileFields;
  const id = fields.length + 1;
  const name = row.textOrDefault('name');
  const hint = row.textOrDefault('hint');
  const data = parseFieldData(row);
  const inSummary = row.booleanOrDefault('display_in_profile_summary');
  const checked = undefinedIfRefused(() => {
    const field = toCheckedProfileField(type, { name, hint, data, inSummary });
    requireRoomForProfileFields(fields, field);
    return field;
  });
  if (!checked) {
    draft.adjustedRowCounts.addCount(`profile field ${name}`);
    return;
  }
  if (!row.booleanOrDefault('editable_by_user', true))
    draft.adjustedRowCounts.addCount(`profile field that its users could not change: ${name}`);
  draft.profileFieldIdMap.addNewId(row.requiredId, id);
  const field: DirectoryProfileField = {
    id,
    type,
    ...checked,
    order: row.nonNegativeIntegerOr('order', id),
    added: [],
  };
  draft.directorySingletons.profileFields = [...fields, field];
  draft.addImportedCount('profile fields');
}

function parseFieldData(row: CheckedExportRow): ProfileFieldDataInput {
  const data = row.textOrDefault('field_data');
  try {
    const parsed = JSON.parse(data === '' ? '{}' : data) as unknown;
    return typeof parsed === 'object' && parsed !== null ? (parsed as ProfileFieldDataInput) : {};
  } catch {
    throw row.makeRowError('field_data is no JSON');
  }
}

function undefinedIfRefused<T>(check: () => T): T | undefined {
  try {
    return check();
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}

/** Values of custom profile fields, by user. */
export class ImportedProfileFieldValues {
  readonly #valuesByUserId = new Map<number, Record<string, ProfileFieldValue>>();

  addValueRow(row: CheckedExportRow, draft: ImportedOrganizationDraft): void {
    const id = draft.profileFieldIdMap.findNewId(row.requireNonNegativeInteger('field'));
    const field = draft.directorySingletons.profileFields.find((one) => one.id === id);
    const user = draft.userIdMap.requireNewId(row, 'user_profile');
    if (!field) return;
    const given = row.textOrDefault('value');
    const value =
      field.type === PROFILE_FIELD_TYPE.person
        ? convertProfileUserIdsJson(given, draft)
        : undefinedIfRefused(() => toCheckedStoredProfileValue(field, given, () => undefined));
    if (value === undefined) {
      draft.adjustedRowCounts.addCount(`profile value of the field ${field.name}`);
      return;
    }
    const values = this.#valuesByUserId.get(user) ?? {};
    const rendered = MARKDOWN_RENDERED_FIELD_TYPES.has(field.type) ? renderContextFreeMarkdownOrEmpty(value) : '';
    values[String(field.id)] = { value, rendered, at: 1 };
    this.#valuesByUserId.set(user, values);
    draft.addImportedCount('profile values');
  }

  writeProfilesToDraft(draft: ImportedOrganizationDraft): void {
    for (const [user, values] of this.#valuesByUserId)
      draft.directoryRecords.profiles.push({ user: toUserId(user), values });
  }
}

function convertProfileUserIdsJson(text: string, draft: ImportedOrganizationDraft): string {
  try {
    const ids = JSON.parse(text) as unknown;
    const known = Array.isArray(ids) ? ids.flatMap((id) => draft.userIdMap.findNewId(Number(id)) ?? []) : [];
    return JSON.stringify(known);
  } catch {
    return '[]';
  }
}

export const makeProfileFieldRows = (directory: DirectoryView): JsonObject[] =>
  [...directory.profileFields()]
    .sort((a, b) => a.id - b.id)
    .map(({ id, type, name, hint, data, order, inSummary }) => ({
      id,
      realm: 1,
      name,
      hint,
      order,
      field_type: type,
      field_data: data,
      display_in_profile_summary: inSummary,
    }));

export function makeProfileFieldValueRows(directory: DirectoryView): JsonObject[] {
  const rows: JsonObject[] = [];
  for (const user of directory.users()) {
    for (const [field, { value, rendered_value = null }] of Object.entries(directory.profile(user.id))) {
      rows.push({ id: rows.length + 1, user_profile: user.id, field: Number(field), value, rendered_value });
    }
  }
  return rows;
}

export function makePreferenceTableRows(directory: DirectoryView): {
  readonly alertWords: JsonObject[];
  readonly muted: JsonObject[];
  readonly statuses: JsonObject[];
} {
  const alertWords: JsonObject[] = [];
  const muted: JsonObject[] = [];
  const statuses: JsonObject[] = [];
  for (const user of directory.users()) {
    const own = directory.preferencesOf(user.id);
    for (const word of own.alertWords)
      alertWords.push({ id: alertWords.length + 1, realm: 1, user_profile: user.id, word });
    for (const { id, timestamp } of own.muted) {
      muted.push({ id: muted.length + 1, user_profile: user.id, muted_user: id, date_muted: timestamp });
    }
    if (own.status) {
      const { text, emoji } = own.status;
      const none = { emoji_name: '', emoji_code: '', reaction_type: 'unicode_emoji' };
      const of = { id: statuses.length + 1, user_profile: user.id, timestamp: 0, client: 1, status_text: text };
      statuses.push({ ...of, ...(emoji ? makeEmojiColumns(emoji) : none) });
    }
  }
  return { alertWords, muted, statuses };
}
