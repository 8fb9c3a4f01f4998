/** Preferences of accounts; accounts without a record have empty ones. */
import type { UserId } from '#model';
import type { DirectoryPreferences, UserStatus } from '#model/records';
import { DirectoryRecordCollection } from './collection.js';

export class DirectoryPreferenceCollection extends DirectoryRecordCollection<UserId, DirectoryPreferences> {
  readonly statuses = new Map<UserId, UserStatus>();
  /** Users whose settings ask for mails or pushes of all streams. */
  readonly notifiedOfStreams = new Set<UserId>();

  constructor() {
    super(({ user }) => user);
  }

  preferencesOf(user: UserId): DirectoryPreferences {
    return this.get(user) ?? { user, settings: {}, alertWords: [], muted: [] };
  }

  /** Preferences with alert words or muted users. */
  *alertsAndMutes(): Iterable<DirectoryPreferences> {
    for (const one of this.all()) if (one.alertWords.length > 0 || one.muted.length > 0) yield one;
  }

  override put(personal: DirectoryPreferences): void {
    super.put(personal);
    if (personal.status) this.statuses.set(personal.user, personal.status);
    else this.statuses.delete(personal.user);
    const { enable_stream_email_notifications: mails, enable_stream_push_notifications: pushes } = personal.settings;
    if (mails || pushes) this.notifiedOfStreams.add(personal.user);
    else this.notifiedOfStreams.delete(personal.user);
  }
}
