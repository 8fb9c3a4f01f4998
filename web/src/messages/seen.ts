import { core } from '../client/index.js';
import type { MessageWindow } from '../core/index.js';

/** Whether the reader sees what is on screen: the page is not hidden, and no dialog is open. */
const isScreenSeen = (): boolean => core.platform.visible.peek() && !document.querySelector('dialog:modal');

/**
 * Whether a message counts as read as soon as it is on screen. In a page without focus, the message stays unread until
 * the list has come to rest, so that the line "New" goes above it.
 */
export const marksArrivalAsRead = (window: MessageWindow): boolean =>
  core.platform.focused.peek() &&
  isScreenSeen() &&
  !firstKeptUnreadByWindow.has(window) &&
  core.readMarker.marksReadOnScrollIn(window.narrow);

/** Marks messages on screen as read if the reader sees them. Messages that the reader marked as unread stay unread. */
export function markSeenAsRead(window: MessageWindow, ids: readonly number[]): void {
  if (!isScreenSeen()) return;
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
