/**
 * Operations for avatars (users.md § Avatars): changing the caller's avatar, and URLs that redirect to the avatar of
 * any account.
 */

import { avatarUrlOfUser, gravatarUrlOfAddress, isAdmin } from '#domain/people';
import { type AvatarSize, makeAvatarImages } from '#domain/pictures';
import { type RawHttpAnswer, realmActorKey, toUserId, type UserId } from '#model';
import { realmActorCommands } from '#model/commands';
import { apiError } from '#model/errors';
import type { DirectoryUser } from '#model/records';
import { type ApiCall, type ApiOperation, defineOperation, forwardCommand } from '../../operation.js';
import { declarePathIdParameter, declarePathTextParameter } from '../../parameters.js';
import { makeRedirectWithQuery } from '../../raw-answers.js';
import { getOnlyUploadedPictureOrThrow, storeAvatar } from '../../store-picture.js';

const uploadAvatarOperation = defineOperation({
  id: 'upload-avatar',
  method: 'POST',
  path: '/users/me/avatar',
  guard: 'user',
  takesFiles: true,
  summary: "Change one's own avatar.",
  parameters: {},
  async run(call) {
    const picture = getOnlyUploadedPictureOrThrow(call, 'AVATAR_ONE_FILE');
    const { directory, caller } = call;
    const account = directory.user(caller);
    // The actor checks the setting again; this check refuses the call before the picture is checked.
    if (directory.settings.avatar_changes_disabled && !(account && isAdmin(account))) {
      throw apiError('AVATAR_CHANGES_DISABLED');
    }
    return { fields: { avatar_url: await storeAvatar(call, caller, await makeAvatarImages(picture.bytes())) } };
  },
});

export const removeAvatarOperation = defineOperation({
  id: 'delete-avatar',
  method: 'DELETE',
  path: '/users/me/avatar',
  guard: 'user',
  summary: "Go back from one's own avatar to the gravatar.",
  parameters: {},
  run: ({ realm, caller, secrets }) =>
    forwardCommand({
      to: realmActorKey(realm),
      command: realmActorCommands.removeAvatar,
      args: { user: caller, hash: secrets.avatarHash(realm, caller) },
    }),
});

/** Redirects to the avatar; for an unknown account, to the gravatar of the given text. */
async function redirectToAvatar(
  call: ApiCall<unknown>,
  text: string,
  find: () => DirectoryUser | undefined,
  size: AvatarSize,
): Promise<RawHttpAnswer> {
  if (!find()) await call.refresh();
  const user = find();
  return makeRedirectWithQuery(user ? avatarUrlOfUser(user, size) : gravatarUrlOfAddress(text, 1, size), call.query);
}

const byId = (id: string, path: string, size: AvatarSize, root: boolean) =>
  defineOperation({
    id,
    method: 'GET',
    path,
    ...(root ? { root } : {}),
    guard: 'user',
    anonymous: true,
    bareCookie: true,
    rateLimit: 'visitors',
    summary: `An account's avatar, ${size}: leads to its address.`,
    parameters: { user_id: declarePathIdParameter('The user.') },
    run(call) {
      const { user_id } = call.params;
      const find = (): DirectoryUser | undefined => call.directory.user(asUser(user_id));
      return redirectToAvatar(call, String(user_id), find, size);
    },
  });

const asUser = (id: number): UserId => toUserId(id);

/**
 * Operation that redirects to an avatar by API e-mail address. Visitors may not call it, because they see no addresses.
 */
const byEmail = (id: string, path: string, size: AvatarSize) =>
  defineOperation({
    id,
    method: 'GET',
    path,
    root: true,
    guard: 'user',
    bareCookie: true,
    rateLimit: 'visitors',
    summary: `An account's avatar, ${size}: leads to its address.`,
    parameters: { email: declarePathTextParameter('API e-mail address of the user.') },
    run(call) {
      const { email } = call.params;
      // userByEmail also finds real addresses, which may be hidden from the caller.
      const find = (): DirectoryUser | undefined => {
        const user = call.directory.userByEmail(email);
        return user?.email.toLowerCase() === email.toLowerCase() ? user : undefined;
      };
      return redirectToAvatar(call, email, find, size);
    },
  });

export const AVATAR_OPERATIONS = [
  uploadAvatarOperation,
  removeAvatarOperation,
  byId('get-avatar', '/avatar/{user_id}', 'small', false),
  byId('get-avatar-at-root', '/avatar/{user_id}', 'small', true),
  byId('get-medium-avatar', '/avatar/{user_id}/medium', 'medium', true),
  byEmail('get-avatar-by-email', '/avatar/{email}', 'small'),
  byEmail('get-medium-avatar-by-email', '/avatar/{email}/medium', 'medium'),
] as unknown as readonly ApiOperation[];
