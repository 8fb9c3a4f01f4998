/**
 * Reads the facts that make a session cookie count (CSRF protection). A browser adds its cookies to every request, even
 * to one that another site causes. So a cookie counts for calls only together with a header that no other site can send
 * (a preflight would refuse it), from a page of this host.
 */
import { hasSessionCookie, sessionTokenOfCookieHeader } from '#frontend/web';
import type { HttpExchange } from './server.js';

/** Settings of the frontend that concern browsers. */
export interface BrowserRequestPolicy {
  /** True if browsers may have sessions. */
  readonly areSessionsAllowed: boolean;
  /** True if clients reach the server over TLS. */
  readonly https: boolean;
  /** Port in the URLs that people open, with the colon; '' for the default port. */
  readonly externalPortSuffix: string;
  /**
   * Returns true for the IP address of a proxy whose X-Forwarded-Proto is trusted; undefined if no proxy is trusted.
   */
  readonly isTrustedProxy?: ((peer: string) => boolean) | undefined;
}

export interface BrowserRequestFacts {
  /** True if the request has the header of the web client, X-Conclave-Web. */
  readonly isFromWebClient: boolean;
  /** True if a page of this server sends the request, as far as the headers show. */
  readonly isFromOwnPage: boolean;
  /** True if the headers show no sign that another site caused the request. */
  readonly isSameOrigin: boolean;
  /** True if the browser uses TLS, even if a proxy terminates it. */
  readonly usesTls: boolean;
  /** Secret of the session cookie; '' where there is none, or where another site has caused the request. */
  readonly sessionToken: string;
  /** Account that the page shows (X-Conclave-User); 0 where the request does not say. NaN for other text. */
  readonly expectedUserId: number;
}

const NO_BROWSER_FACTS: BrowserRequestFacts = {
  isFromWebClient: false,
  isFromOwnPage: false,
  isSameOrigin: false,
  usesTls: false,
  sessionToken: '',
  expectedUserId: 0,
};

/**
 * True if no other site has caused the request. The header Sec-Fetch-Site decides where it is present: no page can
 * forge it, and a proxy does not change it. Its value 'none' stands for a URL that the user opened. Browsers omit the
 * header on unencrypted connections to other machines; then Origin decides.
 */
function isCausedBySameOrigin(exchange: HttpExchange, site: string, host: string, port: string): boolean {
  if (site !== '') return site === 'same-origin' || (site === 'none' && exchange.method === 'GET');
  const origin = exchange.header('origin').toLowerCase();
  if (origin === '') return true;
  const [, from] = /^https?:\/\/(.*)$/.exec(origin) ?? [];
  // A proxy may pass on the host name without the port.
  return from === host || (from === host + port && !/:\d+$/.test(host));
}

function isTlsRequest(exchange: HttpExchange, { https, isTrustedProxy }: BrowserRequestPolicy): boolean {
  if (https || !isTrustedProxy?.(exchange.remoteAddress())) return https;
  // The last value of X-Forwarded-Proto comes from the proxy that is connected to this server.
  return exchange.headerLines('x-forwarded-proto').split(',').at(-1)!.trim().toLowerCase() === 'https';
}

/** Returns the port in the address that the browser shows; '' for the default port. @param host Host of the request */
export const portInBrowserAddress = (host: string, { externalPortSuffix }: BrowserRequestPolicy): string =>
  // A proxy may pass on the host name without the port.
  (/:\d+$/.exec(host)?.[0] ?? externalPortSuffix).slice(1);

/** Reads the headers by which a browser's session cookie counts. @param host Host of the request, in lower case */
export function readBrowserRequestFacts(
  exchange: HttpExchange,
  host: string,
  policy: BrowserRequestPolicy,
): BrowserRequestFacts {
  if (!policy.areSessionsAllowed) return NO_BROWSER_FACTS;
  const fromClient = exchange.header('x-conclave-web') === '1';
  const cookie = exchange.header('cookie');
  const site = exchange.header('sec-fetch-site');
  if (!fromClient && cookie === '' && site === '') return NO_BROWSER_FACTS;
  const sameOrigin = isCausedBySameOrigin(exchange, site, host, policy.externalPortSuffix);
  const scope = { secure: isTlsRequest(exchange, policy), port: portInBrowserAddress(host, policy) };
  const fromPage = fromClient || site === 'same-origin' || hasSessionCookie(cookie, scope);
  return {
    isFromWebClient: fromClient,
    isFromOwnPage: fromPage,
    isSameOrigin: sameOrigin,
    usesTls: scope.secure,
    sessionToken: sameOrigin ? sessionTokenOfCookieHeader(cookie, scope) : '',
    expectedUserId: fromClient ? Number(exchange.header('x-conclave-user')) : 0,
  };
}
