import { signal } from '@preact/signals';
import { core } from '../client/index.js';
import { showToast } from '../kit/index.js';
import { t } from '../text/index.js';

/** The user has signed out here, on purpose. */
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
