import { effect } from '@preact/signals';
import type { Core } from '../core/index.js';
import { shownCount } from '../notify/index.js';
import { language, t } from '../text/index.js';
import { routeName } from './names.js';

const MAX_SHOWN = 999;

/** Keeps the title of the page: unread messages, what is on screen, the organization. */
export function startTitle(core: Core): void {
  effect(() => {
    document.documentElement.lang = language.value;
    const realm = core.state.realm.value.realm_name ?? '';
    const signedIn = core.session.state.value === 'signed-in';
    const view = core.session.state.value === 'signed-out' ? '' : routeName(core.router.route.value);
    const title = [view, realm].filter(Boolean).join(' · ') || 'Conclave';
    const n = signedIn ? shownCount(core.state) : 0;
    document.title = n > 0 ? t('shell.title-unread', { n: Math.min(n, MAX_SHOWN), title }) : title;
  });
}
