import { h } from 'preact';
import { openLayer, runWithLazyChunk } from '../kit/index.js';

let isHelpOpen = false;

/** Shows the list of shortcuts, which is a chunk of its own. */
export const openHelp = (): Promise<void> =>
  runWithLazyChunk(
    () => import('./help/index.js'),
    ({ HelpDialog }) => {
      if (isHelpOpen) return;
      isHelpOpen = true;
      openLayer((close) =>
        h(HelpDialog, {
          onClose: () => {
            isHelpOpen = false;
            close();
          },
        }),
      );
    },
  );
