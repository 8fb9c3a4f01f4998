import type { ClientState } from '../core/index.js';

/** Values of the setting desktop_icon_count_display. */
const ICON_COUNT_DISPLAY = { all: 1, personal: 2, none: 3 } as const;

/** The number in title and icon: all unread messages, or direct ones and mentions, or none, as the user set it. */
export function computeShownUnreadCount({ me, unread }: ClientState): number {
  const wish: number | undefined = me.settings.value.desktop_icon_count_display;
  if (wish === ICON_COUNT_DISPLAY.none) return 0;
  if (wish !== ICON_COUNT_DISPLAY.personal) return unread.totalUnmutedCount.value;
  const inDirects = unread.unreadConversations.value.reduce(
    (sum, { conversation, mentionCount }) => ('users' in conversation ? sum + mentionCount : sum),
    0,
  );
  return unread.unreadDirectCount.value + unread.unreadMentionIds.value.length - inDirects;
}
