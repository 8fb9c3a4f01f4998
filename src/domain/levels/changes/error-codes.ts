import type { ApiChange } from '../change.js';

/** Newer clients treat a refusal as an API error only if it has a code. */
export const CODES_OF_ALL_ERRORS: ApiChange = {
  since: 277,
  summary: 'Each refusal (4xx) has a code: BAD_REQUEST where it had none.',
  error: (error) =>
    error.code === undefined && error.html === undefined && error.status < 500
      ? { ...error, code: 'BAD_REQUEST' }
      : error,
};
