/**
 * The part of a request by which a session cookie counts. A browser adds its cookies to every request, those that
 * another site causes included. So a cookie counts for calls only together with a header that no other site can send
 * (a preflight would refuse it), from a page of this host.
 */
import { namesSession, sessionTokenOf } from '#frontend/web';
import type { HttpExchange } from './server.js';

/** Settings of the frontend that concern browsers. */
export interface BrowserPolicy {
  /** Sessions are served. */
  readonly sessions: boolean;
  /** Clients reach the server over TLS. */
  readonly https: boolean;
  /** Port in the address that people open, with the colon; '': the default one. */
  readonly port: string;
  /** The peer is a proxy whose X-Forwarded-Proto is trusted; undefined: no proxy is trusted. */
  readonly isProxy?: ((peer: string) => boolean) | undefined;
}

export interface BrowserRequest {
  /** The request has the header of the web client, X-Conclave-Web. */
  readonly fromClient: boolean;
  /** The request comes from a page of this server, as far as can be seen. */
  readonly fromPage: boolean;
  /** No other site has caused the request. */
  readonly sameOrigin: boolean;
  /** Over TLS, as far as the browser sees it. */
  readonly secure: boolean;
  /** Secret of the session; '' where there is none, or where another site has caused the request. */
  readonly token: string;
}

const NO_BROWSER: BrowserRequest = { fromClient: false, fromPage: false, sameOrigin: false, secure: false, token: '' };

/**
 * Sec-Fetch-Site decides where there is one: no page can forge it, and a proxy does not change it. 'none' is an address
 * that the user opened. Browsers leave it out on unencrypted connections to other machines; then Origin decides.
 */
function isSameOrigin(exchange: HttpExchange, site: string, host: string, port: string): boolean {
  if (site !== '') return site === 'same-origin' || (site === 'none' && exchange.method === 'GET');
  const origin = exchange.header('origin').toLowerCase();
  if (origin === '') return true;
  const [, from] = /^https?:\/\/(.*)$/.exec(origin) ?? [];
  // A proxy may pass the name on without the port.
  return from === host || (from === host + port && !/:\d+$/.test(host));
}

function isSecure(exchange: HttpExchange, { https, isProxy }: BrowserPolicy): boolean {
  if (https || !isProxy?.(exchange.remoteAddress())) return https;
  // The last entry is that of the proxy that is connected to us.
  return exchange.headerLines('x-forwarded-proto').split(',').at(-1)!.trim().toLowerCase() === 'https';
}

/** @param host of the request, in lower case */
export function readBrowser(exchange: HttpExchange, host: string, policy: BrowserPolicy): BrowserRequest {
  if (!policy.sessions) return NO_BROWSER;
  const fromClient = exchange.header('x-conclave-web') === '1';
  const cookie = exchange.header('cookie');
  const site = exchange.header('sec-fetch-site');
  if (!fromClient && cookie === '' && site === '') return NO_BROWSER;
  const sameOrigin = isSameOrigin(exchange, site, host, policy.port);
  const secure = isSecure(exchange, policy);
  const fromPage = fromClient || site === 'same-origin' || namesSession(cookie);
  return { fromClient, fromPage, sameOrigin, secure, token: sameOrigin ? sessionTokenOf(cookie, secure) : '' };
}
