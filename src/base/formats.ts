/** Checks of text formats (conventions.md § Validator messages). */
import { isIPv4, isIPv6 } from 'node:net';

/** True for YYYY-MM-DD of an existing day. */
export function isIsoDate(value: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(value)) return false;
  const date = new Date(`${value}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().slice(0, 10) === value && !value.startsWith('0000');
}

const URL_PATTERN =
  /^(?:https?|ftps?):\/\/(?:[^\s:@/]+(?::[^\s:@/]*)?@)?(\[[^\]]*\]|[^\s:/?#@[\]]+)(?::\d{1,5})?(?:[/?#]\S*)?$/i;
const DOMAIN_LABEL_PATTERN = /^(?!-)[a-z\u00a1-\uffff0-9-]{1,63}(?<!-)$/i;
/** Matches a top-level domain: at least two letters and no digits, or punycode. */
const TOP_LEVEL_DOMAIN_PATTERN = /^(?!-)(?:[a-z\u00a1-\uffff-]{2,63}|xn--[a-z0-9]{1,59})(?<!-)$/i;
const MAX_URL_CHARACTERS = 2048;
const MAX_HOST_CHARACTERS = 253;

/** True for http, https, ftp and ftps URLs whose host has a top-level domain, is an IP address, or is localhost. */
export function isHttpOrFtpUrl(value: string): boolean {
  const host = value.length > MAX_URL_CHARACTERS ? undefined : URL_PATTERN.exec(value)?.[1];
  if (host === undefined) return false;
  if (host.startsWith('[')) return isIPv6(host.slice(1, -1));
  if (host.toLowerCase() === 'localhost' || isIPv4(host)) return true;
  const labels = host.replace(/\.$/, '').split('.');
  return (
    host.length <= MAX_HOST_CHARACTERS &&
    labels.length > 1 &&
    labels.every((label) => DOMAIN_LABEL_PATTERN.test(label)) &&
    TOP_LEVEL_DOMAIN_PATTERN.test(labels.at(-1)!)
  );
}
