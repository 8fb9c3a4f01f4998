/** Link addresses: permitted schemes, and the form in which addresses are emitted (markdown.md § Bare links). */

const SAFE_URL_SCHEMES: ReadonlySet<string> = new Set(
  (
    'http https ftp file bitcoin geo im irc ircs magnet mailto matrix mms news nntp openpgp4fpr sip sms smsto ssh tel ' +
    'urn webcal wtai xmpp'
  ).split(' '),
);

const CONTROL_OR_BLANK_PATTERN = /[\p{Cc}\s]/u;

/**
 * The address that a link leads to. An address without a scheme is one of this server (`/…`), of this page (`#…`), a
 * mail address, or a host.
 * @returns undefined if links may not have the scheme
 */
export function toSafeLinkUrl(written: string): string | undefined {
  // Browsers ignore control characters in addresses, also within the scheme.
  const url = CONTROL_OR_BLANK_PATTERN.test(written)
    ? written
        .replace(/\p{Cc}/gu, '')
        .trim()
        .replaceAll(' ', '%20')
    : written;
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(url)?.[1];
  if (scheme !== undefined) {
    const lower = scheme.toLowerCase();
    return SAFE_URL_SCHEMES.has(lower) ? dropEmptyQueryAndFragment(lower + url.slice(scheme.length)) : undefined;
  }
  if (url.startsWith('//')) return `http:${url}`;
  if (url.startsWith('/') || (url.startsWith('#') && url.length > 1)) return dropEmptyQueryAndFragment(url);
  const path = /^[^?#]*/.exec(url)?.[0] ?? '';
  return path.includes('@') ? `mailto:${url}` : dropEmptyQueryAndFragment(`http://${url}`);
}

/** Removes an empty query or fragment from an address. */
function dropEmptyQueryAndFragment(url: string): string {
  return url.includes('?') || url.endsWith('#') ? url.replace(/#$/, '').replace(/\?(?=#|$)/, '') : url;
}

/**
 * Makes links to narrows and uploads of this organization relative, so that a change of its host doesn't break them.
 */
export function toRelativeOwnNarrowOrUploadUrl(url: string, origin: string): string {
  if (origin === '' || !url.startsWith(`${origin}/`)) return url;
  const rest = url.slice(origin.length + 1);
  return rest.startsWith('#') || rest.startsWith('user_uploads/') ? rest : url;
}

/** Path id of a linked upload; undefined for other links. */
export function uploadPathIdOfUrl(url: string): string | undefined {
  const path = /^\/?user_uploads\/(\d+\/[^?#]+)/.exec(url)?.[1];
  if (path === undefined) return undefined;
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
