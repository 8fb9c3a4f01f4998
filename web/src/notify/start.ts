import { effect } from '@preact/signals';
import { loadPushModule } from '../client/index.js';
import { type Core, getMessageConversation } from '../core/index.js';
import { decideNotification } from './decide.js';
import { showMessageNotification, startClosingOutdatedNotifications } from './desktop.js';
import { isConversationBeingRead, startHoldingReadingLock } from './focused.js';
import { startUnreadCountIcon } from './icon.js';
import { playTune } from './sound.js';

export { playTune };

/** Several messages within this time play one tune. */
const MIN_SOUND_INTERVAL_MS = 1_500;

let lastSoundAt = 0;

/** Notifies of messages that arrive from now on. */
export function startNotifying(core: Core): void {
  startHoldingReadingLock(core);
  startClosingOutdatedNotifications(core);
  startUnreadCountIcon(core);
  effect(() => {
    if (core.state.me.userIdSignal.value === 0) return;
    // If the chunk can't be loaded, the next start renews the subscription.
    void loadPushModule().then(
      ({ renewPush }) => renewPush(core),
      () => {},
    );
  });
  // The service worker posts the conversation of a notification that was pressed.
  navigator.serviceWorker?.addEventListener('message', ({ data }: MessageEvent<{ readonly open?: string }>) => {
    if (data.open !== undefined) location.hash = data.open;
  });
  core.listenToEvents('message', async (event) => {
    if (!core.eventQueue.isLeadingTab.peek()) return;
    const { desktop, sound } = decideNotification(event, core.state);
    if (!desktop && !sound) return;
    if (await isConversationBeingRead(getMessageConversation(event.message, core.state.me.userIdSignal.peek()))) return;
    if (desktop) void showMessageNotification(core, event);
    const now = core.platform.now();
    if (!sound || now - lastSoundAt < MIN_SOUND_INTERVAL_MS) return;
    lastSoundAt = now;
    playTune(core.state.me.settings.peek().notification_sound ?? '');
  });
}
