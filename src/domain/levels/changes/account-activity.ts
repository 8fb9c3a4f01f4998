import type { JsonObject } from '#base';
import type { ApiChange } from '../change.js';

const activityChange = (event: JsonObject, person: JsonObject): JsonObject => ({
  type: 'realm_user',
  op: 'update',
  person: { user_id: (event.person as JsonObject).user_id!, ...person },
});

/** Lists of inactive accounts may omit the avatar, so the event of a reactivated account has it. */
const makeActive = (event: JsonObject): JsonObject =>
  activityChange(event, { is_active: true, avatar_url: (event.person as JsonObject).avatar_url! });

const botActivityChange = (event: JsonObject, is_active: boolean): JsonObject => ({
  type: 'realm_bot',
  op: 'update',
  bot: { user_id: (event.bot as JsonObject).user_id!, is_active },
});

export const ACTIVITY_OF_ACCOUNTS: ApiChange = {
  since: 222,
  summary:
    'An account that is deactivated or reactivated is updated (is_active) instead of removed and added, also as a bot of the user, and then added to its groups again.',
  events: {
    realm_user(event, _client, { reactivated }) {
      if (event.op === 'remove') return activityChange(event, { is_active: false });
      return event.op === 'add' && reactivated === true ? makeActive(event) : event;
    },
    realm_bot(event, _client, { reactivated }) {
      if (event.op === 'remove') return botActivityChange(event, false);
      return event.op === 'add' && reactivated === true ? botActivityChange(event, true) : event;
    },
  },
};
