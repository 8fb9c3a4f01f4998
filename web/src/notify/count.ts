import type { State } from '../core/index.js';

/** Values of the setting desktop_icon_count_display. */
const SHOWS = { all: 1, personal: 2, none: 3 } as const;

/** The number in title and icon: all unread messages, or direct ones and mentions, or none, as the user set it. */
export function shownCount({ me, unread }: State): number {
  const wish: number | undefined = me.settings.value.desktop_icon_count_display;
  if (wish === SHOWS.none) return 0;
  if (wish !== SHOWS.personal) return unread.total.value;
  const inDirects = unread.conversations.value.reduce(
    (sum, { of, mentions }) => ('users' in of ? sum + mentions : sum),
    0,
  );
  return unread.direct.value + unread.mentions.value.length - inDirects;
}
