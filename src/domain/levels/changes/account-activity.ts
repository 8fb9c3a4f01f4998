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

export const ACTIVITY_OF_ACCOUNTS: ApiChange = {
  since: 222,
  summary:
    'An account that is deactivated or reactivated is updated (is_active) instead of removed and added, and then added to its groups again.',
  events: {
    realm_user(event, _client, { reactivated }) {
      if (event.op === 'remove') return activityChange(event, { is_active: false });
      return event.op === 'add' && reactivated === true ? makeActive(event) : event;
    },
  },
};
