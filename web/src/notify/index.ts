/**
 * How the client gets noticed while the reader looks elsewhere: desktop notifications, sounds, a number in the icon.
 *
 *     message event → decide.ts (settings of user and stream, mutes) → desktop.ts, sound.ts
 *     push → web/worker/push.ts; web/src/client/push.ts keeps this browser subscribed
 *     unread → count.ts → title (shell), icon.ts
 *
 * - Only the leading tab notifies; a tab that has the focus on the conversation keeps it silent (`focused.ts`).
 * - A notification goes when its message was read, here or on another device, and when the session ends.
 * - Nothing comes from files of other hosts: tunes are made of tones, the icon is drawn over that of the server.
 *
 * `loadAndStartNotifying` is called once by the shell and loads the rest as a chunk of its own.
 */
import type { Core } from '../core/index.js';
import { loadLaterTexts } from '../text/index.js';

export { computeShownUnreadCount } from './count.js';

export async function loadAndStartNotifying(core: Core): Promise<void> {
  const [{ startNotifying }] = await Promise.all([import('./start.js'), loadLaterTexts()]);
  startNotifying(core);
}

/** Plays a tune by its name in the settings. */
export async function loadAndPlayTune(name: string): Promise<void> {
  const { playTune } = await import('./start.js');
  playTune(name);
}
