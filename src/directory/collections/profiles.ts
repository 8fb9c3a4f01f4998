/** Profile values of accounts, shown by the profile fields that exist. */

import { formatProfileForApi } from '#domain/people';
import type { UserId } from '#model';
import type { ApiProfileData, DirectoryProfile, DirectoryProfileField } from '#model/records';
import { DirectoryRecordCollection } from './collection.js';

const NOTHING_FILLED_IN: ApiProfileData = {};

export class DirectoryProfileCollection extends DirectoryRecordCollection<UserId, DirectoryProfile> {
  /** Profile values as clients see them, computed on first use. */
  readonly #shown = new Map<UserId, ApiProfileData>();
  #fields: readonly DirectoryProfileField[] = [];

  constructor() {
    super(({ user }) => user);
  }

  /** Profile values of the user as clients see them. The object stays the same until the values change. */
  shown(user: UserId): ApiProfileData {
    const known = this.#shown.get(user);
    if (known) return known;
    const profile = this.get(user);
    if (!profile) return NOTHING_FILLED_IN;
    const shown = formatProfileForApi(profile, this.#fields);
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
