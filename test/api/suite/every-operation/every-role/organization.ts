/** Linkifiers and playgrounds. */
import { adminsOnly, fresh, type Row } from './row.js';

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
];
