import { formatFailureText } from '../client/index.js';
import { ApiFailure } from '../core/index.js';
import { t } from '../text/index.js';

/**
 * @param by what the visitor signed in with: the server has one code for a wrong password and a used link
 * @returns the text for a refused or unanswered sign-in, in the reader's language where the code is known
 */
export function formatSignInError(error: unknown, by: 'password' | 'link'): string {
  if (!(error instanceof ApiFailure)) return formatFailureText(error);
  switch (error.code) {
    case 'AUTHENTICATION_FAILED':
      return t(by === 'link' ? 'sign-in.link-used' : 'sign-in.wrong');
    case 'USER_DEACTIVATED':
      return t('sign-in.deactivated');
    case 'REALM_DEACTIVATED':
      return t('sign-in.realm-deactivated');
    case 'PASSWORD_AUTH_DISABLED':
      return t('sign-in.no-password');
    default:
      return formatFailureText(error);
  }
}

/** @param code of the API's error that ended the session */
export function formatSessionEnd(code: string): string {
  if (code === 'USER_DEACTIVATED') return t('sign-in.deactivated');
  return t(code === 'REALM_DEACTIVATED' ? 'sign-in.realm-deactivated' : 'sign-in.expired');
}

/** The text of an organization's description, which the server renders to HTML; entities of its five kinds only. */
export function extractDescriptionText(html: string): string {
  const signs: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', '#39': "'", '#x27': "'", amp: '&' };
  return html
    .replace(/<[^>]*>/g, ' ')
    .replace(/&(lt|gt|quot|#39|#x27|amp);/g, (whole, name: string) => signs[name] ?? whole)
    .replace(/\s+/g, ' ')
    .trim();
}
