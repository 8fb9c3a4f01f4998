/** Sections about the user's own preferences and lists (register.md § fetch_event_types). */

import type { UserOwnState } from '#actors/shared';
import { EncodedJson, type Json, type JsonObject, type ResponseFields } from '#base';
import { formatUserStatusForApi } from '#domain/emoji';
import { readAllOrGroupUserSettings } from '#domain/people';
import { formatMutedTopicsForApi, formatUserTopicsForApi } from '#domain/streams';
import { EMOJISET_CHOICES, NOTIFICATION_SOUNDS } from '#model';
import type { OwnStateSection } from '#model/commands';
import type { DirectoryUser } from '#model/records';
import type { IsSnapshotSectionWanted, RegistrationSnapshotInputs } from './inputs.js';

interface EncodedUserSettings {
  /** Version of the preferences of all users, for which the encoded section is valid. */
  readonly preferencesVersion: number;
  /** Encoded section by API level; undefined: the base level. */
  readonly encodedByLevel: Map<number | undefined, EncodedJson>;
}
const encodedSettingsByUser = new WeakMap<DirectoryUser, EncodedUserSettings>();

/**
 * Section `user_settings`. The encoded text is reused until the account or the preferences of any user change: the
 * directory has one version number for the preferences of all users.
 */
export function makeUserSettingsSnapshotSection({ user, directory, args }: RegistrationSnapshotInputs): ResponseFields {
  const { apiLevel } = args.options;
  const version = directory.preferencesVersion;
  let known = encodedSettingsByUser.get(user);
  if (known?.preferencesVersion !== version) {
    known = { preferencesVersion: version, encodedByLevel: new Map() };
    encodedSettingsByUser.set(user, known);
  }
  let encoded = known.encodedByLevel.get(apiLevel);
  if (!encoded) {
    const user_settings = {
      ...readAllOrGroupUserSettings(directory, user, apiLevel),
      emojiset_choices: EMOJISET_CHOICES,
      available_notification_sounds: NOTIFICATION_SOUNDS,
    };
    encoded = EncodedJson.fromJsonText(JSON.stringify(user_settings));
    known.encodedByLevel.set(apiLevel, encoded);
  }
  return { user_settings: encoded };
}

/** Section `update_display_settings`, for clients without `user_settings_object`: fields at the top level. */
export function makeDisplaySettingsSnapshotSection({ user, directory, args }: RegistrationSnapshotInputs): JsonObject {
  if (args.options.capabilities.user_settings_object) return {};
  return {
    ...readAllOrGroupUserSettings(directory, user, args.options.apiLevel, 'display'),
    emojiset_choices: EMOJISET_CHOICES,
  };
}

/** Section `update_global_notifications`, for clients without `user_settings_object`: fields at the top level. */
export function makeNotificationSettingsSnapshotSection({
  user,
  directory,
  args,
}: RegistrationSnapshotInputs): JsonObject {
  if (args.options.capabilities.user_settings_object) return {};
  return {
    ...readAllOrGroupUserSettings(directory, user, args.options.apiLevel, 'notification'),
    available_notification_sounds: NOTIFICATION_SOUNDS,
  };
}

export const makeAlertWordsSnapshotSection = ({ user, directory }: RegistrationSnapshotInputs): JsonObject => ({
  alert_words: directory.preferencesOf(user.id).alertWords,
});

export const makeMutedUsersSnapshotSection = ({ user, directory }: RegistrationSnapshotInputs): JsonObject => ({
  muted_users: directory.preferencesOf(user.id).muted,
});

/** Section `user_status`: the status of active users who have set one. */
export function makeUserStatusesSnapshotSection({ directory }: RegistrationSnapshotInputs): JsonObject {
  const statuses: Record<string, JsonObject> = {};
  for (const [id, status] of directory.statuses()) {
    if (directory.user(id)?.isActive) statuses[id] = formatUserStatusForApi(status, directory);
  }
  return { user_status: statuses };
}

/** Sections of state that only the user's own actor has, except subscriptions. */
export function makeUserActorSnapshotSections(
  { directory, args, user, subscriptions }: RegistrationSnapshotInputs,
  { drafts, snippets, scheduled, topics, hotspots }: UserOwnState<OwnStateSection>,
  wanted: IsSnapshotSectionWanted,
): JsonObject {
  // A client that asks for user_topic by name does not use its deprecated form.
  const deprecated = wanted('muted_topics') && !args.fetch?.includes('user_topic');
  const sections: Record<string, Json> = {};
  if (wanted('drafts')) sections.drafts = drafts as unknown as Json;
  if (wanted('saved_snippets')) sections.saved_snippets = snippets as unknown as Json;
  if (wanted('scheduled_messages')) sections.scheduled_messages = scheduled;
  // Bots need no tutorial.
  if (wanted('hotspots')) sections.hotspots = user.botType === null ? hotspots : [];
  if (deprecated) sections.muted_topics = formatMutedTopicsForApi(topics, directory, user, subscriptions);
  if (wanted('user_topic')) sections.user_topics = formatUserTopicsForApi(topics, directory);
  return sections;
}
