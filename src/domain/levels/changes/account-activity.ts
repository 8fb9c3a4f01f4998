import type { JsonObject } from '#base';
import type { ApiChange } from '../change.js';

const activityChange = (event: JsonObject, is_active: boolean): JsonObject => ({
  type: 'realm_user',
  op: 'update',
  person: { user_id: (event.person as JsonObject).user_id!, is_active },
});

export const ACTIVITY_OF_ACCOUNTS: ApiChange = {
  since: 222,
  summary: 'An account that is deactivated or reactivated is updated (is_active) instead of removed and added.',
  events: {
    realm_user(event, _client, { reactivated }) {
      if (event.op === 'remove') return activityChange(event, false);
      return event.op === 'add' && reactivated === true ? activityChange(event, true) : event;
    },
  },
};
