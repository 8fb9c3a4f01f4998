import { computed, effect } from '@preact/signals';
import type { Core } from '../core/index.js';
import { yieldToBrowser } from '../kit/index.js';
import { computeShownUnreadCount } from '../notify/index.js';
import { currentLanguage, t } from '../text/index.js';
import { formatRouteName } from './names.js';

const MAX_UNREAD_IN_TITLE = 999;

/** Keeps the title of the page (unread messages, what is on screen, the organization) and its language. */
export function startUpdatingDocumentTitle(core: Core): void {
  // A separate effect: at each assignment, the browser computes the styles of the whole page again.
  effect(() => {
    document.documentElement.lang = currentLanguage.value;
  });
  const text = computed(() => {
    currentLanguage.value;
    const realm = core.state.realm.value.realm_name ?? '';
    const signedIn = core.session.state.value === 'signed-in';
    const view = core.session.state.value === 'signed-out' ? '' : formatRouteName(core.router.route.value);
    const title = [view, realm].filter(Boolean).join(' · ') || 'Conclave';
    const n = signedIn ? computeShownUnreadCount(core.state) : 0;
    return n > 0 ? t('shell.title-unread', { n: Math.min(n, MAX_UNREAD_IN_TITLE), title }) : title;
  });
  // Runs only when the text changes, for the same reason.
  effect(() => {
    const { value } = text;
    // In a task of its own, as it is 20 ms of work on a phone.
    void yieldToBrowser().then(() => {
      document.title = value;
    });
  });
}
