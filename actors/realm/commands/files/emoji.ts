/** Custom emoji (realm.md § Custom emoji). The frontend prepares and stores the pictures. */

import { successReply } from '#actors/shared';
import { emojiImagePath, emojiStillPath, presentCustomEmoji } from '#domain/emoji';
import { isEmojiName } from '#domain/markdown';
import { isAdmin, isAllowedByPolicy, ROLE } from '#domain/people';
import { pictureUrl } from '#domain/pictures';
import { type LogItem, type RealmId, userId } from '#model';
import type { realmCommands } from '#model/commands';
import { apiError } from '#model/errors';
import type { DirectoryEmoji } from '#model/records';
import type { CommandContext } from '#runtime';
import { directoryLogItem } from '../../log-items.js';
import {
  type ActorParts,
  EMOJI_PART_PREFIX,
  emojiRecords,
  encodeRecord,
  type RealmState,
  userRecord,
} from '../../state.js';
import type { RealmCommand } from '../command.js';

const active = (parts: ActorParts, name: string): DirectoryEmoji | undefined =>
  [...emojiRecords(parts)].find((emoji) => emoji.name === name && !emoji.deactivated);

function checkMayAdd({ settings }: RealmState, parts: ActorParts, name: string, { caller, now }: CommandContext): void {
  const acting = userRecord(parts, caller);
  if (!acting || !isAllowedByPolicy(settings.add_custom_emoji_policy, acting, settings, now)) {
    throw apiError('INSUFFICIENT_PERMISSION');
  }
  if (active(parts, name)) throw apiError('EMOJI_EXISTS');
}

/**
 * Makes all checks of a new emoji except that of its picture; replies with the number under which the frontend stores
 * it.
 */
export const beginEmojiUploadHandler: RealmCommand<typeof realmCommands.emojiBegin> = {
  handle({ state, parts }, { name, files, tooLarge, mib }, _inputs, context) {
    checkMayAdd(state, parts, name, context);
    if (files !== 1) throw apiError('EMOJI_ONE_FILE');
    const acting = userRecord(parts, context.caller);
    if (isEmojiName(name) && !(acting && isAdmin(acting))) throw apiError('EMOJI_OVERRIDE');
    if (tooLarge) throw apiError('FILE_TOO_LARGE', { n: mib });
    return { reply: successReply({ id: state.nextEmoji }), state: { ...state, nextEmoji: state.nextEmoji + 1 } };
  },
};

/** Adds a custom emoji. The frontend sends this command once the picture is stored. */
export const addCustomEmojiHandler: RealmCommand<typeof realmCommands.emojiAdd> = {
  handle({ state, parts }, { id, name, extension, animated }, _inputs, context) {
    checkMayAdd(state, parts, name, context);
    const { realm, caller } = context;
    const emoji: DirectoryEmoji = {
      id,
      name,
      url: pictureUrl(realm, emojiImagePath(id, extension)),
      stillUrl: animated ? pictureUrl(realm, emojiStillPath(id)) : null,
      deactivated: false,
      author: userId(caller),
    };
    return changed(parts, emoji, context);
  },
};

/** DELETE /realm/emoji/{name}: deactivates the emoji; old messages and reactions keep it. */
export const removeCustomEmojiHandler: RealmCommand<typeof realmCommands.emojiRemove> = {
  handle({ parts }, { name }, _inputs, context) {
    const emoji = active(parts, name);
    if (!emoji) throw apiError('EMOJI_DOES_NOT_EXIST', { emoji_name: name });
    const acting = userRecord(parts, context.caller);
    if (!acting || (!isAdmin(acting) && emoji.author !== acting.id)) throw apiError('EMOJI_NOT_AUTHOR');
    return changed(parts, { ...emoji, deactivated: true }, context);
  },
};

function changed(parts: ActorParts, emoji: DirectoryEmoji, { version }: { version: number; realm: RealmId }) {
  const all = [...[...emojiRecords(parts)].filter(({ id }) => id !== emoji.id), emoji];
  const events: LogItem[] = [
    directoryLogItem({ emoji }),
    {
      t: 'event',
      to: { role: ROLE.guest, rv: version },
      event: { type: 'realm_emoji', op: 'update', realm_emoji: presentCustomEmoji(all) },
    },
  ];
  return {
    reply: successReply({}, version),
    parts: { [`${EMOJI_PART_PREFIX}${emoji.id}`]: encodeRecord(emoji) },
    events,
  };
}
