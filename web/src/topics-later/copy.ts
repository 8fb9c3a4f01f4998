import { showToast } from '../kit/index.js';
import { t } from '../text/index.js';

/** Copies a text; a toast shows whether the browser allowed it. */
export async function copyTextWithToast(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    showToast({ text: t('messages.copied'), kind: 'success' });
  } catch {
    showToast({ text: t('messages.copy-failed'), kind: 'error' });
  }
}

/** Copies the address of a view of the client. */
export const copyAbsoluteLink = (hash: string): Promise<void> => copyTextWithToast(new URL(hash, location.href).href);
