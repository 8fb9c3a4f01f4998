/** Profile values of accounts, shown by the profile fields that exist. */

import { formatProfileForApi } from '#domain/people';
import type { UserId } from '#model';
import type { ApiProfileData, DirectoryProfileField, DirectoryUserProfileValues } from '#model/records';
import { DirectoryRecordCollection } from './collection.js';

const EMPTY_PROFILE_DATA: ApiProfileData = {};

export class DirectoryProfileCollection extends DirectoryRecordCollection<UserId, DirectoryUserProfileValues> {
  /** Profile values as clients see them, computed on first use. */
  readonly #profileDataByUser = new Map<UserId, ApiProfileData>();
  #profileFields: readonly DirectoryProfileField[] = [];

  constructor() {
    super(({ user }) => user);
  }

  /** Profile values of the user as clients see them. The object stays the same until the values change. */
  apiProfileDataOf(user: UserId): ApiProfileData {
    const known = this.#profileDataByUser.get(user);
    if (known) return known;
    const profile = this.get(user);
    if (!profile) return EMPTY_PROFILE_DATA;
    const shown = formatProfileForApi(profile, this.#profileFields);
    this.#profileDataByUser.set(user, shown);
    return shown;
  }

  override put(profile: DirectoryUserProfileValues): void {
    super.put(profile);
    this.#profileDataByUser.delete(profile.user);
  }

  setProfileFields(fields: readonly DirectoryProfileField[]): void {
    this.#profileFields = fields;
    this.#profileDataByUser.clear();
    this.changes.addChangeOfAll();
  }
}
