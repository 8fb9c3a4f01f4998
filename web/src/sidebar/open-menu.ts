import { type PopoverAnchor, runWithLazyChunk } from '../kit/index.js';
import { loadAndOpenTopicMenu } from '../topics/index.js';
import type { SidebarRow } from './rows.js';

export const hasRowMenu = (row: SidebarRow): boolean => row.kind === 'stream' || row.kind === 'topic';

/** Loads and opens the menu of a row. */
export async function loadAndOpenRowMenu(anchor: PopoverAnchor, row: SidebarRow): Promise<void> {
  if (row.kind === 'topic') await loadAndOpenTopicMenu(anchor, row.stream, row.topic);
  else if (row.kind === 'stream') {
    const { id } = row.stream;
    await runWithLazyChunk(
      () => import('./menus/index.js'),
      ({ openStreamMenu }) => openStreamMenu(anchor, id),
    );
  }
}
