/**
 * The session cookie. Behind TLS its name has the prefix `__Host-`: a browser then accepts the cookie only over TLS and
 * from this very host, so that neither the network nor the host of another organization can plant a session. A port
 * other than the default ends the name: browsers send a cookie to all ports of a host, and each port may be another
 * server.
 */

/** The part of a browser's address that determines the name of its session cookie. */
export interface SessionCookieScope {
  /** True if the browser reached the server over TLS. */
  readonly secure: boolean;
  /** Port in the address; '' for the default port. */
  readonly port: string;
}

const SESSION_COOKIE_NAME = 'conclave_session';
/** Seconds for which browsers keep a session cookie. The server ends a session that was not used for 30 days. */
const SESSION_COOKIE_MAX_AGE_SECONDS = 400 * 86_400;

const SESSION_TOKEN_PATTERN = /^[A-Za-z0-9]{32}$/;

const sessionCookieNameOfScope = ({ secure, port }: SessionCookieScope): string =>
  `${secure ? '__Host-' : ''}${SESSION_COOKIE_NAME}${port === '' ? '' : `_${port}`}`;

const formatSessionCookie = (token: string, scope: SessionCookieScope, maxAge: number): string =>
  `${sessionCookieNameOfScope(scope)}=${token}; Path=/; Max-Age=${maxAge}; HttpOnly; SameSite=Strict${scope.secure ? '; Secure' : ''}`;

/** Makes the value of Set-Cookie that begins a session. */
export const makeSessionCookie = (token: string, scope: SessionCookieScope): string =>
  formatSessionCookie(token, scope, SESSION_COOKIE_MAX_AGE_SECONDS);

/** Makes the value of Set-Cookie that makes the browser forget its session. */
export const makeExpiredSessionCookie = (scope: SessionCookieScope): string => formatSessionCookie('', scope, 0);

function findSessionCookieValue(header: string, scope: SessionCookieScope): string | undefined {
  const name = sessionCookieNameOfScope(scope);
  for (const pair of header.split(';')) {
    const equals = pair.indexOf('=');
    if (equals >= 0 && pair.slice(0, equals).trim() === name) return pair.slice(equals + 1).trim();
  }
  return undefined;
}

/** Returns the secret of the session in a Cookie header; '' if there is none. */
export function sessionTokenOfCookieHeader(header: string, scope: SessionCookieScope): string {
  const token = findSessionCookieValue(header, scope) ?? '';
  return SESSION_TOKEN_PATTERN.test(token) ? token : '';
}

/** True if the Cookie header has a session cookie of this scope. The session may have ended. */
export const hasSessionCookie = (header: string, scope: SessionCookieScope): boolean =>
  findSessionCookieValue(header, scope) !== undefined;

/** True if the text is a well-formed token of a one-time sign-in link. */
export const isWellFormedSignInToken = (text: string): boolean => SESSION_TOKEN_PATTERN.test(text);
