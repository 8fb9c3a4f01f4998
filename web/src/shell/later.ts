/** Parts of the page that begin when the first view is on screen: a chunk of their own. */
import { loadEmojiFontIfNeeded } from './emoji-font.js';
import { startPlacingLostFocus } from './lost-focus.js';
import { startTurningDays } from './midnight.js';

export function startLaterParts(): void {
  startPlacingLostFocus();
  startTurningDays();
  loadEmojiFontIfNeeded();
}
