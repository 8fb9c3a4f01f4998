/** Profile values of accounts, shown by the profile fields that exist. */

import { presentProfile } from '#domain/people';
import type { UserId } from '#model';
import type { DirectoryProfile, DirectoryProfileField, ProfileData } from '#model/records';
import { RecordCollection } from './collection.js';

const NOTHING_FILLED_IN: ProfileData = {};

export class ProfileCollection extends RecordCollection<UserId, DirectoryProfile> {
  /** Profile values as clients see them, computed on first use. */
  readonly #shown = new Map<UserId, ProfileData>();
  #fields: readonly DirectoryProfileField[] = [];

  constructor() {
    super(({ user }) => user);
  }

  /** Profile values of the user as clients see them. The object stays the same until the values change. */
  shown(user: UserId): ProfileData {
    const known = this.#shown.get(user);
    if (known) return known;
    const profile = this.get(user);
    if (!profile) return NOTHING_FILLED_IN;
    const shown = presentProfile(profile, this.#fields);
    this.#shown.set(user, shown);
    return shown;
  }

  override put(profile: DirectoryProfile): void {
    super.put(profile);
    this.#shown.delete(profile.user);
  }

  setFields(fields: readonly DirectoryProfileField[]): void {
    this.#fields = fields;
    this.#shown.clear();
    this.version++;
  }
}
