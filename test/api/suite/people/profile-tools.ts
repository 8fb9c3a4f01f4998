/** Short forms of the operations on profile fields. */

import type { Params } from '../../support/client.js';
import type { Organization, Person } from '../../support/organization.js';
import type { ApiUser, Fields } from '../../support/types.js';

export interface ApiField extends Fields {
  readonly id: number;
  readonly name: string;
}

export const OPTIONS = { a: { text: 'Ash', order: '1' }, b: { text: 'Birch', order: '2' } };

/** Calls on profile fields: an administrator makes them and a guest looks, unless the call names another user. */
export function profileTools({ admin, guest }: Pick<Organization, 'admin' | 'guest'>) {
  let named = 0;
  const add = (params: Params, by: Person = admin) =>
    by.api.call('POST /realm/profile_fields', { name: `Field ${++named}`, field_type: 1, ...params });
  const made = async (params: Params = {}): Promise<number> => (await add(params)).body.id as number;
  const change = (field_id: number, params: Params, by: Person = admin) =>
    by.api.call('PATCH /realm/profile_fields/{field_id}', { field_id, ...params });
  const remove = (field_id: number, by: Person = admin) =>
    by.api.call('DELETE /realm/profile_fields/{field_id}', { field_id });
  const reorder = (order: unknown, by: Person = admin) => by.api.call('PATCH /realm/profile_fields', { order });
  const list = async (by: Person = guest) =>
    (await by.api.ok<{ custom_fields: ApiField[] }>('GET /realm/profile_fields')).custom_fields;
  const find = async (id: number) => (await list()).find((field) => field.id === id);
  const clear = async () => {
    for (const { id } of await list()) await remove(id);
  };
  const fill = (by: Person, data: readonly Params[]) => by.api.ok('PATCH /users/me/profile_data', { data });
  const profileOf = async ({ id }: Person) => {
    const { user } = await guest.api.ok<{ user: ApiUser }>('GET /users/{user_id}', {
      user_id: id,
      include_custom_profile_fields: true,
    });
    return user.profile_data as Fields;
  };

  return { add, made, change, remove, reorder, list, find, clear, fill, profileOf };
}
