/** Turns "Today" into "Yesterday" in a page that stays open over midnight. */
import { effect } from '@preact/signals';
import { updateCurrentDay } from '../text/index.js';

/** Maximum time between two updates, ms: a change of daylight saving time moves midnight by an hour. */
const MAX_WAIT_MS = 3_600_000;

/** Updates the day at midnight, and when the page is shown again: timers stand still while the computer sleeps. */
export function startDayUpdates(): void {
  let timer = 0;
  const update = (): void => {
    window.clearTimeout(timer);
    timer = window.setTimeout(update, Math.min(updateCurrentDay(), MAX_WAIT_MS));
  };
  // Runs again when the time zone changes.
  effect(update);
  document.addEventListener('visibilitychange', update);
}
