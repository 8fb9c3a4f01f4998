/**
 * Personal data of users: zerver_alertword, zerver_muteduser, zerver_usertopic, zerver_userstatus,
 * zerver_userpresence, zerver_botstoragedata, zerver_scheduledmessage, and the profile fields with their values.
 */
import { IdSet, type JsonObject } from '#base';
import { canonicalEmojiCode, renderMarkdownOrEmpty } from '#domain/markdown';
import { MARKDOWN_PROFILE_FIELD_TYPES, makeBotStorageWrites, PROFILE_FIELD_TYPE } from '#domain/people';
import { checkTopicName, hashTopicName, TOPIC_VISIBILITY_POLICY, userTopicPartName } from '#domain/streams';
import { type EmojiReference, toUserId } from '#model';
import type { DirectoryPreferences, DirectoryProfileField, DirectoryView, ProfileFieldValue } from '#model/records';
import type { ExportTableRow } from '../format/row.js';
import type { ImportedOrganizationDraft } from '../import/draft.js';

/** Changes the preferences of a user. */
function updateImportedPreferences(
  draft: ImportedOrganizationDraft,
  user: number,
  change: (before: DirectoryPreferences) => Partial<DirectoryPreferences>,
): void {
  const at = draft.records.personals.findIndex((one) => one.user === user);
  const before = draft.records.personals[at] ?? { user: toUserId(user), settings: {}, alertWords: [], muted: [] };
  const after = { ...before, ...change(before) };
  if (at < 0) draft.records.personals.push(after);
  else draft.records.personals[at] = after;
}

export function importAlertWord(row: ExportTableRow, draft: ImportedOrganizationDraft): void {
  const word = row.text('word').trim();
  if (word === '') return;
  updateImportedPreferences(
    draft,
    draft.userIds.getOrThrow(row.number('user_profile'), row.table),
    ({ alertWords }) => ({
      alertWords: alertWords.some((one) => one.toLowerCase() === word.toLowerCase())
        ? alertWords
        : [...alertWords, word],
    }),
  );
  draft.countImportedRows('alert words');
}

export function importMutedUser(row: ExportTableRow, draft: ImportedOrganizationDraft): void {
  const id = draft.userIds.getOrThrow(row.number('muted_user'), row.table);
  const timestamp = Math.floor(row.timeSeconds('date_muted'));
  updateImportedPreferences(draft, draft.userIds.getOrThrow(row.number('user_profile'), row.table), ({ muted }) => ({
    muted: [...muted.filter((one) => one.id !== id), { id, timestamp }],
  }));
  draft.countImportedRows('muted users');
}

export function importUserStatus(row: ExportTableRow, draft: ImportedOrganizationDraft): void {
  const text = row.text('status_text');
  const emoji = importEmojiRef(row, draft);
  if (text === '' && !emoji) return;
  updateImportedPreferences(draft, draft.userIds.getOrThrow(row.number('user_profile'), row.table), () => ({
    status: { text, emoji: emoji ?? null, away: false },
  }));
  draft.countImportedRows('statuses');
}

/** Returns the emoji that a reaction or a status names; undefined if there is none, or none that this server knows. */
export function importEmojiRef(row: ExportTableRow, draft: ImportedOrganizationDraft): EmojiReference | undefined {
  const name = row.text('emoji_name');
  const type = row.text('reaction_type');
  // Converters from other products write ids of custom emoji as numbers.
  const given = row.rawValue('emoji_code');
  const code = typeof given === 'number' ? String(given) : row.text('emoji_code');
  if (name === '') return undefined;
  if (type === 'unicode_emoji')
    return /^[0-9a-f]+(-[0-9a-f]+)*$/.test(code) ? { name, code: canonicalEmojiCode(code) ?? code, type } : undefined;
  if (type === 'zulip_extra_emoji') return { name: 'conclave', code: 'conclave', type: 'extra' };
  if (type !== 'realm_emoji' || !/^\d{1,15}$/.test(code)) return undefined;
  const id = draft.emojiIds.find(Number(code));
  return id === undefined ? undefined : { name, code: String(id), type };
}

export const exportEmojiRef = ({ name, code, type }: EmojiReference): JsonObject =>
  type === 'extra'
    ? { emoji_name: 'zulip', emoji_code: 'zulip', reaction_type: 'zulip_extra_emoji' }
    : { emoji_name: name, emoji_code: code, reaction_type: type };

/** Imports zerver_usertopic, and records in the stream's actor that the user watches the topic. */
export class ImportedTopicPolicies {
  readonly #watchersByTopic = new Map<string, { readonly stream: number; readonly users: number[] }>();

  import(row: ExportTableRow, draft: ImportedOrganizationDraft): void {
    const user = draft.userIds.getOrThrow(row.number('user_profile'), row.table);
    const stream = draft.streamIds.getOrThrow(row.number('stream'), row.table);
    const policy = row.numberOr('visibility_policy', TOPIC_VISIBILITY_POLICY.muted);
    if (policy < TOPIC_VISIBILITY_POLICY.muted || policy > TOPIC_VISIBILITY_POLICY.followed) return;
    const name = topicOfExportRow(row.text('topic_name'));
    if (name === undefined) return;
    const updated = Math.floor(row.timeSeconds('last_updated'));
    draft.addUserParts(user, { [userTopicPartName(stream, name)]: { stream, name, policy, updated } });
    const key = `${stream}/${hashTopicName(name)}`;
    const known = this.#watchersByTopic.get(key);
    if (known) known.users.push(user);
    else this.#watchersByTopic.set(key, { stream, users: [user] });
    draft.countImportedRows('topic policies');
  }

  /** Writes the watchers to their streams. */
  finish(draft: ImportedOrganizationDraft): void {
    for (const [key, { stream, users }] of this.#watchersByTopic) {
      draft.addStreamParts(stream, {
        [`watchers/${key.slice(key.indexOf('/') + 1)}`]: { users: IdSet.of(users).encode() },
      });
    }
  }
}

/** Returns a topic in the form that this server keeps; undefined if the text is no topic. */
export function topicOfExportRow(given: string): string | undefined {
  try {
    return checkTopicName(given.replace(/\p{Cc}/gu, ' '));
  } catch {
    return undefined;
  }
}

export function importBotStorage(row: ExportTableRow, draft: ImportedOrganizationDraft): void {
  const user = draft.userIds.getOrThrow(row.number('bot_profile'), row.table);
  const { parts, growth } = makeBotStorageWrites(new Map(), { [row.text('key')]: row.text('value') });
  draft.addUserParts(user, parts);
  const state = draft.userStates.get(user) ?? {};
  draft.userStates.set(user, { ...state, storage: Number(state.storage ?? 0) + growth });
  draft.countImportedRows('entries of bot storage');
}

export function importProfileField(row: ExportTableRow, draft: ImportedOrganizationDraft): void {
  const type = row.number('field_type');
  if (type < 1 || type > PROFILE_FIELD_TYPE.pronouns) {
    draft.leftOut.add(`profile field of type ${type}`);
    return;
  }
  const fields = draft.lists.profileFields;
  const id = fields.length + 1;
  draft.profileFieldIds.set(row.id, id);
  const field: DirectoryProfileField = {
    id,
    type,
    name: row.text('name'),
    hint: row.text('hint'),
    data: profileFieldDataOf(row),
    order: row.numberOr('order', id),
    inSummary: row.flag('display_in_profile_summary'),
    added: [],
  };
  draft.lists.profileFields = [...fields, field];
  draft.countImportedRows('profile fields');
}

function profileFieldDataOf(row: ExportTableRow): string {
  const data = row.text('field_data');
  if (data === '') return '';
  try {
    JSON.parse(data);
    return data;
  } catch {
    throw row.makeRowError('field_data is no JSON');
  }
}

/** Values of custom profile fields, by user. */
export class ImportedProfileFieldValues {
  readonly #valuesByUser = new Map<number, Record<string, ProfileFieldValue>>();

  import(row: ExportTableRow, draft: ImportedOrganizationDraft): void {
    const id = draft.profileFieldIds.find(row.number('field'));
    const field = draft.lists.profileFields.find((one) => one.id === id);
    const user = draft.userIds.getOrThrow(row.number('user_profile'), row.table);
    if (!field) return;
    const given = row.text('value');
    const value = field.type === PROFILE_FIELD_TYPE.person ? convertProfileUserIds(given, draft) : given;
    const values = this.#valuesByUser.get(user) ?? {};
    const rendered = MARKDOWN_PROFILE_FIELD_TYPES.has(field.type) ? renderMarkdownOrEmpty(value) : '';
    values[String(field.id)] = { value, rendered, at: 1 };
    this.#valuesByUser.set(user, values);
    draft.countImportedRows('profile values');
  }

  finish(draft: ImportedOrganizationDraft): void {
    for (const [user, values] of this.#valuesByUser) draft.records.profiles.push({ user: toUserId(user), values });
  }
}

function convertProfileUserIds(text: string, draft: ImportedOrganizationDraft): string {
  try {
    const ids = JSON.parse(text) as unknown;
    const known = Array.isArray(ids) ? ids.flatMap((id) => draft.userIds.find(Number(id)) ?? []) : [];
    return JSON.stringify(known);
  } catch {
    return '[]';
  }
}

export const exportProfileFields = (directory: DirectoryView): JsonObject[] =>
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

export function exportProfileFieldValues(directory: DirectoryView): JsonObject[] {
  const rows: JsonObject[] = [];
  for (const user of directory.users()) {
    for (const [field, { value, rendered_value = null }] of Object.entries(directory.profile(user.id))) {
      rows.push({ id: rows.length + 1, user_profile: user.id, field: Number(field), value, rendered_value });
    }
  }
  return rows;
}

export function exportPreferences(directory: DirectoryView): {
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
      statuses.push({ ...of, ...(emoji ? exportEmojiRef(emoji) : none) });
    }
  }
  return { alertWords, muted, statuses };
}
