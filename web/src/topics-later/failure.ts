import { ApiFailure } from '../core/index.js';
import { showToast } from '../kit/index.js';
import { t } from '../text/index.js';

/** @returns the text of the server's refusal, or the one for no answer */
export const formatFailure = (error: unknown): string =>
  error instanceof ApiFailure ? error.message : t('error.unreachable');

/** Waits for an action and says a refusal. */
export async function awaitOrToastError(action: Promise<unknown>): Promise<void> {
  try {
    await action;
  } catch (error) {
    showToast({ text: formatFailure(error), kind: 'error' });
  }
}

/** Copies the address of a place of the client. */
export async function copyAbsoluteLink(hash: string): Promise<void> {
  await navigator.clipboard.writeText(new URL(hash, location.href).href);
  showToast({ text: t('common.copied'), kind: 'success' });
}
