/** All changes since the base level, oldest first. */
import type { ApiChange } from '../change.js';
import { CHANNELS_AS_RECIPIENTS, STREAM_ID_OF_TYPING } from './channel-recipients.js';
import { CODES_OF_ALL_ERRORS } from './error-codes.js';

export const API_CHANGES: readonly ApiChange[] = [
  CODES_OF_ALL_ERRORS,
  CHANNELS_AS_RECIPIENTS,
  STREAM_ID_OF_TYPING,
].sort((a, b) => a.since - b.since);
