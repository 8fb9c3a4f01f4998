import { h } from 'preact';
import { openLayer, toast } from '../kit/index.js';
import { addLaterTexts, t } from '../text/index.js';

let open = false;

/** Shows the list of shortcuts; it is a chunk of its own. */
export async function openHelp(): Promise<void> {
  if (open) return;
  open = true;
  try {
    const [{ HelpDialog }] = await Promise.all([import('./help/index.js'), addLaterTexts()]);
    openLayer((close) =>
      h(HelpDialog, {
        onClose: () => {
          open = false;
          close();
        },
      }),
    );
  } catch {
    open = false;
    toast({ text: t('error.unreachable'), kind: 'error' });
  }
}
