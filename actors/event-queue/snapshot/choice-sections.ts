/** What a person chose for himself, as register shows it (register.md § fetch_event_types). */

import type { JsonObject } from '#base';
import { Encoded, type Fields } from '#base';
import { presentEmoji } from '#domain/emoji';
import { userSettings } from '#domain/people';
import { EMOJISET_CHOICES, NOTIFICATION_SOUNDS } from '#model';
import type { DirectoryUser } from '#model/records';
import type { SnapshotInputs } from './take.js';

interface Settings {
  /** Of everybody's choices. */
  readonly version: number;
  readonly encoded: Encoded;
}
const knownSettings = new WeakMap<DirectoryUser, Settings>();

/** Encoded once per change of the account or of anybody's choices. */
export function settingsSection({ user, directory }: SnapshotInputs): Fields {
  const version = directory.preferencesVersion;
  let known = knownSettings.get(user);
  if (known?.version !== version) {
    const user_settings = {
      ...userSettings(directory, user),
      emojiset_choices: EMOJISET_CHOICES,
      available_notification_sounds: NOTIFICATION_SOUNDS,
    };
    known = { version, encoded: Encoded.text(JSON.stringify(user_settings)) };
    knownSettings.set(user, known);
  }
  return { user_settings: known.encoded };
}

/** For clients without `user_settings_object`: at the top level. */
export function displaySection({ user, directory, args }: SnapshotInputs): JsonObject {
  if (args.options.capabilities.user_settings_object) return {};
  return { ...userSettings(directory, user, 'display'), emojiset_choices: EMOJISET_CHOICES };
}

/** For clients without `user_settings_object`: at the top level. */
export function notificationsSection({ user, directory, args }: SnapshotInputs): JsonObject {
  if (args.options.capabilities.user_settings_object) return {};
  return { ...userSettings(directory, user, 'notification'), available_notification_sounds: NOTIFICATION_SOUNDS };
}

export const alertWordsSection = ({ user, directory }: SnapshotInputs): JsonObject => ({
  alert_words: directory.preferencesOf(user.id).alertWords,
});

export const mutedUsersSection = ({ user, directory }: SnapshotInputs): JsonObject => ({
  muted_users: directory.preferencesOf(user.id).muted,
});

/** Of active accounts that say something. */
export function statusSection({ directory }: SnapshotInputs): JsonObject {
  const shown: Record<string, JsonObject> = {};
  for (const [id, { text, emoji, away }] of directory.statuses()) {
    if (!directory.user(id)?.isActive) continue;
    shown[id] = {
      ...(away ? { away } : {}),
      ...(text === '' ? {} : { status_text: text }),
      ...(emoji ? presentEmoji(emoji, directory) : {}),
    };
  }
  return { user_status: shown };
}
