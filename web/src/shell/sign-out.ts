import { signal } from '@preact/signals';
import { core } from '../client/index.js';
import { formatSessionHint } from '../contract/index.js';
import { awaitOrToastError } from '../failures/index.js';

/** Whether this browser had a session before the page was loaded, which may have ended since. */
export const hadSession = document.cookie.includes(formatSessionHint(location.port));

/** True once the user has signed out in this tab. */
export const hasSignedOutDeliberately = signal(false);

export async function signOutDeliberately(): Promise<void> {
  hasSignedOutDeliberately.value = true;
  hasSignedOutDeliberately.value = await awaitOrToastError(core.session.signOut());
}
