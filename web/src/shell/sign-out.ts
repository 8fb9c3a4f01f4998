import { signal } from '@preact/signals';
import { core } from '../client/index.js';
import { SESSION_HINT_COOKIE } from '../contract/index.js';
import { showToast } from '../kit/index.js';
import { t } from '../text/index.js';

/** Whether this browser had a session before the page was loaded, which may have ended since. */
export const hadSession = document.cookie.includes(SESSION_HINT_COOKIE);

/** True once the user has signed out in this tab. */
export const hasSignedOutDeliberately = signal(false);

export async function signOutDeliberately(): Promise<void> {
  hasSignedOutDeliberately.value = true;
  try {
    await core.session.signOut();
  } catch {
    hasSignedOutDeliberately.value = false;
    showToast({ text: t('error.unreachable'), kind: 'error' });
  }
}
