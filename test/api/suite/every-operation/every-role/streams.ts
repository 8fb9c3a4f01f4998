/** Streams, subscriptions, default streams. */
import { type Person, streamIdOf, subscribe } from '../../../support/organization.js';
import { adminsOnly, fresh, NO_GUESTS, type Row } from './row.js';

async function newStream(by: Person): Promise<number> {
  const name = fresh();
  await subscribe(by, name);
  return streamIdOf(by, name);
}

async function newStreamGroup({ api }: Person): Promise<number> {
  const name = fresh();
  await api.ok('POST /default_stream_groups/create', { group_name: name, description: '', stream_names: [] });
  const state = await api.ok<{ realm_default_stream_groups: { id: number; name: string }[] }>('POST /register', {
    fetch_event_types: ['default_stream_groups'],
  });
  return state.realm_default_stream_groups.find((group) => group.name === name)!.id;
}

export const STREAMS: readonly Row[] = [
  {
    operation: 'POST /users/me/subscriptions/properties',
    params: (_, { stream }) => ({ subscription_data: [{ stream_id: stream, property: 'pin_to_top', value: true }] }),
  },
  {
    operation: 'PATCH /users/me/subscriptions/{stream_id}',
    params: (_, { stream }) => ({ stream_id: stream, property: 'color', value: '#123456' }),
  },
  {
    operation: 'PATCH /users/me/subscriptions',
    params: () => ({ add: [{ name: 'everybody' }] }),
    refused: { guest: NO_GUESTS },
  },
  {
    operation: 'DELETE /streams/{stream_id}',
    params: async (_, { org }) => ({ stream_id: await newStream(org.owner) }),
    refused: adminsOnly,
  },
  {
    operation: 'POST /default_streams',
    params: async (_, { org }) => ({ stream_id: await newStream(org.owner) }),
    refused: adminsOnly,
  },
  {
    operation: 'DELETE /default_streams',
    params: async (_, { stream }) => ({ stream_id: stream }),
    refused: adminsOnly,
  },
  {
    operation: 'POST /default_stream_groups/create',
    params: () => ({ group_name: fresh(), description: '', stream_names: [] }),
    refused: adminsOnly,
  },
  {
    operation: 'PATCH /default_stream_groups/{group_id}',
    params: async (_, { org }) => ({ group_id: await newStreamGroup(org.owner), new_description: 'x' }),
    refused: adminsOnly,
  },
  {
    operation: 'PATCH /default_stream_groups/{group_id}/streams',
    params: async (_, { org }) => ({
      group_id: await newStreamGroup(org.owner),
      op: 'add',
      stream_names: ['everybody'],
    }),
    refused: adminsOnly,
  },
  {
    operation: 'DELETE /default_stream_groups/{group_id}',
    params: async (_, { org }) => ({ group_id: await newStreamGroup(org.owner) }),
    refused: adminsOnly,
  },
];
