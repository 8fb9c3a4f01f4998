/** Links to video calls (realm.md § Other). No provider can be configured that needs the server to make a call. */
import { apiError } from '#model/errors';
import { operation } from '../../operation.js';
import { text } from '../../parameters.js';

const createBigBlueButtonCall = operation({
  id: 'create-big-blue-button-video-call',
  method: 'GET',
  path: '/calls/bigbluebutton/create',
  guard: 'user',
  summary: 'A link to a new call of BigBlueButton; refused, because it cannot be configured.',
  parameters: { meeting_name: text('query', 'Name of the call.') },
  run() {
    throw apiError('BIG_BLUE_BUTTON_NOT_CONFIGURED');
  },
});

const createZoomCall = operation({
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

export const VIDEO_CALL_OPERATIONS = [createBigBlueButtonCall, createZoomCall] as const;
