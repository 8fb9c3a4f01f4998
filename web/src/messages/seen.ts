import { core } from '../client/index.js';
import type { MessageWindow } from '../core/index.js';

/**
 * Marks messages on screen as read, unless the page is hidden or a dialog is open. Messages that the reader marked as
 * unread stay unread.
 */
export function markSeenAsRead(window: MessageWindow, ids: readonly number[]): void {
  if (!core.platform.visible.peek() || document.querySelector('dialog:modal')) return;
  const kept = firstKeptUnreadByWindow.get(window) ?? Number.POSITIVE_INFINITY;
  core.readMarker.markSeenAsReadIfEnabled(
    ids.filter((id) => id < kept),
    window.narrow,
  );
}

/**
 * The first message that the reader marked as unread. It and those behind it stay unread until the view is opened
 * again.
 */
const firstKeptUnreadByWindow = new WeakMap<MessageWindow, number>();

export function setFirstKeptUnread(window: MessageWindow, from: number | undefined): void {
  if (from === undefined) firstKeptUnreadByWindow.delete(window);
  else firstKeptUnreadByWindow.set(window, from);
}
