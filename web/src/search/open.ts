import { type ComponentType, h } from 'preact';
import { openLayer, runWithLazyChunk } from '../kit/index.js';

type SearchPanel = ComponentType<{ readonly onClose: () => void }>;

/** Closes the panel that is open. */
let closeOpenPanel: (() => void) | undefined;

/** Opens a panel of this folder, which is a lazy chunk, or closes it if it is open. */
async function togglePanel(load: () => Promise<SearchPanel>): Promise<void> {
  if (closeOpenPanel) {
    closeOpenPanel();
    return;
  }
  await runWithLazyChunk(load, (panel) => {
    const end: () => void = openLayer((done) => {
      closeOpenPanel = () => {
        closeOpenPanel = undefined;
        done();
      };
      return h(panel, { onClose: () => closeOpenPanel?.() });
    });
    closeOpenPanel ??= end;
  });
}

export const toggleSearch = (): Promise<void> => togglePanel(async () => (await import('./search-box.js')).SearchBox);
export const toggleSwitcher = (): Promise<void> =>
  togglePanel(async () => (await import('./switcher.js')).QuickSwitcher);
