import { effect, untracked } from '@preact/signals';
import { h, options, render } from 'preact';
import { provideCore } from '../client/index.js';
import type { Core } from '../core/index.js';
import { startShortcutListener, startToastsAndTooltips, waitForFirstView, yieldToBrowser } from '../kit/index.js';
import { loadAndStartNotifying } from '../notify/index.js';
import { displayZone, loadAndUseFirstKnownLanguage, setDisplayZoneByName, uses24HourClock } from '../text/index.js';
import { App } from './app.js';
import { syncShortcutKeysWithStorage } from './keys.js';
import { startApplyingTheme } from './theme.js';
import { startUpdatingDocumentTitle } from './title.js';
import { isForAccountsOnly, loadMessagesChunkIfAddressed } from './views.js';

/** Requests the messages of the address as soon as the state is loaded, while the frame is rendered. */
function startLoadingAddressedMessages({ session, router, windows }: Core): void {
  const load = () => {
    const { value: route } = router.route;
    if (route.view === 'narrow' && !isForAccountsOnly(route))
      void windows.openWindow(route.narrow).showOrLoadAround(route.near ?? 'first_unread');
  };
  effect(() => {
    if (session.state.value === 'signed-in' || session.state.value === 'visitor') untracked(load);
  });
}

/**
 * Shows times in the zone of the settings. The zone is compared with the browser's after the first view, because the
 * first format of a page takes 70 ms on a phone.
 */
async function useTimeZone(name: string | undefined): Promise<void> {
  if (!name && !displayZone.peek()) return;
  await waitForFirstView();
  setDisplayZoneByName(name ?? '');
}

/** Events that begin an input of the reader. Pasted and composed texts come without a key. */
const INPUT_EVENTS = ['keydown', 'pointerdown', 'beforeinput', 'input'] as const;

/**
 * Renders in tasks of their own, not in the task that changed the state, until an input begins or the function that is
 * returned is called. A form that is submitted before it was rendered again would send its values of before.
 */
function renderInOwnTasks(): () => void {
  const stop = (): void => {
    delete options.debounceRendering;
    for (const type of INPUT_EVENTS) window.removeEventListener(type, stop, true);
  };
  options.debounceRendering = (run) => void yieldToBrowser().then(run);
  for (const type of INPUT_EVENTS) window.addEventListener(type, stop, { capture: true, passive: true });
  return stop;
}

/**
 * Shows the client.
 * @param onFirstViewShown called once the view of the address is on screen
 */
export async function startShell(core: Core, root: HTMLElement, onFirstViewShown: () => void): Promise<void> {
  provideCore(core);
  startLoadingAddressedMessages(core);
  startApplyingTheme(core);
  startUpdatingDocumentTitle(core);
  syncShortcutKeysWithStorage();
  // Without the chunk of another language the client begins in English; the settings load the chunk again.
  await loadAndUseFirstKnownLanguage(navigator.languages).catch(() => {});
  loadMessagesChunkIfAddressed();
  effect(() => {
    // Settings of visitors are defaults of the organization.
    if (core.state.me.id === 0) return;
    const { default_language: wanted, twenty_four_hour_time, timezone } = core.state.me.settings.value;
    uses24HourClock.value = twenty_four_hour_time;
    void useTimeZone(timezone);
    if (wanted !== undefined) void loadAndUseFirstKnownLanguage([wanted, ...navigator.languages]);
  });
  startToastsAndTooltips();
  startShortcutListener();
  for (const type of ['keydown', 'pointerdown', 'wheel']) {
    window.addEventListener(type, () => core.presenceReporter.noteUserInput(), { passive: true });
  }
  const renderAtOnce = renderInOwnTasks();
  render(h(App, null), root);
  await waitForFirstView();
  renderAtOnce();
  loadAndStartNotifying(core).catch(() => {});
  import('./later.js').then(({ startLaterParts }) => startLaterParts()).catch(() => {});
  onFirstViewShown();
}
