import { signal } from '@preact/signals';
import { core } from '../client/index.js';
import { SESSION_HINT_COOKIE } from '../contract/index.js';
import { awaitOrToastError } from '../failures/index.js';

/** Whether this browser had a session before the page was loaded, which may have ended since. */
export const hadSession = document.cookie.includes(SESSION_HINT_COOKIE);

/** True once the user has signed out in this tab. */
export const hasSignedOutDeliberately = signal(false);

export async function signOutDeliberately(): Promise<void> {
  hasSignedOutDeliberately.value = true;
  hasSignedOutDeliberately.value = await awaitOrToastError(core.session.signOut());
}
