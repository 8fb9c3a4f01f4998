/** Custom emoji (realm.md § Custom emoji). The frontend prepares and stores the pictures. */

import { makeSuccessReply } from '#actors/shared';
import { customEmojiImagePath, emojiStillImagePath, formatCustomEmojiForApi, MAX_CUSTOM_EMOJI } from '#domain/emoji';
import { isCanonicalEmojiName } from '#domain/markdown';
import { isAdminOrOwner, isAllowedByPolicy, USER_ROLE } from '#domain/people';
import { urlPathOfPicture } from '#domain/pictures';
import { type LogItem, type RealmId, toUserId } from '#model';
import type { realmActorCommands } from '#model/commands';
import { apiError, checkParameterItemCount } from '#model/errors';
import type { DirectoryEmoji } from '#model/records';
import type { CommandContext } from '#runtime';
import { makeDirectoryLogItem } from '../../log-items.js';
import {
  type ActorParts,
  EMOJI_PART_PREFIX,
  encodeDirectoryRecord,
  findUserRecord,
  listEmojiRecords,
  type RealmActorState,
} from '../../state.js';
import type { RealmCommandHandler } from '../command.js';

const findActiveCustomEmoji = (parts: ActorParts, name: string): DirectoryEmoji | undefined =>
  [...listEmojiRecords(parts)].find((emoji) => emoji.name === name && !emoji.deactivated);

function checkMayAddEmojiWithName(
  { settings }: RealmActorState,
  parts: ActorParts,
  name: string,
  { caller, now }: CommandContext,
): void {
  const acting = findUserRecord(parts, caller);
  if (!acting || !isAllowedByPolicy(settings.add_custom_emoji_policy, acting, settings, now)) {
    throw apiError('INSUFFICIENT_PERMISSION');
  }
  if (findActiveCustomEmoji(parts, name)) throw apiError('EMOJI_EXISTS');
  const active = [...listEmojiRecords(parts)].filter((emoji) => !emoji.deactivated);
  checkParameterItemCount('realm_emoji', active.length + 1, MAX_CUSTOM_EMOJI);
}

/**
 * Makes all checks of a new emoji except that of its picture; replies with the number under which the frontend stores
 * it.
 */
export const beginEmojiUploadHandler: RealmCommandHandler<typeof realmActorCommands.emojiBegin> = {
  handle({ state, parts }, { name, files, tooLarge, mib }, _inputs, context) {
    checkMayAddEmojiWithName(state, parts, name, context);
    if (files !== 1) throw apiError('EMOJI_ONE_FILE');
    const acting = findUserRecord(parts, context.caller);
    if (isCanonicalEmojiName(name) && !(acting && isAdminOrOwner(acting))) throw apiError('EMOJI_OVERRIDE');
    if (tooLarge) throw apiError('FILE_TOO_LARGE', { n: mib });
    return { reply: makeSuccessReply({ id: state.nextEmoji }), state: { ...state, nextEmoji: state.nextEmoji + 1 } };
  },
};

/** Adds a custom emoji. The frontend sends this command once the picture is stored. */
export const addCustomEmojiHandler: RealmCommandHandler<typeof realmActorCommands.emojiAdd> = {
  handle({ state, parts }, { id, name, extension, animated }, _inputs, context) {
    checkMayAddEmojiWithName(state, parts, name, context);
    const { realm, caller } = context;
    const emoji: DirectoryEmoji = {
      id,
      name,
      url: urlPathOfPicture(realm, customEmojiImagePath(id, extension)),
      stillUrl: animated ? urlPathOfPicture(realm, emojiStillImagePath(id)) : null,
      deactivated: false,
      author: toUserId(caller),
    };
    return makeEmojiChangeOutcome(parts, emoji, context);
  },
};

/** DELETE /realm/emoji/{name}: deactivates the emoji; old messages and reactions keep it. */
export const deactivateCustomEmojiHandler: RealmCommandHandler<typeof realmActorCommands.emojiRemove> = {
  handle({ parts }, { name }, _inputs, context) {
    const emoji = findActiveCustomEmoji(parts, name);
    if (!emoji) throw apiError('EMOJI_DOES_NOT_EXIST', { emoji_name: name });
    const acting = findUserRecord(parts, context.caller);
    if (!acting || (!isAdminOrOwner(acting) && emoji.author !== acting.id)) throw apiError('EMOJI_NOT_AUTHOR');
    return makeEmojiChangeOutcome(parts, { ...emoji, deactivated: true }, context);
  },
};

function makeEmojiChangeOutcome(
  parts: ActorParts,
  emoji: DirectoryEmoji,
  { version }: { version: number; realm: RealmId },
) {
  const all = [...[...listEmojiRecords(parts)].filter(({ id }) => id !== emoji.id), emoji];
  const events: LogItem[] = [
    makeDirectoryLogItem({ emoji }),
    {
      t: 'event',
      to: { role: USER_ROLE.guest, rv: version },
      event: { type: 'realm_emoji', op: 'update', realm_emoji: formatCustomEmojiForApi(all) },
    },
  ];
  return {
    reply: makeSuccessReply({}, version),
    parts: { [`${EMOJI_PART_PREFIX}${emoji.id}`]: encodeDirectoryRecord(emoji) },
    events,
  };
}
