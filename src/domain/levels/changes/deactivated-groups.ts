import type { JsonObject } from '#base';
import type { ApiChange } from '../change.js';
import { mapObjects } from '../json.js';

/** Groups of the base level are deleted instead of deactivated. */
const withState = (group: JsonObject): JsonObject => ({ ...group, deactivated: false });

export const STATE_OF_GROUPS: ApiChange = {
  since: 290,
  summary: 'User groups have `deactivated`: false.',
  answers: { 'get-user-groups': (fields) => ({ ...fields, user_groups: mapObjects(fields.user_groups, withState) }) },
  state: { realm_user_groups: (groups) => mapObjects(groups, withState) },
  events: {
    user_group: (event) => (event.op === 'add' ? { ...event, group: withState(event.group as JsonObject) } : event),
  },
};
