/** Bots. */
import { makeBot } from '../../../support/organization.js';
import { fresh, NO_GUESTS, type Row } from './row.js';

export const BOTS: readonly Row[] = [
  {
    operation: 'DELETE /bots/{bot_id}',
    params: async (by, { org }) => ({
      bot_id: (await makeBot(by.role === 'guest' || by.role === 'bot' ? org.owner : by)).id,
    }),
    refused: { guest: 'Insufficient permission', bot: 'Insufficient permission' },
  },
  { operation: 'GET /bot_storage', params: () => ({}) },
  { operation: 'PUT /bot_storage', params: () => ({ storage: { a: 'b' } }) },
  { operation: 'DELETE /bot_storage', params: () => ({}) },
  { operation: 'GET /bots', params: () => ({}), refused: { guest: NO_GUESTS } },
  {
    operation: 'PATCH /bots/{bot_id}',
    params: async (by, { org }) => ({ bot_id: (await makeBot(by.role === 'guest' ? org.owner : by)).id }),
    refused: { guest: NO_GUESTS },
  },
  {
    operation: 'POST /bots/{bot_id}/api_key/regenerate',
    params: async (by, { org }) => ({ bot_id: (await makeBot(by.role === 'guest' ? org.owner : by)).id }),
    refused: { guest: NO_GUESTS },
  },
  {
    operation: 'POST /bots',
    params: () => ({ full_name: fresh(), short_name: fresh().replaceAll(' ', '-') }),
    refused: { guest: NO_GUESTS },
  },
];
