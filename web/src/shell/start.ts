import { effect } from '@preact/signals';
import { h, render } from 'preact';
import { provideCore } from '../client/index.js';
import type { Core } from '../core/index.js';
import { startOverlays, startShortcutListener } from '../kit/index.js';
import { startNotices } from '../notify/index.js';
import { chooseLanguage, uses24HourClock } from '../text/index.js';
import { App } from './app.js';
import { startBadge } from './badge.js';
import { syncShortcutKeysWithStorage } from './keys.js';
import { startTheme } from './theme.js';
import { startTitle } from './title.js';
import { loadMessagesChunkIfAddressed } from './views.js';

/** Shows the client. */
export async function startShell(core: Core, root: HTMLElement): Promise<void> {
  loadMessagesChunkIfAddressed();
  provideCore(core);
  startTheme(core);
  startTitle(core);
  startBadge(core);
  syncShortcutKeysWithStorage();
  await chooseLanguage(navigator.languages);
  effect(() => {
    // Visitors have settings, too, but these are defaults of the organization.
    if (core.state.me.id === 0) return;
    const { default_language: wanted, twenty_four_hour_time } = core.state.me.settings.value;
    uses24HourClock.value = twenty_four_hour_time;
    if (wanted !== undefined) void chooseLanguage([wanted, ...navigator.languages]);
  });
  startOverlays();
  startShortcutListener();
  for (const type of ['keydown', 'pointerdown', 'wheel']) {
    window.addEventListener(type, () => core.presenceReports.noteInput(), { passive: true });
  }
  render(h(App, null), root);
  startNotices(core).catch(() => {});
}
