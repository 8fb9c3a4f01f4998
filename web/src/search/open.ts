import { type ComponentType, h } from 'preact';
import { openLayer, toast } from '../kit/index.js';
import { addLaterTexts, t } from '../text/index.js';

type Panel = ComponentType<{ readonly onClose: () => void }>;

/** Closes the panel that is open. */
let close: (() => void) | undefined;

/** Shows a panel of this folder, which is a chunk of its own; another press of its key closes it. */
async function open(load: () => Promise<Panel>): Promise<void> {
  if (close) {
    close();
    return;
  }
  try {
    const [panel] = await Promise.all([load(), addLaterTexts()]);
    const end: () => void = openLayer((done) => {
      close = () => {
        close = undefined;
        done();
      };
      return h(panel, { onClose: () => close?.() });
    });
    close ??= end;
  } catch {
    toast({ text: t('error.unreachable'), kind: 'error' });
  }
}

export const openSearch = (): Promise<void> => open(async () => (await import('./search-box.js')).SearchBox);
export const openSwitcher = (): Promise<void> => open(async () => (await import('./switcher.js')).Switcher);
