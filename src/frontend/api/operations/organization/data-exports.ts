/** Operations for data exports (realm.md § Data export): the public data of an organization, for administrators. */
import { blobNameOfDataExport, fileNameOfDataExport, makeDataExportPath } from '#domain/files';
import { realmActorKey, toRealmId } from '#model';
import { realmActorCommands } from '#model/commands';
import { type ApiOperation, defineOperation, forwardCommand } from '../../operation.js';
import { declarePathIdParameter, declarePathTextParameter } from '../../parameters.js';
import { CONDITIONAL_REQUEST_HEADERS, makeStoredFileAnswer } from '../../raw-answers.js';

const getExportsOperation = defineOperation({
  id: 'get-realm-exports',
  method: 'GET',
  path: '/export/realm',
  guard: 'admin',
  // The addresses of archives are secret links.
  compressed: false,
  summary: 'Data exports of the organization, also those that failed or were deleted.',
  parameters: {},
  run: ({ realm, site }) =>
    forwardCommand({ to: realmActorKey(realm), command: realmActorCommands.listExports, args: { origin: site } }),
});

const startExportOperation = defineOperation({
  id: 'export-realm',
  method: 'POST',
  path: '/export/realm',
  guard: 'admin',
  summary: 'Start an export of the public data of the organization.',
  parameters: {},
  run: ({ realm, site, administratorEmail }) =>
    forwardCommand({
      to: realmActorKey(realm),
      command: realmActorCommands.startExport,
      args: { archive: makeDataExportPath(realm), origin: site, administratorEmail },
    }),
});

const deleteExportOperation = defineOperation({
  id: 'delete-realm-export',
  method: 'DELETE',
  path: '/export/realm/{export_id}',
  guard: 'admin',
  summary: 'Delete the archive of a data export; the list still shows the export.',
  parameters: { export_id: declarePathIdParameter('The export.') },
  run: ({ realm, site, params }) =>
    forwardCommand({
      to: realmActorKey(realm),
      command: realmActorCommands.deleteExport,
      args: { id: params.export_id, origin: site },
    }),
});

const downloadExportOperation = defineOperation({
  id: 'download-realm-export',
  method: 'GET',
  path: '/user_avatars/exports/{realm_id}/{token}/{filename}',
  root: true,
  guard: 'none',
  rateLimit: 'none',
  headers: CONDITIONAL_REQUEST_HEADERS,
  summary: 'The archive of a data export; its random address needs no log-in.',
  parameters: {
    realm_id: declarePathIdParameter('The organization.'),
    token: declarePathTextParameter('Random part of the address.'),
    filename: declarePathTextParameter('Name of the archive.'),
  },
  async run(call) {
    const { realm_id, token, filename } = call.params;
    const path = `${realm_id}/${token}/${filename}`;
    const blob = await call.blobs.find(toRealmId(realm_id), blobNameOfDataExport(path));
    return makeStoredFileAnswer(call, blob, {
      name: fileNameOfDataExport(path),
      tag: token,
      download: true,
      caching: 'private',
    });
  },
});

export const DATA_EXPORT_OPERATIONS = [
  getExportsOperation,
  startExportOperation,
  deleteExportOperation,
  downloadExportOperation,
] as unknown as readonly ApiOperation[];
