import { effect } from '@preact/signals';
import { loadPush } from '../client/index.js';
import { type Core, getMessageConversation } from '../core/index.js';
import { decideNotice } from './decide.js';
import { showNotification, startClosingReadNotifications } from './desktop.js';
import { isConversationBeingRead, startReadingLock } from './focused.js';
import { startUnreadIcon } from './icon.js';
import { playTune } from './sound.js';

/** A burst of messages plays one tune. */
const MIN_SOUND_INTERVAL_MS = 1_500;

let lastSoundAt = 0;

/** Begins to notify of messages that come from now on. */
export function startNotifying(core: Core): void {
  startReadingLock(core);
  startClosingReadNotifications(core);
  startUnreadIcon(core);
  effect(() => {
    if (core.state.me.userId.value !== 0) void loadPush().then(({ renewPush }) => renewPush(core));
  });
  // The service worker asks for a conversation whose notification was pressed.
  navigator.serviceWorker?.addEventListener('message', ({ data }: MessageEvent<{ readonly open?: string }>) => {
    if (data.open !== undefined) location.hash = data.open;
  });
  core.listen('message', async (event) => {
    if (!core.queue.isLeadingTab.peek()) return;
    const { desktop, sound } = decideNotice(event, core.state);
    if (!desktop && !sound) return;
    if (await isConversationBeingRead(getMessageConversation(event.message, core.state.me.userId.peek()))) return;
    if (desktop) void showNotification(core, event);
    const now = core.platform.now();
    if (!sound || now - lastSoundAt < MIN_SOUND_INTERVAL_MS) return;
    lastSoundAt = now;
    playTune(core.state.me.settings.peek().notification_sound ?? '');
  });
}
