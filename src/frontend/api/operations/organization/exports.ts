/**
 * Data exports (realm.md § Data export). The server makes none, so that each request is referred to those who run it, as
 * one of an organization that is too large; the list is empty and no number names an export.
 */
import { apiError } from '#model/errors';
import { operation } from '../../operation.js';
import { pathId } from '../../parameters.js';

const getExports = operation({
  id: 'get-realm-exports',
  method: 'GET',
  path: '/export/realm',
  guard: 'admin',
  summary: 'Data exports of the organization: none.',
  parameters: {},
  run: () => ({ fields: { exports: [] } }),
});

const startExport = operation({
  id: 'export-realm',
  method: 'POST',
  path: '/export/realm',
  guard: 'admin',
  summary: 'Ask for a data export; refused, because those who run the server make them by hand.',
  parameters: {},
  run({ administratorEmail }) {
    throw apiError('EXPORT_BY_HAND', { email: administratorEmail });
  },
});

const deleteExport = operation({
  id: 'delete-realm-export',
  method: 'DELETE',
  path: '/export/realm/{export_id}',
  guard: 'admin',
  summary: 'Delete a data export.',
  parameters: { export_id: pathId('The export.') },
  run() {
    throw apiError('NO_SUCH_EXPORT');
  },
});

export const EXPORT_OPERATIONS = [getExports, startExport, deleteExport] as const;
