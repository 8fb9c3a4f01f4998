/** Parts of the page that start when the first view is on screen: a lazy chunk. */
import { loadEmojiFontIfNeeded } from './emoji-font.js';
import { startLostFocusRecovery } from './lost-focus.js';
import { startDayUpdates } from './midnight.js';

export function startLaterParts(): void {
  startLostFocusRecovery();
  startDayUpdates();
  loadEmojiFontIfNeeded();
}
