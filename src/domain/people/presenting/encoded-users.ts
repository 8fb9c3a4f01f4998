/**
 * Encoded lists of user objects. Thousands of users read the same list, and what they see differs only by the addresses
 * that their role may see. So a list is made once per class of roles and change, from objects that are encoded once
 * per change of the account.
 */
import { EncodedJson, memoizeByObject } from '#base';
import { toUserId, type UserId } from '#model';
import type { ApiProfileData, DirectoryUser, DirectoryView } from '#model/records';
import { maySeeRealEmail, USER_ROLE } from '../roles.js';
import { type FormatUserOptions, formatUserForApi } from './present-user.js';

interface UserListVariantOptions extends Omit<FormatUserOptions, 'profile'> {
  readonly profile?: boolean;
  /** Restricts the list to active (true) or deactivated (false) accounts; absent: both. */
  readonly active?: boolean | undefined;
}

/** The role that stands for all roles which see the same addresses as the viewer. */
function addressViewerRoleClass(viewer: DirectoryUser): number {
  if (viewer.role <= USER_ROLE.admin) return USER_ROLE.admin;
  if (viewer.role <= USER_ROLE.moderator) return USER_ROLE.moderator;
  return viewer.role <= USER_ROLE.member ? USER_ROLE.member : USER_ROLE.guest;
}

interface CachedEncodedUser {
  readonly of: DirectoryUser;
  readonly profile: ApiProfileData;
  readonly variants: Map<string, string>;
}

class EncodedUserListCache {
  #cachedVersion = '';
  readonly #listByVariant = new Map<string, EncodedJson>();
  readonly #cachedUserById = new Map<UserId, CachedEncodedUser>();

  constructor(private readonly directory: DirectoryView) {}

  getOrEncodeListFor(viewer: DirectoryUser, options: UserListVariantOptions): EncodedJson {
    const { usersVersion, profilesVersion } = this.directory;
    const version = `${usersVersion}/${profilesVersion}`;
    if (this.#cachedVersion !== version) this.#listByVariant.clear();
    this.#cachedVersion = version;
    const anybody: DirectoryUser = { ...viewer, id: toUserId(-1), role: addressViewerRoleClass(viewer) };
    const {
      clientGravatar,
      profile = false,
      withoutActive = false,
      withoutAvatar = false,
      web = false,
      active,
    } = options;
    const variant = `${clientGravatar}/${profile}/${withoutActive}/${withoutAvatar}/${web}`;
    // A viewer whose role may not see the viewer's own address gets a list of their own, with that address.
    const own = maySeeRealEmail(anybody, viewer) ? undefined : viewer;
    const key = `${anybody.role}/${variant}/${active}`;
    const known = own ? undefined : this.#listByVariant.get(key);
    if (known) return known;
    const objects: string[] = [];
    for (const user of this.directory.users()) {
      if (active !== undefined && user.isActive !== active) continue;
      objects.push(
        user === own
          ? this.#encodeUserUncached(user, viewer, options)
          : this.#getOrEncodeUser(user, anybody, options, variant),
      );
    }
    const list = EncodedJson.fromJsonText(`[${objects.join(',')}]`);
    if (!own) this.#listByVariant.set(key, list);
    return list;
  }

  #getOrEncodeUser(
    user: DirectoryUser,
    viewer: DirectoryUser,
    options: UserListVariantOptions,
    variant: string,
  ): string {
    const key = user.emailVisibility === 1 ? variant : `${viewer.role}/${variant}`;
    let known = this.#cachedUserById.get(user.id);
    const profile = this.directory.profile(user.id);
    if (known?.of !== user || known.profile !== profile) {
      known = { of: user, profile, variants: new Map() };
      this.#cachedUserById.set(user.id, known);
    }
    const { variants } = known;
    let object = variants.get(key);
    if (object === undefined) {
      object = this.#encodeUserUncached(user, viewer, options);
      variants.set(key, object);
    }
    return object;
  }

  #encodeUserUncached(user: DirectoryUser, viewer: DirectoryUser, options: UserListVariantOptions): string {
    const profile = options.profile ? this.directory : undefined;
    return JSON.stringify(formatUserForApi(user, viewer, { ...options, profile }));
  }
}

const encodedUserListCacheOf = memoizeByObject((directory: DirectoryView) => new EncodedUserListCache(directory));

/** JSON list of the organization's accounts, by id, as the viewer may see them. */
export const getEncodedUserList = (
  directory: DirectoryView,
  viewer: DirectoryUser,
  options: UserListVariantOptions,
): EncodedJson => encodedUserListCacheOf(directory).getOrEncodeListFor(viewer, options);
