import { isIPv4, isIPv6 } from 'node:net';

/**
 * Checks of strings for which JSON Schema has no keyword, named in a schema as `{ check: 'hexColor' }`. Each gives what
 * follows the position in the message, or undefined when the value passes.
 */
export const stringChecks: Readonly<Record<string, (value: string) => string | undefined>> = {
  nonBlank: (value) => (value.trim() === '' ? ' cannot be blank.' : undefined),
  hexColor: (value) => (/^#[a-fA-F0-9]{3,6}$/.test(value) ? undefined : ' is not a valid hex color code'),
  date: (value) => (isDate(value) ? undefined : ' is not a date'),
  url: (value) => (isUrl(value) ? undefined : ' is not a URL'),
  timezone: (value) => (isTimeZone(value) ? undefined : ' is not a recognized time zone'),
  email: (value) => (isEmail(value) ? undefined : EMAIL_MESSAGE),
};

/** The one message that does not begin with the position. */
export const EMAIL_MESSAGE = 'Enter a valid email address.';

/** YYYY-MM-DD of a day that exists. */
function isDate(value: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(value)) return false;
  const date = new Date(`${value}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().slice(0, 10) === value && !value.startsWith('0000');
}

const URL_PARTS =
  /^(?:https?|ftps?):\/\/(?:[^\s:@/]+(?::[^\s:@/]*)?@)?(\[[^\]]*\]|[^\s:/?#@[\]]+)(?::\d{1,5})?(?:[/?#]\S*)?$/i;
const LABEL = /^(?!-)[a-z\u00a1-\uffff0-9-]{1,63}(?<!-)$/i;
/** Two letters at least, no digits. */
const TOP_LEVEL = /^(?!-)(?:[a-z\u00a1-\uffff-]{2,63}|xn--[a-z0-9]{1,59})(?<!-)$/i;
const MAX_URL = 2048;
const MAX_HOST = 253;

/** http, https, ftp, ftps; the host ends in a top-level domain, or is an IP address or localhost. */
function isUrl(value: string): boolean {
  const host = value.length > MAX_URL ? undefined : URL_PARTS.exec(value)?.[1];
  if (host === undefined) return false;
  if (host.startsWith('[')) return isIPv6(host.slice(1, -1));
  if (host.toLowerCase() === 'localhost' || isIPv4(host)) return true;
  const labels = host.replace(/\.$/, '').split('.');
  return (
    host.length <= MAX_HOST &&
    labels.length > 1 &&
    labels.every((label) => LABEL.test(label)) &&
    TOP_LEVEL.test(labels.at(-1)!)
  );
}

const zones = new Map<string, boolean>();

function isTimeZone(value: string): boolean {
  // Offsets and names in other case satisfy Intl but are no zone names.
  if (!/^[A-Z][A-Za-z0-9_+\-/]{0,63}$/.test(value)) return false;
  let known = zones.get(value);
  if (known === undefined) {
    try {
      new Intl.DateTimeFormat('en', { timeZone: value });
      known = true;
    } catch {
      known = false;
    }
    if (zones.size < 2000) zones.set(value, known);
  }
  return known;
}

function isEmail(value: string): boolean {
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
