import { effect } from '@preact/signals';
import { loadPush } from '../client/index.js';
import { type Core, conversationOf } from '../core/index.js';
import { noticeOf } from './decide.js';
import { closeWhenRead, showNotification } from './desktop.js';
import { isBeingRead, watchFocus } from './focused.js';
import { startIcon } from './icon.js';
import { play } from './sound.js';

/** A burst of messages plays one tune. */
const PAUSE_MS = 1_500;

let playedAt = 0;

/** Begins to notify of messages that come from now on. */
export function start(core: Core): void {
  watchFocus(core);
  closeWhenRead(core);
  startIcon(core);
  effect(() => {
    if (core.state.me.userId.value !== 0) void loadPush().then(({ keepPush }) => keepPush(core));
  });
  // The service worker asks for a conversation whose notification was pressed.
  navigator.serviceWorker?.addEventListener('message', ({ data }: MessageEvent<{ readonly open?: string }>) => {
    if (data.open !== undefined) location.hash = data.open;
  });
  core.listen('message', async (event) => {
    if (!core.queue.leads.peek()) return;
    const { desktop, sound } = noticeOf(event, core.state);
    if (!desktop && !sound) return;
    if (await isBeingRead(conversationOf(event.message, core.state.me.userId.peek()))) return;
    if (desktop) void showNotification(core, event);
    const now = core.platform.now();
    if (!sound || now - playedAt < PAUSE_MS) return;
    playedAt = now;
    play(core.state.me.settings.peek().notification_sound ?? '');
  });
}
