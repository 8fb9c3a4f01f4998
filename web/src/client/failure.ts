import { ApiFailure } from '../core/index.js';
import { t, translateRefusal } from '../text/index.js';

/** @returns the text for a call that the server refused or did not answer */
export function formatFailureText(error: unknown): string {
  if (!(error instanceof ApiFailure)) return t('error.unreachable');
  if (error.retryAfterMs !== undefined) return t('error.rate-limit', { n: Math.ceil(error.retryAfterMs / 1000) });
  return translateRefusal(error.message, error.code);
}
