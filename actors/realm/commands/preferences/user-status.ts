/**
 * POST /users/me/status (users.md § User status): sets a user's status. The directory stores it, so that registrations
 * can show it.
 */

import { makeSuccessReply } from '#actors/shared';
import type { Json, JsonObject } from '#base';
import type { EmojiReference, LogItem } from '#model';
import type { realmActorCommands, UserStatusEmoji } from '#model/commands';
import { apiError } from '#model/errors';
import type { DirectoryUserPreferences } from '#model/records';
import { makeEveryoneEventLogItem } from '../../log-items.js';
import { type ActorParts, EMOJI_PART_PREFIX, PREFERENCES_PART_PREFIX, readPreferencesRecord } from '../../state.js';
import { getActingUserOrThrow } from '../callers.js';
import { NO_INPUT_COMMAND_LANE, type RealmCommandHandler } from '../command.js';
import { updateOwnSettingsHandler } from './own-settings.js';
import { makePreferencesWithStatus, makeStoredPreferencesChanges } from './preferences.js';

const NO_STATUS_EMOJI_FIELDS = { emoji_name: '', emoji_code: '', reaction_type: 'unicode_emoji' } as const;

export const setUserStatusHandler: RealmCommandHandler<typeof realmActorCommands.setStatus> = {
  lane: NO_INPUT_COMMAND_LANE,
  handle(view, { text, away, emoji, domain }, _inputs, context) {
    const { caller, version } = context;
    getActingUserOrThrow(view.parts, caller);
    if (emoji) checkCustomEmojiIsActive(view.parts, emoji);
    // `away` is an older name of the setting `presence_enabled`, whose change comes first.
    const switching =
      away === undefined
        ? undefined
        : updateOwnSettingsHandler.handle(view, { values: { presence_enabled: !away }, domain }, undefined, context);
    const before = findWrittenPreferences(switching?.parts, caller) ?? readPreferencesRecord(view.parts, caller);
    const status = {
      text: text ?? before.status?.text ?? '',
      emoji: emoji === undefined ? (before.status?.emoji ?? null) : toStoredStatusEmoji(emoji),
      away: away ?? before.status?.away ?? false,
    };
    const change = makeStoredPreferencesChanges(makePreferencesWithStatus(before, status));
    const event: JsonObject = {
      type: 'user_status',
      user_id: caller,
      ...(away === undefined ? {} : { away }),
      ...(text === undefined ? {} : { status_text: text }),
      ...(emoji === undefined ? {} : (emoji?.shown ?? NO_STATUS_EMOJI_FIELDS)),
    };
    return {
      ...switching,
      reply: makeSuccessReply(undefined, version),
      parts: { ...switching?.parts, ...change.parts },
      events: [
        ...(switching?.events ?? []).filter(isNotUserStatusEvent),
        change.change,
        makeEveryoneEventLogItem(version, event),
      ],
    };
  },
};

/** Checks that the custom emoji was not deactivated after the frontend's check. @throws ApiError */
function checkCustomEmojiIsActive(parts: ActorParts, { type, code }: EmojiReference): void {
  if (type !== 'realm_emoji') return;
  const custom = parts.get(`${EMOJI_PART_PREFIX}${code}`) as { readonly deactivated: boolean } | undefined;
  if (custom?.deactivated !== false) throw apiError('CUSTOM_EMOJI_DEACTIVATED');
}

const toStoredStatusEmoji = (emoji: UserStatusEmoji | null): EmojiReference | null =>
  emoji && { name: emoji.name, code: emoji.code, type: emoji.type };

const findWrittenPreferences = (
  parts: Readonly<Record<string, Json>> | undefined,
  user: number,
): DirectoryUserPreferences | undefined =>
  parts?.[`${PREFERENCES_PART_PREFIX}${user}`] as unknown as DirectoryUserPreferences | undefined;

/**
 * False for status events, which are dropped from the effect of the setting: the event of the whole status includes
 * them.
 */
const isNotUserStatusEvent = (item: LogItem): boolean => item.t !== 'event' || item.event.type !== 'user_status';
