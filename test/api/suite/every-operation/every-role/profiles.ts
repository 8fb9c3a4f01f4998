/** Custom profile fields. */
import { adminsOnly, fresh, type Row, type World } from './row.js';

const profileField = async ({ org }: World): Promise<number> =>
  (await org.owner.api.ok<{ id: number }>('POST /realm/profile_fields', { name: fresh(), field_type: 1 })).id;

export const PROFILES: readonly Row[] = [
  { operation: 'GET /realm/profile_fields', params: () => ({}) },
  { operation: 'POST /realm/profile_fields', params: () => ({ name: fresh(), field_type: 1 }), refused: adminsOnly },
  {
    operation: 'PATCH /realm/profile_fields/{field_id}',
    params: async (_, world) => ({ field_id: await profileField(world), name: fresh() }),
    refused: adminsOnly,
  },
  {
    operation: 'PATCH /realm/profile_fields',
    params: async (_, { org }) => {
      const { custom_fields } = await org.owner.api.ok('GET /realm/profile_fields');
      return { order: (custom_fields as { id: number }[]).map(({ id }) => id) };
    },
    refused: adminsOnly,
  },
  {
    operation: 'DELETE /realm/profile_fields/{field_id}',
    params: async (_, world) => ({ field_id: await profileField(world) }),
    refused: adminsOnly,
  },
  {
    operation: 'PATCH /users/me/profile_data',
    params: async (_, world) => ({ data: [{ id: await profileField(world), value: 'x' }] }),
  },
  {
    operation: 'DELETE /users/me/profile_data',
    params: async (_, world) => ({ data: [await profileField(world)] }),
  },
];
