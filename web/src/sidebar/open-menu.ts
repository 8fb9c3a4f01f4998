import { type PopoverAnchor, showToast } from '../kit/index.js';
import { loadLaterTexts, t } from '../text/index.js';
import type { SidebarRow } from './rows.js';

export const hasRowMenu = (row: SidebarRow): boolean => row.kind === 'stream' || row.kind === 'topic';

/** Loads and opens the menu of a row. */
export async function loadAndOpenRowMenu(anchor: PopoverAnchor, row: SidebarRow): Promise<void> {
  try {
    const [menus] = await Promise.all([import('./menus/index.js'), loadLaterTexts()]);
    if (row.kind === 'stream') menus.openStreamMenu(anchor, row.stream.id);
    else if (row.kind === 'topic') menus.openTopicMenu(anchor, row.stream, row.topic);
  } catch {
    showToast({ text: t('error.unreachable'), kind: 'error' });
  }
}
