/** Linkifiers and playgrounds, exports and video calls. */
import { adminsOnly, everybody, fresh, type Row } from './row.js';

const NO_EXPORT = 'Invalid data export ID';

export const ORGANIZATION: readonly Row[] = [
  { operation: 'GET /realm/linkifiers', params: () => ({}) },
  {
    operation: 'POST /realm/playgrounds',
    params: () => ({ name: fresh(), highlighter_language: 'Python', url_prefix: 'https://play.example.com/' }),
    refused: adminsOnly,
  },
  {
    operation: 'PATCH /realm/filters/{filter_id}',
    params: async (_, { org }) => {
      const [pattern, url_template] = [`${fresh().replaceAll(' ', '-')}-(?P<id>[0-9]+)`, 'https://x.example.com/{id}'];
      const { id } = await org.owner.api.ok('POST /realm/filters', { pattern, url_template });
      return { filter_id: id, pattern, url_template };
    },
    refused: adminsOnly,
  },
  { operation: 'GET /export/realm', params: () => ({}), refused: adminsOnly },
  {
    operation: 'POST /export/realm',
    params: () => ({}),
    refused: adminsOnly,
  },
  {
    operation: 'DELETE /export/realm/{export_id}',
    params: () => ({ export_id: 99_999 }),
    refused: { ...adminsOnly, owner: NO_EXPORT, admin: NO_EXPORT },
  },
  {
    operation: 'GET /calls/bigbluebutton/create',
    params: () => ({ meeting_name: fresh() }),
    refused: everybody('BigBlueButton is not configured.'),
  },
  {
    operation: 'POST /calls/zoom/create',
    params: () => ({}),
    refused: everybody('Zoom credentials have not been configured'),
  },
];
