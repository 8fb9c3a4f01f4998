/**
 * Operations that this server always refuses, so that clients get the documented error.
 *
 * Data exports (realm.md § Data export): administrators of the server make them by hand; the answer is the one for an
 * organization that is too large. The list is empty and no number names an export. Video calls (realm.md § Other): no
 * provider that needs a call from the server can be configured.
 */
import { apiError } from '#model/errors';
import { defineOperation } from '../../operation.js';
import { declarePathIdParameter, declareTextParameter } from '../../parameters.js';

const getExportsOperation = defineOperation({
  id: 'get-realm-exports',
  method: 'GET',
  path: '/export/realm',
  guard: 'admin',
  summary: 'Data exports of the organization: none.',
  parameters: {},
  run: () => ({ fields: { exports: [] } }),
});

const startExportOperation = defineOperation({
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

const deleteExportOperation = defineOperation({
  id: 'delete-realm-export',
  method: 'DELETE',
  path: '/export/realm/{export_id}',
  guard: 'admin',
  summary: 'Delete a data export.',
  parameters: { export_id: declarePathIdParameter('The export.') },
  run() {
    throw apiError('NO_SUCH_EXPORT');
  },
});

export const DATA_EXPORT_OPERATIONS = [getExportsOperation, startExportOperation, deleteExportOperation] as const;

const createBigBlueButtonCallOperation = defineOperation({
  id: 'create-big-blue-button-video-call',
  method: 'GET',
  path: '/calls/bigbluebutton/create',
  guard: 'user',
  summary: 'A link to a new call of BigBlueButton; refused, because it cannot be configured.',
  parameters: { meeting_name: declareTextParameter('query', 'Name of the call.') },
  run() {
    throw apiError('BIG_BLUE_BUTTON_NOT_CONFIGURED');
  },
});

const createZoomCallOperation = defineOperation({
  id: 'create-zoom-video-call',
  method: 'POST',
  path: '/calls/zoom/create',
  guard: 'user',
  summary: 'A link to a new call of Zoom; refused, because it cannot be configured.',
  parameters: {},
  run() {
    throw apiError('ZOOM_NOT_CONFIGURED');
  },
});

export const VIDEO_CALL_OPERATIONS = [createBigBlueButtonCallOperation, createZoomCallOperation] as const;
