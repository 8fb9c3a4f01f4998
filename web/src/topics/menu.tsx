import { IconButton, type PopoverAnchor, runWithLazyChunk } from '../kit/index.js';
import { t } from '../text/index.js';

/** Loads and opens the menu of a topic. */
export const loadAndOpenTopicMenu = (anchor: PopoverAnchor, stream: number, topic: string): Promise<void> =>
  runWithLazyChunk(
    () => import('../topics-later/index.js'),
    ({ openTopicMenu }) => openTopicMenu(anchor, stream, topic),
  );

/** Opens the menu of a topic, beside its name. */
export function TopicMenuButton({ stream, topic }: { readonly stream: number; readonly topic: string }) {
  return (
    <IconButton
      icon="more-vertical"
      label={t('common.more')}
      popup="menu"
      onClick={(event) => void loadAndOpenTopicMenu(event.currentTarget, stream, topic)}
    />
  );
}
