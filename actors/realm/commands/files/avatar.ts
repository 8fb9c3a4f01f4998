/** Avatars (users.md § Avatars). The frontend prepares and stores the pictures (src/frontend/api/store-picture.ts). */

import { makeSuccessReply } from '#actors/shared';
import { avatarUrlOfUser, formatAvatarFieldsForApi, isAdminOrOwner } from '#domain/people';
import { AVATAR_SIZES, blobNameOfAvatar } from '#domain/pictures';
import type { LogItem } from '#model';
import type { realmActorCommands } from '#model/commands';
import { apiError } from '#model/errors';
import type { DirectoryUser } from '#model/records';
import type { CommandContext } from '#runtime';
import { getManagedBotOrThrow, makeBotUpdatedEvent } from '../../bots.js';
import { makeDirectoryLogItem, makeEveryoneEventLogItem } from '../../log-items.js';
import {
  type ActorParts,
  encodeDirectoryRecord,
  findBotRecord,
  type RealmActorState,
  USER_PART_PREFIX,
} from '../../state.js';
import { getActingUserOrThrow } from '../callers.js';
import { NO_INPUT_COMMAND_LANE, type RealmCommandHandler } from '../command.js';
import { makeEraseBlobsCommands, makePictureUploadActivation, makePictureUploadsDiscard } from './pictures.js';

/** The account whose avatar changes: the caller's, or a bot that the caller manages. @throws ApiError */
function getAvatarAccountOrThrow(
  { settings }: RealmActorState,
  parts: ActorParts,
  caller: number,
  id: number,
): DirectoryUser {
  const acting = getActingUserOrThrow(parts, caller);
  if (id === caller) {
    if (settings.avatar_changes_disabled && !isAdminOrOwner(acting)) throw apiError('AVATAR_CHANGES_DISABLED');
    return acting;
  }
  return getManagedBotOrThrow(parts, id, acting).user;
}

/** Name under which the uploads of an account's avatar are counted. */
const makeAvatarPictureName = (user: number): string => `avatar/${user}`;
const listAvatarBlobNames = (hash: string, numbers: readonly number[]): string[] =>
  numbers.flatMap((number) => AVATAR_SIZES.map((size) => blobNameOfAvatar(hash, number, size)));

/** Log items of a changed avatar: for all users, and once more for the managers of a bot. */
function makeAvatarLogItems(user: DirectoryUser, parts: ActorParts, version: number): LogItem[] {
  const events: LogItem[] = [
    makeDirectoryLogItem({ user }),
    makeEveryoneEventLogItem(version, {
      type: 'realm_user',
      op: 'update',
      person: { user_id: user.id, ...formatAvatarFieldsForApi(user) },
    }),
  ];
  const bot = findBotRecord(parts, user.id);
  return bot ? [...events, makeBotUpdatedEvent(parts, { user, bot }, { avatar_url: avatarUrlOfUser(user) })] : events;
}

const makeAvatarChangeReplyAndEvents = (user: DirectoryUser, parts: ActorParts, { version }: CommandContext) => ({
  reply: makeSuccessReply({ avatar_url: avatarUrlOfUser(user) }, version),
  events: makeAvatarLogItems(user, parts, version),
});

/** Shows a new avatar. The frontend sends this command once the picture is stored. */
export const activateUploadedAvatarHandler: RealmCommandHandler<typeof realmActorCommands.setAvatar> = {
  lane: NO_INPUT_COMMAND_LANE,
  handle({ state, parts }, { user: id, hash, number }, _inputs, context) {
    const before = getAvatarAccountOrThrow(state, parts, context.caller, id);
    const replaced = makePictureUploadActivation(parts, makeAvatarPictureName(id), number);
    if (!replaced) {
      const commands = makeEraseBlobsCommands(context.realm, listAvatarBlobNames(hash, [number]));
      return { reply: makeSuccessReply({ avatar_url: avatarUrlOfUser(before) }), commands };
    }
    const avatar = { realm: context.realm, hash, number };
    const user: DirectoryUser = { ...before, avatarSource: 'U', avatarVersion: before.avatarVersion + 1, avatar };
    return {
      ...makeAvatarChangeReplyAndEvents(user, parts, context),
      parts: { ...replaced.parts, [`${USER_PART_PREFIX}${id}`]: encodeDirectoryRecord(user) },
      commands: makeEraseBlobsCommands(context.realm, listAvatarBlobNames(hash, replaced.obsoleteUploadNumbers)),
    };
  },
};

/**
 * Removes the uploaded avatar, so that the account shows its gravatar. The avatar's version grows even if none was
 * uploaded, because the gravatar may have changed.
 */
export const removeAvatarHandler: RealmCommandHandler<typeof realmActorCommands.removeAvatar> = {
  lane: NO_INPUT_COMMAND_LANE,
  handle({ state, parts }, { user: id, hash }, _inputs, context) {
    const { avatar: _, ...before } = getAvatarAccountOrThrow(state, parts, context.caller, id);
    const replaced = makePictureUploadsDiscard(parts, makeAvatarPictureName(id));
    const user: DirectoryUser = { ...before, avatarSource: 'G', avatarVersion: before.avatarVersion + 1 };
    return {
      ...makeAvatarChangeReplyAndEvents(user, parts, context),
      parts: { ...replaced.parts, [`${USER_PART_PREFIX}${id}`]: encodeDirectoryRecord(user) },
      commands: makeEraseBlobsCommands(context.realm, listAvatarBlobNames(hash, replaced.obsoleteUploadNumbers)),
    };
  },
};
