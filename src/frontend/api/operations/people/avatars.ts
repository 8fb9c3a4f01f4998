/**
 * Operations for avatars (users.md § Avatars): changing the caller's avatar, and URLs that redirect to the avatar of
 * any account.
 */

import { avatarUrlOfUser, gravatarUrlOfAddress, isAdminOrOwner } from '#domain/people';
import { type AvatarSize, makeAvatarPngBySize } from '#domain/pictures';
import { type RawHttpAnswer, realmActorKey, toUserId, type UserId } from '#model';
import { realmActorCommands } from '#model/commands';
import { apiError } from '#model/errors';
import type { DirectoryUser } from '#model/records';
import { type ApiCall, type ApiOperation, defineOperation, forwardCommand } from '../../operation.js';
import { declarePathIdParameter, declarePathTextParameter } from '../../parameters.js';
import { makeRedirectWithQuery } from '../../raw-answers.js';
import { getOnlyUploadedPictureOrThrow, storeAndShowAvatar } from '../../store-picture.js';

const uploadOwnAvatarOperation = defineOperation({
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
    if (directory.settings.avatar_changes_disabled && !(account && isAdminOrOwner(account))) {
      throw apiError('AVATAR_CHANGES_DISABLED');
    }
    return {
      fields: { avatar_url: await storeAndShowAvatar(call, caller, await makeAvatarPngBySize(picture.bytes())) },
    };
  },
});

export const removeOwnAvatarOperation = defineOperation({
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
      args: { user: caller, hash: secrets.avatarHashOfUser(realm, caller) },
    }),
});

/** Redirects to the avatar; for an unknown account, to the gravatar of the given text. */
async function redirectToAvatarOrGravatar(
  call: ApiCall<unknown>,
  text: string,
  find: () => DirectoryUser | undefined,
  size: AvatarSize,
): Promise<RawHttpAnswer> {
  if (!find()) await call.refresh();
  const user = find();
  return makeRedirectWithQuery(user ? avatarUrlOfUser(user, size) : gravatarUrlOfAddress(text, 1, size), call.rawQuery);
}

const defineAvatarByUserIdOperation = (id: string, path: string, size: AvatarSize, root: boolean) =>
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
      const find = (): DirectoryUser | undefined => call.directory.user(asUserId(user_id));
      return redirectToAvatarOrGravatar(call, String(user_id), find, size);
    },
  });

const asUserId = (id: number): UserId => toUserId(id);

/**
 * Operation that redirects to an avatar by API e-mail address. Visitors may not call it, because they see no addresses.
 */
const defineAvatarByEmailOperation = (id: string, path: string, size: AvatarSize) =>
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
      return redirectToAvatarOrGravatar(call, email, () => call.directory.userByApiEmail(email), size);
    },
  });

export const AVATAR_OPERATIONS = [
  uploadOwnAvatarOperation,
  removeOwnAvatarOperation,
  defineAvatarByUserIdOperation('get-avatar', '/avatar/{user_id}', 'small', false),
  defineAvatarByUserIdOperation('get-avatar-at-root', '/avatar/{user_id}', 'small', true),
  defineAvatarByUserIdOperation('get-medium-avatar', '/avatar/{user_id}/medium', 'medium', true),
  defineAvatarByEmailOperation('get-avatar-by-email', '/avatar/{email}', 'small'),
  defineAvatarByEmailOperation('get-medium-avatar-by-email', '/avatar/{email}/medium', 'medium'),
] as unknown as readonly ApiOperation[];
