import { formatFailureText } from '../client/index.js';
import { ApiFailure } from '../core/index.js';
import { type TextKey, t } from '../text/index.js';

const TEXT_KEY_BY_CODE: { readonly [code: string]: TextKey } = {
  USER_DEACTIVATED: 'sign-in.deactivated',
  REALM_DEACTIVATED: 'sign-in.realm-deactivated',
  PASSWORD_AUTH_DISABLED: 'sign-in.no-password',
};

/**
 * @param refused text for AUTHENTICATION_FAILED, the server's code for a wrong password and for a used link
 * @returns the text for a refused or unanswered sign-in, in the reader's language where the code is known
 */
export function formatSignInError(error: unknown, refused: 'sign-in.wrong' | 'sign-in.link-used'): string {
  const code = error instanceof ApiFailure ? error.code : '';
  const key = code === 'AUTHENTICATION_FAILED' ? refused : TEXT_KEY_BY_CODE[code];
  return key ? t(key) : formatFailureText(error);
}

/** @param code of the API's error that ended the session */
export const formatSessionEnd = (code: string): string => t(TEXT_KEY_BY_CODE[code] ?? 'sign-in.expired');
