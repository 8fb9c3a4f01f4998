/** Preferences of accounts; accounts without a record have empty ones. */
import type { UserId } from '#model';
import type { DirectoryPreferences, UserStatus } from '#model/records';
import { RecordCollection } from './collection.js';

export class PreferenceCollection extends RecordCollection<UserId, DirectoryPreferences> {
  readonly statuses = new Map<UserId, UserStatus>();

  constructor() {
    super(({ user }) => user);
  }

  of(user: UserId): DirectoryPreferences {
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
  }
}
