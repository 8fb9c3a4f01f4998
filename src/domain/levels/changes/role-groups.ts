import type { JsonObject } from '#base';
import type { ApiChange } from '../change.js';
import { mapObjects, mapText } from '../json.js';

const withoutAt = (name: string): string => (name.startsWith('@') ? name.slice(1) : name);

/** Users may give their groups names that look like those of system groups. */
const withKnownName = (group: JsonObject): JsonObject =>
  group.is_system_group === true ? mapText(group, 'name', withoutAt) : group;

export const NAMES_OF_ROLE_GROUPS: ApiChange = {
  since: 277,
  summary: 'System groups are named role:members instead of @role:members.',
  answers: {
    'get-user-groups': (fields) => ({
      ...fields,
      user_groups: mapObjects(fields.user_groups, withKnownName),
    }),
  },
  state: { realm_user_groups: (groups) => mapObjects(groups, withKnownName) },
};
