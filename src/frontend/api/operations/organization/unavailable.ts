/**
 * Operations that this server always refuses, so that clients get the documented error.
 *
 * Video calls (realm.md § Other): no provider that needs a call from the server can be configured.
 */
import { apiError } from '#model/errors';
import { defineOperation } from '../../operation.js';
import { declareRequiredTextParameter } from '../../parameters.js';

const refuseBigBlueButtonCallOperation = defineOperation({
  id: 'create-big-blue-button-video-call',
  method: 'GET',
  path: '/calls/bigbluebutton/create',
  guard: 'user',
  summary: 'A link to a new call of BigBlueButton; refused, because it cannot be configured.',
  parameters: { meeting_name: declareRequiredTextParameter('query', 'Name of the call.') },
  run() {
    throw apiError('BIG_BLUE_BUTTON_NOT_CONFIGURED');
  },
});

const refuseZoomCallOperation = defineOperation({
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

export const VIDEO_CALL_OPERATIONS = [refuseBigBlueButtonCallOperation, refuseZoomCallOperation] as const;
