import { effect } from '@preact/signals';
import { h, render } from 'preact';
import { provideCore } from '../client/index.js';
import type { Core } from '../core/index.js';
import { listenToKeys, startOverlays } from '../kit/index.js';
import { startNotices } from '../notify/index.js';
import { chooseLanguage, twentyFourHours } from '../text/index.js';
import { App } from './app.js';
import { startBadge } from './badge.js';
import { loadKeys } from './keys.js';
import { startTheme } from './theme.js';
import { startTitle } from './title.js';
import { loadNamedView } from './views.js';

/** Shows the client. */
export async function startShell(core: Core, root: HTMLElement): Promise<void> {
  loadNamedView();
  provideCore(core);
  startTheme(core);
  startTitle(core);
  startBadge(core);
  loadKeys();
  await chooseLanguage(navigator.languages);
  effect(() => {
    // Visitors have settings, too, but these are defaults of the organization.
    if (core.state.me.id === 0) return;
    const { default_language: wanted, twenty_four_hour_time } = core.state.me.settings.value;
    twentyFourHours.value = twenty_four_hour_time;
    if (wanted !== undefined) void chooseLanguage([wanted, ...navigator.languages]);
  });
  startOverlays();
  listenToKeys();
  for (const type of ['keydown', 'pointerdown', 'wheel']) {
    window.addEventListener(type, () => core.presence.noteInput(), { passive: true });
  }
  render(h(App, null), root);
  startNotices(core).catch(() => {});
}
