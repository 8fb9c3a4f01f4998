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

interface UserListOptions extends Omit<FormatUserOptions, 'profile'> {
  readonly profile?: boolean;
  /** Restricts the list to active (true) or deactivated (false) accounts; absent: both. */
  readonly active?: boolean | undefined;
}

/** The role that stands for all roles which see the same addresses as the viewer. */
function viewerClassOf(viewer: DirectoryUser): number {
  if (viewer.role <= USER_ROLE.admin) return USER_ROLE.admin;
  if (viewer.role <= USER_ROLE.moderator) return USER_ROLE.moderator;
  return viewer.role <= USER_ROLE.member ? USER_ROLE.member : USER_ROLE.guest;
}

interface EncodedUser {
  readonly of: DirectoryUser;
  readonly profile: ApiProfileData;
  readonly variants: Map<string, string>;
}

class EncodedUserLists {
  #version = '';
  readonly #encodedListsByVariant = new Map<string, EncodedJson>();
  readonly #encodedUsersById = new Map<UserId, EncodedUser>();

  constructor(private readonly directory: DirectoryView) {}

  encodedListFor(viewer: DirectoryUser, options: UserListOptions): EncodedJson {
    const { usersVersion, profilesVersion } = this.directory;
    const version = `${usersVersion}/${profilesVersion}`;
    if (this.#version !== version) this.#encodedListsByVariant.clear();
    this.#version = version;
    const anybody: DirectoryUser = { ...viewer, id: toUserId(-1), role: viewerClassOf(viewer) };
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
    const known = own ? undefined : this.#encodedListsByVariant.get(key);
    if (known) return known;
    const objects: string[] = [];
    for (const user of this.directory.users()) {
      if (active !== undefined && user.isActive !== active) continue;
      objects.push(
        user === own ? this.#encode(user, viewer, options) : this.#encodedUserObject(user, anybody, options, variant),
      );
    }
    const list = EncodedJson.ofText(`[${objects.join(',')}]`);
    if (!own) this.#encodedListsByVariant.set(key, list);
    return list;
  }

  #encodedUserObject(user: DirectoryUser, viewer: DirectoryUser, options: UserListOptions, variant: string): string {
    const key = user.emailVisibility === 1 ? variant : `${viewer.role}/${variant}`;
    let known = this.#encodedUsersById.get(user.id);
    const profile = this.directory.profile(user.id);
    if (known?.of !== user || known.profile !== profile) {
      known = { of: user, profile, variants: new Map() };
      this.#encodedUsersById.set(user.id, known);
    }
    const { variants } = known;
    let object = variants.get(key);
    if (object === undefined) {
      object = this.#encode(user, viewer, options);
      variants.set(key, object);
    }
    return object;
  }

  #encode(user: DirectoryUser, viewer: DirectoryUser, options: UserListOptions): string {
    const profile = options.profile ? this.directory : undefined;
    return JSON.stringify(formatUserForApi(user, viewer, { ...options, profile }));
  }
}

const encodedUserListsOf = memoizeByObject((directory: DirectoryView) => new EncodedUserLists(directory));

/** JSON list of the organization's accounts, by id, as the viewer may see them. */
export const encodeUserList = (
  directory: DirectoryView,
  viewer: DirectoryUser,
  options: UserListOptions,
): EncodedJson => encodedUserListsOf(directory).encodedListFor(viewer, options);
