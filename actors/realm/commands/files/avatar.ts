/** Avatars (users.md § Avatars). The frontend prepares and stores the pictures (src/frontend/api/store-picture.ts). */

import { successReply } from '#actors/shared';
import { avatarUrl, isAdmin, presentAvatar } from '#domain/people';
import { AVATAR_SIZES, blobOfAvatar } from '#domain/pictures';
import type { LogItem } from '#model';
import type { realmCommands } from '#model/commands';
import { apiError } from '#model/errors';
import type { DirectoryUser } from '#model/records';
import type { CommandContext } from '#runtime';
import { botUpdatedItem, requireManagedBot } from '../../bots.js';
import { directoryLogItem, everyoneEventItem } from '../../log-items.js';
import { type ActorParts, botRecord, encodeRecord, type RealmState, USER_PART_PREFIX } from '../../state.js';
import { requireActingUser } from '../callers.js';
import { type RealmCommand, SETTINGS_LANE } from '../command.js';
import { activateUpload, discardUploads, eraseBlobCommands } from './pictures.js';

/** The account whose avatar changes: the caller's, or a bot that the caller manages. @throws ApiError */
function avatarAccount({ settings }: RealmState, parts: ActorParts, caller: number, id: number): DirectoryUser {
  const acting = requireActingUser(parts, caller);
  if (id === caller) {
    if (settings.avatar_changes_disabled && !isAdmin(acting)) throw apiError('AVATAR_CHANGES_DISABLED');
    return acting;
  }
  return requireManagedBot(parts, id, acting).user;
}

/** Name under which the uploads of an account's avatar are counted. */
const picture = (user: number): string => `avatar/${user}`;
const blobsOf = (hash: string, numbers: readonly number[]): string[] =>
  numbers.flatMap((number) => AVATAR_SIZES.map((size) => blobOfAvatar(hash, number, size)));

/** Log items of a changed avatar: for all users, and once more for the managers of a bot. */
function avatarEvents(user: DirectoryUser, parts: ActorParts, version: number): LogItem[] {
  const events: LogItem[] = [
    directoryLogItem({ user }),
    everyoneEventItem(version, {
      type: 'realm_user',
      op: 'update',
      person: { user_id: user.id, ...presentAvatar(user) },
    }),
  ];
  const bot = botRecord(parts, user.id);
  return bot ? [...events, botUpdatedItem(parts, { user, bot }, { avatar_url: avatarUrl(user) })] : events;
}

const changed = (user: DirectoryUser, parts: ActorParts, { version }: CommandContext) => ({
  reply: successReply({ avatar_url: avatarUrl(user) }, version),
  events: avatarEvents(user, parts, version),
});

/** Shows a new avatar. The frontend sends this command once the picture is stored. */
export const setAvatarHandler: RealmCommand<typeof realmCommands.setAvatar> = {
  lane: SETTINGS_LANE,
  handle({ state, parts }, { user: id, hash, number }, _inputs, context) {
    const before = avatarAccount(state, parts, context.caller, id);
    const replaced = activateUpload(parts, picture(id), number);
    if (!replaced) {
      const commands = eraseBlobCommands(context.realm, blobsOf(hash, [number]));
      return { reply: successReply({ avatar_url: avatarUrl(before) }), commands };
    }
    const avatar = { realm: context.realm, hash, number };
    const user: DirectoryUser = { ...before, avatarSource: 'U', avatarVersion: before.avatarVersion + 1, avatar };
    return {
      ...changed(user, parts, context),
      parts: { ...replaced.parts, [`${USER_PART_PREFIX}${id}`]: encodeRecord(user) },
      commands: eraseBlobCommands(context.realm, blobsOf(hash, replaced.gone)),
    };
  },
};

/**
 * Removes the uploaded avatar, so that the account shows its gravatar. The avatar's version grows even if none was
 * uploaded, because the gravatar may have changed.
 */
export const removeAvatarHandler: RealmCommand<typeof realmCommands.removeAvatar> = {
  lane: SETTINGS_LANE,
  handle({ state, parts }, { user: id, hash }, _inputs, context) {
    const { avatar: _, ...before } = avatarAccount(state, parts, context.caller, id);
    const replaced = discardUploads(parts, picture(id));
    const user: DirectoryUser = { ...before, avatarSource: 'G', avatarVersion: before.avatarVersion + 1 };
    return {
      ...changed(user, parts, context),
      parts: { ...replaced.parts, [`${USER_PART_PREFIX}${id}`]: encodeRecord(user) },
      commands: eraseBlobCommands(context.realm, blobsOf(hash, replaced.gone)),
    };
  },
};
