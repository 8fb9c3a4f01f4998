/** Parts of the page that start when the first view is on screen: a lazy chunk. */
import { core } from '../client/index.js';
import { forgetLeftEntries } from '../kit-later/index.js';
import { loadEmojiFontIfNeeded } from './emoji-font.js';
import { startLostFocusRecovery } from './lost-focus.js';
import { startDayUpdates } from './midnight.js';

export function startLaterParts(): void {
  startLostFocusRecovery();
  startDayUpdates();
  loadEmojiFontIfNeeded();
  core.session.state.subscribe((state) => {
    if (state === 'signed-out') forgetLeftEntries();
  });
}
