import { h } from 'preact';
import { openLayer, showToast } from '../kit/index.js';
import { loadLaterTexts, t } from '../text/index.js';

let isHelpOpen = false;

/** Shows the list of shortcuts; it is a chunk of its own. */
export async function openHelp(): Promise<void> {
  if (isHelpOpen) return;
  isHelpOpen = true;
  try {
    const [{ HelpDialog }] = await Promise.all([import('./help/index.js'), loadLaterTexts()]);
    openLayer((close) =>
      h(HelpDialog, {
        onClose: () => {
          isHelpOpen = false;
          close();
        },
      }),
    );
  } catch {
    isHelpOpen = false;
    showToast({ text: t('error.unreachable'), kind: 'error' });
  }
}
