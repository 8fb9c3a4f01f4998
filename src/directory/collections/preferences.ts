/** Preferences of accounts; accounts without a record have empty ones. */
import type { UserId } from '#model';
import type { DirectoryUserPreferences, UserStatus } from '#model/records';
import { DirectoryRecordCollection } from './collection.js';
import { SharedValues } from './shared-values.js';

const NO_SETTINGS: DirectoryUserPreferences['settings'] = {};
const NO_ALERT_WORDS: DirectoryUserPreferences['alertWords'] = [];
const NO_MUTED_USERS: DirectoryUserPreferences['muted'] = [];

export class DirectoryPreferenceCollection extends DirectoryRecordCollection<UserId, DirectoryUserPreferences> {
  readonly #settings = new SharedValues<DirectoryUserPreferences['settings']>();
  readonly statusByUser = new Map<UserId, UserStatus>();
  /** Users whose settings ask for mails or pushes of all streams. */
  readonly userIdsNotifiedOfAllStreams = new Set<UserId>();

  constructor() {
    super(({ user }) => user);
  }

  /** Number of changes of alert words and muted users. */
  alertsAndMutesChangeCount = 0;
  readonly #userIdsWithAlertsOrMutes = new Set<UserId>();

  preferencesOf(user: UserId): DirectoryUserPreferences {
    return this.get(user) ?? { user, settings: NO_SETTINGS, alertWords: NO_ALERT_WORDS, muted: NO_MUTED_USERS };
  }

  /** Preferences with alert words or muted users. */
  *recordsWithAlertsOrMutes(): Iterable<DirectoryUserPreferences> {
    for (const user of this.#userIdsWithAlertsOrMutes) yield this.get(user)!;
  }

  override put(personal: DirectoryUserPreferences): void {
    if (!haveSameAlertsAndMutes(this.preferencesOf(personal.user), personal)) this.alertsAndMutesChangeCount++;
    super.put(this.#compact(personal));
    if (personal.alertWords.length > 0 || personal.muted.length > 0) this.#userIdsWithAlertsOrMutes.add(personal.user);
    else this.#userIdsWithAlertsOrMutes.delete(personal.user);
    if (personal.status) this.statusByUser.set(personal.user, personal.status);
    else this.statusByUser.delete(personal.user);
    const { enable_stream_email_notifications: mails, enable_stream_push_notifications: pushes } = personal.settings;
    if (mails || pushes) this.userIdsNotifiedOfAllStreams.add(personal.user);
    else this.userIdsNotifiedOfAllStreams.delete(personal.user);
  }

  /** The same record in less memory: most accounts that changed a setting have the same few values, and no lists. */
  #compact(personal: DirectoryUserPreferences): DirectoryUserPreferences {
    return {
      ...personal,
      settings: this.#settings.share(personal.settings),
      alertWords: personal.alertWords.length === 0 ? NO_ALERT_WORDS : personal.alertWords,
      muted: personal.muted.length === 0 ? NO_MUTED_USERS : personal.muted,
    };
  }
}

const haveSameAlertsAndMutes = (a: DirectoryUserPreferences, b: DirectoryUserPreferences): boolean =>
  a.alertWords.length === b.alertWords.length &&
  a.muted.length === b.muted.length &&
  JSON.stringify([a.alertWords, a.muted]) === JSON.stringify([b.alertWords, b.muted]);
