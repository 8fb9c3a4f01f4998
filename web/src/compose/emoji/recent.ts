import type { Emoji } from '../../completion/index.js';

const RECENT_EMOJI_STORE_KEY = 'recent-emoji';
const MAX_RECENT_EMOJI = 27;

type RecentEmoji = Pick<Emoji, 'code' | 'type'>;

/** Emoji that were chosen in this browser, newest first. */
export function readRecentEmoji(): readonly RecentEmoji[] {
  try {
    const list: unknown = JSON.parse(localStorage.getItem(RECENT_EMOJI_STORE_KEY) ?? '[]');
    return Array.isArray(list) ? (list as RecentEmoji[]).filter(({ code }) => typeof code === 'string') : [];
  } catch {
    return [];
  }
}

export function noteRecentEmoji({ code, type }: Emoji): void {
  const others = readRecentEmoji().filter((one) => one.code !== code || one.type !== type);
  try {
    localStorage.setItem(
      RECENT_EMOJI_STORE_KEY,
      JSON.stringify([{ code, type }, ...others].slice(0, MAX_RECENT_EMOJI)),
    );
  } catch {
    // Without storage there are no recent ones.
  }
}
