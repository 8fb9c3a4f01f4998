import { isHttpOrFtpUrl, isIsoDate } from '#base';

/**
 * Checks of strings for which JSON Schema has no keyword, named in a schema as `{ check: 'hexColor' }`. A check returns
 * the error text that follows the position of the value in the message; undefined if the value passes.
 */
export const SCHEMA_STRING_CHECKS: Readonly<Record<string, (value: string) => string | undefined>> = {
  nonBlank: (value) => (value.trim() === '' ? ' cannot be blank.' : undefined),
  hexColor: (value) => (/^#[a-fA-F0-9]{3,6}$/.test(value) ? undefined : ' is not a valid hex color code'),
  date: (value) => (isIsoDate(value) ? undefined : ' is not a date'),
  url: (value) => (isHttpOrFtpUrl(value) ? undefined : ' is not a URL'),
  timezone: (value) => (isKnownTimeZone(value) ? undefined : ' is not a recognized time zone'),
  email: (value) => (isEmailAddress(value) ? undefined : INVALID_EMAIL_MESSAGE),
};

/**
 * Error message for an invalid e-mail address: the only one of a check that does not begin with the position of the
 * value.
 */
export const INVALID_EMAIL_MESSAGE = 'Enter a valid email address.';

const validityByTimeZone = new Map<string, boolean>();

function isKnownTimeZone(value: string): boolean {
  // Intl also accepts offsets and names in another case, which the zone database doesn't have.
  if (!/^[A-Z][A-Za-z0-9_+\-/]{0,63}$/.test(value)) return false;
  let known = validityByTimeZone.get(value);
  if (known === undefined) {
    try {
      new Intl.DateTimeFormat('en', { timeZone: value });
      known = true;
    } catch {
      known = false;
    }
    if (validityByTimeZone.size < 2000) validityByTimeZone.set(value, known);
  }
  return known;
}

function isEmailAddress(value: string): boolean {
  const at = value.lastIndexOf('@');
  if (at < 1 || value.length > 320 || /[\s\p{Cc}]/u.test(value)) return false;
  const local = value.slice(0, at);
  if (!/^[-!#$%&'*+/=?^_`{}|~0-9A-Za-z.]+$/.test(local) || /^\.|\.$|\.\./.test(local)) return false;
  const labels = value.slice(at + 1).split('.');
  const host = value.slice(at + 1);
  return (
    host === 'localhost' || (labels.length > 1 && labels.every((l) => /^(?!-)[\p{L}\p{N}-]{1,63}(?<!-)$/u.test(l)))
  );
}
