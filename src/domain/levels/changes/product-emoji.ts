import type { Json, JsonObject } from '#base';
import type { ApiChange } from '../change.js';
import { mapObjects, mapValues } from '../json.js';

/** Names under which the API has always had the extra emoji; the setting `--emoji-names` is for the base level. */
const EXTRA_EMOJI = { emoji_name: 'zulip', emoji_code: 'zulip', reaction_type: 'zulip_extra_emoji' };

const withKnownEmojiNames = <T extends JsonObject>(of: T): T =>
  of.reaction_type === 'service_extra_emoji' ? { ...of, ...EXTRA_EMOJI } : of;

export const NAMES_OF_EXTRA_EMOJI: ApiChange = {
  since: 277,
  summary: 'The extra emoji has the name and code zulip and the type zulip_extra_emoji, whatever the server is told.',
  message: {
    marks: ['service_extra_emoji'],
    translate: (message) =>
      (message.reactions as readonly Json[]).length === 0
        ? message
        : { ...message, reactions: mapObjects(message.reactions, withKnownEmojiNames) },
  },
  events: { reaction: withKnownEmojiNames, user_status: withKnownEmojiNames },
  state: { user_status: (statuses) => mapValues(statuses, withKnownEmojiNames) },
};
