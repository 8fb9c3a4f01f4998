/** People's own settings and state, and groups. */
import { type Person, userGroup } from '../../../support/organization.js';
import { adminsOnly, fresh, NO_GUESTS, type Row, type World } from './row.js';

/** Makes a group with this user in it. */
const group = (by: Person, { org }: World): Promise<number> => userGroup(org.owner, fresh(), [by, org.owner]);

export const PEOPLE: readonly Row[] = [
  { operation: 'PATCH /settings', params: () => ({ enter_sends: true }) },
  { operation: 'PATCH /settings/display', params: () => ({ enter_sends: false }) },
  { operation: 'PATCH /settings/notifications', params: () => ({ enable_sounds: true }) },
  { operation: 'POST /zcommand', params: () => ({ command: '/ping' }) },
  ...['/users/me/apns_device_token', '/users/me/android_gcm_reg_id'].flatMap((path): Row[] => [
    { operation: `POST ${path}`, params: () => ({ token: 'ZGV2aWNl' }) },
    { operation: `DELETE ${path}`, params: () => ({ token: 'ZGV2aWNl' }) },
  ]),
  {
    operation: 'PATCH /realm/user_settings_defaults',
    params: () => ({ enable_sounds: true }),
    refused: adminsOnly,
  },
  { operation: 'GET /users/me/alert_words', params: () => ({}) },
  { operation: 'POST /users/me/presence', params: () => ({ status: 'active' }) },
  { operation: 'GET /realm/presence', params: () => ({}) },
  {
    operation: 'GET /users/{user_id_or_email}/presence',
    params: ({ id }) => ({ user_id_or_email: id }),
    refused: { bot: 'Presence is not supported for bot users.' },
  },
  { operation: 'POST /users/me/status', params: () => ({ status_text: 'here' }) },
  { operation: 'POST /users/me/hotspots', params: () => ({ hotspot: 'intro_gear' }) },
  { operation: 'POST /users/me/tutorial_status', params: () => ({ status: 'finished' }) },
  {
    operation: 'POST /user_groups/create',
    params: () => ({ name: fresh(), description: '', members: [] }),
    refused: { guest: NO_GUESTS },
  },
  {
    operation: 'POST /user_groups/{user_group_id}/subgroups',
    params: async (by, world) => ({ user_group_id: await group(by, world), add: [await group(by, world)] }),
    refused: { guest: NO_GUESTS },
  },
  {
    operation: 'DELETE /user_groups/{user_group_id}',
    params: async (by, world) => ({ user_group_id: await group(by, world) }),
    refused: { guest: NO_GUESTS },
  },
];
