import { core } from '../client/index.js';
import type { MessageWindow } from '../core/index.js';

/** Marks as read what is on screen while the page is in front. Messages marked as unread by hand stay so here. */
export function noteSeen(window: MessageWindow, ids: readonly number[]): void {
  if (!core.platform.visible.peek() || document.querySelector('dialog:modal')) return;
  const kept = keptUnread.get(window) ?? Number.POSITIVE_INFINITY;
  core.reading.seen(
    ids.filter((id) => id < kept),
    window.narrow,
  );
}

/** The first message that the reader marked as unread: it and those behind it wait until the view is opened again. */
const keptUnread = new WeakMap<MessageWindow, number>();

export function keepUnread(window: MessageWindow, from: number | undefined): void {
  if (from === undefined) keptUnread.delete(window);
  else keptUnread.set(window, from);
}
