import type { ApiChange } from '../change.js';
import { mapObjects, mapText } from '../json.js';

const withoutAt = (name: string): string => (name.startsWith('@role:') ? name.slice(1) : name);

export const NAMES_OF_ROLE_GROUPS: ApiChange = {
  since: 277,
  summary: 'System groups are named role:members instead of @role:members.',
  answers: {
    'get-user-groups': (fields) => ({
      ...fields,
      user_groups: mapObjects(fields.user_groups, (group) => mapText(group, 'name', withoutAt)),
    }),
  },
  state: { realm_user_groups: (groups) => mapObjects(groups, (group) => mapText(group, 'name', withoutAt)) },
};
