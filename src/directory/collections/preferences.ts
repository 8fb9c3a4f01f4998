/** Preferences of accounts; accounts without a record have empty ones. */
import type { UserId } from '#model';
import type { DirectoryUserPreferences, UserStatus } from '#model/records';
import { DirectoryRecordCollection } from './collection.js';

export class DirectoryPreferenceCollection extends DirectoryRecordCollection<UserId, DirectoryUserPreferences> {
  readonly statusByUser = new Map<UserId, UserStatus>();
  /** Users whose settings ask for mails or pushes of all streams. */
  readonly userIdsNotifiedOfAllStreams = new Set<UserId>();

  constructor() {
    super(({ user }) => user);
  }

  preferencesOf(user: UserId): DirectoryUserPreferences {
    return this.get(user) ?? { user, settings: {}, alertWords: [], muted: [] };
  }

  /** Preferences with alert words or muted users. */
  *recordsWithAlertsOrMutes(): Iterable<DirectoryUserPreferences> {
    for (const one of this.allRecords()) if (one.alertWords.length > 0 || one.muted.length > 0) yield one;
  }

  override put(personal: DirectoryUserPreferences): void {
    super.put(personal);
    if (personal.status) this.statusByUser.set(personal.user, personal.status);
    else this.statusByUser.delete(personal.user);
    const { enable_stream_email_notifications: mails, enable_stream_push_notifications: pushes } = personal.settings;
    if (mails || pushes) this.userIdsNotifiedOfAllStreams.add(personal.user);
    else this.userIdsNotifiedOfAllStreams.delete(personal.user);
  }
}
