import { formatFailureText } from '../client/index.js';
import { showToast } from '../kit/index.js';
import { t } from '../text/index.js';

/** Waits for an action and says a refusal. */
export async function awaitOrToastError(action: Promise<unknown>): Promise<void> {
  try {
    await action;
  } catch (error) {
    showToast({ text: formatFailureText(error), kind: 'error' });
  }
}

/** Copies the address of a place of the client. */
export async function copyAbsoluteLink(hash: string): Promise<void> {
  await navigator.clipboard.writeText(new URL(hash, location.href).href);
  showToast({ text: t('messages.copied'), kind: 'success' });
}
